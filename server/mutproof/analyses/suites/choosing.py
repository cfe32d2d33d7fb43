"""Choose few of the collected tests, shorten them, and have the evaluator confirm their kills."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from enum import Enum
from typing import Final, TypeAlias

from mutproof.analyses.suites.collecting import LATE, Collection
from mutproof.analyses.suites.cover import EFFORT, Cover, cover
from mutproof.analyses.suites.replays import Confirmed, Inputs, Rows, TriedTest
from mutproof.analyses.suites.suite import SuiteTest, TestKill
from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.solving.solver import Effort

MOST_ATTEMPTS: Final = 3
MOST_TRIED: Final = 200
"""How many attempts are made to leave out steps of a test without losing kills."""


_Seeming: TypeAlias = tuple[TriedTest, Mapping[str, int]]
"""A test, and at which steps it seems to kill mutants, in their order."""

NOT_SHOWN: Final[Confirmed] = (None, frozenset())

_Known: TypeAlias = dict[tuple[TriedTest, str], Confirmed]
"""What the evaluator found for a test and a mutant; tests are compared by identity."""


class _ConfirmedKills(Enum):
    """Say which kills are confirmed, in this order."""

    EARLIEST = 1  # of each mutant
    FIRST = 2  # another, of mutants whose earliest one is not confirmed
    EVERY = 3


_NEEDED: Final = (_ConfirmedKills.EARLIEST, _ConfirmedKills.FIRST)
"""Those that tell which mutants are killed; others wait until tests are found for all."""


@dataclass(slots=True)
class Tried:
    """Hold what was tried when tests were chosen before; mutable."""

    confirmed: _Known = field(default_factory=dict)
    shorter: dict[TriedTest, _Seeming] = field(default_factory=dict)


def choose(
    collection: Collection,
    shortening: Deadline | None = None,
    until: Deadline | None = None,
    tried: Tried | None = None,
) -> tuple[tuple[SuiteTest, ...], Cover]:
    """Choose tests until the evaluator confirms all that they were chosen for, or time is up.

    What is not confirmed by then is not claimed. Tests are not shortened after `shortening`.
    """
    shortening, until = shortening or Deadline.never(), until or Deadline.never()
    tried = tried or Tried()
    confirmed, shorter = tried.confirmed, tried.shorter
    doubted: set[str] = set()
    for attempt in itertools.count():
        numbers, fixed, found = _covering(collection, until)
        chosen: list[_Seeming] = [
            (collection.matrix.tests[n], collection.matrix.kills[n]) for n in numbers
        ]
        chosen = [_known_shorter(one, shorter, confirmed, doubted) for one in chosen]
        if attempt < MOST_ATTEMPTS:  # in the last attempt tests stay as they are
            found_shorter = _shortened(collection, chosen, shorter, fixed=fixed, until=shortening)
            shorter |= {
                one: other
                for (one, _), other in zip(chosen, found_shorter, strict=True)
                if one is not other[0]
            }
            chosen = found_shorter
        tests = _claimed(collection, chosen, confirmed, until, turns=_NEEDED)
        killed = {kill.mutant for test in tests for kill in test.kills}
        wanted = {name for kills in collection.matrix.kills for name in kills}
        lost = [name for name in collection.names if name in wanted and name not in killed]
        if until.passed():
            collection.late = LATE
        if not lost:
            tests = _claimed(collection, chosen, confirmed, until, turns=tuple(_ConfirmedKills))
            return _in_order(tests), found
        if until.passed():  # no lower bound is known for this selection
            return _in_order([one for one in tests if one.kills]), replace(found, at_least=0)
        doubted.update(lost)
        collection.confirm(lost)
    raise AssertionError


def first_kills(collection: Collection, tried: Tried, until: Deadline) -> tuple[SuiteTest, ...]:
    """Return the tests that were the first to kill some mutant, with these kills only.

    What the evaluator confirms before time is up is claimed, and not asked again next time.
    """
    killed: set[str] = set()
    chosen: list[_Seeming] = []
    for test, kills in zip(collection.matrix.tests, collection.matrix.kills, strict=True):
        first = {name: step for name, step in kills.items() if name not in killed}
        if first:
            killed.update(first)
            chosen.append((test, first))
    tests = _claimed(collection, chosen, tried.confirmed, until, turns=_NEEDED)
    return _in_order([one for one in tests if one.kills])


def _covering(collection: Collection, until: Deadline) -> tuple[tuple[int, ...], int, Cover]:
    """Return tests that kill all that any test kills, how many of them are kept, and the cover.

    A lower bound for some mutants is one for all: if the tests chosen for the mutants of `whole`
    kill all others too, their number is as low as for all.
    """
    lazily = not collection.matrix.is_whole
    # First without a solver, while mutants are still added.
    for effort in (None, EFFORT) if lazily else (EFFORT,):
        more = True
        while more:
            numbers, fixed, found = _covered(collection, collection.matrix.whole, effort)
            more = lazily and collection.matrix.widen(numbers, until)
            if lazily and until.passed():
                numbers, fixed, found = _covered(collection, collection.names, None)
                return numbers, fixed, replace(found, at_least=0, minimal=0)
    return numbers, fixed, replace(found, minimal=0) if lazily else found


def _covered(
    collection: Collection, names: Sequence[str], effort: Effort | None
) -> tuple[tuple[int, ...], int, Cover]:
    """Return tests that kill some mutants, as far as is known, how many are kept, and the cover."""
    costs = [len(one.inputs) for one in collection.matrix.tests]
    masks = [_mask(names, kills) for kills in collection.matrix.kills]
    found = cover(masks, costs, effort)
    kept, killed_by_kept = _needed(masks[: collection.kept])
    # The lower bound is for all tests: kept ones may exceed a smallest cover.
    rest = cover([m & ~killed_by_kept for m in masks], costs, effort) if kept else found
    return (*kept, *rest.chosen), len(kept), found


def _needed(masks: Sequence[int]) -> tuple[list[int], int]:
    """Return the positions of sets with bits that no earlier set has, and all bits together."""
    kept: list[int] = []
    covered = 0
    for number, mask in enumerate(masks):
        if mask & ~covered:
            kept.append(number)
            covered |= mask
    return kept, covered


def _mask(names: Sequence[str], kills: Mapping[str, int]) -> int:
    mask = 0
    for bit, name in enumerate(names):
        if name in kills:
            mask |= 1 << bit
    return mask


def _claimed(
    collection: Collection,
    chosen: Sequence[_Seeming],
    known: _Known,
    until: Deadline,
    *,
    turns: Sequence[_ConfirmedKills],
) -> list[SuiteTest]:
    """Return tests with the kills that the evaluator confirms: first one for each mutant.

    That is the earliest one, which takes the fewest steps, or another. Results in `known` are not
    asked for again; new ones are added.
    """
    replays = collection.replays
    kills: list[dict[str, TestKill]] = [{} for _ in chosen]
    broken: list[set[str]] = [set() for _ in chosen]
    rows: list[Rows] = [() for _ in chosen]
    asked: set[tuple[int, str]] = set()
    killed: set[str] = set()
    earliest: dict[str, tuple[int, int]] = {}
    for number, (_, seeming) in enumerate(chosen):
        for name, step in seeming.items():
            earliest[name] = min(earliest.get(name, (step, number)), (step, number))
    for turn, number in itertools.product(turns, range(len(chosen))):
        test, seeming = chosen[number]
        if until.passed() and not any((test, name) in known for name in seeming):
            continue
        expected = rows[number] or replays.expected(test.inputs)
        if expected is None:
            continue
        rows[number] = expected
        for name, step in seeming.items():
            if (number, name) in asked or (turn is not _ConfirmedKills.EVERY and name in killed):
                continue
            if turn is _ConfirmedKills.EARLIEST and earliest[name][1] != number:
                continue
            if (test, name) not in known:
                if until.passed():
                    continue
                shown = replays.confirmed(name, test.inputs, expected, step=step)
                if shown[0] is None:  # a later difference may be in determined values
                    shown = replays.confirmed(name, test.inputs, expected)
                known[test, name] = shown
            asked.add((number, name))
            kill, violated = known[test, name]
            if kill is not None:
                kills[number][name] = kill
                broken[number] |= violated
                killed.add(name)
    return [
        SuiteTest(
            test.inputs,
            rows[number],
            tuple(kills[number][name] for name in seeming if name in kills[number]),
            replays.in_order(broken[number]),
            test.origin,
        )
        for number, (test, seeming) in enumerate(chosen)
    ]


def _known_shorter(
    one: _Seeming, shorter: Mapping[TriedTest, _Seeming], known: _Known, doubted: AbstractSet[str]
) -> _Seeming:
    """Return what a test was shortened to before, if the evaluator was asked of that.

    The test itself is returned if the shorter one does not show a `doubted` kill, lost before.
    """
    test, kills = one
    short = shorter.get(test)
    if short is None or any(
        name in doubted and known.get((short[0], name), NOT_SHOWN)[0] is None for name in kills
    ):
        return one
    return short


def _shortened(
    collection: Collection,
    chosen: Sequence[_Seeming],
    before: Mapping[TriedTest, _Seeming],
    *,
    fixed: int,
    until: Deadline,
) -> list[_Seeming]:
    """Return the tests without steps that none of the kills they alone have needs.

    The first `fixed` ones stay as they are, as do those shortened `before`.
    """
    tests = list(chosen)
    done = {short for short, _ in before.values()}.union(before)
    for number, (one, kills) in list(enumerate(tests))[fixed:]:
        if until.passed():
            break
        if one in done:
            continue
        others = {name for n, (_, known) in enumerate(tests) if n != number for name in known}
        needed = [name for name in kills if name not in others]
        shorter = _shorter(collection, one, needed, until)
        if shorter is not one:
            tests[number] = shorter, collection.steps(shorter)
    return tests


def _shorter(
    collection: Collection, test: TriedTest, needed: Sequence[str], until: Deadline
) -> TriedTest:
    """Return a test with few steps that still seems to kill some mutants."""
    if not needed:
        return test
    replays = collection.replays
    kept, tries, size = test, 0, len(test.inputs)
    while size >= 1 and tries < MOST_TRIED:
        # From the end, where most steps follow all differences.
        start = len(kept.inputs) - size
        while start >= 0 and tries < MOST_TRIED and len(kept.inputs) > 1:
            if until.passed():
                return kept
            tries += 1
            steps: Inputs = kept.inputs[:start] + kept.inputs[start + size :]
            smaller = replays.accepted(steps, test.origin) if steps else None
            if (
                smaller is not None
                and len(smaller.inputs) == len(steps)
                and all(replays.differs(name, smaller) is not None for name in needed)
            ):
                kept = smaller
            start -= size
        size = min(size, len(kept.inputs) + 1) // 2
    return kept


def _in_order(tests: Sequence[SuiteTest]) -> tuple[SuiteTest, ...]:
    """Return the tests, next always the one that kills most mutants not killed yet."""
    left = list(tests)
    killed: set[str] = set()
    found: list[SuiteTest] = []
    while left:
        best = max(left, key=lambda one: sum(1 for kill in one.kills if kill.mutant not in killed))
        left.remove(best)
        found.append(best)
        killed |= {kill.mutant for kill in best.kills}
    return tuple(found)
