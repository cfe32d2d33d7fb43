"""Which mutants a front end would refuse: these are no models, so they are STILLBORN.

Only what the change can have broken is checked: the element itself and, for a macro, its uses.
Conditions that the unchanged model has too are not checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from mutproof.analyses.mutation.constant_operands import ConstantOperands
from mutproof.analyses.mutation.ranges import Ranges
from mutproof.base.record import dataclass
from mutproof.model import obligations, sorts, terms, walk
from mutproof.model.causality import Reads, is_causal_with
from mutproof.model.instants import Instants
from mutproof.model.narrow import Narrowing
from mutproof.model.obligations import Obligations, ValidityObligation, fairness_terms
from mutproof.model.passes.definedness import Hazard
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import Component, Element, ElementKind, Program, Property
from mutproof.model.terms import Term
from mutproof.model.traits import Semantics

CIRCULAR = "a value depends on itself within one step"
NO_COMMON_SORT = "an integer without bounds is used as a value of an enumeration"
REASONS = {
    Hazard.CASE: "the conditions of a case are not exhaustive",
    Hazard.DIVISION: "a divisor may be zero",
    Hazard.INDEX: "an index may be out of the bounds of its array",
    Hazard.SHIFT: "a word may be shifted by more than its width",
    Hazard.RANGE: "a value may leave the range of its type",
}
MOST_STEPS = 300_000
"""How many evaluation steps one condition may take here; a solver decides the others."""

Bodies: TypeAlias = Mapping[Element, Term | None]
"""The bodies that occurrences of changed elements have in a mutant; None removes them."""


class Rejection:
    """Tell why a front end would refuse mutants of one program; mutable caches only.

    `is_valid` tells of terms whether they are known to hold for all values of what they read.
    """

    def __init__(
        self, program: Program, is_valid: Callable[[Term], bool] = lambda _: False
    ) -> None:
        self._program = program
        self._checks: _Checks | None = None
        if program.traits.semantics is Semantics.RELATIONAL:
            self._checks = _Checks(program.component(program.main), is_valid)
        self._last: tuple[Bodies, _Verdict] | None = None
        self._narrowing = Narrowing(program)
        self._latest: tuple[Element, tuple[Reads, Ranges]] | None = None

    def reason(self, bodies: Bodies) -> str:
        """Return why a mutant is no model; empty if it is one, or if that is still open."""
        return self._verdict(bodies).reason

    def open(self, bodies: Bodies) -> tuple[ValidityObligation, ...]:
        """Return the conditions for a mutant to be a model that only a solver can decide."""
        return self._verdict(bodies).open

    def is_local(self, bodies: Bodies) -> bool:
        """Tell whether the answer depends only on element, declarations and causality of calls."""
        return self._verdict(bodies).local

    def _verdict(self, bodies: Bodies) -> _Verdict:
        if self._last is None or self._last[0] is not bodies:
            if self._checks is not None:
                verdict = self._checks.verdict(bodies)
            else:
                verdict = self._running(bodies)
            self._last = (bodies, verdict)
        return self._last[1]

    def _running(self, bodies: Bodies) -> _Verdict:
        local, program = True, self._program
        for element, body in bodies.items():
            if body is not None:
                reads, ranges = self._rules_of(element)
                changed = program is not self._program  # what was causal with a body may not be now
                in_doubt = element.kind is ElementKind.EQUATION and (changed or reads.grow(body))
                local = local and not in_doubt
                if in_doubt and not is_causal_with(program, element, body):
                    return _Verdict(CIRCULAR)
                hazard = ranges.hazard(body)
                if hazard is not None:
                    return _Verdict(REASONS[hazard], local=local)
            if len(bodies) > 1:
                program = program.with_bodies({element: body})
        return _Verdict("", local=local)

    def _rules_of(self, element: Element) -> tuple[Reads, Ranges]:
        """Return the checks of an element, kept until another element is asked about."""
        if self._latest is None or self._latest[0] is not element:
            ranges = Ranges(self._program, self._narrowing, element)
            self._latest = element, (Reads(self._program, element), ranges)
        return self._latest[1]


@dataclass(frozen=True, slots=True)
class _Verdict:
    reason: str
    open: tuple[ValidityObligation, ...] = ()
    local: bool = False


_Subject: TypeAlias = Element | Property | Term
"""An element, a property, or a fairness condition."""


class _Checks:
    """Check mutants of one component of a relational program."""

    def __init__(self, component: Component, is_valid: Callable[[Term], bool]) -> None:
        self._is_valid = is_valid
        self._obligations = Obligations(component)
        self._scalars = self._obligations.scalars
        self._instants = Instants(component)
        self._properties = component.properties
        self._operands = ConstantOperands(component)
        self._readers = _readers(component)
        self._users: dict[str, tuple[_Subject, ...]] = {}
        self._known: dict[_Subject, dict[Hazard, frozenset[Term]]] = {}
        self._flawed: dict[Property, frozenset[Hazard]] = {}
        self._free: dict[frozenset[str], Obligations] = {}
        self._indifferent: dict[tuple[frozenset[str], _Subject], bool] = {}

    def verdict(self, bodies: Bodies) -> _Verdict:
        """Return why a mutant is refused, or what is open about it."""
        if self._instants.is_circular_with(bodies):
            return _Verdict(CIRCULAR)
        misplaced = self._operands.hazard(bodies)
        if misplaced is not None:
            return _Verdict(REASONS[misplaced])
        left: list[ValidityObligation] = []
        try:
            for obligation in self._due(bodies):
                match obligations.decide(obligation.term, self._scalars, steps=MOST_STEPS):
                    case None:
                        left.append(obligation)
                    case False:
                        return _Verdict(REASONS[obligation.hazard])
        except NoCommonSort:
            return _Verdict(NO_COMMON_SORT)
        return _Verdict("", tuple(left))

    def _due(self, bodies: Bodies) -> Iterator[ValidityObligation]:
        """Yield the validity conditions that a mutant adds to those of the model, one by one."""
        macros = {
            element.targets[0]: body
            for element, body in bodies.items()
            if element.kind is ElementKind.DEFINE and body is not None
        }
        subjects: dict[_Subject, Term] = {
            element: body
            for element, body in bodies.items()
            if element.kind is not ElementKind.DEFINE and body is not None
        }
        users = dict.fromkeys(user for name in macros for user in self._users_of(name))
        if users and self._are_boolean(macros):
            names = frozenset(macros)
            concerned = {user for user in users if not self._is_indifferent(user, names)}
            if len(concerned) < len(users) and self._are_total(macros):
                users = dict.fromkeys(user for user in users if user in concerned)
        for user in users:
            subjects.setdefault(user, _body(user))
        for subject in subjects if macros else ():
            self._known_of(subject)  # which the finder of the mutant shares
        if not subjects:
            return
        finder = self._obligations.with_macros(macros) if macros else self._obligations
        for subject, body in subjects.items():
            for obligation in _found(finder, subject, body):
                known = self._known_of(subject).get(obligation.hazard, frozenset())
                new = [part for part in _conjuncts(obligation.term) if part not in known]
                if not new or self._is_flawed(subject, obligation.hazard):
                    continue
                for part in new:
                    yield ValidityObligation(
                        obligation.hazard,
                        part,
                        obligation.element,
                        obligation.instance,
                        obligation.property,
                    )

    def _are_boolean(self, macros: Mapping[str, Term]) -> bool:
        return all(b.sort == sorts.BOOL == self._scalars.get(n) for n, b in macros.items())

    def _are_total(self, macros: Mapping[str, Term]) -> bool:
        """Tell whether other bodies of macros are known to have a value in every state."""
        finder = self._obligations.with_macros(macros) if len(macros) > 1 else self._obligations
        conditions = (one for body in macros.values() for one in finder.of_value(body))
        return all(self._holds(part) for one in conditions for part in _conjuncts(one))

    def _holds(self, term: Term) -> bool:
        found = obligations.decide(term, self._scalars, steps=MOST_STEPS)
        return self._is_valid(term) if found is None else found

    def _is_indifferent(self, subject: _Subject, names: frozenset[str]) -> bool:
        """Tell whether the conditions of an element or property hold for any values of macros.

        That is asked once for all mutants of these.
        """
        key = names, subject
        if key not in self._indifferent:
            if names not in self._free:
                self._free = {names: self._obligations.without_macros(names)}
            self._indifferent[key] = all(
                self._holds(part)
                for obligation in _found(self._free[names], subject, _body(subject))
                for part in _conjuncts(obligation.term)
            )
        return self._indifferent[key]

    def _known_of(self, subject: _Subject) -> dict[Hazard, frozenset[Term]]:
        """Return the validity conditions of an element or property of the model, by hazard."""
        if subject not in self._known:
            body = _body(subject)
            found: dict[Hazard, frozenset[Term]] = {}
            for obligation in _found(self._obligations, subject, body):
                parts = found.get(obligation.hazard, frozenset())
                found[obligation.hazard] = parts | frozenset(_conjuncts(obligation.term))
            self._known[subject] = found
        return self._known[subject]

    def _is_flawed(self, subject: _Subject, hazard: Hazard) -> bool:
        """Tell whether a property has a hazard in the model already, so no mutant causes it."""
        if not isinstance(subject, Property):
            return False
        if subject not in self._flawed:
            self._flawed[subject] = frozenset(
                known
                for known, parts in self._known_of(subject).items()
                if any(
                    obligations.decide(part, self._scalars, steps=MOST_STEPS) is False
                    for part in sorted(parts, key=lambda part: part.digest)
                )
            )
        return hazard in self._flawed[subject]

    def _users_of(self, name: str) -> tuple[_Subject, ...]:
        """Return the elements and properties that read a macro, directly or through others."""
        if name not in self._users:
            found: dict[_Subject, None] = {}
            seen = {name}
            stack = [name]
            while stack:
                for reader in self._readers.get(stack.pop(), ()):
                    if not isinstance(reader, Element) or reader.kind is not ElementKind.DEFINE:
                        found[reader] = None
                    elif reader.targets[0] not in seen:
                        seen.add(reader.targets[0])
                        stack.append(reader.targets[0])
            self._users[name] = tuple(found)
        return self._users[name]


def _readers(component: Component) -> Mapping[str, tuple[_Subject, ...]]:
    """Return, for each macro, the elements and properties that read it directly."""
    macros = {e.targets[0] for e in component.elements if e.kind is ElementKind.DEFINE}
    found: dict[str, list[_Subject]] = {name: [] for name in macros}
    for subject, body in _bodies(component):
        for name in sorted(walk.variables(body) & macros):
            found[name].append(subject)
    return {name: tuple(readers) for name, readers in found.items()}


def _bodies(component: Component) -> Iterator[tuple[_Subject, Term]]:
    for element in component.elements:
        yield element, element.body
    for stated in component.properties:
        yield stated, stated.term
    for term in fairness_terms(component):
        yield term, term


def _body(subject: _Subject) -> Term:
    match subject:
        case Element(body=body):
            return body
        case Property(term=term):
            return term
        case Term():
            return subject


def _found(finder: Obligations, subject: _Subject, body: Term) -> Iterable[ValidityObligation]:
    if isinstance(subject, Property):
        return finder.of_property(subject)
    if isinstance(subject, Term):
        return finder.of_fairness(subject)
    return finder.of_element(subject, body)


def _conjuncts(root: Term) -> list[Term]:
    """Return the distinct conjuncts of a condition, which is valid if all of them are."""
    return [part for part in dict.fromkeys(walk.conjuncts(root)) if part is not terms.TRUE]
