"""Small parts of a large system that decide all that is asked about some of its variants.

A solver that holds a whole system takes time for all of it at every question. A part is its cone
of influence, so what holds there holds in the whole, and an execution of it is one of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Generic, TypeVar

from mutproof.analyses.claims.claim import Claim
from mutproof.base.memo import Memo
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.slice import Slicer
from mutproof.model.system import TransitionSystem, read
from mutproof.model.terms import Term

LEAST_PARTED = 100
"""Systems of fewer constraints are never asked about in part."""

SMALL_PART = 4
"""A part is used only if the system has at least this many times its constraints."""

PORTION = 100
"""Parts of fewer constraints are joined in one."""

MOST_PARTS = 32
MOST_PORTIONS = 128
"""How many parts are kept, and of those of fewer constraints than a portion."""

MOST_CONES = 2_048
MOST_PLACES = 500_000
"""How many cones are kept, and of how many constraints: all mutants are asked about the same."""

_Cone = tuple[frozenset[int], frozenset[str]]
"""Positions of constraints, and variables."""

BenchT = TypeVar("BenchT")
KeyT = TypeVar("KeyT", bound=Hashable)


class Parts(Generic[BenchT]):
    """Cache what `make` builds for parts of one system, the most recently used ones; mutable."""

    def __init__(self, slicer: Slicer, make: Callable[[TransitionSystem], BenchT]) -> None:
        self._slicer = slicer
        self._make = make
        self._known: Memo[BenchT] = Memo(MOST_PARTS)
        self._portions: Memo[BenchT] = Memo(MOST_PORTIONS)
        most = MOST_PLACES // (len(slicer.system.constraints) or 1)
        self._cones: Memo[_Cone] = Memo(max(1, min(MOST_CONES, most)))

    def of(self, batch: Sequence[Claim], statements: Iterable[Term]) -> BenchT | None:
        """Return what was built for the part that decides the statements on variants of the system.

        None if that part is not small.
        """
        system = self._slicer.system
        if len(system.constraints) < LEAST_PARTED:
            return None
        kept, names = self._cone(statements, _stated(batch), self._gone(batch))
        if not self._small(kept):
            return None
        known = self._portions if len(kept) < PORTION else self._known
        return known.get((kept, names), lambda: self._make(part_of(system, kept, names)))

    def restricting(self, batch: Sequence[Claim]) -> TransitionSystem:
        """Return the part that restricts executions of variants, in an order of its own."""
        kept, names = self._cone((), _stated(batch), frozenset())
        part = part_of(self._slicer.system, kept, names)
        constraints = tuple(sorted(part.constraints, key=lambda one: one.digest))
        variables = {name: part.variables[name] for name in sorted(part.variables)}
        return replace(part, variables=variables, constraints=constraints)

    def divided(
        self, batch: Sequence[Claim], wanted: Mapping[KeyT, Sequence[Term]]
    ) -> list[list[KeyT]]:
        """Divide what is wanted, with its statements, into portions that small parts decide.

        What no small part decides is in one portion, and all is where one such part does that is
        hardly larger than for some of it.
        """
        everything = [*wanted]
        if len(everything) < 2 or len(self._slicer.system.constraints) < LEAST_PARTED:
            return [everything]
        stated, gone = _stated(batch), self._gone(batch)
        cones = {key: self._cone(terms, stated, gone)[0] for key, terms in wanted.items()}
        union, largest = frozenset[int]().union(*cones.values()), max(map(len, cones.values()))
        if self._small(union) and len(union) < max(PORTION, 2 * largest):
            return [everything]
        whole: list[KeyT] = []
        portions: list[list[KeyT]] = []
        joined: frozenset[int] = frozenset()
        for key, cone in cones.items():
            if not self._small(cone):
                whole.append(key)
            elif portions and self._small(joined | cone) and len(joined | cone) < PORTION:
                joined |= cone
                portions[-1].append(key)
            else:
                joined = cone
                portions.append([key])
        return [*portions, whole] if whole else portions

    def _small(self, kept: AbstractSet[int]) -> bool:
        return len(kept) * SMALL_PART <= len(self._slicer.system.constraints)

    def _gone(self, batch: Sequence[Claim]) -> frozenset[ElementId]:
        """Return the elements that all variants lack, if these are most of them: else none.

        So there is no part for each single element that is removed.
        """
        none = frozenset[ElementId]()
        gone = frozenset.intersection(*(case.variant.removed for case in batch)) if batch else none
        return gone if 2 * len(gone) > len(self._slicer.system.by_owner) else none

    def _cone(
        self,
        statements: Iterable[Term],
        stated: Mapping[str | None, Sequence[Term]],
        gone: frozenset[ElementId],
    ) -> _Cone:
        """Return the cone of influence of statements: positions of constraints, and variables.

        `stated` is what variants state instead, by the variable that it defines. What that reads is
        in the cone too if the variable is, as is what restricts executions. What is `gone` is not.
        """
        asked = tuple(statements)
        kept, names = self._cones.get((asked, gone), lambda: self._deciding(asked, gone))
        done: set[str | None] = set()
        more: list[str | None] = [None]
        while more:
            done.update(more)
            about = [term for name in more for term in stated.get(name, ())]
            if about:
                others = self._deciding(about, gone)
                kept, names = kept | others[0], names | others[1]
            more = [name for name in stated if name in names and name not in done]
        return kept, names

    def _deciding(self, terms: Iterable[Term], gone: frozenset[ElementId]) -> _Cone:
        """Return the cone of influence of terms in the system itself."""
        constraints, reads = self._slicer.system.constraints, self._slicer.system.reads
        kept = self._slicer.deciding(terms, gone)
        names = set[str]().union(*map(read, terms), *(reads[n] for n in kept))
        names.update(c.defines for n in kept if (c := constraints[n]).defines is not None)
        return kept, frozenset(names)


def _stated(batch: Sequence[Claim]) -> dict[str | None, list[Term]]:
    """Return the terms that variants state, by the variable that they define (None: none)."""
    found: dict[str | None, list[Term]] = {}
    for constraint in dict.fromkeys(c for case in batch for c in case.variant.constraints):
        found.setdefault(constraint.defines, []).append(constraint.term)
    return found


def part_of(
    system: TransitionSystem, kept: AbstractSet[int], names: AbstractSet[str]
) -> TransitionSystem:
    """Return a system with some constraints and variables, and the properties about these."""
    constraints = tuple(system.constraints[place] for place in sorted(kept))
    variables = {name: found for name, found in system.variables.items() if name in names}
    stated = tuple(p for p in system.properties if walk.variables(p.term) <= names)
    return replace(system, variables=variables, constraints=constraints, properties=stated)
