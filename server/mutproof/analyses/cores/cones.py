"""Cones: the part of a program that decides properties, as a system of its own.

Cores are looked for in cones, so that what one costs depends on what its property depends on,
and not on the size of the program. Properties of one cone have solvers in common.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TypeVar

from mutproof.analyses.claims.evidence import UNCERTIFIED, Holds
from mutproof.analyses.claims.variant import content
from mutproof.base.digest import Digest
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import ElementId
from mutproof.model.roles import core_candidates
from mutproof.model.slice import Slicer
from mutproof.model.system import ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.verdict import Certificate

_Key = TypeVar("_Key")

MOST_KEPT = 100_000
"""Of how many constraints the cones of a system are kept at most, all together."""


@dataclass(frozen=True)
class Cone:
    """Hold what some properties depend on.

    `universe` are the elements that a minimal core can contain, in source order; those `given`
    are never removed. `system` has the constraints of both, and the properties. `meant` has, for
    properties of the program that an equation defines, what it says.
    """

    names: tuple[str, ...]
    universe: tuple[ElementId, ...]
    given: frozenset[ElementId]
    system: TransitionSystem
    meant: Mapping[Term, Term] = field(default_factory=dict)

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
        """Return the part of a certificate that speaks of the cone only; it may prove less.

        Other properties are of the cone where what defines them is.
        """
        stated, declared = self.system.said.keys(), self.system.variables.keys()
        said = [
            lemma if walk.variables(lemma) <= declared else self.meant.get(lemma, lemma)
            for lemma in certificate.lemmas
        ]
        lemmas = [lemma for lemma in said if walk.variables(lemma) <= declared]
        lemmas += [self.system.property(g).term for g in certificate.goals if g in stated]
        term = self.system.property(name).term
        kept = tuple(lemma for lemma in dict.fromkeys(lemmas) if lemma is not term)
        return Certificate(certificate.k, kept, (name,))


@dataclass(frozen=True)
class ConeOutline:
    """Hold which constraints decide some properties, beside their own equations, by position."""

    names: tuple[str, ...]
    deciding: frozenset[int]


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
        self._candidates = core_candidates(program)
        self._latest: tuple[tuple[str, ...], list[Cone]] | None = None

    def of(self, names: Iterable[str]) -> list[Cone]:
        """Return the cones of properties."""
        asked = tuple(names)
        if self._latest is not None and self._latest[0] == asked:
            return self._latest[1]
        cones = [self.cut(outline) for outline in self.outlines(asked)]
        if sum(len(cone.system.constraints) for cone in cones) <= MOST_KEPT:
            self._latest = asked, cones
        return cones

    def outlines(self, names: Iterable[str]) -> list[ConeOutline]:
        """Return the outlines of cones; properties that depend on the same have one in common.

        Only what a property depends on can be needed, and what assertions and fairness depend
        on: assertions may contradict each other. Where the source lists candidates (`--%IVC`),
        the other elements count as given, as does the equation of the property.
        """
        alike: dict[frozenset[int], list[str]] = {}
        for name in names:
            stated = self.system.property(name)
            deciding = self._slicer.deciding([stated.term, *self._fair])
            own = () if stated.owner is None else self._stated.get(stated.owner, ())
            alike.setdefault(deciding.difference(own), []).append(name)
        return [ConeOutline(tuple(some), key) for key, some in alike.items()]

    def known_core(
        self, outline: ConeOutline, holds: Holds, rests_on: frozenset[ElementId]
    ) -> tuple[ElementId, ...]:
        """Return what suffices for a property by its proof alone, in source order.

        That takes no time for the rest of the cone, which need not be cut.
        """
        constraints = self.system.constraints
        given = {self.system.property(one).owner for one in outline.names}

        def owners(indices: Iterable[int]) -> set[ElementId]:
            found = {constraints[i].owner for i in indices if i in outline.deciding}
            return {
                owner
                for owner in found
                if owner is not None
                and owner not in given
                and (self._candidates is None or owner in self._candidates)
            }

        core = owners(i for owner in rests_on for i in self._stated.get(owner, ()))
        if holds.certificate is not UNCERTIFIED:
            supporting = owners(i for one in holds.support for i in self._digested.get(one, ()))
            core = min(supporting, core, key=len)
        return tuple(sorted(core, key=self._places.__getitem__))

    @cached_property
    def _stated(self) -> Mapping[ElementId | None, Sequence[int]]:
        return _positions(constraint.owner for constraint in self.system.constraints)

    @cached_property
    def _digested(self) -> Mapping[Digest, Sequence[int]]:
        return _positions(constraint.digest for constraint in self.system.constraints)

    def cut(self, outline: ConeOutline) -> Cone:
        """Return the cone of an outline."""
        whole, names = self.system, outline.names
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
        return Cone(names, tuple(universe), frozenset(given), system, self._meant)

    @cached_property
    def _meant(self) -> Mapping[Term, Term]:
        """Return what defines properties, by their terms."""
        terms = {found.term for found in self.system.properties if found.owner is not None}
        return {
            c.term.args[0]: c.term.args[1]
            for c in self.system.constraints
            if c.defines is not None and c.kind is ConstraintKind.INVAR and c.term.args[0] in terms
        }


_known: deque[tuple[Interpretation, TransitionSystem, Cones]] = deque(maxlen=2)


def cones_of(meaning: Interpretation, system: TransitionSystem) -> Cones:
    """Return the cones of a program, which are kept for two: an edit may be undone."""
    for known in _known:
        if known[0] is meaning and known[1] is system:
            return known[2]
    _known.append((meaning, system, Cones(meaning, system)))
    return _known[-1][2]


def _positions(keys: Iterable[_Key]) -> Mapping[_Key, Sequence[int]]:
    """Return where each key comes."""
    found: dict[_Key, list[int]] = {}
    for position, key in enumerate(keys):
        found.setdefault(key, []).append(position)
    return found
