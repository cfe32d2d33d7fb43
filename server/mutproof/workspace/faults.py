"""Diagnostics of faults of a model, each at its place in the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mutproof.analyses.claims.finding import ModelFault, ModelFinding
from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.span import Span
from mutproof.model.language import Elaborated

_SEVERITIES = {
    ModelFault.NOTHING_TO_MUTATE: Severity.INFORMATION,
    ModelFault.NO_DEAD_END: Severity.HINT,
    ModelFault.PERHAPS_DEAD_END: Severity.INFORMATION,
    ModelFault.PERHAPS_OUT_OF_BOUNDS: Severity.INFORMATION,
    ModelFault.PERHAPS_ZERO_DIVISOR: Severity.INFORMATION,
}
_HELP = {
    ModelFault.NOTHING_TO_MUTATE: "a score of 0/0 says nothing about the properties",
    ModelFault.AMBIGUOUS_LOOP: "properties hold only if they hold of all solutions",
    ModelFault.OUT_OF_BOUNDS: "ask for the index first: `if i >= 0 and i < n then a[i] else ...`",
    ModelFault.ZERO_DIVISOR: "ask for it first: `if y <> 0 then ... else ...`",
    ModelFault.ARBITRARY_FIRST_VALUE: "give it a first value: `... -> pre ...`",
    ModelFault.UNSOLVABLE_LOOP: "properties say nothing of such steps, as under an assertion",
}


def fault_diagnostics(
    elaborated: Elaborated, faults: Iterable[ModelFinding]
) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for each fault: errors for refused models, warnings for doubts."""
    return tuple(_diagnostic(elaborated, fault) for fault in faults)


def _diagnostic(elaborated: Elaborated, fault: ModelFinding) -> Diagnostic:
    if fault.obligation is not None and fault.obligation < len(elaborated.obligations):
        _, found = elaborated.obligations[fault.obligation]
        if fault.fault is ModelFault.REFUSED:
            return found
        message = f"not decided whether this is a model: {found.message}"
        return replace(found, severity=Severity.WARNING, message=message)
    severity = _SEVERITIES.get(fault.fault, Severity.WARNING)
    span = fault_span(elaborated, fault)
    return Diagnostic(fault.fault.value, severity, fault.message, span, _HELP.get(fault.fault, ""))


def fault_span(elaborated: Elaborated, fault: ModelFinding) -> Span:
    """Return where a fault is: its subterm, or the smallest enclosing part that has a place."""
    program, provenance = elaborated.program, elaborated.provenance
    if fault.place is not None and fault.place[0] in provenance.elements:
        element, path = fault.place
        places = provenance.elements[element]
        for end in range(len(path), -1, -1):
            place = places.place(path[:end])
            if place is not None:
                return place.whole
        return provenance.head(element)
    none = Span(0, 0)
    return none if program is None else provenance.components.get(program.main, none)
