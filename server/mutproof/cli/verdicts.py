"""From what was found in a file to the exit code it calls for."""

from __future__ import annotations

from mutproof.analyses.finding import MutantStatus, PropertyVerdict
from mutproof.cli.exit_codes import ExitCode
from mutproof.reporters.reported_file import ReportedFile


def of_properties(file: ReportedFile) -> ExitCode:
    """Return the code for proofs: falsified before unknown before all proved."""
    verdicts = {found.verdict for found in file.properties}
    if PropertyVerdict.FALSIFIED in verdicts:
        return ExitCode.FALSIFIED
    if PropertyVerdict.UNKNOWN in verdicts:
        return ExitCode.UNKNOWN
    return ExitCode.OK


def of_mutants(file: ReportedFile) -> ExitCode:
    """Return the code for mutants: the baseline first, then survivors, then unknowns."""
    if any(found.verdict is not PropertyVerdict.PROVED for found in file.properties):
        return ExitCode.BASELINE
    if file.count(MutantStatus.SURVIVED):
        return ExitCode.SURVIVORS
    if file.count(MutantStatus.UNKNOWN):
        return ExitCode.UNDECIDED
    return ExitCode.OK


def baseline_note(file: ReportedFile) -> str:
    """Return which properties are not proved and therefore took no part."""
    names = ", ".join(
        f"{found.name} ({found.verdict.value})"
        for found in file.properties
        if found.verdict is not PropertyVerdict.PROVED
    )
    return f"{file.path}: not proved on the unmutated model, so taking no part: {names}"
