"""All findings of one run, as a value that needs no solver to be looked at."""

from __future__ import annotations

from mutproof.analyses.advising.advice import AdviceFinding
from mutproof.analyses.claims.finding import (
    ModelFinding,
    MutantFinding,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.analyses.suggesting.finding import SuggestionsFinding
from mutproof.analyses.suites.suite import SuiteFinding
from mutproof.base.record import dataclass
from mutproof.model.program import Program


@dataclass(frozen=True, slots=True)
class Report:
    """Hold all findings of a run in the order of the file."""

    properties: tuple[PropertyFinding, ...]
    mutants: tuple[MutantFinding, ...]
    statistics: Statistics
    model: tuple[ModelFinding, ...] = ()
    suggestions: SuggestionsFinding | None = None
    advice: AdviceFinding | None = None
    suite: SuiteFinding | None = None


def not_looked_at(program: Program, reason: str) -> tuple[PropertyFinding, ...]:
    """Return an UNKNOWN finding with the reason for every property."""
    return tuple(
        PropertyFinding(
            stated.name,
            component.name,
            stated.name,
            PropertyVerdict.UNKNOWN,
            reason=reason,
            depth=0,
        )
        for component in program.components
        for stated in component.properties
    )
