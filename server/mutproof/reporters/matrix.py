"""Which element each property needs: the rows and columns that all formats show.

A row is an element, a column a proved property, a cell MUST (in every minimal core), MAY (in
some) or neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final

from mutproof.analyses.claims.finding import CoresFinding, PropertyFinding
from mutproof.base.record import dataclass
from mutproof.base.span import Position
from mutproof.model.program import ElementId
from mutproof.reporters import encoding
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.style import Style

NEEDS_NOTHING: Final = "it holds whatever the elements say"
"""Said of a property with an empty core."""


class MatrixMark(Enum):
    """Say how a property depends on an element."""

    MUST = "MUST"
    MAY = "MAY"
    NONE = "-"


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """Hold an element, its place (1-based), and its mark for each property.

    `title` is for people who see the place; `name` lasts when the text moves.
    """

    element: ElementId
    place: Position
    name: str
    title: str
    marks: tuple[MatrixMark, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Hold properties with cores, and the elements in source order."""

    properties: tuple[PropertyFinding, ...]
    rows: tuple[MatrixRow, ...]


def core_names(file: ReportedFile, core: Iterable[ElementId]) -> str:
    """Return the elements of a core, and what it means if there are none."""
    return ", ".join(file.element_label(one) for one in core) or f"nothing, {NEEDS_NOTHING}"


def matrix(file: ReportedFile) -> Matrix:
    """Return the matrix of a file: the elements of the design, and what else is in a core."""
    found = tuple(finding for finding in file.properties if finding.core is not None)
    named = (element for f in found for element in (*needed(f), *may(f)))
    everything = dict.fromkeys((*file.compared, *named))
    rows = [
        MatrixRow(
            element,
            file.element_place(element),
            file.element_name(element),
            file.element_title(element),
            tuple(mark(element, finding) for finding in found),
        )
        for element in everything
    ]
    return Matrix(found, tuple(sorted(rows, key=lambda row: (row.place, row.name))))


def needed(found: PropertyFinding) -> tuple[ElementId, ...]:
    """Return the elements that are in every core of a property."""
    return found.must or ()


def may(found: PropertyFinding) -> tuple[ElementId, ...]:
    """Return the elements that are in some core found of a property, but not in MUST."""
    if found.cores is not None:
        return found.cores.may
    must = {*needed(found)}
    return tuple(element for element in found.core or () if element not in must)


def mark(element: ElementId, found: PropertyFinding) -> MatrixMark:
    """Return the mark of an element for a property."""
    if element in needed(found):
        return MatrixMark.MUST
    return MatrixMark.MAY if element in may(found) else MatrixMark.NONE


def summary(found: CoresFinding) -> str:
    """Return how many cores there are and whether these are all."""
    count = len(found.cores)
    if not count:
        return f"no core known, incomplete ({found.reason})"
    cores = f"{count} minimal core{'' if count == 1 else 's'}"
    if not found.minimal:
        cores = f"{count} core{'' if count == 1 else 's'}, not all known to be minimal"
    if found.complete:
        return f"{cores}, complete"
    smallest = "none is smaller than the first; " if found.smallest else ""
    return f"{cores}, incomplete ({smallest}{found.reason})"


def legend(properties: Sequence[PropertyFinding]) -> str:
    """Return the legend of a matrix, given how complete the search for cores was."""
    if any(f.cores is None for f in properties):
        return "MUST: in every core; MAY: in the core found; -: not in the core found"
    if all(f.cores is not None and f.cores.complete for f in properties):
        return "MUST: in every core; MAY: in some core; -: in no core"
    return (
        "MUST: in every core; MAY: in some core found; -: in no core found"
        " (where a search is incomplete, a MAY can be a MUST, and a - a MAY)"
    )


def core_lines(file: ReportedFile, found: CoresFinding, style: Style) -> list[str]:
    """Return the cores of a property as text, smallest first."""
    lines = [f"  {summary(found)}"]
    for number, core in enumerate(found.cores, 1):
        names = ", ".join(file.element_label(element) for element in core) or "nothing"
        lines.append(f"  CORE {number} ({len(core)}): {style.paint('strong', names)}")
    return lines


def table(shown: Matrix, style: Style, width: int) -> list[str]:
    """Return the matrix as text; properties have numbers where their names are too wide."""
    names = [f.name for f in shown.properties]
    lines: list[str] = []
    if _width(shown, names) > width:
        lines = [f"{number} = {name}" for number, name in enumerate(names, 1)]
        names = [str(number) for number in range(1, len(names) + 1)]
    header = ["place", "element", *names]
    rows = [[str(row.place), row.title, *(mark.value for mark in row.marks)] for row in shown.rows]
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines.append(style.paint("quiet", _joined(header, widths)))
    colour = {"MUST": "good", "MAY": "note", "-": "quiet"}
    for row in rows:
        cells = [
            cell.ljust(size)
            if i < 2
            else style.paint(colour[cell], cell) + " " * (size - len(cell))
            for i, (cell, size) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.append(style.paint("quiet", legend(shown.properties)))
    return lines


def encoded_cores(file: ReportedFile, found: CoresFinding) -> dict[str, object]:
    """Return the cores of a property for programs.

    `cores`, smallest first, are lists of elements, as are `must` and `may`; `complete` tells
    whether these are all cores, `minimal` whether each is known to be minimal, `smallest`
    whether the first is known to be a smallest one; `reason` says why they are not complete,
    empty if they are. An element has `name`, `line` and `column` (1-based).
    """
    return {
        "complete": found.complete,
        "minimal": found.minimal,
        "smallest": found.smallest,
        "reason": found.reason,
        "must": encoded_elements(file, found.must),
        "may": encoded_elements(file, found.may),
        "cores": [encoded_elements(file, core) for core in found.cores],
    }


def encoded_elements(file: ReportedFile, elements: Iterable[ElementId]) -> list[dict[str, object]]:
    """Return elements for programs: name and place (1-based)."""
    return [
        {"name": file.element_name(element), **encoding.place(file.element_place(element))}
        for element in elements
    ]


def encoded_rows(shown: Matrix) -> list[dict[str, object]]:
    """Return the rows for programs: an element, and the properties that need it."""
    return [
        {
            "name": row.name,
            **encoding.place(row.place),
            "must": _marked(shown, row, MatrixMark.MUST),
            "may": _marked(shown, row, MatrixMark.MAY),
            "core": [f.name for f in shown.properties if row.element in (f.core or ())],
        }
        for row in shown.rows
    ]


def _marked(shown: Matrix, row: MatrixRow, wanted: MatrixMark) -> list[str]:
    pairs = zip(shown.properties, row.marks, strict=True)
    return [found.name for found, mark in pairs if mark is wanted]


def _width(shown: Matrix, names: Sequence[str]) -> int:
    element = max((len(row.title) for row in shown.rows), default=7)
    place = max((len(str(row.place)) for row in shown.rows), default=5)
    return place + 2 + element + sum(2 + max(4, len(name)) for name in names)


def _joined(cells: Sequence[str], widths: Sequence[int]) -> str:
    pairs = zip(cells, widths, strict=True)
    return "  ".join(cell.ljust(width) for cell, width in pairs).rstrip()
