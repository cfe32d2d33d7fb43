"""What the events of one file add up to: the contents of a report on it."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Final

from mutproof.analyses.advising.advice import AdviceFinding
from mutproof.analyses.claims.finding import (
    CertificateFinding,
    ModelFinding,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
    untouched,
    with_cores_left,
    with_open_properties,
)
from mutproof.analyses.suggesting.finding import SuggestionsFinding
from mutproof.analyses.suites.suite import SuiteFinding
from mutproof.base.record import dataclass
from mutproof.cli.asked_names import is_named
from mutproof.cli.inputs import Input
from mutproof.model.program import Program
from mutproof.reporters.reported_file import ReportedFile
from mutproof.workspace.events import Attempted, Event, Learnt, Lent, Progress, Removed
from mutproof.workspace.faults import fault_diagnostics
from mutproof.workspace.findings import Report
from mutproof.workspace.report import Listing

NOT_ANALYSED: Final = "not analysed"


@dataclass(slots=True)
class Gathered:
    """Gather the events of one file; mutable."""

    listing: Listing | None = None
    properties: dict[str, PropertyFinding] = field(default_factory=dict)
    mutants: dict[str, MutantFinding] = field(default_factory=dict)
    statistics: Statistics | None = None
    model: list[ModelFinding] = field(default_factory=list)
    certificates: list[CertificateFinding] = field(default_factory=list)
    suggestions: SuggestionsFinding | None = None
    advice: AdviceFinding | None = None
    suite: SuiteFinding | None = None

    def add(self, event: Listing | Event) -> None:
        """Take in what a worker tells."""
        match event:
            case Listing():
                # A restarted worker begins anew.
                self.listing = event
                self.model.clear()
                self.properties.clear()
                self.mutants.clear()
                self.certificates.clear()
                self.suggestions = None
                self.advice = None
                self.suite = None
            case CertificateFinding():
                self.certificates.append(replace(event, text=""))
            case ModelFinding():
                self.model.append(event)
            case PropertyFinding():
                self.properties[event.name] = event
            case MutantFinding():
                self.mutants[event.mutant] = event
            case Statistics():
                self.statistics = event
            case SuggestionsFinding():
                self.suggestions = event
            case AdviceFinding():
                self.advice = event
            case SuiteFinding():
                self.suite = event
            case Progress() | Lent() | Learnt() | Removed() | Attempted():
                pass

    @property
    def in_order(self) -> tuple[MutantFinding, ...]:
        """Return the findings on mutants in the order of the source, however they came."""
        places = () if self.listing is None else self.listing.mutants
        return tuple(self.mutants[p.mutant] for p in places if p.mutant in self.mutants)

    @property
    def is_refused(self) -> bool:
        """Tell whether the text alone rules tests out, so that nothing else was looked at."""
        return self.suite is not None and self.suite.refused != ""

    def leave_cores(self, reason: str) -> None:
        """Say for what reason cores are not known, or not all."""
        for name, known in self.properties.items():
            self.properties[name] = with_cores_left(known, reason)

    def complete(self, program: Program, wanted: tuple[str, ...], reason: str) -> None:
        """Make UNKNOWN, for that reason, what has no verdict; `wanted` are properties, if any."""
        for stated in program.component(program.main).properties:
            name = stated.name
            if not wanted or any(is_named(name, want) for want in wanted):
                unknown = PropertyFinding(
                    name, program.main, name, PropertyVerdict.UNKNOWN, reason=reason
                )
                self.properties.setdefault(name, unknown)
        if reason == NOT_ANALYSED:
            reason = untouched(self.properties.values()) or reason
        for place in () if self.listing is None else self.listing.mutants:
            name = place.mutant
            known = self.mutants.get(name) or MutantFinding(
                name, MutantStatus.UNKNOWN, reason=reason
            )
            if reason != NOT_ANALYSED:
                known = with_open_properties(known, reason)
            self.mutants[name] = known


def reported_of(read: Input, gathering: Gathered | None, *, finished: bool) -> ReportedFile:
    """Return the contents of a report on a file; nothing was gathered where it is not usable."""
    diagnostics = read.diagnostics
    if gathering is not None and read.elaborated is not None:
        diagnostics += fault_diagnostics(read.elaborated, gathering.model)
    report = ReportedFile(
        read.source, read.language, read.elaborated, diagnostics, finished=finished
    )
    if gathering is None:
        return report
    statistics = gathering.statistics or Statistics()
    found = Report(
        report.in_order(gathering.properties.values()),
        gathering.in_order,
        statistics,
        tuple(gathering.model),
        gathering.suggestions,
        gathering.advice,
        gathering.suite,
    )
    return replace(report, report=found, listing=gathering.listing)
