"""How the end of a job changes the report on its file."""

from __future__ import annotations

from dataclasses import replace

from mutproof.runtime.jobs import CRASH_REASON, FAILURE_REASON, Ending, JobOutcome
from mutproof.workspace import report as reports
from mutproof.workspace.report import FileReport, Phase


def after(ending: Ending, report: FileReport, *, is_cancelled: bool) -> FileReport:
    """Return the report after a job ended; `is_cancelled`: it had been given up before."""
    match ending.outcome:
        case _ if is_cancelled:
            return report  # reported when it was cancelled; a run queued since then stays queued
        case JobOutcome.DONE:
            return reports.finished(report)
        case JobOutcome.CRASHED:
            return reports.failed(report, CRASH_REASON)
        case JobOutcome.EXHAUSTED | JobOutcome.TOO_LARGE:
            return reports.failed(report, ending.message)
        case JobOutcome.FAILED:
            return reports.failed(report, f"{FAILURE_REASON}: {ending.message}")
        case JobOutcome.NO_PROGRAM:
            return replace(report, phase=Phase.IDLE, progress=None)
        case JobOutcome.CANCELLED:
            return reports.cancelled(report)
