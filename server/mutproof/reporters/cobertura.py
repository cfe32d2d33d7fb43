"""Specification coverage in the form of code coverage, for services that draw that.

Covered is text that properties notice, not text that tests run: each killed mutant counts as a hit
of its line, and the conditions of a line are its mutants that count; in runs without mutants, each
proved property whose core has an element of the line is a hit. The report says so.

Source: Cobertura, `coverage-04.dtd`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias
from xml.etree.ElementTree import Element, SubElement

from mutproof.base.text import legal_in_xml
from mutproof.reporters import matrix
from mutproof.reporters.fate import MISSED, OPEN, MutantFate, fate
from mutproof.reporters.matrix import MatrixMark
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter

_DOCTYPE = '<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">'

Hits: TypeAlias = Mapping[int, tuple[int, int, int]]
"""By 1-based line: its number of hits, and how many of how many conditions are covered."""

_NONE: Final = (0, 0, 0)


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return coverage by cores: for each line, in how many properties' cores its elements are."""
    return _document(files, presentation, _needed, "elements in the cores of properties")


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return for each line how many of its mutants are killed, of those that count."""
    return _document(files, presentation, _killed, "mutants that properties notice")


def _needed(file: ReportedFile) -> Hits:
    found: dict[int, tuple[int, int, int]] = {}
    known = matrix.matrix(file)
    for row in known.rows if known.properties else ():
        hits, noticed, most = found.get(row.place.line, _NONE)
        cores = sum(mark is not MatrixMark.NONE for mark in row.marks)
        found[row.place.line] = hits + cores, noticed + (cores > 0), most + 1
    return found


def _killed(file: ReportedFile) -> Hits:
    found: dict[int, tuple[int, int, int]] = {}
    for placed in file.placed:
        become = fate(placed.finding)
        killed = become is MutantFate.KILLED
        if killed or become in MISSED or become in OPEN:
            hits, noticed, most = found.get(placed.place.line, _NONE)
            found[placed.place.line] = hits + killed, noticed + killed, most + 1
    return found


def _document(
    files: tuple[ReportedFile, ...],
    presentation: Presentation,
    hits: Callable[[ReportedFile], Hits],
    what: str,
) -> str:
    found = [(presentation.named(file.path), hits(file)) for file in files]
    covered = [(name, lines) for name, lines in found if lines]  # of nothing there is no rate
    root = Element("coverage", _counted([lines for _, lines in covered]))
    root.set("version", "mutproof")
    root.set("timestamp", "0")  # the same input gives the same bytes
    SubElement(SubElement(root, "sources"), "source").text = "."
    package = SubElement(SubElement(root, "packages"), "package", _rates([h for _, h in covered]))
    package.set("name", "specification coverage")
    classes = SubElement(package, "classes")
    for name, lines in covered:
        shown = legal_in_xml(name)
        one = SubElement(classes, "class", {"name": shown, "filename": shown, **_rates([lines])})
        SubElement(one, "methods")
        rows = SubElement(one, "lines")
        for number in sorted(lines):
            rows.append(_line(number, *lines[number]))
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    note = f"<!-- Specification coverage by mutproof: {what}. No line is executed. -->"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_DOCTYPE}\n{note}\n{body}\n'


def _line(number: int, hits: int, noticed: int, most: int) -> Element:
    share = f"{100 * noticed // most}% ({noticed}/{most})"
    return Element(
        "line",
        {
            "number": str(number),
            "hits": str(hits),
            "branch": "true" if most > 1 else "false",
            **({"condition-coverage": share} if most > 1 else {}),
        },
    )


def _counted(covered: list[Hits]) -> dict[str, str]:
    """Return the totals of a document: lines, and as branches what can be noticed in them."""
    lines = [line for hits in covered for line in hits.values()]
    return {
        **_rates(covered),
        "lines-covered": str(sum(hits > 0 for hits, _, _ in lines)),
        "lines-valid": str(len(lines)),
        "branches-covered": str(sum(noticed for _, noticed, _ in lines)),
        "branches-valid": str(sum(most for _, _, most in lines)),
    }


def _rates(covered: list[Hits]) -> dict[str, str]:
    lines = [line for hits in covered for line in hits.values()]
    most = sum(most for _, _, most in lines)
    return {
        "line-rate": _rate(sum(hits > 0 for hits, _, _ in lines), len(lines)),
        "branch-rate": _rate(sum(noticed for _, noticed, _ in lines), most),
        "complexity": "0",
    }


def _rate(part: int, whole: int) -> str:
    return f"{part / whole:.4f}" if whole else "0"


REPORTER = Reporter("cobertura", prove, prove, mutate)
