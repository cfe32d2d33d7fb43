"""What is wrong with a model as a whole, at its place in the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mutproof.analyses.finding import ModelFault, ModelFinding
from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.span import Span
from mutproof.model.language import Elaborated

_SEVERITIES = {
    ModelFault.NOTHING_TO_MUTATE: Severity.INFORMATION,
    ModelFault.NO_DEAD_END: Severity.HINT,
    ModelFault.PERHAPS_DEAD_END: Severity.INFORMATION,
}
_HELP = {
    ModelFault.NOTHING_TO_MUTATE: "a score of 0/0 says nothing about the properties",
    ModelFault.AMBIGUOUS_LOOP: "properties hold only if they hold of all solutions",
    ModelFault.UNSOLVABLE_LOOP: "properties say nothing of such steps, as under an assertion",
}


def fault_diagnostics(
    elaborated: Elaborated, faults: Iterable[ModelFinding]
) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for each fault: what refuses a model is an error, doubts warn."""
    return tuple(_diagnostic(elaborated, fault) for fault in faults)


def _diagnostic(elaborated: Elaborated, fault: ModelFinding) -> Diagnostic:
    if fault.obligation is not None and fault.obligation < len(elaborated.obligations):
        _, found = elaborated.obligations[fault.obligation]
        if fault.fault is ModelFault.REFUSED:
            return found
        message = f"not decided whether this is a model: {found.message}"
        return replace(found, severity=Severity.WARNING, message=message)
    program, places = elaborated.program, elaborated.provenance.components
    span = Span(0, 0) if program is None else places.get(program.main, Span(0, 0))
    severity = _SEVERITIES.get(fault.fault, Severity.WARNING)
    return Diagnostic(fault.fault.value, severity, fault.message, span, _HELP.get(fault.fault, ""))
