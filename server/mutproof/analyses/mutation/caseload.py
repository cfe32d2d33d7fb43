"""The cases of a campaign: every mutant lowered, over one system that knows all memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mutproof.analyses.mutation.enumerate import mutated_body
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.variant import Case, Holds, Variant
from mutproof.model import slice as slicing
from mutproof.model.instances import calls, child_prefix
from mutproof.model.lower import Lowered, Lowering
from mutproof.model.program import Element, ElementId, Program
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem
from mutproof.model.terms import Term


@dataclass(frozen=True)
class Baseline:
    """Hold what is proved of the unmutated program: certificates and what they rest on."""

    program: Program
    lowering: Lowering
    system: TransitionSystem
    proofs: Mapping[str, Holds]
    cores: Mapping[str, frozenset[ElementId]]  # elements each proof rests on, not minimal


class Caseload:
    """Hold the mutants of a campaign as cases; immutable but for the cases themselves.

    `system` is the baseline's with the memories that only mutants read; `bodies` are the
    bodies that the occurrences of the changed element have in each mutant.
    """

    def __init__(
        self,
        baseline: Baseline,
        mutants: Sequence[Mutant],
        check_cancelled: Callable[[], None],
    ) -> None:
        self.mutants = {mutant.id: mutant for mutant in mutants}
        self.bodies: dict[str, dict[Element, Term | None]] = {}
        self.cases: dict[str, Case] = {}
        self._baseline = baseline
        self._covering: dict[ElementId, tuple[str, ...]] | None = None
        self.system = self._extended(self._lower(check_cancelled))

    def _lower(self, check_cancelled: Callable[[], None]) -> dict[str, Lowered]:
        found: dict[str, Lowered] = {}
        program, lowering = self._baseline.program, self._baseline.lowering
        for mutant in self.mutants.values():
            check_cancelled()
            bodies: dict[Element, Term | None] = {}
            constraints: list[Constraint] = []
            variables: dict[str, SystemVariable] = {}
            for element in program.by_id[mutant.element]:
                body = mutated_body(element, mutant)
                bodies[element] = body
                one = lowering.element(element, body)
                constraints.extend(one.constraints)
                variables.update((v.name, v) for v in one.variables)
            self.bodies[mutant.id] = bodies
            found[mutant.id] = Lowered(tuple(constraints), tuple(variables.values()))
        return found

    def _extended(self, lowered: Mapping[str, Lowered]) -> TransitionSystem:
        """Return the system with the memories of all mutants, and make a case of each mutant."""
        base = self._baseline.system
        variables = dict(base.variables)
        structure: dict[Constraint, None] = {}
        goals = set(self._baseline.proofs)
        for name, one in lowered.items():
            for variable in one.variables:
                variables.setdefault(variable.name, variable)
            own = tuple(c for c in one.constraints if c.owner is not None)
            structure.update((c, None) for c in one.constraints if c.owner is None)
            mutant = self.mutants[name]
            stated = goals - self._gone(mutant, goals)
            self.cases[name] = Case(Variant(name, frozenset({mutant.element}), own), stated)
        known = set(base.constraints)
        added = tuple(c for c in structure if c not in known)
        return replace(base, variables=variables, constraints=(*base.constraints, *added))

    def _gone(self, mutant: Mutant, goals: set[str]) -> set[str]:
        """Return the properties of called nodes that the mutant no longer calls."""
        if all("." not in goal for goal in goals):
            return set()
        gone: set[str] = set()
        for element in self._baseline.program.by_id[mutant.element]:
            body = self.bodies[mutant.id][element]
            kept = set() if body is None else {site for site, _, _ in calls(body)}
            lost = [site for site, _, _ in calls(element.body) if site not in kept]
            for instance in self._baseline.lowering.instances_of(mutant.element.component):
                for site in lost:
                    prefix = child_prefix(instance.prefix, element, site)
                    gone |= {goal for goal in goals if goal.startswith(prefix)}
        return gone

    def covered_by(self, element: ElementId) -> tuple[str, ...]:
        """Return the proved properties whose cone contains an element, in order."""
        if self._covering is None:
            self._covering = {}
            for name in self._baseline.proofs:
                cone = slicing.cone(self._baseline.system, (name,))
                for owner in dict.fromkeys(c.owner for c in cone.constraints):
                    if owner is not None:
                        self._covering[owner] = (*self._covering.get(owner, ()), name)
        return self._covering.get(element, ())
