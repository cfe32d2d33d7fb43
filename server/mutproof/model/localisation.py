"""Parts of a system around a property, whose paths include all paths of the whole.

What a part leaves out leaves its variables any value. So what holds on all paths of a part holds on
all paths of the system, and of every other one that has that part.
Source: Kurshan, Computer-Aided Verification of Coordinating Processes, Princeton 1994.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mutproof.model import slice as slicing
from mutproof.model import walk
from mutproof.model.linear import is_linear
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariableKind,
    TransitionSystem,
)


def is_universal(stated: SystemProperty) -> bool:
    """Tell whether a property of a system holds wherever it does with more paths."""
    return stated.kind is not PropertyKind.COMPUTE and is_linear(stated.term)


def layers(system: TransitionSystem, name: str) -> Iterator[TransitionSystem]:
    """Yield the parts of a system around a property, each with what the last one reads.

    The first has what speaks of the variables of the property alone. The whole is not yielded.
    """
    place = _Place(system, name)
    names = place.closed(walk.variables(system.property(name).term))
    while len(names) < len(system.variables):
        yield place.part(range(len(system.constraints)), names)
        more = place.closed(names.union(*place.read_for(names)))
        if more == names:
            return
        names = more


def around(system: TransitionSystem, name: str, owners: Iterable[ElementId]) -> TransitionSystem:
    """Return the part of a system that some elements, or none, state around a property."""
    place = _Place(system, name)
    chosen = frozenset(owners)
    kept = [
        index
        for index, constraint in enumerate(system.constraints)
        if constraint.owner is None or constraint.owner in chosen or _must_stay(system, constraint)
    ]
    names = place.closed(walk.variables(system.property(name).term))
    while more := frozenset().union(*place.read_for(names, kept)) - names:
        names = place.closed(names | more)
    return place.part(kept, names)


def without(part: TransitionSystem, gone: Iterable[ElementId]) -> TransitionSystem:
    """Return a part without what some elements state, as far as it can do without."""
    left_out = frozenset(gone)
    kept = tuple(c for c in part.constraints if c.owner not in left_out or _must_stay(part, c))
    return replace(part, constraints=kept)


def owners_of(part: TransitionSystem) -> tuple[ElementId, ...]:
    """Return the elements that state something in a part, in order."""
    return tuple(owner for owner in part.by_owner if owner is not None)


def _must_stay(system: TransitionSystem, constraint: Constraint) -> bool:
    """Tell whether a constraint gives a variable values that its sort may not list."""
    name = constraint.defines
    if name is None or constraint.kind is not ConstraintKind.INVAR:
        return False
    declared = system.variables[name]
    return declared.kind is SystemVariableKind.DEFINED and declared.sort != BOOL


class _Place:
    """Know what the constraints around one property of a system define and read."""

    def __init__(self, system: TransitionSystem, name: str) -> None:
        self._system = system
        self._stated = system.property(name)
        self._reads = system.reads
        self._targets = [c.defines or slicing.assigned(c) for c in system.constraints]
        self._definitions: dict[str, list[int]] = {}
        for index, constraint in enumerate(system.constraints):
            if constraint.defines is not None and constraint.kind is ConstraintKind.INVAR:
                self._definitions.setdefault(constraint.defines, []).append(index)

    def closed(self, names: frozenset[str]) -> frozenset[str]:
        """Return variables with all that their definitions in each state read."""
        found, queue = set(names), [*names]
        while queue:
            for index in self._definitions.get(queue.pop(), ()):
                more = self._reads[index] - found
                found |= more
                queue += more
        return frozenset(found)

    def read_for(
        self, names: frozenset[str], among: Iterable[int] | None = None
    ) -> Iterator[frozenset[str]]:
        """Yield what is read by constraints that say something of some variables."""
        for index in range(len(self._targets)) if among is None else among:
            target = self._targets[index]
            if target in names if target is not None else self._reads[index] & names:
                yield self._reads[index]

    def part(self, among: Iterable[int], names: frozenset[str]) -> TransitionSystem:
        """Return the part that some constraints and fairness state of some variables alone."""
        system = self._system

        def inside(read: frozenset[str]) -> bool:
            return self.closed(read) <= names

        return replace(
            system,
            variables={n: v for n, v in system.variables.items() if n in names},
            constraints=tuple(
                system.constraints[index] for index in among if self._reads[index] <= names
            ),
            properties=(self._stated,),
            fairness=tuple(t for t in system.fairness if inside(walk.variables(t))),
            compassion=tuple(
                (p, q)
                for p, q in system.compassion
                if inside(walk.variables(p) | walk.variables(q))
            ),
        )
