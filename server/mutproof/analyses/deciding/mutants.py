"""The mutants of a program as claims, lowered where needed, over one system with all memories.

Lowering is lazy: it takes as long as all else done for a mutant whose element no proof needs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Self, TypeAlias

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.mutation.enumerate import mutated_bodies, mutated_body
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import causality, flat_names
from mutproof.model.interpretation import Interpretation, covering
from mutproof.model.program import Element, ElementId
from mutproof.model.rewritten import Rewritten
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Term


@dataclass(slots=True)
class Arrival:
    """Hold what a mutant is as a program and, once it is lowered, as a change of the system.

    `lost` are properties that the mutant no longer states. `refusal` says why it is no model, empty
    if it is one, None if that is not known yet. `structure` are constraints of no element, such as
    those of memories.
    """

    mutant: Mutant
    bodies: dict[Element, Term | None]
    outline: Variant
    lost: frozenset[str]
    rewritten: Rewritten | None = None
    refusal: str | None = None
    variant: Variant | None = None
    structure: tuple[Constraint, ...] = ()
    remembered: Digest = Digest(b"")

    @property
    def refused(self) -> str:
        """Return why lowering refuses it; empty if it does not, or has not been tried."""
        return "" if self.rewritten is None else self.rewritten.refused

    def lowered(self, meaning: Interpretation) -> tuple[Variant, Rewritten]:
        """Return what it changes; computed once."""
        if self.variant is None or self.rewritten is None:
            one = self.rewritten = self.rewritten or meaning.rewritten(self.bodies)
            own = tuple(c for c in one.constraints if c.owner is not None)
            self.structure = tuple(c for c in one.constraints if c.owner is None)
            self.variant = Variant(self.mutant.id, one.removed, own, one.system)
        return self.variant, self.rewritten


MOST_KEPT = 50_000
"""About how many mutants are kept for later versions of a file."""


class _Kept:
    """Keep the mutants of the elements that were used most recently; mutable."""

    def __init__(self) -> None:
        self._elements: OrderedDict[Hashable, dict[str, Arrival]] = OrderedDict()
        self._count = 0

    def begin(self, key: Hashable) -> tuple[Mapping[str, Arrival], dict[str, Arrival]]:
        """Return the kept mutants of an element, and a table for its mutants of this version."""
        before, now = self._elements.pop(key, {}), self._elements.setdefault(key, {})
        self._count -= len(before)
        return before, now

    def added(self) -> None:
        """Note that a mutant was put somewhere; forget what was not used for longest."""
        self._count += 1
        while self._count > MOST_KEPT and len(self._elements) > 1:
            self._count -= len(self._elements.popitem(last=False)[1])


_kept = _Kept()


_OfElement: TypeAlias = tuple[
    Sequence[Element], frozenset[ElementId], Mapping[str, Arrival], dict[str, Arrival]
]
"""Occurrences of an element, its name, its mutants that were kept, and those of now."""


class Mutants:
    """Hold the mutants of a program as claims; they arrive, and some of them are lowered.

    `bodies` are the bodies that the occurrences of changed elements have in each mutant;
    `arrived` are the mutants by name, `stated` are digests of the properties by name, `goals` are
    the properties that are proved.
    """

    def __init__(self, baseline: Baseline, mutants: Sequence[Mutant]) -> None:
        self.by_name = {mutant.id: mutant for mutant in mutants}
        self.bodies: dict[str, dict[Element, Term | None]] = {}
        self.claims: dict[str, Claim] = {}
        self.stated = baseline.system.said
        self.goals = frozenset(baseline.proofs)
        self._baseline = baseline
        self._covering: dict[ElementId, tuple[str, ...]] | None = None
        self.arrived: dict[str, Arrival] = {}
        self._latest: _OfElement | None = None
        self._variables = dict(baseline.system.variables)
        self._structure: dict[Constraint, None] = {}

    def arrivals(
        self, mutants: Iterable[Mutant], check_cancelled: Callable[[], None]
    ) -> Iterator[Claim]:
        """Take in some mutants, one after the other, and yield the claim of each."""
        goals, arrived, bodies, claims = self.goals, self.arrived, self.bodies, self.claims
        for mutant in mutants:
            check_cancelled()
            name = mutant.id
            one = arrived[name] = self._arrival(mutant)
            bodies[name] = one.bodies
            claims[name] = claim = Claim(one.outline, goals - one.lost if one.lost else goals)
            yield claim

    def lower(self, claim: Claim) -> None:
        """Give a claim its constraints, and add what they read to the system of all mutants."""
        arrival = self.arrived[claim.name]
        if claim.variant is not arrival.outline:
            return
        claim.variant, one = arrival.lowered(self._baseline.meaning)
        if self._baseline.system.relational:
            assert (one.variables, arrival.structure) == ((), ()), "its model has them all"
            return
        assert "system" not in vars(self), "the system is that of all mutants that are lowered"
        for variable in one.variables:
            self._variables.setdefault(variable.name, variable)
        self._structure.update(dict.fromkeys(arrival.structure))

    def _arrival(self, mutant: Mutant) -> Arrival:
        if mutant.parts:
            bodies = mutated_bodies(self._baseline.meaning.program, mutant)
            return self._made(mutant, bodies, frozenset(m.element for m in mutant.parts))
        if self._latest is None or mutant.element not in self._latest[1]:
            self._latest = self._of_element(mutant.element)
        elements, removed, before, now = self._latest
        known = before.get(mutant.id)
        if known is None or not self._is_as_kept(known, mutant):
            bodies = {element: mutated_body(element, mutant) for element in elements}
            known = self._made(mutant, bodies, removed)
        known.remembered = self._remembered
        if self._frame is not None:
            now[mutant.id] = known
            _kept.added()
        return known

    def _is_as_kept(self, known: Arrival, mutant: Mutant) -> bool:
        """Tell whether a kept mutant of an element that is as it was is what it is today."""
        if known.mutant is not mutant and known.mutant != mutant:
            return False
        one = known.rewritten
        return one is None or not one.linked or known.remembered == self._remembered

    @cached_property
    def _remembered(self) -> Digest:
        """Return a digest of the memories of called nodes; equal calls have the same ones."""
        variables = self._baseline.system.variables.items()
        inner = [repr((n, v.sort)) for n, v in variables if "." in n and flat_names.is_memory(n)]
        return digest_parts(*sorted(inner))

    def _of_element(self, element: ElementId) -> _OfElement:
        elements = self._baseline.meaning.program.by_id[element]
        frame = self._frame
        before, now = ({}, {}) if frame is None else _kept.begin((frame, elements))
        return elements, frozenset((element,)), before, now

    def _made(
        self, mutant: Mutant, bodies: dict[Element, Term | None], removed: frozenset[ElementId]
    ) -> Arrival:
        meaning = self._baseline.meaning
        lost = meaning.lost(bodies)
        if lost is not None:
            return Arrival(mutant, bodies, Variant(mutant.id, removed, None), lost)
        one = meaning.rewritten(bodies)
        outline = Variant(mutant.id, one.removed, None, one.system)
        return Arrival(mutant, bodies, outline, one.lost, one)

    @cached_property
    def _frame(self) -> Digest | None:
        """Return a digest of what lowering depends on beside the element; None if unknown."""
        frame = self._baseline.meaning.frame
        if frame is None:
            return None
        return digest_parts(frame, repr(causality.conditions(self._baseline.program)))

    def lowered(self, check_cancelled: Callable[[], None]) -> Self:
        """Take in and lower all mutants."""
        for claim in self.arrivals(self.by_name.values(), check_cancelled):
            self.lower(claim)
        return self

    def applied(self, claim: Claim) -> TransitionSystem:
        """Return the system of a mutant, also of one that was decided before it was lowered."""
        arrival, whole = self.arrived[claim.name], self.system
        variant, one = arrival.lowered(self._baseline.meaning)
        if claim.variant is arrival.outline:
            known = set(whole.constraints)
            fresh = {v.name: v for v in one.variables if v.name not in whole.variables}
            variables = {**whole.variables, **fresh}
            added = tuple(c for c in arrival.structure if c not in known)
            whole = replace(whole, variables=variables, constraints=(*whole.constraints, *added))
        return applied(whole, variant)

    @cached_property
    def system(self) -> TransitionSystem:
        """Return the baseline's system with the memories that only mutants read.

        Complete once all mutants have arrived and those that any rung needs are lowered; relational
        ones have the variables of their model.
        """
        if self._baseline.system.relational:
            return self._baseline.system
        assert len(self.arrived) == len(self.by_name)
        base = self._baseline.system
        known = set(base.constraints)
        added = tuple(c for c in self._structure if c not in known)
        if not added and len(self._variables) == len(base.variables):
            return base  # keeps what is cached for this object
        return replace(base, variables=self._variables, constraints=(*base.constraints, *added))

    def covered_by(self, mutant: str) -> tuple[str, ...]:
        """Return the proved properties whose cone contains a changed element, in order."""
        if self._covering is None:
            base = self._baseline
            self._covering = covering(base.meaning, base.system, self._in_order)
        changes = self.by_name[mutant].changes
        if len(changes) == 1:
            return self._covering.get(changes[0].element, ())
        names = {name for m in changes for name in self._covering.get(m.element, ())}
        return tuple(name for name in self._in_order if name in names)

    @cached_property
    def _in_order(self) -> list[str]:
        """Return the proved properties in the order of the system, however they were proved."""
        stated = self._baseline.system.properties
        return [found.name for found in stated if found.name in self.goals]
