"""Grow tests from those that come near to showing a mutant, or that reach new values."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mutproof.analyses.suites.replays import Inputs, Replays, TriedTest
from mutproof.model import sorts

STEPS: Final = 12
STAYS: Final = (None, 0.5, 0.9, 0.97)
MOST_GROWN: Final = 4000
VAIN: Final = 400
"""The most tests that are extended, and after how many extensions in vain that ends."""


def grown(
    replays: Replays, tests: Sequence[TriedTest], left: Callable[[], list[str]]
) -> Iterator[TriedTest | None]:
    """Yield tests that show what none has shown, and None for each attempt in vain.

    Kept is what reaches values that no test has reached; it is run on the mutants that are `left`
    and grown on. What follows the beginning of a test after which mutants remember something else
    than the model may show that too; it is run on these mutants. `tests` gets what is yielded.
    """
    source = random.Random(2)
    seen = {item for test in tests for item in replays.reached(test)}
    kept = [test.inputs for test in tests]
    near = _Near(replays, tests)
    since = 0
    live: list[str] = []
    for number in range(MOST_GROWN if seen else 0):
        if since == VAIN:
            return
        if not since:
            live = left()
            near.look(live)
        if not live:
            return
        since += 1
        more = replays.random(source, STEPS, source.choice(STAYS))
        if near.mutants and number % 4:
            begin, tried = near.start(source.choice(near.mutants))
            if number % 2:
                more = [{**step, **_idle(begin)} for step in more]
        else:
            begin, tried = source.choice(kept), []
            begin = begin[: source.randint(1, len(begin))]
        one = replays.accepted((*begin, *more), "random")
        if one is not None:
            fresh = replays.reached(one) - seen
            if fresh:
                seen |= fresh
                kept.append(one.inputs)
                tried = live
            if any(replays.differs(name, one) is not None for name in tried):
                since = 0
                yield one
                continue
        yield None


class _Near:
    """Find beginnings of tests after which memories of mutants differ; mutable.

    `mutants` are those for which one was found.
    """

    def __init__(self, replays: Replays, tests: Sequence[TriedTest]) -> None:
        self.mutants: list[str] = []
        self._replays = replays
        self._tests = tests
        self._looked = 0  # number of tests looked at
        self._starts: dict[str, tuple[int, int]] = {}  # by mutant: test and last step, 0-based
        self._alike: dict[tuple[int, int], list[str]] = {}
        self._calm: dict[tuple[int, int], Inputs] = {}

    def look(self, live: Sequence[str]) -> None:
        """Look at what tests there are, for some mutants; forget the others."""
        for name in live:
            if name not in self._starts:
                for number in range(self._looked, len(self._tests)):
                    step = self._replays.strays(name, self._tests[number])
                    if step is not None:
                        self._starts[name] = number, step
                        break
        self._looked = len(self._tests)
        self.mutants = [name for name in live if name in self._starts]
        self._alike = {}
        for name in self.mutants:
            self._alike.setdefault(self._starts[name], []).append(name)

    def start(self, mutant: str) -> tuple[Inputs, Sequence[str]]:
        """Return the beginning of a test for a mutant, and all mutants that have the same."""
        start = self._starts[mutant]
        if start not in self._calm:
            begin = self._tests[start[0]].inputs[: start[1] + 1]
            self._calm[start] = self._calmed(mutant, begin)
        return self._calm[start], self._alike[start]

    def _calmed(self, mutant: str, begin: Inputs) -> Inputs:
        """Return the beginning of a test with inputs held constant where that is possible.

        Inputs that change may hide differences. Memories of the mutant still differ after it.
        """
        found = begin
        for changing in self._replays.inputs:
            values = dict.fromkeys(step[changing] for step in found)
            for value in sorted(values, key=bool) if len(values) > 1 else ():
                calmer = tuple({**step, changing: value} for step in found)
                one = self._replays.accepted(calmer, "random")
                if (
                    one is not None
                    and len(one.inputs) == len(found)
                    and self._replays.strays(mutant, one) == len(found) - 1
                ):
                    found = calmer
                    break
        return found


def _idle(inputs: Inputs) -> Mapping[str, sorts.Value]:
    """Return the inputs that are constant, with their values."""
    return {n: v for n, v in inputs[0].items() if all(step[n] == v for step in inputs)}
