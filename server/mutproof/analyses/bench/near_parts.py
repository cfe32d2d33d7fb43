"""Small parts of a large system that proofs rest on, in which certificates are tried on variants.

A part has what some elements state of the variables of a certificate, of what that reads, and so
on; all else is left open. It has all executions of the system and more, so what is proved there
holds in the whole. What fails there may fail nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

from mutproof.analyses.bench.parts import PORTION, SMALL_PART, part_of
from mutproof.analyses.claims.claim import Claim
from mutproof.base.memo import Memo
from mutproof.model import slice as slicing
from mutproof.model.program import ElementId
from mutproof.model.system import Constraint, TransitionSystem, read
from mutproof.model.terms import Term

MOST_KEPT = 128
"""How many parts are kept, with their solvers."""

BenchT = TypeVar("BenchT")
KeyT = TypeVar("KeyT", bound=Hashable)


_Near = tuple[frozenset[int], frozenset[str]]
"""Places of constraints, and the variables that they and variants may speak of."""


class NearParts(Generic[BenchT]):
    """Cache what `make` builds of parts of one system, the most recently used ones; mutable.

    It is given the part, and what tells which constraints of variants belong there.
    """

    def __init__(
        self,
        system: TransitionSystem,
        make: Callable[[TransitionSystem, Callable[[Constraint], bool]], BenchT],
    ) -> None:
        self._system = system
        self._make = make
        self._known: Memo[BenchT] = Memo(MOST_KEPT)
        self._about: dict[str, list[int]] = {}
        for place, constraint in enumerate(system.constraints):
            target = _target(constraint)
            if target is not None:
                self._about.setdefault(target, []).append(place)

    def divided(
        self,
        batch: Sequence[Claim],
        wanted: Mapping[KeyT, tuple[Sequence[Term], AbstractSet[ElementId]]],
    ) -> list[tuple[list[KeyT], BenchT]]:
        """Divide what is wanted into portions, each with what was built of its part.

        Of each it is known what it states, and by which elements. What no small part has, is left
        out.
        """
        stated = _stated(batch)
        most = len(self._system.constraints) // SMALL_PART
        portions: list[tuple[list[KeyT], _Near]] = []
        for key, (terms, owners) in wanted.items():
            kept, names = self._near(terms, owners, stated)
            if len(kept) > most:
                continue
            if portions:
                members, before = portions[-1]
                both = before[0] | kept, before[1] | names
                if len(both[0]) < min(PORTION, most):
                    portions[-1] = ([*members, key], both)
                    continue
            portions.append(([key], (kept, names)))
        return [(members, self._built(near)) for members, near in portions]

    def _built(self, near: _Near) -> BenchT:
        kept, names = near

        def belongs(constraint: Constraint) -> bool:
            return _target(constraint) in names and read(constraint.term) <= names

        return self._known.get(
            near, lambda: self._make(part_of(self._system, kept, names), belongs)
        )

    def _near(
        self,
        terms: Iterable[Term],
        owners: AbstractSet[ElementId],
        stated: Mapping[str, Sequence[Constraint]],
    ) -> _Near:
        """Return the part of what some elements, or none, state for terms in the variants too."""
        constraints, reads = self._system.constraints, self._system.reads
        kept, queue = set[int](), [*frozenset[str]().union(*map(read, terms))]
        names = set(queue)
        while queue:
            name = queue.pop()
            fresh = set[str]()
            for place in self._about.get(name, ()):
                owner = constraints[place].owner
                if owner is None or owner in owners:
                    kept.add(place)
                    fresh |= reads[place]
            for constraint in stated.get(name, ()):
                if constraint.owner is None or constraint.owner in owners:
                    fresh |= read(constraint.term)
            queue += fresh - names
            names |= fresh
        return frozenset(kept), frozenset(names)


def _target(constraint: Constraint) -> str | None:
    """Return the variable of which a constraint says what its value or its next value may be."""
    return constraint.defines or slicing.assigned(constraint)


def _stated(batch: Sequence[Claim]) -> dict[str, list[Constraint]]:
    """Return what variants state, by the variable that it is about."""
    found: dict[str, list[Constraint]] = {}
    for constraint in dict.fromkeys(c for case in batch for c in case.variant.constraints):
        target = _target(constraint)
        if target is not None:
            found.setdefault(target, []).append(constraint)
    return found
