"""Continue tests after which mutants remember something else than the model, until outputs differ.

Random inputs bring mutants into such states, and a solver finds what shows them from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from mutproof.analyses.equivalence.onward import Onward
from mutproof.analyses.suites.replays import Replays, TriedTest
from mutproof.base.budget import Deadline
from mutproof.model.program import ElementId
from mutproof.model.trace import Choices

TURNS: Final = 3
"""After how many tests differences of the mutants of an element are sought."""

FAR: Final = 32
"""Longer beginnings of tests are used where there is no shorter one: long tests take long."""

_Start: TypeAlias = tuple[int, int]
"""The number of a test, and the 0-based last step of its beginning."""


def continued(
    replays: Replays,
    onward: Onward,
    tests: Sequence[TriedTest],
    left: Callable[[], list[str]],
    *,
    until: Deadline,
) -> Iterator[TriedTest]:
    """Yield tests that show mutants that are `left`; `tests` gets what is yielded."""
    starts = _Starts(replays, tests)
    for _ in range(TURNS):
        known = len(tests)
        groups: dict[frozenset[ElementId], list[str]] = {}
        for name in left():
            groups.setdefault(onward.owners(name), []).append(name)
        for owners in sorted(groups, key=lambda owners: -len(groups[owners])):
            if until.passed():
                return
            live = set(left())
            start, names = starts.next(owners, [n for n in groups[owners] if n in live])
            if start is not None:
                yield from _after(replays, onward, (tests[start[0]], start[1]), names, until=until)
        if len(tests) == known:
            return


def _after(
    replays: Replays,
    onward: Onward,
    start: tuple[TriedTest, int],
    names: Sequence[str],
    *,
    until: Deadline,
) -> Iterator[TriedTest]:
    """Yield tests that begin as another does, up to a step, and show some of the mutants."""
    test, last = start
    begin = test.inputs[: last + 1]
    more = test.inputs[last + 1 : last + 2] or begin[-1:]
    after = replays.accepted((*begin, *more), test.origin)  # one step more, to see the memories
    if after is None or len(after.inputs) == len(begin):
        return
    found: list[TriedTest] = []

    def shown(mutant: str, choices: Choices) -> Choices | None:
        for one in found:
            if replays.differs(mutant, one) is not None:
                return one.choices
        new = replays.accepted((*begin, *choices.steps), "difference")
        if new is None or replays.differs(mutant, new) is None:
            return None
        found.append(new)
        return new.choices

    reached = {name: replays.remembered(name, after, onward.memories) for name in names}
    onward.search({n: known for n, known in reached.items() if known}, shown, until)
    yield from found


class _Starts:
    """Choose beginnings of tests after which memories of mutants differ; mutable."""

    def __init__(self, replays: Replays, tests: Sequence[TriedTest]) -> None:
        self._replays = replays
        self._tests = tests
        self._strays: dict[str, list[int | None]] = {}  # by mutant: last steps in tests
        self._used: set[tuple[frozenset[ElementId], _Start]] = set()

    def next(
        self, owners: frozenset[ElementId], names: Sequence[str]
    ) -> tuple[_Start | None, list[str]]:
        """Return the beginning after which most mutants of some elements stray, and these."""
        votes = Counter(
            (number, last)
            for name in names
            for number, last in enumerate(self._of(name))
            if last is not None and (owners, (number, last)) not in self._used
        )
        if not votes:
            return None, []
        start = max(votes, key=lambda one: (one[1] < FAR, votes[one], -one[1], -one[0]))
        self._used.add((owners, start))
        number, last = start
        return start, [name for name in names if self._strays[name][number] == last]

    def _of(self, name: str) -> list[int | None]:
        known = self._strays.setdefault(name, [])
        known += (self._replays.strays(name, test) for test in self._tests[len(known) :])
        return known
