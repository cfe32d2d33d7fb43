"""The cases of a campaign: mutants lowered one by one, over one system with all memories."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self, TypeAlias

from mutproof.analyses.mutation.enumerate import mutated_body
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.variant import Case, Holds, Variant
from mutproof.base.digest import Digest, digest_parts
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
    `structure` are constraints that no element states, such as of memories.
    """

    mutant: Mutant
    bodies: dict[Element, Term | None]
    rewritten: Rewritten
    refusal: str | None = None
    variant: Variant = field(init=False)
    structure: tuple[Constraint, ...] = field(init=False)

    def __post_init__(self) -> None:
        one = self.rewritten
        own = tuple(c for c in one.constraints if c.owner is not None)
        self.structure = tuple(c for c in one.constraints if c.owner is None)
        self.variant = Variant(self.mutant.id, one.removed, own, one.system)


MOST_KEPT = 50_000
"""How many mutants are kept for later versions of a file, about."""


class _Kept:
    """Keep the mutants of elements, those used last; mutable."""

    def __init__(self) -> None:
        self._elements: OrderedDict[Hashable, dict[str, Arrival]] = OrderedDict()
        self._count = 0

    def begin(self, key: Hashable) -> tuple[Mapping[str, Arrival], dict[str, Arrival]]:
        """Return the mutants that were kept of an element, and where to put those of now."""
        before, now = self._elements.pop(key, {}), self._elements.setdefault(key, {})
        self._count -= len(before)
        return before, now

    def added(self) -> None:
        """Note that a mutant was put somewhere; forget what was not used for longest."""
        self._count += 1
        while self._count > MOST_KEPT and len(self._elements) > 1:
            self._count -= len(self._elements.popitem(last=False)[1])


_kept = _Kept()


_OfElement: TypeAlias = tuple[Sequence[Element], Mapping[str, Arrival], dict[str, Arrival]]
"""Occurrences of an element, its mutants that were kept, and those of now."""


class Caseload:
    """Hold the mutants of a campaign as cases; immutable once all of them have arrived.

    `bodies` are the bodies that the occurrences of the changed element have in each mutant;
    `arrived` are the mutants by name, `stated` are digests of the properties by name.
    """

    def __init__(self, baseline: Baseline, mutants: Sequence[Mutant]) -> None:
        self.mutants = {mutant.id: mutant for mutant in mutants}
        self.bodies: dict[str, dict[Element, Term | None]] = {}
        self.cases: dict[str, Case] = {}
        self.stated = {
            p.name: digest_parts(p.kind.value, p.term.digest) for p in baseline.system.properties
        }
        self._baseline = baseline
        self._covering: dict[ElementId, tuple[str, ...]] | None = None
        self.arrived: dict[str, Arrival] = {}
        self._latest: _OfElement | None = None
        self._variables = dict(baseline.system.variables)
        self._structure: dict[Constraint, None] = {}

    def arrivals(self, check_cancelled: Callable[[], None]) -> Iterator[Case]:
        """Lower the mutants, one after the other, and yield the case of each."""
        goals = frozenset(self._baseline.proofs)
        for name, mutant in self.mutants.items():
            check_cancelled()
            arrival = self.arrived[name] = self._arrival(mutant)
            self.bodies[name], one = arrival.bodies, arrival.rewritten
            for variable in one.variables:
                self._variables.setdefault(variable.name, variable)
            self._structure.update(dict.fromkeys(arrival.structure))
            case = self.cases[name] = Case(arrival.variant, goals - one.lost if one.lost else goals)
            yield case

    def _arrival(self, mutant: Mutant) -> Arrival:
        elements = self._baseline.meaning.program.by_id[mutant.element]
        frame = self._frame
        if frame is None:
            return self._made(mutant, elements)
        if self._latest is None or self._latest[0] is not elements:
            self._latest = elements, *_kept.begin((frame, elements))
        _, before, now = self._latest
        known = before.get(mutant.id)
        if known is None or (known.mutant is not mutant and known.mutant != mutant):
            known = self._made(mutant, elements)
        now[mutant.id] = known
        _kept.added()
        return known

    def _made(self, mutant: Mutant, elements: Sequence[Element]) -> Arrival:
        bodies = {element: mutated_body(element, mutant) for element in elements}
        return Arrival(mutant, bodies, self._baseline.meaning.rewritten(bodies))

    @cached_property
    def _frame(self) -> Digest | None:
        """Return a digest of what mutants depend on beside their element, None if unknown."""
        frame = self._baseline.meaning.frame
        if frame is None:
            return None
        return digest_parts(frame, repr(causality.conditions(self._baseline.program)))

    def lowered(self, check_cancelled: Callable[[], None]) -> Self:
        """Have all mutants arrive."""
        for _ in self.arrivals(check_cancelled):
            pass
        return self

    @cached_property
    def system(self) -> TransitionSystem:
        """Return the baseline's system with the memories that only mutants read, all arrived."""
        assert len(self.arrived) == len(self.mutants)
        base = self._baseline.system
        known = set(base.constraints)
        added = tuple(c for c in self._structure if c not in known)
        if not added and len(self._variables) == len(base.variables):
            return base  # what was found out about it is kept
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
