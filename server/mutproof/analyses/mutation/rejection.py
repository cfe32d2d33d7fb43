"""Which mutants a front end would refuse: these are no models, so they are STILLBORN.

Only what the change can have broken is checked: the element itself and, for a macro, its uses.
Conditions that the unchanged model has too are not checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.mutation.constant_operands import ConstantOperands
from mutproof.analyses.mutation.macro_uses import (
    MacroUses,
    Subject,
    body_of,
    demanded_by,
    distinct_conjuncts,
)
from mutproof.analyses.mutation.ranges import Ranges
from mutproof.base.record import dataclass
from mutproof.model import obligations, sorts, terms, walk
from mutproof.model.causality import Reads, is_causal_with
from mutproof.model.instants import Instants
from mutproof.model.narrow import Narrowing
from mutproof.model.obligations import Obligations, ValidityObligation
from mutproof.model.operators import Op
from mutproof.model.passes.definedness import Hazard
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import Bodies, Component, Element, ElementKind, Program, Property
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


class _Checks:
    """Check mutants of one component of a relational program."""

    def __init__(self, component: Component, is_valid: Callable[[Term], bool]) -> None:
        self._is_valid = is_valid
        self._obligations = Obligations(component)
        self._scalars = self._obligations.scalars
        self._instants = Instants(component)
        self._operands = ConstantOperands(component)
        self._uses = MacroUses(component, self._obligations, self._holds)
        self._known: dict[Subject, dict[Hazard, frozenset[Term]]] = {}
        self._flawed: dict[Property, frozenset[Hazard]] = {}
        self._latest: tuple[object, tuple[ValidityObligation, ...] | None] | None = None

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
        subjects: dict[Subject, Term] = {
            element: body
            for element, body in bodies.items()
            if element.kind is not ElementKind.DEFINE and body is not None
        }
        users = dict.fromkeys(user for name in macros for user in self._uses.of(name))
        if users and self._uses.are_boolean(macros) and self._uses.are_total(macros):
            names = frozenset(macros)
            asked = tuple(user for user in users if user not in subjects)
            demands = self._demands_of(asked, names)
            if demands is None:
                users = dict.fromkeys(user for user in users if self._uses.demands(user, names))
            else:
                yield from self._demanded(demands, macros)
                users = {}
        for user in users:
            subjects.setdefault(user, body_of(user))
        for subject in subjects if macros else ():
            self._known_of(subject)  # which the finder of the mutant shares
        if not subjects:
            return
        finder = self._obligations.with_macros(macros) if macros else self._obligations
        for subject, body in subjects.items():
            for obligation in demanded_by(finder, subject, body):
                known = self._known_of(subject).get(obligation.hazard, frozenset())
                new = [part for part in distinct_conjuncts(obligation.term) if part not in known]
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

    def _holds(self, term: Term) -> bool:
        found = obligations.decide(term, self._scalars, steps=MOST_STEPS)
        return self._is_valid(term) if found is None else found

    def _demands_of(
        self, users: tuple[Subject, ...], names: frozenset[str]
    ) -> tuple[ValidityObligation, ...] | None:
        """Return what users demand of macros, None if of their values in the next state too."""
        key = users, names
        if self._latest is None or self._latest[0] != key:
            due = tuple(
                one
                for user in users
                for one in self._uses.demands(user, names)
                if one.term not in self._known_of(user).get(one.hazard, ())
                and not self._is_flawed(user, one.hazard)
            )
            parts = {part for one in due for part in walk.subterms(one.term)}
            ahead = any(part.op is Op.NEXT_VAR and part.payload in names for part in parts)
            self._latest = key, None if ahead else due
        return self._latest[1]

    def _demanded(
        self, due: Sequence[ValidityObligation], macros: Mapping[str, Term]
    ) -> Iterator[ValidityObligation]:
        """Yield what is due of other bodies of macros, unless all of it is known to hold."""
        if not due:
            return
        finder = self._obligations.with_macros(macros) if len(macros) > 1 else self._obligations
        given = terms.conjunction(
            terms.eq(terms.var(name, sorts.BOOL), finder.value(body))
            for name, body in macros.items()
        )
        whole = terms.conjunction(dict.fromkeys(one.term for one in due))
        if not self._holds(terms.implies(given, whole)):
            for one in due:
                yield replace(one, term=terms.implies(given, one.term))

    def _known_of(self, subject: Subject) -> dict[Hazard, frozenset[Term]]:
        """Return the validity conditions of an element or property of the model, by hazard."""
        if subject not in self._known:
            body = body_of(subject)
            found: dict[Hazard, frozenset[Term]] = {}
            for obligation in demanded_by(self._obligations, subject, body):
                parts = found.get(obligation.hazard, frozenset())
                found[obligation.hazard] = parts | frozenset(distinct_conjuncts(obligation.term))
            self._known[subject] = found
        return self._known[subject]

    def _is_flawed(self, subject: Subject, hazard: Hazard) -> bool:
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
