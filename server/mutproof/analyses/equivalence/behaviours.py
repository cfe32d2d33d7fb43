"""Behaviours: classes of gaps that compute one function, and which behaviours imply which.

Many gaps raise few questions. Gaps of an element with one function are one behaviour: that is
proved. One behaviour implies another if every test that shows the first shows the second, too; this
rests on the tests that were made, and is only a reason to look at the first one first. Nothing here
is a verdict: scores count gaps.

Source: Ammann, Delamaro and Offutt, Establishing theoretical minimal sets of mutants, ICST 2014,
for dynamic subsumption.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus, Fingerprint
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.base.digest import shortened
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts
from mutproof.model.program import ElementId, Program, VariableKind

_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class Decided:
    """Hold what is known of a mutant, with its element."""

    mutant: str
    element: ElementId
    status: MutantStatus | None
    equivalence: Equivalence | None

    @property
    def gap(self) -> Equivalence | None:
        """Return what is known if it is a gap, else None."""
        known = self.equivalence if self.status is MutantStatus.SURVIVED else None
        return known if known is not None and known.status is EquivalenceStatus.GAP else None


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Hold gaps that compute one function, the most informative one first.

    `implied_by` names a behaviour that implies this one, empty if none is known; that rests on
    `tests` tests. `follow` counts the gaps of the behaviours implied by this one.
    """

    name: str
    element: ElementId
    mutants: tuple[str, ...]
    implied_by: str = ""
    tests: int = 0
    follow: int = 0

    @property
    def alike(self) -> int:
        """Return how many other gaps it covers."""
        return len(self.mutants) - 1 + self.follow


@dataclass(frozen=True)
class Behaviours:
    """Hold the behaviours of a file, the most informative ones first."""

    all: tuple[Behaviour, ...] = ()

    @cached_property
    def of(self) -> Mapping[str, Behaviour]:
        """Return the behaviour of each gap."""
        return {mutant: one for one in self.all for mutant in one.mutants}

    @cached_property
    def minimal(self) -> tuple[Behaviour, ...]:
        """Return those that no other one is known to imply."""
        return tuple(one for one in self.all if not one.implied_by)


@dataclass
class _Class:
    """Collect the gaps of one function; mutable."""

    element: ElementId
    print: Fingerprint | None
    gaps: list[Decided] = field(default_factory=list)


def behaviours(decided: Iterable[Decided], program: Program) -> Behaviours:
    """Return the behaviours of the gaps among mutants, which come in the order of the text.

    A gap is more informative if it differs on an output, early, in few signals, and in an element
    with a larger share of killed mutants.
    """
    killed: Counter[ElementId] = Counter()
    counted: Counter[ElementId] = Counter()
    classes: dict[object, _Class] = {}
    for mutant in decided:
        killed[mutant.element] += mutant.status is MutantStatus.KILLED
        counted[mutant.element] += 1
        known = mutant.gap
        if known is not None:
            taken = known.fingerprint
            key = mutant.mutant if taken is None else (mutant.element, taken.function)
            classes.setdefault(key, _Class(mutant.element, taken)).gaps.append(mutant)
    outputs = {
        variable.name + suffix
        for variable in program.component(program.main).of_kind(VariableKind.OUTPUT)
        for suffix, _ in sorts.leaves(variable.sort)
    }

    def telling(gap: Decided) -> tuple[object, ...]:
        assert gap.gap is not None
        on_output = not outputs or not outputs.isdisjoint(gap.gap.differing)
        seen = killed[gap.element] / counted[gap.element]
        return not on_output, gap.gap.step or 0, len(gap.gap.differing), -seen

    for each in classes.values():
        each.gaps.sort(key=telling)
    found = sorted(classes.values(), key=lambda each: telling(each.gaps[0]))
    return Behaviours(_named(found, _implied(found)))


_Column: TypeAlias = tuple[str, int, int]
"""The set of tests, their number, and those that show a gap, as bits."""


def _column(one: _Class) -> _Column | None:
    taken = one.print
    return (taken.among, taken.looked, taken.seen) if taken is not None and taken.seen else None


def _implied(found: Sequence[_Class]) -> list[int | None]:
    """Return, for each class, the position of a minimal class that implies it, or None.

    Classes that the same tests show are represented by the first of them. A class of the same
    element is preferred.
    """
    first: dict[_Column, int] = {}
    for number, one in enumerate(found):
        column = _column(one)
        if column is not None:
            first.setdefault(column, number)
    minimal: dict[tuple[str, int], list[_Column]] = {}
    for column in sorted(first, key=lambda each: (each[2].bit_count(), first[each])):
        among, looked, seen = column
        kept = minimal.setdefault((among, looked), [])
        if all(other & ~seen for _, _, other in kept):
            kept.append(column)
    for kept in minimal.values():
        kept.sort(key=lambda each: first[each])
    result: list[int | None] = []
    for number, one in enumerate(found):
        column = _column(one)
        if column is None:
            result.append(None)
            continue
        among, looked, seen = column
        apt = [each for each in minimal[among, looked] if not each[2] & ~seen]
        own = [first[each] for each in apt if found[first[each]].element == one.element]
        by = own[0] if own else first[apt[0]]
        result.append(None if by == number else by)
    return result


def _named(found: Sequence[_Class], implied: Sequence[int | None]) -> tuple[Behaviour, ...]:
    whole = [each.gaps[0].mutant if each.print is None else each.print.function for each in found]
    short = shortened(whole, _SHORTEST)
    follow = [0] * len(found)
    for each, by in zip(found, implied, strict=True):
        if by is not None:
            follow[by] += len(each.gaps)
    return tuple(
        Behaviour(
            short[whole[number]],
            each.element,
            tuple(gap.mutant for gap in each.gaps),
            "" if (by := implied[number]) is None else short[whole[by]],
            0 if by is None or each.print is None else each.print.looked,
            follow[number],
        )
        for number, each in enumerate(found)
    )
