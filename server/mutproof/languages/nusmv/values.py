"""The checks of values that NuSMV makes when it builds the model, as diagnostics with places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from mutproof.base.diagnostics import Diagnostic, Related
from mutproof.base.giving_way import by_steps
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv import errors
from mutproof.languages.nusmv.missing_values import MissingValues
from mutproof.model import obligations
from mutproof.model.obligations import Obligations, ValidityObligation
from mutproof.model.passes.definedness import Hazard
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import Component, Element, Program
from mutproof.model.provenance import Provenance
from mutproof.model.terms import Path, Term

MOST_STEPS = 20_000_000
"""How many evaluation steps the checks of one file may take together."""


_SAID = {
    Hazard.CASE: errors.case_not_exhaustive,
    Hazard.DIVISION: errors.division_by_zero,
    Hazard.INDEX: errors.index_out_of_bounds,
    Hazard.SHIFT: errors.shift_out_of_range,
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
    places = _Places(component, provenance, finder)
    scalars = finder.scalars
    steps = MOST_STEPS
    seen: set[tuple[Term, Span]] = set()
    for obligation, root, place in _due(component, provenance, finder, fairness):
        if (obligation.term, place.span) in seen:
            continue
        seen.add((obligation.term, place.span))
        verdict = obligations.decide(obligation.term, scalars, steps=steps // 4)
        if verdict is None:
            found.undecided.append((obligation, places.diagnostic(obligation.hazard, root, place)))
            continue
        steps -= min(steps, obligations.cost(obligation.term, scalars))
        if not verdict:
            found.diagnostics.append(places.diagnostic(obligation.hazard, root, place))
            if obligation.property:
                found.refused.add(obligation.property)
            else:
                found.design_is_wrong = True
    found.undecided = [one for one in found.undecided if one[0].property not in found.refused]
    found.diagnostics = _joined(found.diagnostics)
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """Hold where something is asked about: an element, or the `span` of what else there is."""

    span: Span
    element: Element | None = None


def _due(
    component: Component,
    provenance: Provenance,
    finder: Obligations,
    fairness: Mapping[Term, Span],
) -> Iterator[tuple[ValidityObligation, Term, _Place]]:
    """Yield obligations with the terms and the places that they are about."""
    for element in by_steps(component.elements):
        try:
            for obligation in finder.of_element(element, element.body):
                is_head = obligation.hazard is Hazard.RANGE
                span = provenance.head(element.id) if is_head else provenance.body(element.id)
                yield obligation, element.body, _Place(span, element)
        except NoCommonSort:
            continue
    for term, span in fairness.items():
        for obligation in finder.of_fairness(term):
            yield obligation, term, _Place(span)
    for stated in by_steps(component.properties):
        span = provenance.properties[f"{component.name}.{stated.name}"]
        try:
            for obligation in finder.of_property(stated):
                yield obligation, stated.term, _Place(span)
        except NoCommonSort:
            continue


class _Places:
    """Tell what is wrong, at the operator that has no value."""

    def __init__(self, component: Component, provenance: Provenance, finder: Obligations) -> None:
        self._provenance = provenance
        self._missing = MissingValues(component, finder)

    def diagnostic(self, hazard: Hazard, root: Term, place: _Place) -> Diagnostic:
        """Return what is wrong with a term: at an operator of it, or of a DEFINE that it reads."""
        element = place.element
        if hazard is Hazard.RANGE:
            assert element is not None
            return errors.out_of_range(",".join(element.targets), place.span)
        found = self._missing.of(root, hazard)
        if found is None:
            return _SAID[hazard](place.span)
        if found.define is None:
            return _SAID[hazard](self._token(element, found.path, place.span))
        body = self._provenance.body(found.define.id)
        use = Related("the DEFINE is read here", self._token(element, found.use, place.span))
        span = self._token(found.define, found.path, body)
        return replace(_SAID[hazard](span), related=(use,))

    def _token(self, element: Element | None, path: Path, otherwise: Span) -> Span:
        places = None if element is None else self._provenance.elements[element.id]
        found = None if places is None else places.place(path)
        return otherwise if found is None else found.token


def _joined(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Join what is said of the same place, which several others read."""
    by_place: dict[tuple[str, str, Span], Diagnostic] = {}
    for one in found:
        key = one.code, one.message, one.span
        known = by_place.setdefault(key, one)
        if known is not one:
            related = tuple(dict.fromkeys((*known.related, *one.related)))
            by_place[key] = replace(known, related=related)
    return [*by_place.values()]
