"""Fates of mutants, the one classification for counts, ranks and gates; and the score."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, untouched
from mutproof.base.record import dataclass
from mutproof.base.text import counted
from mutproof.reporters.reported_file import ReportedFile


class MutantFate(Enum):
    """Classify a mutant; survivors by whether they are equivalent, as far as known."""

    KILLED = "killed"
    SURVIVED = "survived"  # whether it is equivalent was not asked, or is not known yet
    GAP = "gap"
    EQUIVALENT = "equivalent"
    UNDETERMINED = "undetermined"
    UNKNOWN = "unknown"
    STILLBORN = "stillborn"
    IGNORED = "ignored"


MISSED = frozenset({MutantFate.SURVIVED, MutantFate.GAP})
"""Fates of mutants that no property notices, and of which it is not proved that none can."""

OPEN = frozenset({MutantFate.UNDETERMINED, MutantFate.UNKNOWN})
"""Fates of mutants of which it is not known whether they count as missed."""

ACCEPTABLE = MISSED | {MutantFate.UNDETERMINED}
"""Fates of mutants that a baseline may accept."""

_COMPARED = {
    EquivalenceStatus.EQUIVALENT: MutantFate.EQUIVALENT,
    EquivalenceStatus.GAP: MutantFate.GAP,
    EquivalenceStatus.UNDETERMINED: MutantFate.UNDETERMINED,
}


@dataclass(frozen=True, slots=True)
class Score:
    """Hold how many mutants are killed, of how many that count."""

    killed: int
    valid: int

    @property
    def percent(self) -> float | None:
        """Return the percentage of killed mutants, None if no mutant counts."""
        return 100 * self.killed / self.valid if self.valid else None


def fate(finding: MutantFinding) -> MutantFate:
    """Return the fate of a mutant."""
    if finding.status is MutantStatus.SURVIVED and finding.equivalence is not None:
        return _COMPARED[finding.equivalence.status]
    return MutantFate(finding.status.value)


def score(files: Iterable[ReportedFile]) -> Score:
    """Return the score: mutants that are equivalent, stillborn or ignored do not count."""
    return score_of(fate(placed.finding) for file in files for placed in file.placed)


def score_of(fates: Iterable[MutantFate]) -> Score:
    """Return the score of mutants by their fates."""
    found = list(fates)
    killed = found.count(MutantFate.KILLED)
    return Score(killed, killed + sum(one in MISSED or one in OPEN for one in found))


def unmeasured(file: ReportedFile) -> str:
    """Return that no mutant was decided because no property takes part; empty if not so."""
    why = untouched(file.properties)
    undecided = file.count(MutantStatus.UNKNOWN)
    decided = any(
        file.count(status)
        for status in (MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.STILLBORN)
    )
    if not why or decided or not undecided or not file.finished:
        return ""
    return f"nothing to measure: {why} ({counted(undecided, 'mutant')} not decided)"
