"""`--traces`: each trace of a run in a file of its own, named by model, property or mutant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.cli.failure import UserError
from mutproof.model.program import Program
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.trace_format import ExportedTrace, exported
from mutproof.reporters.trace_formats import TRACE_FORMATS
from mutproof.workspace import explaining

_MOST_CHARACTERS = 120  # in a file's name


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
    """Yield the names and traces of properties, then of mutants."""
    if file.report is None or file.elaborated is None or file.elaborated.program is None:
        return
    program = file.elaborated.program
    for found in file.properties:
        if found.trace is not None:
            shows = "Witness" if found.verdict is PropertyVerdict.PROVED else "Counterexample"
            trace, names = explaining.shown(found.trace, program, found)
            yield found.name, exported(trace, program, f"{shows} of {found.name}", names)
    for placed in file.placed:
        yield from _of_mutant(file, program, placed)


def _of_mutant(
    file: ReportedFile, program: Program, placed: PlacedMutant
) -> Iterator[tuple[str, ExportedTrace]]:
    """Yield the execution that kills a mutant, or both sides of a gap."""
    finding, mutant = placed.finding, placed.mutant
    about = f"Mutant {mutant.shown} at {placed.place} ({mutant.operator})"
    if finding.status is MutantStatus.KILLED and finding.trace is not None:
        first = next(found for found in file.properties if found.name == finding.killed_by[0])
        names = explaining.of_property(finding.trace, program, first)
        title = f"{about} violates {', '.join(finding.killed_by)}"
        yield mutant.shown, exported(finding.trace, program, title, names)
    gap = finding.equivalence
    sides = () if gap is None else (("model", gap.model), ("mutant", gap.mutant))
    for side, trace in sides:
        if gap is not None and trace is not None:
            shown = exported(trace, program, f"{about} is a gap: the {side}", gap.differing)
            yield f"{mutant.shown}.{side}", shown


def _unique(name: str, suffix: str, used: set[str]) -> str:
    """Return a unique file name, valid for any property's name."""
    plain = re.sub(r"[^A-Za-z0-9_.~-]+", "_", name)[:_MOST_CHARACTERS].strip("._") or "trace"
    number, found = 1, f"{plain}.{suffix}"
    while found.lower() in used:
        number += 1
        found = f"{plain}-{number}.{suffix}"
    used.add(found.lower())
    return found
