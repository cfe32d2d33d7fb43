"""What the values of a transition system depend on, the way values flow.

An assignment gives its variable a value in every state (`never_blocks`), so what it reads decides
about the variable and not the other way round. What restricts executions decides about everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mutproof.base.digraph import reached
from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.system import Constraint, TransitionSystem

Targets = Mapping[tuple[ElementId, str], tuple[str, ...]]
"""The variables that an occurrence of an element assigns, by element and instance."""


class Influence:
    """Tell what depends on what in one system; caches only."""

    def __init__(self, system: TransitionSystem, targets: Targets) -> None:
        self._system = system
        self._targets = targets
        self._known: dict[str, frozenset[str]] = {}

    def heads(self, constraint: Constraint) -> frozenset[str] | None:
        """Return the variables that a constraint defines; None if it restricts executions instead.

        A constraint that belongs to no element counts as defining every variable that it mentions.
        """
        if constraint.defines is not None:
            return frozenset((constraint.defines,))
        if constraint.owner is None:
            return walk.variables(constraint.term)
        if not constraint.never_blocks:
            return None
        assigned = self._targets.get((constraint.owner, constraint.instance), ())
        return frozenset[str]().union(*map(self._scalars, assigned))

    @cached_property
    def stated(self) -> Mapping[str, frozenset[Constraint]]:
        """Return the constraints that give variables their values, by variable."""
        found: dict[str, set[Constraint]] = {}
        for constraint in self._system.constraints:
            for name in self.heads(constraint) or ():
                found.setdefault(name, set()).add(constraint)
        return {name: frozenset(constraints) for name, constraints in found.items()}

    @cached_property
    def restrictions(self) -> tuple[Constraint, ...]:
        """Return the constraints that may leave states without successor, or exclude first ones."""
        return tuple(c for c in self._system.constraints if self.heads(c) is None)

    @cached_property
    def deciding(self) -> frozenset[str]:
        """Return the variables that decide which executions exist."""
        system = self._system
        terms = [constraint.term for constraint in self.restrictions]
        terms += [*system.fairness, *(term for pair in system.compassion for term in pair)]
        return self.closure(name for term in terms for name in walk.variables(term))

    def closure(self, names: Iterable[str]) -> frozenset[str]:
        """Return the variables and all that they depend on."""
        return frozenset(reached(names, lambda name: self._reads.get(name, ())))

    def dependents(self, names: Iterable[str]) -> frozenset[str]:
        """Return the variables and all that depends on them."""
        return frozenset(reached(names, lambda name: self._readers.get(name, ())))

    def _scalars(self, target: str) -> frozenset[str]:
        """Return the scalar variables that a declared variable consists of."""
        if target in self._system.variables:
            return frozenset((target,))
        if target not in self._known:
            beginnings = f"{target}[", f"{target}."
            names = (name for name in self._system.variables if name.startswith(beginnings))
            self._known[target] = frozenset(names)
        return self._known[target]

    @cached_property
    def _reads(self) -> Mapping[str, frozenset[str]]:
        return {
            name: frozenset().union(*(walk.variables(c.term) for c in constraints))
            for name, constraints in self.stated.items()
        }

    @cached_property
    def _readers(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = {}
        for reader, names in self._reads.items():
            for name in names:
                found.setdefault(name, set()).add(reader)
        return found
