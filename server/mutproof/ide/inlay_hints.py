"""Verdicts in the line itself; off by default."""

from __future__ import annotations

from mutproof.analyses.claims.finding import MutantStatus
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide.placed import ShownMutant, tally
from mutproof.ide.verdicts import Verdicts


@dataclass(frozen=True, slots=True)
class InlayHint:
    """Hold a text to show behind a 0-based offset."""

    offset: int
    text: str
    tooltip: str


def inlay_hints(verdicts: Verdicts, within: Span) -> tuple[InlayHint, ...]:
    """Return one hint for every mutated place in a span: how many of its mutants are killed."""
    places: dict[Span, list[ShownMutant]] = {}
    for mutant in verdicts.touching(within):
        if within.start <= mutant.span.start < within.end:
            places.setdefault(mutant.span, []).append(mutant)
    found = []
    for span, mutants in places.items():
        counted = tally(mutants)
        if counted.total == 0 or counted.pending:
            continue
        text = f"{counted.killed}/{counted.total}"
        survivors = [
            m.label for m in mutants if m.status is MutantStatus.SURVIVED and not m.is_equivalent
        ]
        tooltip = f"survive: {', '.join(survivors)}" if survivors else "all killed"
        found.append(InlayHint(span.end, text, tooltip))
    return tuple(found)
