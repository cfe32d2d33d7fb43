"""Small parts of a large system that decide all that is asked about some of its variants.

A solver that holds a whole system takes time for all of it at every question. A part is its cone
of influence, so what holds there holds in the whole, and an execution of it is one of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Generic, TypeVar

from mutproof.analyses.claims.claim import Claim
from mutproof.base.memo import Memo
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.slice import Slicer
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Term

LEAST_PARTED = 100
"""Systems of fewer constraints are never asked about in part."""

SMALL_PART = 4
"""A part is used only if the system has at least this many times its constraints."""

MOST_PARTS = 32
"""How many parts are kept."""

BenchT = TypeVar("BenchT")


class Parts(Generic[BenchT]):
    """Cache what `make` builds for parts of one system, the most recently used ones; mutable."""

    def __init__(self, slicer: Slicer, make: Callable[[TransitionSystem], BenchT]) -> None:
        self._slicer = slicer
        self._make = make
        self._known: Memo[BenchT] = Memo(MOST_PARTS)

    def of(self, batch: Sequence[Claim], statements: Iterable[Term]) -> BenchT | None:
        """Return what was built for the part that decides the statements on variants of the system.

        None if that part is not small.
        """
        system = self._slicer.system
        if len(system.constraints) < LEAST_PARTED:
            return None
        removed = frozenset[ElementId]().union(*(case.variant.removed for case in batch))
        own = [c for owner in sorted(removed) for c in system.by_owner.get(owner, ())]
        stated = [c for case in batch for c in case.variant.constraints]
        about = (*statements, *(c.term for c in (*own, *stated)))
        kept = {*own, *(system.constraints[n] for n in self._slicer.deciding(about))}
        size = len(system.constraints)
        if len(kept) * SMALL_PART > size or len(kept) == size:
            return None
        return self._known.get(frozenset(kept), lambda: self._make(_part(system, kept, about)))


def _part(
    system: TransitionSystem, kept: AbstractSet[Constraint], about: Iterable[Term]
) -> TransitionSystem:
    """Return a system of some constraints, with the variables and properties of these."""
    constraints = tuple(constraint for constraint in system.constraints if constraint in kept)
    terms = (*about, *(constraint.term for constraint in constraints))
    names = set[str]().union(*map(walk.variables, terms))
    names.update(c.defines for c in constraints if c.defines is not None)
    variables = {name: found for name, found in system.variables.items() if name in names}
    stated = tuple(p for p in system.properties if walk.variables(p.term) <= names)
    return replace(system, variables=variables, constraints=constraints, properties=stated)
