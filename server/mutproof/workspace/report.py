"""What is known of one file, gathered from the events of its runs.

Every verdict is kept with its basis: the digest of the program and the options it was found
for. It is current while today's basis is the same and stale otherwise, so nothing is marked,
cleared or migrated when a text changes, and undoing a change makes its verdicts current
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import assert_never

from mutproof.analyses.advising.advice import AdviceFinding
from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import (
    CertificateFinding,
    ModelFinding,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
    with_cores_left,
    with_open_properties,
)
from mutproof.analyses.suggesting.finding import SuggestionsFinding
from mutproof.analyses.suites.suite import SuiteFinding
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId, Program
from mutproof.model.terms import Path
from mutproof.workspace.events import Attempted, Event, Learnt, Lent, Progress, Removed
from mutproof.workspace.options import Options


class Phase(Enum):
    """Say in which phase the analysis of a file is."""

    IDLE = "idle"
    QUEUED = "queued"
    PROVING = "proving"
    MUTATING = "mutating"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def is_active(self) -> bool:
        """Tell whether verdicts may still come."""
        return self in {Phase.QUEUED, Phase.PROVING, Phase.MUTATING}


@dataclass(frozen=True, slots=True)
class MutantPlace:
    """Describe a mutant without terms: enough to show, locate, diff and apply it.

    `path` leads to the replaced subterm, `place` to the one at which reports locate the change
    (None: the head of the element). `replacement` is the text for the subterm at `path`; None
    removes the element. `shown` is the prefix of `mutant` that users see. `parts` are the two
    changes of a pair, empty for a single change; of a pair, all else but the operators and the
    summary is that of the first one.
    """

    mutant: str
    shown: str
    element: ElementId
    operator: str
    path: Path
    place: Path | None
    summary: str
    replacement: str | None
    parts: tuple[MutantPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """List the mutants of a program and the elements of its design, in the order of the file.

    `program` is the digest of the program they belong to; `left_out` counts the mutants outside the
    sample, `unconcerned` those that the change does not concern; `change` is its name for users
    (empty: mutants are not restricted to a change).
    """

    program: Digest
    mutants: tuple[MutantPlace, ...]
    design: tuple[ElementId, ...] = ()
    left_out: int = 0
    unconcerned: int = 0
    change: str = ""


@dataclass(frozen=True, slots=True)
class KnownProperty:
    """Hold a finding and the basis it was found for."""

    finding: PropertyFinding
    basis: Digest


@dataclass(frozen=True, slots=True)
class KnownMutant:
    """Hold a finding and the basis it was found for."""

    finding: MutantFinding
    basis: Digest


@dataclass(frozen=True)
class FileReport:
    """Hold what is known of a file; a value, made anew by the functions of this module.

    `run` is the basis of the current or last run; `met` the properties it has reported so far,
    `faults` the faults of the model it found. `left_out` counts the mutants outside the sample.
    `suggestions` and `advice` come with the basis they were found for.
    """

    places: Mapping[str, MutantPlace] = field(default_factory=dict)
    design: tuple[ElementId, ...] = ()
    properties: Mapping[str, KnownProperty] = field(default_factory=dict)
    mutants: Mapping[str, KnownMutant] = field(default_factory=dict)
    statistics: Statistics | None = None
    phase: Phase = Phase.IDLE
    progress: Progress | None = None
    message: str = ""
    run: Digest | None = None
    met: tuple[str, ...] = ()
    faults: tuple[ModelFinding, ...] = ()
    left_out: int = 0
    suggestions: tuple[SuggestionsFinding, Digest] | None = None
    advice: tuple[AdviceFinding, Digest] | None = None


def basis(program: Program, options: Options) -> Digest:
    """Return the digest of all that verdicts depend on."""
    return digest_parts(program.digest, options.digest)


def queued(report: FileReport) -> FileReport:
    """Return the report of a file that waits for a worker."""
    return replace(report, phase=Phase.QUEUED, progress=None, message="")


def started(report: FileReport, run: Digest) -> FileReport:
    """Return the report at the start of a run for that basis."""
    return replace(
        report, phase=Phase.PROVING, progress=None, message="", run=run, met=(), faults=()
    )


def listed(report: FileReport, listing: Listing) -> FileReport:
    """Return the report with the mutants of the run; verdicts of the others are dropped."""
    places = {place.mutant: place for place in listing.mutants}
    kept = {name: known for name, known in report.mutants.items() if name in places}
    left_out = listing.left_out
    return replace(report, places=places, design=listing.design, mutants=kept, left_out=left_out)


def merged(report: FileReport, events: Iterable[Event]) -> FileReport:
    """Return the report with events of the current run."""
    if report.run is None:
        return report
    run = report.run
    properties, mutants = dict(report.properties), dict(report.mutants)
    met = dict.fromkeys(report.met)
    faults = list(report.faults)
    phase, progress, statistics = report.phase, report.progress, report.statistics
    suggestions, advice = report.suggestions, report.advice
    for event in events:
        match event:
            case PropertyFinding():
                properties[event.name] = KnownProperty(event, run)
                met[event.name] = None
            case ModelFinding():
                faults.append(event)
            case MutantFinding():
                mutants[event.mutant] = KnownMutant(_refined(event, mutants, run), run)
            case Statistics():
                statistics = event
            case SuggestionsFinding():
                suggestions = event, run
            case AdviceFinding():
                advice = event, run
            case (
                CertificateFinding() | SuiteFinding() | Lent() | Learnt() | Removed() | Attempted()
            ):
                pass  # nobody asks for them in an editor
            case Progress(stage, _, _):
                progress = event
                if phase.is_active:
                    mutating = stage in {"mutate", "equivalence", "suggest"}
                    phase = Phase.MUTATING if mutating else Phase.PROVING
            case _:
                assert_never(event)
    return replace(
        report,
        properties=properties,
        mutants=mutants,
        faults=tuple(faults),
        met=tuple(met),
        phase=phase,
        progress=progress,
        statistics=statistics,
        suggestions=suggestions,
        advice=advice,
    )


def _refined(
    finding: MutantFinding, mutants: Mapping[str, KnownMutant], run: Digest
) -> MutantFinding:
    """Return the finding of a survivor with the equivalence known from an earlier run, if any."""
    known = mutants.get(finding.mutant)
    if finding.status is not MutantStatus.SURVIVED or finding.equivalence is not None:
        return finding
    if known is None or known.basis != run or known.finding.status is not finding.status:
        return finding
    return replace(finding, equivalence=known.finding.equivalence)


def suggested(report: FileReport, found: SuggestionsFinding) -> FileReport:
    """Return the report with properties that would close its gaps."""
    return report if report.run is None else replace(report, suggestions=(found, report.run))


def advised(report: FileReport, found: AdviceFinding) -> FileReport:
    """Return the report with advice on the model of its last run."""
    return report if report.run is None else replace(report, advice=(found, report.run))


def has_gaps(report: FileReport) -> bool:
    """Tell whether the last run found mutants that some property could notice."""
    return any(
        known.basis == report.run
        and known.finding.equivalence is not None
        and known.finding.equivalence.status is EquivalenceStatus.GAP
        for known in report.mutants.values()
    )


def finished(report: FileReport) -> FileReport:
    """Return the report after a completed run: what it did not report is dropped."""
    properties = {n: report.properties[n] for n in report.met if n in report.properties}
    mutants = {n: known for n, known in report.mutants.items() if known.basis == report.run}
    return replace(report, properties=properties, mutants=mutants, phase=Phase.DONE, progress=None)


def cancelled(report: FileReport) -> FileReport:
    """Return the report after a cancelled run; what it had decided is kept."""
    return replace(report, phase=Phase.CANCELLED, progress=None)


def failed(report: FileReport, reason: str) -> FileReport:
    """Return the report after a failed run: what it left undecided is UNKNOWN, never missing.

    `reason` becomes the reason of those verdicts. Verdicts of earlier runs that it did not reach
    are replaced too: they are about another program.
    """
    run = report.run
    if run is None:
        return replace(report, phase=Phase.FAILED, progress=None, message=reason)
    mutants = dict(report.mutants)
    for name in report.places:
        known = mutants.get(name)
        if known is None or known.basis != run:
            unknown = MutantFinding(name, MutantStatus.UNKNOWN, reason=reason)
            mutants[name] = KnownMutant(unknown, run)
        else:
            mutants[name] = KnownMutant(with_open_properties(known.finding, reason), run)
    properties = dict(report.properties)
    for name, known_property in report.properties.items():
        if known_property.basis != run:
            finding = replace(
                known_property.finding,
                verdict=PropertyVerdict.UNKNOWN,
                reason=reason,
                trace=None,
                core=None,
                must=None,
            )
            properties[name] = KnownProperty(finding, run)
        elif report.progress is not None and report.progress.stage == "core":
            properties[name] = KnownProperty(with_cores_left(known_property.finding, reason), run)
    return replace(
        report,
        properties=properties,
        mutants=mutants,
        phase=Phase.FAILED,
        progress=None,
        message=reason,
    )
