"""The cases of a campaign: mutants lowered one by one, over one system with all memories."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from mutproof.analyses.mutation.enumerate import mutated_body
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.variant import Case, Holds, Variant
from mutproof.base.digest import digest_parts
from mutproof.base.memo import Memo
from mutproof.model import causality
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


@dataclass(slots=True)
class Arrival:
    """Hold what a mutant is as a program and as a change of the system.

    `refusal` says why it is no model, empty if it is one, None where that is not known.
    """

    mutant: Mutant
    bodies: dict[Element, Term | None]
    rewritten: Rewritten
    refusal: str | None = None


MOST_ELEMENTS = 4_096
"""Of how many elements the mutants are kept for later versions of a file."""

_arrived: Memo[dict[str, Arrival]] = Memo(MOST_ELEMENTS)


class Caseload:
    """Hold the mutants of a campaign as cases; immutable once all of them have arrived.

    `bodies` are the bodies that the occurrences of the changed element have in each mutant;
    `arrived` are the mutants by name, `refused` says of some why they are no models. `stated`
    are digests of the properties, by name.
    """

    def __init__(self, baseline: Baseline, mutants: Sequence[Mutant]) -> None:
        self.mutants = {mutant.id: mutant for mutant in mutants}
        self.bodies: dict[str, dict[Element, Term | None]] = {}
        self.cases: dict[str, Case] = {}
        self.refused: dict[str, str] = {}
        self.stated = {
            p.name: digest_parts(p.kind.value, p.term.digest) for p in baseline.system.properties
        }
        self._baseline = baseline
        self._covering: dict[ElementId, tuple[str, ...]] | None = None
        self.arrived: dict[str, Arrival] = {}
        self._latest: tuple[Sequence[Element], dict[str, Arrival]] | None = None
        self._variables = dict(baseline.system.variables)
        self._structure: dict[Constraint, None] = {}

    def arrivals(self, check_cancelled: Callable[[], None]) -> Iterator[Case]:
        """Lower the mutants, one after the other, and yield the case of each."""
        goals = frozenset(self._baseline.proofs)
        for name, mutant in self.mutants.items():
            check_cancelled()
            arrival = self.arrived[name] = self._arrival(mutant)
            self.bodies[name], one = arrival.bodies, arrival.rewritten
            if one.refused:
                self.refused[name] = one.refused
            for variable in one.variables:
                self._variables.setdefault(variable.name, variable)
            own = tuple(c for c in one.constraints if c.owner is not None)
            self._structure.update((c, None) for c in one.constraints if c.owner is None)
            variant = Variant(name, one.removed, own, one.system)
            case = self.cases[name] = Case(variant, goals - one.lost if one.lost else goals)
            yield case

    def _arrival(self, mutant: Mutant) -> Arrival:
        meaning = self._baseline.meaning
        elements = meaning.program.by_id[mutant.element]
        if meaning.frame is None:
            return self._made(mutant, elements)
        if self._latest is None or self._latest[0] is not elements:
            key = (meaning.frame, self._conditions, elements)
            self._latest = elements, _arrived.get(key, dict)
        kept = self._latest[1]
        known = kept.get(mutant.id)
        if known is None or (known.mutant is not mutant and known.mutant != mutant):
            known = kept[mutant.id] = self._made(mutant, elements)
        return known

    def _made(self, mutant: Mutant, elements: Sequence[Element]) -> Arrival:
        bodies = {element: mutated_body(element, mutant) for element in elements}
        return Arrival(mutant, bodies, self._baseline.meaning.rewritten(bodies))

    @cached_property
    def _conditions(self) -> Hashable:
        return causality.conditions(self._baseline.program)

    def lowered(self, check_cancelled: Callable[[], None]) -> Self:
        """Have all mutants arrive."""
        for _ in self.arrivals(check_cancelled):
            pass
        return self

    @cached_property
    def system(self) -> TransitionSystem:
        """Return the baseline's system with the memories that only mutants read, all arrived."""
        base = self._baseline.system
        known = set(base.constraints)
        added = tuple(c for c in self._structure if c not in known)
        return replace(base, variables=self._variables, constraints=(*base.constraints, *added))

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
