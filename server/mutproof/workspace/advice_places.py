"""Where advice is in a text; imports no solver."""

from __future__ import annotations

from mutproof.analyses.advising.advice import Advice
from mutproof.base.span import Span
from mutproof.model.language import Elaborated


def advice_span(elaborated: Elaborated, advice: Advice) -> Span:
    """Return where advice is: its subterm, variable or property."""
    provenance = elaborated.provenance
    if advice.element is not None:
        return provenance.text(advice.element, advice.path)
    if advice.variable:
        return provenance.variables.get((advice.component, advice.variable), Span(0, 0))
    return provenance.properties.get(f"{advice.component}.{advice.property}", Span(0, 0))
