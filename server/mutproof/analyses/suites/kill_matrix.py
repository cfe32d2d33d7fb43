"""Which tests seem to kill which mutants, as far as that was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from mutproof.analyses.suites.replays import TriedTest
from mutproof.base.budget import Deadline

WIDENED: Final = 100
"""The number of mutants on which all tests are run at a time, if chosen tests may not kill them."""


class KillMatrix:
    """Hold tests and at which steps they seem to kill mutants; mutable.

    `kills` are for each of the `tests` the steps by mutant, in the order of the mutants; all tests
    were run on the mutants of `whole`; `shown` are those that some test seems to kill. From `many`
    mutants on, tests run on those that none kills yet, on others if needed.
    """

    def __init__(
        self,
        names: Sequence[str],
        steps: Callable[[TriedTest, Iterable[str]], dict[str, int]],
        many: int,
    ) -> None:
        self.tests: list[TriedTest] = []
        self.kills: list[dict[str, int]] = []
        self.shown: set[str] = set()
        self.whole = tuple(names) if len(names) < many else ()
        self._names = tuple(names)
        self._steps = steps
        self._inputs: set[str] = set()  # those of the tests
        self._tried: list[set[str]] = []  # by test: the mutants that it was run on

    @property
    def is_whole(self) -> bool:
        """Tell whether all tests were run on all mutants."""
        return len(self.whole) == len(self._names)

    def has(self, test: TriedTest) -> bool:
        """Tell whether a test has the inputs of one that was added."""
        return repr(test.inputs) in self._inputs

    def add(self, test: TriedTest, names: Iterable[str]) -> None:
        """Add a test, and run it on some mutants."""
        self._inputs.add(repr(test.inputs))
        self.tests.append(test)
        self.kills.append({})
        self._tried.append(set())
        self.run(len(self.tests) - 1, names)

    def run(self, number: int, names: Iterable[str]) -> None:
        """Run a test on those of some mutants on which it was not run."""
        tried = self._tried[number]
        more = [name for name in names if name not in tried]
        if not more:
            return
        tried.update(more)
        found = self._steps(self.tests[number], more)
        if found:
            found |= self.kills[number]
            self.shown.update(found)
            self.kills[number] = {name: found[name] for name in self._names if name in found}

    def widen(self, chosen: Iterable[int], until: Deadline) -> bool:
        """Run some tests on all mutants, and all tests on some of those that only others kill.

        Returns whether there were such mutants, which then are in `whole`. Ends when time is up.
        """
        killed: set[str] = set()
        for number in chosen:
            if until.passed():
                return False
            self.run(number, self._names)
            killed.update(self.kills[number])
        whole = set(self.whole)
        first: dict[str, int] = {}
        for number, kills in enumerate(self.kills):
            for name in kills:
                first.setdefault(name, number)
        left = [name for name in self._names if name in first and name not in killed]
        # Mutants first killed by late tests come first: few tests kill them.
        left.sort(key=lambda name: -first[name])
        added = [name for name in left if name not in whole][:WIDENED]
        for number in range(len(self.tests)):
            if until.passed():
                return False
            self.run(number, added)
        whole.update(added)
        self.whole = tuple(name for name in self._names if name in whole)
        return bool(added)
