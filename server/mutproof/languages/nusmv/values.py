"""The checks of values that NuSMV makes when it builds the model, as diagnostics with places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.giving_way import by_steps
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv import errors
from mutproof.model import obligations, walk
from mutproof.model.obligations import Obligations, ValidityObligation
from mutproof.model.operators import Op
from mutproof.model.passes.definedness import Hazard
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import Component, Element, Program
from mutproof.model.provenance import Provenance
from mutproof.model.terms import Term

MOST_STEPS = 20_000_000
"""How many evaluation steps the checks of one file may take together."""

_OPERATORS = {
    Hazard.CASE: frozenset({Op.CASE}),
    Hazard.DIVISION: frozenset({Op.TRUNC_DIV, Op.TRUNC_MOD, Op.REAL_DIV}),
    Hazard.INDEX: frozenset({Op.INDEX}),
    Hazard.SHIFT: frozenset({Op.SHIFT_LEFT, Op.SHIFT_RIGHT}),
    Hazard.RANGE: frozenset[Op](),
}


@dataclass(slots=True)
class ValueChecks:
    """Hold the diagnostics, whether the design is wrong, and what a solver has to decide.

    `refused` are properties that have no value in some state.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    design_is_wrong: bool = False
    refused: set[str] = field(default_factory=set)
    undecided: list[tuple[ValidityObligation, Diagnostic]] = field(default_factory=list)

    def model(self, program: Program) -> Program | None:
        """Return the program without refused properties; None if the design is wrong."""
        return None if self.design_is_wrong else program.without_properties(self.refused)


def check(
    component: Component, provenance: Provenance, fairness: Mapping[Term, Span]
) -> ValueChecks:
    """Decide the obligations of a model as far as trying all values is cheap.

    `fairness` has the places of the fairness conditions.
    """
    found = ValueChecks()
    finder = Obligations(component)
    scalars = finder.scalars
    steps = MOST_STEPS
    seen: set[tuple[Term, Span]] = set()
    for obligation, diagnostic in _due(component, provenance, finder, fairness):
        if (obligation.term, diagnostic.span) in seen:
            continue
        seen.add((obligation.term, diagnostic.span))
        verdict = obligations.decide(obligation.term, scalars, steps=steps // 4)
        if verdict is None:
            found.undecided.append((obligation, diagnostic))
            continue
        steps -= min(steps, obligations.cost(obligation.term, scalars))
        if not verdict:
            found.diagnostics.append(diagnostic)
            if obligation.property:
                found.refused.add(obligation.property)
            else:
                found.design_is_wrong = True
    found.undecided = [one for one in found.undecided if one[0].property not in found.refused]
    return found


def _due(
    component: Component,
    provenance: Provenance,
    finder: Obligations,
    fairness: Mapping[Term, Span],
) -> Iterator[tuple[ValidityObligation, Diagnostic]]:
    for element in by_steps(component.elements):
        try:
            for obligation in finder.of_element(element, element.body):
                span = _place(element, obligation.hazard, provenance)
                yield obligation, _diagnostic(obligation.hazard, span, ",".join(element.targets))
        except NoCommonSort:
            continue
    for term, span in fairness.items():
        for obligation in finder.of_fairness(term):
            yield obligation, _diagnostic(obligation.hazard, span, "")
    for stated in by_steps(component.properties):
        span = provenance.properties[f"{component.name}.{stated.name}"]
        try:
            for obligation in finder.of_property(stated):
                yield obligation, _diagnostic(obligation.hazard, span, "")
        except NoCommonSort:
            continue


def _place(element: Element, hazard: Hazard, provenance: Provenance) -> Span:
    """Return the place of the first operator with this hazard, or of the whole body."""
    places = provenance.elements[element.id]
    for path, term in walk.occurrences(element.body):
        if len(path) > 1000:
            break
        if term.op in _OPERATORS[hazard]:
            place = places.place(path)
            if place is not None:
                return place.token
    if hazard is Hazard.RANGE:
        return provenance.head(element.id)
    return provenance.body(element.id)


def _diagnostic(hazard: Hazard, span: Span, target: str) -> Diagnostic:
    match hazard:
        case Hazard.CASE:
            return errors.case_not_exhaustive(span)
        case Hazard.DIVISION:
            return errors.division_by_zero(span)
        case Hazard.INDEX:
            return errors.index_out_of_bounds(span)
        case Hazard.SHIFT:
            return errors.shift_out_of_range(span)
        case Hazard.RANGE:
            return errors.out_of_range(target, span)
