"""The cases of a campaign: every mutant lowered, over one system that knows all memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mutproof.analyses.mutation.enumerate import mutated_body
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.variant import Case, Holds, Variant
from mutproof.base.digest import digest_parts
from mutproof.model import slice as slicing
from mutproof.model.interpretation import Interpretation, Rewritten
from mutproof.model.program import Element, ElementId, Program
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Term


@dataclass(frozen=True)
class Baseline:
    """Hold what is proved of the unmutated program: certificates and what they rest on."""

    meaning: Interpretation
    system: TransitionSystem
    proofs: Mapping[str, Holds]
    cores: Mapping[str, frozenset[ElementId]]  # elements each proof rests on, not minimal

    @property
    def program(self) -> Program:
        """Return the unmutated program."""
        return self.meaning.program


class Caseload:
    """Hold the mutants of a campaign as cases; immutable but for the cases themselves.

    `system` is the baseline's with the memories that only mutants read; `bodies` are the
    bodies that the occurrences of the changed element have in each mutant; `refused` says of
    some mutants why they are no models. `stated` are digests of the properties, by name.
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
        self.refused: dict[str, str] = {}
        self.stated = {
            p.name: digest_parts(p.kind.value, p.term.digest) for p in baseline.system.properties
        }
        self._baseline = baseline
        self._covering: dict[ElementId, tuple[str, ...]] | None = None
        self.system = self._extended(self._rewrite(check_cancelled))

    def _rewrite(self, check_cancelled: Callable[[], None]) -> dict[str, Rewritten]:
        found: dict[str, Rewritten] = {}
        meaning = self._baseline.meaning
        for mutant in self.mutants.values():
            check_cancelled()
            bodies = {
                element: mutated_body(element, mutant)
                for element in meaning.program.by_id[mutant.element]
            }
            self.bodies[mutant.id] = bodies
            found[mutant.id] = meaning.rewritten(bodies)
        return found

    def _extended(self, rewritten: Mapping[str, Rewritten]) -> TransitionSystem:
        """Return the system with the memories of all mutants, and make a case of each mutant."""
        base = self._baseline.system
        variables = dict(base.variables)
        structure: dict[Constraint, None] = {}
        goals = frozenset(self._baseline.proofs)
        for name, one in rewritten.items():
            if one.refused:
                self.refused[name] = one.refused
            for variable in one.variables:
                variables.setdefault(variable.name, variable)
            own = tuple(c for c in one.constraints if c.owner is not None)
            structure.update((c, None) for c in one.constraints if c.owner is None)
            variant = Variant(name, one.removed, own, one.system)
            self.cases[name] = Case(variant, goals - one.lost if one.lost else goals)
        known = set(base.constraints)
        added = tuple(c for c in structure if c not in known)
        return replace(base, variables=variables, constraints=(*base.constraints, *added))

    def covered_by(self, element: ElementId) -> tuple[str, ...]:
        """Return the proved properties whose cone contains an element, in order."""
        if self._covering is None:
            self._covering = {}
            slicer = slicing.Slicer(self._baseline.system)
            for name in self._baseline.proofs:
                cone = slicer.cone((name,))
                for owner in dict.fromkeys(c.owner for c in cone.constraints):
                    if owner is not None:
                        self._covering[owner] = (*self._covering.get(owner, ()), name)
        return self._covering.get(element, ())
