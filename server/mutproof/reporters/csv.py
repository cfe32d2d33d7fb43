"""Reports as tables for spreadsheets and scripts: a row for each property, element or mutant.

Columns keep their names and order; new ones come last. `line` and `column` are the place that all
reports name. The `replacement` of a mutant stands for the text from `edit_line` and `edit_column`
to `end_line` and `end_column`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.base.span import Position
from mutproof.reporters import matrix, pairs
from mutproof.reporters.fate import fate
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter

_PLACE: Final = ("file", "line", "column")
_PROPERTY: Final = (
    *_PLACE, "property", "verdict", "engine", "k", "depth", "core", "vacuity", "reason"
)  # fmt: skip
_EDIT: Final = ("edit_line", "edit_column")
_ELEMENT: Final = (*_PLACE, "element", "property", "mark", "incomplete")
_MUTANT: Final = (
    *_PLACE, "end_line", "end_column", "element", "operator", "change", "replacement", "outcome",
    "killed_by", "step", "covered_by", "how", "k", "depth", "observed", "differs_at", "behaviour",
    "reason", "mutant", "accepted", *_EDIT,
)  # fmt: skip
_PAIR: Final = tuple(f"and_{name}" for name in (
    "line", "column", "end_line", "end_column", "element", "operator", "change", "replacement",
    *_EDIT,
))  # fmt: skip
"""Columns for the second change, in reports with pairs of mutants; empty for single mutants."""

_SECONDS: Final = "seconds"
_BETWEEN: Final = ";"  # between the names in a cell


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a row for each property."""
    rows = [
        (
            *_place(file, presentation, file.property_place(found)),
            found.name,
            found.verdict.value,
            found.engine,
            found.k,
            found.depth,
            None if found.core is None else len(found.core),
            found.vacuity,
            found.reason,
            f"{found.seconds:.3f}",
        )
        for file in files
        for found in file.properties
    ]
    return _table(_PROPERTY, rows, presentation)


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a row for each element and property: MUST, MAY or a dash."""
    rows: list[tuple[object, ...]] = []
    for file in files:
        shown = matrix.matrix(file)
        rows += [  # for these properties, no element has a mark
            (*_place(file, presentation, file.property_place(found)), "", found.name, "", why)
            for found in file.properties
            if found not in shown.properties and (why := _why_incomplete(file, found))
        ]
        for row in shown.rows:
            place = _place(file, presentation, row.place)
            pairs = zip(shown.properties, row.marks, strict=True)
            rows += [
                (*place, row.name, found.name, mark.value, _why_incomplete(file, found))
                for found, mark in pairs
            ]
    return _written(_ELEMENT, rows)


def _why_incomplete(file: ReportedFile, found: PropertyFinding) -> str:
    """Return why cores of a property may be missing; empty if its marks are complete."""
    if found.cores is None:
        return "" if file.finished else "the run was given up"
    return "" if found.cores.complete else found.cores.reason


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a row for each mutant; `step` is that of the earliest violation, 0-based.

    Where they were asked for, rows for pairs of mutants follow, with both changes.
    """
    rows = [_mutant(file, one, presentation) for file in files for one in file.placed]
    if all(file.pairs is None for file in files):
        return _table(_MUTANT, rows, presentation)
    rows = [(*row[:-1], *[None for _ in _PAIR], row[-1]) for row in rows]
    rows += [_pair(file, pair, presentation) for file in files for pair in pairs.of(file)]
    return _table((*_MUTANT, *_PAIR), rows, presentation)


def _pair(
    file: ReportedFile, pair: pairs.PlacedPair, presentation: Presentation
) -> tuple[object, ...]:
    first, second = pair.parts
    name = replace(first.mutant, mutant=pair.whole.mutant.mutant, shown=pair.whole.mutant.shown)
    whole = replace(first, mutant=name, finding=pair.whole.finding)
    *row, seconds = _mutant(file, whole, presentation)
    start = file.source.position(second.region.start)
    end = file.source.position(second.region.end)
    return (
        *row,
        second.place.line,
        second.place.column,
        end.line,
        end.column,
        file.element_name(second.mutant.element),
        second.mutant.operator,
        second.mutant.summary,
        second.replacement,
        start.line,
        start.column,
        seconds,
    )


def _mutant(
    file: ReportedFile, placed: PlacedMutant, presentation: Presentation
) -> tuple[object, ...]:
    finding, mutant = placed.finding, placed.mutant
    known = finding.equivalence
    start = file.source.position(placed.region.start)
    end = file.source.position(placed.region.end)
    behaviour = file.behaviours.of.get(mutant.mutant)
    accepted = file.accepted.get(mutant.mutant)
    compared_reason = "" if known is None else known.reason
    return (
        *_place(file, presentation, placed.place),
        end.line,
        end.column,
        file.element_name(mutant.element),
        mutant.operator,
        mutant.summary,
        placed.replacement,
        fate(finding).value,
        _BETWEEN.join(finding.killed_by),
        min(finding.steps.values(), default=None),
        _BETWEEN.join(finding.covered_by),
        finding.how,
        finding.k,
        finding.depth,
        "" if known is None else known.observation,
        known.step if known is not None and known.status is EquivalenceStatus.GAP else None,
        "" if behaviour is None else behaviour.name,
        finding.reason or compared_reason,
        mutant.shown,
        "" if accepted is None else accepted.words,
        start.line,
        start.column,
        f"{finding.seconds:.3f}",
    )


def _place(file: ReportedFile, presentation: Presentation, place: Position) -> tuple[object, ...]:
    return presentation.named(file.path), place.line, place.column


def _table(
    header: Sequence[str], rows: Iterable[tuple[object, ...]], presentation: Presentation
) -> str:
    """Return a table; drop the last column, seconds, unless timings are wanted."""
    if presentation.timings:
        return _written((*header, _SECONDS), rows)
    return _written(header, [row[:-1] for row in rows])


def _written(header: Sequence[str], rows: Iterable[tuple[object, ...]]) -> str:
    """Return rows in the format of RFC 4180, but with LF; None becomes an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


REPORTER = Reporter("csv", prove, core, mutate)
