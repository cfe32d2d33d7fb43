"""What reports say of pairs of mutants: both places, and what became of the pair and of its parts.

A pair is telling if its verdict does not follow from those of its parts: two gaps that are killed
together, or two killed mutants of which the pair survives, as one hides the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.base.record import dataclass
from mutproof.base.text import counted
from mutproof.reporters import survivors
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.style import Style


class PairOutcome(Enum):
    """Say what became of a pair, in a phrase of reports."""

    MASKED = "survives, though each part is killed"
    TOGETHER = "is killed, though each part survives"
    KILLED = "is killed, as each part is"
    SURVIVED = "survives, as each part does"
    UNKNOWN = "is unknown"
    STILLBORN = "is no model"


TELLING: Final = (PairOutcome.MASKED, PairOutcome.TOGETHER)
"""Outcomes that do not follow from those of the parts."""

_MEANING: Final = {
    PairOutcome.MASKED: "warning",
    PairOutcome.TOGETHER: "good",
    PairOutcome.KILLED: "good",
    PairOutcome.SURVIVED: "warning",
    PairOutcome.UNKNOWN: "unsure",
    PairOutcome.STILLBORN: "quiet",
}


@dataclass(frozen=True, slots=True)
class PlacedPair:
    """Join a pair with its parts, each where it is and with what is known of it alone."""

    whole: PlacedMutant
    parts: tuple[PlacedMutant, PlacedMutant]
    outcome: PairOutcome

    @property
    def words(self) -> str:
        """Return both changes and their places: "3:7 `+` → `-` and 4:7 `<` → `<=`"."""
        return " and ".join(f"{part.place} {part.mutant.summary}" for part in self.parts)

    @property
    def known(self) -> str:
        """Return the verdict on the pair beside the outcome, in words; perhaps empty."""
        finding = self.whole.finding
        if finding.killed_by:
            return f"by {', '.join(finding.killed_by)}"
        if finding.equivalence is not None:
            return survivors.words(finding.equivalence)
        return finding.reason

    @property
    def alone(self) -> str:
        """Return what kills the parts, or else that nothing does."""
        killers = dict.fromkeys(name for part in self.parts for name in part.finding.killed_by)
        if killers:
            return f"each alone is killed by {', '.join(killers)}"
        compared = all(part.finding.equivalence is not None for part in self.parts)
        return "each alone is a gap" if compared else "each alone survives"


def of(file: ReportedFile) -> list[PlacedPair]:
    """Return the pairs of a file in source order; none where they were not asked for."""
    if file.pairs is None:
        return []
    single = {placed.mutant.mutant: placed for placed in file.placed}
    found = []
    for whole in file.pairs.placed:
        parts = (single[part.mutant] for part in whole.mutant.parts)
        one, other = sorted(parts, key=lambda part: part.place)
        found.append(PlacedPair(whole, (one, other), _outcome(whole, one)))
    return sorted(found, key=lambda pair: (pair.parts[0].place, pair.parts[1].place))


def _outcome(whole: PlacedMutant, part: PlacedMutant) -> PairOutcome:
    is_killed = part.finding.status is MutantStatus.KILLED
    match whole.finding.status:
        case MutantStatus.KILLED:
            return PairOutcome.KILLED if is_killed else PairOutcome.TOGETHER
        case MutantStatus.SURVIVED:
            return PairOutcome.MASKED if is_killed else PairOutcome.SURVIVED
        case MutantStatus.STILLBORN:
            return PairOutcome.STILLBORN
        case _:
            return PairOutcome.UNKNOWN


def is_shown(pair: PlacedPair, presentation: Presentation) -> bool:
    """Tell whether reports for people show a pair: the telling ones, and what is unknown."""
    return presentation.all_mutants or pair.outcome in {*TELLING, PairOutcome.UNKNOWN}


def lines(file: ReportedFile, presentation: Presentation) -> list[str]:
    """Return for a text report the pairs that tell something, and the sums; or nothing."""
    if file.pairs is None:
        return []
    style, found = presentation.style, of(file)
    result = ["", style.paint("strong", "pairs of mutants")]
    for pair in found:
        if is_shown(pair, presentation):
            outcome = style.paint(_MEANING[pair.outcome], pair.whole.finding.status.name)
            known = f" {pair.known}" if pair.known else ""
            result.append(f"{outcome} {pair.words}{known}, {style.paint('quiet', pair.alone)}")
    result += [*sums(file, found, style)]
    if file.pairs.found is not None and not file.pairs.found.finished:
        result.append(style.paint("bad", "incomplete: the run was given up"))
    return result


def sums(file: ReportedFile, found: list[PlacedPair], style: Style) -> Iterator[str]:
    """Yield how many pairs there are of each outcome."""
    assert file.pairs is not None
    gaps = [pair for pair in found if pair.parts[0].finding.status is not MutantStatus.KILLED]
    killed = [pair for pair in found if pair.parts[0].finding.status is MutantStatus.KILLED]
    for name, some in (("of gaps", gaps), ("of mutants that one property kills", killed)):
        counts = []
        for status in MutantStatus:
            count = sum(pair.whole.finding.status is status for pair in some)
            equivalent = _equivalent(some) if status is MutantStatus.SURVIVED else 0
            note = f" ({equivalent} equivalent)" if equivalent else ""
            counts += [f"{count} {status.value}{note}"] if count else []
        shown = f": {', '.join(counts)}" if counts else ""
        yield f"{counted(len(some), 'pair')} {name}{shown}"
    if file.pairs.left_out:
        yield style.paint("quiet", "there are more pairs: --most-pairs")


def _equivalent(found: list[PlacedPair]) -> int:
    compared = (pair.whole.finding.equivalence for pair in found)
    return sum(one is not None and one.status is EquivalenceStatus.EQUIVALENT for one in compared)
