"""Cones: the part of a program that decides properties, as a system of its own.

Cores are looked for in cones, so that what one costs depends on what its property depends on,
and not on the size of the program. Properties of one cone have solvers in common.
"""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.analyses.claims.variant import content
from mutproof.base.digest import Digest
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import ElementId, Program
from mutproof.model.slice import Slicer
from mutproof.model.system import TransitionSystem
from mutproof.solving.verdict import Certificate


@dataclass(frozen=True)
class Cone:
    """Hold what some properties depend on.

    `universe` are the elements that a minimal core can contain, in source order; those `given`
    are never removed. `system` has the constraints of both, and the properties.
    """

    names: tuple[str, ...]
    universe: tuple[ElementId, ...]
    given: frozenset[ElementId]
    system: TransitionSystem

    @cached_property
    def places(self) -> dict[ElementId, int]:
        """Return the places of what a core can contain, in source order."""
        return {element: place for place, element in enumerate(self.universe)}

    @cached_property
    def elements(self) -> frozenset[ElementId]:
        """Return all elements that state something in the system."""
        return self.given.union(self.universe)

    @cached_property
    def content(self) -> frozenset[Digest]:
        """Return the digests of everything a proof can rest on."""
        return content(self.system)

    def within(self, certificate: Certificate, name: str) -> Certificate:
        """Return the part of a certificate that speaks of the cone only; it may prove less."""
        stated, declared = self.system.said.keys(), self.system.variables.keys()
        lemmas = [lemma for lemma in certificate.lemmas if walk.variables(lemma) <= declared]
        lemmas += [self.system.property(g).term for g in certificate.goals if g in stated]
        term = self.system.property(name).term
        kept = tuple(lemma for lemma in dict.fromkeys(lemmas) if lemma is not term)
        return Certificate(certificate.k, kept, (name,))


class Cones:
    """Cut the cones of properties out of the system of a program; mutable caches."""

    def __init__(self, meaning: Interpretation, system: TransitionSystem) -> None:
        program = meaning.program
        self.system = meaning.widened(system)
        self._added = self.system.variables.keys() - system.variables.keys()
        self._fair = [*system.fairness, *(term for pair in system.compassion for term in pair)]
        self._slicer = Slicer(self.system)
        owners = (e.id for e in program.elements() if e.id in system.by_owner)
        # All occurrences of an element have the same id.
        self._places = {owner: place for place, owner in enumerate(dict.fromkeys(owners))}
        self._candidates = _candidates(program)

    def of(self, names: Iterable[str]) -> list[Cone]:
        """Return the cones of properties; those that depend on the same have one in common.

        Only what a property depends on can be needed, and what assertions and fairness depend
        on: assertions may contradict each other. Where the source lists candidates (`--%IVC`),
        the other elements count as given, as does the equation of the property.
        """
        constraints = self.system.constraints
        alike: dict[frozenset[int], list[str]] = {}
        for name in names:
            stated = self.system.property(name)
            deciding = self._slicer.deciding([stated.term, *self._fair])
            own = stated.owner
            key = frozenset(i for i in deciding if own is None or constraints[i].owner != own)
            alike.setdefault(key, []).append(name)
        return [self._cone(tuple(some)) for some in alike.values()]

    def _cone(self, names: tuple[str, ...]) -> Cone:
        whole = self.system
        stated = tuple(whole.property(name) for name in names)
        given = {found.owner for found in stated if found.owner is not None}
        terms = [*(found.term for found in stated), *self._fair]
        indices = sorted(self._slicer.deciding(terms))
        constraints = tuple(whole.constraints[index] for index in indices)
        elements = {c.owner for c in constraints if c.owner is not None}
        if self._candidates is not None:
            given |= elements - self._candidates
        variables = {name for term in terms for name in walk.variables(term)}
        variables.update(*(whole.reads[index] for index in indices))
        # Removals may add constraints on these, to keep the open values of equal calls equal.
        variables |= self._added
        system = TransitionSystem(
            {
                name: whole.variables[name]
                for name in sorted(variables, key=whole.positions.__getitem__)
            },
            constraints,
            stated,
            whole.fairness,
            whole.compassion,
            whole.relational,
        )
        universe = sorted(elements - given, key=self._places.__getitem__)
        return Cone(names, tuple(universe), frozenset(given), system)


def _candidates(program: Program) -> frozenset[ElementId] | None:
    """Return the elements that the main component lists for cores; None if there is no list."""
    main = program.component(program.main)
    if main.core_candidates is None:
        return None
    listed = frozenset(main.core_candidates)
    return frozenset(e.id for e in main.elements if not listed.isdisjoint(e.targets))
