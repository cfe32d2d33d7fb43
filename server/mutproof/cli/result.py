"""What the analysis of a file ended with, whoever ran it: a report and an exit code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mutproof.analyses.claims.finding import CertificateFinding, Confirmation
from mutproof.base.diagnostics import has_errors
from mutproof.base.record import dataclass
from mutproof.cli import inputs
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.gathered import NOT_ANALYSED, Gathered, reported_of
from mutproof.cli.inputs import Input
from mutproof.model.language import Language
from mutproof.reporters.reported_file import CertifiedVerdict, ReportedFile
from mutproof.runtime.jobs import CRASH_REASON, FAILURE_REASON, Ending, Job, JobOutcome
from mutproof.workspace import counts
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing

_REASONS = {JobOutcome.FAILED: FAILURE_REASON, JobOutcome.CRASHED: CRASH_REASON}


class Watcher(Protocol):
    """Observe the analysis of files."""

    def started(self, path: str) -> None:
        """Note that the analysis of a file has begun."""

    def happened(self, path: str, event: Listing | Event) -> None:
        """Note what was found in a file; the listing of its mutants says that it was read."""

    def ended(self, path: str) -> None:
        """Note that no more will be found in a file."""


@dataclass(frozen=True)
class Result:
    """Hold what is to be reported on a file and how its analysis ended, None if there was none."""

    reported: ReportedFile
    ending: Ending | None = None
    certificates: tuple[CertificateFinding, ...] = ()
    is_late: bool = False  # not read in time
    code: ExitCode = ExitCode.OK  # exit code of merged earlier runs

    @property
    def exit_code(self) -> ExitCode:
        """Return the exit code that the way it ended calls for, whatever was found."""
        if self.code is not ExitCode.OK:
            return self.code
        if self.ending is not None and self.ending.outcome is JobOutcome.FAILED:
            return ExitCode.BUG
        if self.refuted or self.reported.defects:
            return ExitCode.BUG
        if self.is_late:
            return ExitCode.UNKNOWN
        if self.reported.report is None or has_errors(self.reported.diagnostics):
            return ExitCode.UNUSABLE
        return ExitCode.OK

    @property
    def refuted(self) -> tuple[CertifiedVerdict, ...]:
        """Return the certificates that another solver refutes; each is a defect."""
        checked = (self.reported.certificates or {}).values()
        return tuple(c for c in checked if c.confirmation is Confirmation.REFUTED)


@dataclass(frozen=True)
class EndedRun:
    """Hold the end of a run: results, the signal, if any, and `own`, the options of each file."""

    results: tuple[Result, ...]
    stopped: ExitCode | None
    expanded: inputs.Expanded
    own: Callable[[str], Options]


def job_of(read: Input, language: Language, options: Options) -> Job:
    """Return the job of analysing a file that was read."""
    name, text, extent = read.source.name, read.source.content, 0
    program = None if read.elaborated is None else read.elaborated.program
    if program is not None and program.by_id:
        occurrences = sum(map(len, program.by_id.values()))
        extent = len(text) * occurrences // len(program.by_id)
    return Job(name, name, language.name, text, options, extent=extent)


def concluded(
    read: Input,
    options: Options,
    gathering: Gathered,
    ending: Ending,
    *,
    late: bool,
    seconds: float,
) -> Result:
    """Return the result of a job that ended after some seconds; if `late`, its time was over."""
    limits = {JobOutcome.EXHAUSTED, JobOutcome.TOO_LARGE}
    reason = ending.message if ending.outcome in limits else ""
    reason = reason or _REASONS.get(ending.outcome, "out of time" if late else NOT_ANALYSED)
    finished = late or ending.outcome is not JobOutcome.CANCELLED
    if finished and not gathering.is_refused:  # everything gets a verdict
        assert read.elaborated is not None
        assert read.elaborated.program is not None
        gathering.complete(read.elaborated.program, options.properties, reason)
    if options.cores and (late or ending.outcome is not JobOutcome.DONE):
        given_up = ending.outcome is JobOutcome.CANCELLED and not late
        gathering.leave_cores("the run was given up" if given_up else reason)
    if gathering.statistics is None:  # no worker finished
        gathering.statistics = counts.counted(
            gathering.properties.values(),
            gathering.mutants.values(),
            seconds=seconds,
        )
    reported = reported_of(read, gathering, finished=finished)
    return Result(reported, ending, tuple(gathering.certificates))
