"""What elements and properties demand of the values of DEFINEs, for any that these may have.

Most mutants of a DEFINE of truth values change nothing that matters there: these questions are
asked once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from mutproof.model import sorts, terms, walk
from mutproof.model.obligations import Obligations, ValidityObligation, fairness_terms
from mutproof.model.passes.definedness import hazards
from mutproof.model.program import Component, Element, ElementKind, Property
from mutproof.model.terms import Term

Subject: TypeAlias = Element | Property | Term
"""An element, a property, or a fairness condition."""


class MacroUses:
    """Tell what reads the macros of a component, and what it demands of them; caches only.

    `holds` tells of terms whether they are known to hold for all values of what they read.
    """

    def __init__(
        self, component: Component, finder: Obligations, holds: Callable[[Term], bool]
    ) -> None:
        self._obligations = finder
        self._holds = holds
        self._scalars = finder.scalars
        self._defines = {
            e.targets[0]: e.body for e in component.elements if e.kind is ElementKind.DEFINE
        }
        self._readers = _readers(component)
        self._users: dict[str, tuple[Subject, ...]] = {}
        self._reading: dict[str, frozenset[str]] = {}  # macros, themselves included
        self._total: dict[str, bool] = {}
        self._hazardous: dict[Term, int] = {}
        self._free: dict[frozenset[str], Obligations] = {}
        self._demands: dict[tuple[frozenset[str], Subject], tuple[ValidityObligation, ...]] = {}

    def of(self, name: str) -> tuple[Subject, ...]:
        """Return the elements and properties that read a macro, directly or through others."""
        if name not in self._users:
            found: dict[Subject, None] = {}
            seen = {name}
            stack = [name]
            while stack:
                for reader in self._readers.get(stack.pop(), ()):
                    if not isinstance(reader, Element) or reader.kind is not ElementKind.DEFINE:
                        found[reader] = None
                    elif reader.targets[0] not in seen:
                        seen.add(reader.targets[0])
                        stack.append(reader.targets[0])
            self._users[name], self._reading[name] = tuple(found), frozenset(seen)
        return self._users[name]

    def are_boolean(self, macros: Mapping[str, Term]) -> bool:
        """Tell whether macros are truth values, of the model and with other bodies."""
        return all(b.sort == sorts.BOOL == self._scalars.get(n) for n, b in macros.items())

    def are_total(self, macros: Mapping[str, Term]) -> bool:
        """Tell whether other bodies of macros are known to have a value in every state."""
        changing = frozenset().union(*(self._reading[name] for name in macros))
        if all(self._is_plain(body, changing) for body in macros.values()):
            return True
        finder = self._obligations.with_macros(macros) if len(macros) > 1 else self._obligations
        return self._all_hold(one for body in macros.values() for one in finder.of_value(body))

    def _is_plain(self, body: Term, changing: frozenset[str]) -> bool:
        """Tell whether all that another body of a macro computes and reads has a value.

        It reads none of the `changing` macros, so that is asked once for all mutants.
        """
        if any(hazards(body, self._hazardous)):
            return False
        reads = walk.variables(body) & self._defines.keys()
        return reads.isdisjoint(changing) and all(map(self._is_total, sorted(reads)))

    def _is_total(self, name: str) -> bool:
        """Tell whether a macro of the model is known to have a value in every state."""
        if name not in self._total:
            self._total[name] = self._all_hold(self._obligations.of_value(self._defines[name]))
        return self._total[name]

    def _all_hold(self, conditions: Iterable[Term]) -> bool:
        return all(self._holds(part) for one in conditions for part in distinct_conjuncts(one))

    def demands(self, subject: Subject, names: frozenset[str]) -> tuple[ValidityObligation, ...]:
        """Return what an element or property demands that not any values of macros fulfil.

        That is asked once for all mutants of these.
        """
        key = names, subject
        if key not in self._demands:
            if names not in self._free:
                self._free = {names: self._obligations.without_macros(names)}
            self._demands[key] = tuple(
                replace(obligation, term=part)
                for obligation in demanded_by(self._free[names], subject, body_of(subject))
                for part in distinct_conjuncts(obligation.term)
                if not self._holds(part)
            )
        return self._demands[key]


def _readers(component: Component) -> Mapping[str, tuple[Subject, ...]]:
    """Return, for each macro, the elements and properties that read it directly."""
    macros = {e.targets[0] for e in component.elements if e.kind is ElementKind.DEFINE}
    found: dict[str, list[Subject]] = {name: [] for name in macros}
    for subject, body in _bodies(component):
        for name in sorted(walk.variables(body) & macros):
            found[name].append(subject)
    return {name: tuple(readers) for name, readers in found.items()}


def _bodies(component: Component) -> Iterator[tuple[Subject, Term]]:
    for element in component.elements:
        yield element, element.body
    for stated in component.properties:
        yield stated, stated.term
    for term in fairness_terms(component):
        yield term, term


def body_of(subject: Subject) -> Term:
    """Return what an element computes, or what is stated."""
    match subject:
        case Element(body=body):
            return body
        case Property(term=term):
            return term
        case Term():
            return subject


def demanded_by(finder: Obligations, subject: Subject, body: Term) -> Iterable[ValidityObligation]:
    """Return the conditions of an element with another body, a property or a fairness condition."""
    if isinstance(subject, Property):
        return finder.of_property(subject)
    if isinstance(subject, Term):
        return finder.of_fairness(subject)
    return finder.of_element(subject, body)


def distinct_conjuncts(root: Term) -> list[Term]:
    """Return the distinct conjuncts of a condition, which is valid if all of them are."""
    return [part for part in dict.fromkeys(walk.conjuncts(root)) if part is not terms.TRUE]
