"""`--traces`: each trace of a run in a file of its own, named by model, property or mutant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mutproof.analyses.finding import MutantStatus, PropertyVerdict
from mutproof.cli.failure import UserError
from mutproof.reporters import TRACE_FORMATS, traces
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.trace_format import ExportedTrace, exported

_MOST_CHARACTERS = 120  # of a file's name


def write(files: tuple[ReportedFile, ...], folder: Path, format_name: str) -> int:
    """Write all traces into a folder; return how many there are.

    Raises:
        UserError: the folder or a file cannot be written.
    """
    chosen = TRACE_FORMATS[format_name]
    used: set[str] = set()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            for name, trace in _traces(file):
                path = folder / _unique(f"{Path(file.path).stem}.{name}", chosen.name, used)
                path.write_text(
                    chosen.write(trace), encoding="utf-8", errors="backslashreplace", newline="\n"
                )
    except OSError as error:
        raise UserError(
            "output-unwritable",
            f"cannot write traces into {folder}: {error.strerror}",
            way_out="name another folder with --traces",
        ) from error
    return len(used)


def _traces(file: ReportedFile) -> Iterator[tuple[str, ExportedTrace]]:
    """Yield the traces of properties, then those that kill mutants, with names for them."""
    if file.report is None or file.elaborated is None or file.elaborated.program is None:
        return
    program = file.elaborated.program
    findings = {found.name: found for found in file.properties}
    for found in file.properties:
        if found.trace is not None:
            shows = "Witness" if found.verdict is PropertyVerdict.PROVED else "Counterexample"
            names = traces.ordered_names(found.trace, program, found)
            title = f"{shows} of {found.name}"
            yield found.name, exported(found.trace, program, title, names)
    for placed in file.placed:
        killed = placed.finding
        if killed.status is not MutantStatus.KILLED or killed.trace is None:
            continue
        names = traces.ordered_names(killed.trace, program, findings[killed.killed_by[0]])
        mutant = placed.mutant
        by = ", ".join(killed.killed_by)
        title = f"Mutant {mutant.mutant} at {placed.place} ({mutant.operator}) violates {by}"
        yield mutant.mutant, exported(killed.trace, program, title, names)


def _unique(name: str, suffix: str, used: set[str]) -> str:
    """Return a file name that no other trace has, whatever the property is called."""
    plain = re.sub(r"[^A-Za-z0-9_.~-]+", "_", name)[:_MOST_CHARACTERS].strip("._") or "trace"
    number, found = 1, f"{plain}.{suffix}"
    while found.lower() in used:
        number += 1
        found = f"{plain}-{number}.{suffix}"
    used.add(found.lower())
    return found
