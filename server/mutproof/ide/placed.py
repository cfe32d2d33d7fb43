"""A mutant or a property with its place and what is known of it, and counts of many.

A verdict is never shown without saying which text it is about: `Freshness` tells current ones from
stale ones and from those that do not exist yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from enum import Enum
from typing import assert_never

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.workspace.report import MutantPlace


class Freshness(Enum):
    """Say whether a verdict is about the text that is shown."""

    CURRENT = "current"
    STALE = "stale"  # found for an earlier version
    QUEUED = "queued"  # none yet; the file is queued
    RUNNING = "running"  # none yet; a run is in progress
    ABSENT = "absent"  # none, and none expected


@dataclass(frozen=True, slots=True)
class ShownMutant:
    """Join a mutant, its place, and what is known of it."""

    record: MutantPlace
    span: Span
    finding: MutantFinding | None
    standing: Freshness
    status: MutantStatus | None

    @property
    def label(self) -> str:
        """Return the change in words."""
        return self.record.summary or self.record.operator

    @property
    def equivalence(self) -> Equivalence | None:
        """Return what is known of a survivor beside that it survived; None while nothing is."""
        if self.status is not MutantStatus.SURVIVED or self.finding is None:
            return None
        return self.finding.equivalence

    @property
    def is_equivalent(self) -> bool:
        """Tell whether it is proved that no property can notice the change."""
        known = self.equivalence
        return known is not None and known.status is EquivalenceStatus.EQUIVALENT


@dataclass(frozen=True, slots=True)
class PlacedProperty:
    """Join a property, its place, and what is known of it; `findings` are per instance."""

    component: str
    name: str
    span: Span
    findings: tuple[PropertyFinding, ...]
    standing: Freshness

    @property
    def verdict(self) -> PropertyVerdict | None:
        """Return the worst verdict of the instances; None while there is none."""
        verdicts = {finding.verdict for finding in self.findings}
        for verdict in (
            PropertyVerdict.FALSIFIED,
            PropertyVerdict.UNKNOWN,
            PropertyVerdict.COMPUTED,
            PropertyVerdict.PROVED,
        ):
            if verdict in verdicts:
                return verdict
        return None

    def worst(self) -> PropertyFinding | None:
        """Return the first finding of the worst verdict."""
        for finding in self.findings:
            if finding.verdict is self.verdict:
                return finding
        return None


@dataclass(frozen=True)
class Tally:
    """Count mutants by what is known of them; `gaps` and `undetermined` are among `survived`.

    Equivalent ones are not: no property can ever kill them.
    """

    killed: int = 0
    survived: int = 0
    unknown: int = 0
    stillborn: int = 0
    ignored: int = 0
    pending: int = 0
    equivalent: int = 0
    gaps: int = 0
    undetermined: int = 0

    @property
    def total(self) -> int:
        """Return the number of mutants that count: not stillborn, ignored or equivalent."""
        return self.killed + self.survived + self.unknown + self.pending

    @property
    def score(self) -> float | None:
        """Return killed / (killed + survived + unknown); None while something is pending.

        Source: DESIGN §1 (score).
        """
        decided = self.killed + self.survived + self.unknown
        return None if self.pending or not decided else self.killed / decided


def tally(mutants: Iterable[ShownMutant]) -> Tally:
    """Count mutants by status."""
    killed = survived = unknown = stillborn = ignored = pending = 0
    equivalent = gaps = undetermined = 0
    for mutant in mutants:
        match mutant.status:
            case None:
                pending += 1
            case MutantStatus.KILLED:
                killed += 1
            case MutantStatus.SURVIVED:
                survived += 1
                known = mutant.equivalence
                status = None if known is None else known.status
                equivalent += status is EquivalenceStatus.EQUIVALENT
                gaps += status is EquivalenceStatus.GAP
                undetermined += status is EquivalenceStatus.UNDETERMINED
            case MutantStatus.UNKNOWN:
                unknown += 1
            case MutantStatus.STILLBORN:
                stillborn += 1
            case MutantStatus.IGNORED:
                ignored += 1
            case _:
                assert_never(mutant.status)
    return Tally(
        killed,
        survived - equivalent,
        unknown,
        stillborn,
        ignored,
        pending,
        equivalent,
        gaps,
        undetermined,
    )


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of counts of different mutants."""
    columns = {field.name: 0 for field in fields(Tally)}
    for one in tallies:
        for name in columns:
            columns[name] += getattr(one, name)
    return Tally(**columns)
