"""Reports as test results: a property is a test, and so is each element with its mutants.

Services show little more than the name of a test and the body of its failure, so these say all.

Source: the schema of Jenkins' xUnit plugin (`junit-10.xsd`), of which this is the part that all
readers understand.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.base.diagnostics import Severity
from mutproof.base.text import legal_in_xml
from mutproof.reporters import point as points
from mutproof.reporters import traces
from mutproof.reporters.fate import MISSED, OPEN, MutantFate, fate, unmeasured
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter
from mutproof.reporters.style import Style

_COUNTED: Final = ("failures", "errors", "skipped")
_TAGS: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}
_PLAIN: Final = Style()

Suites = Callable[[ReportedFile, str], list[Element]]


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a suite for each file with a test for each property."""
    return _document(files, presentation, lambda f, name: [_properties(f, name, presentation)])


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return these; the test of a property says what the property needs."""

    def suites(file: ReportedFile, name: str) -> list[Element]:
        suite = _properties(file, name, presentation)
        known = {legal_in_xml(found.name): found for found in file.properties}
        for case in suite:
            found = known.get(case.get("name", ""))
            if found is not None and (words := points.core_words(file, found)):
                SubElement(case, "system-out").text = legal_in_xml(f"{found.name} {words}")
        return [suite]

    return _document(files, presentation, suites)


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return these, and a suite for each file with a test for each element that has mutants."""

    def suites(file: ReportedFile, name: str) -> list[Element]:
        return [_properties(file, name, presentation), _elements(file, name, presentation)]

    return _document(files, presentation, suites)


def _document(files: tuple[ReportedFile, ...], presentation: Presentation, suites: Suites) -> str:
    root = Element("testsuites", {"name": "mutproof"})
    for file in files:
        root.extend(suites(file, presentation.named(file.path)))
    for key in ("tests", *_COUNTED):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suite(name: str, cases: Sequence[Element]) -> Element:
    suite = Element("testsuite", {"name": legal_in_xml(name), "tests": str(len(cases))})
    suite.extend(cases)
    for tag, key in _TAGS.items():
        suite.set(key, str(sum(case.find(tag) is not None for case in cases)))
    return suite


def _properties(file: ReportedFile, name: str, presentation: Presentation) -> Element:
    cases = []
    if file.report is None:
        case = _case(name, "model", name)
        lines = file.source.content  # else the file is empty or could not be read
        found = [
            f"{name}:{file.source.position(one.span.start)}: {one.message}"
            if lines
            else one.message
            for one in file.diagnostics
            if one.severity is Severity.ERROR
        ]
        _put(case, "error", "the model cannot be analysed", "\n".join(found))
        cases.append(case)
    for one in file.properties:
        line = file.property_place(one).line
        case = _case(name, one.name, name, line)
        if presentation.timings:
            case.set("time", f"{one.seconds:.3f}")
        match one.verdict:
            case PropertyVerdict.FALSIFIED:
                trace = "\n".join(_trace(file, one, presentation.width))
                place = f"{name}:{file.property_place(one)}"
                _put(case, "failure", f"{one.name} is falsified", f"{place}\n{trace}")
            case PropertyVerdict.UNKNOWN:
                reason = one.reason or "no reason given"
                _put(case, "error", f"{one.name} is unknown: {reason}", reason)
            case _ if one.vacuity:
                SubElement(case, "system-out").text = legal_in_xml(
                    f"proved vacuously: {one.vacuity}"
                )
        cases.append(case)
    return _suite(f"{name}: properties", cases)


def _trace(file: ReportedFile, found: PropertyFinding, width: int) -> list[str]:
    program = None if file.elaborated is None else file.elaborated.program
    if found.trace is None or program is None:
        return []
    return traces.table(found.trace, program, found, _PLAIN, width=width)


def _elements(file: ReportedFile, name: str, presentation: Presentation) -> Element:
    groups: dict[str, list[PlacedMutant]] = {}
    cases = []
    if nothing := unmeasured(file):
        case = _case(name, "mutants", name)
        _put(case, "error", nothing, nothing)
        cases.append(case)
    for placed in () if nothing else file.placed:
        groups.setdefault(file.element_name(placed.mutant.element), []).append(placed)
    for element, mutants in groups.items():
        line = file.element_place(mutants[0].mutant.element).line
        case = _case(name, f"mutants of {element}", name, line)
        if presentation.timings:
            case.set("time", f"{sum(one.finding.seconds for one in mutants):.3f}")
        kept = [one for one in mutants if one.mutant.mutant in file.accepted]
        if kept:
            SubElement(case, "system-out").text = legal_in_xml(
                "\n".join(
                    f"{name}:{one.place} {one.mutant.operator} {one.mutant.summary}"
                    f" {points.said(one)}; {file.accepted[one.mutant.mutant].words}"
                    for one in kept
                )
            )
        mutants = [one for one in mutants if one not in kept]
        kinds = [fate(one.finding) for one in mutants]
        missed, left = (sum(kind in which for kind in kinds) for which in (MISSED, OPEN))
        told = [one for one, kind in zip(mutants, kinds, strict=True) if kind in MISSED | OPEN]
        body = "\n".join(
            f"{name}:{one.place} {one.mutant.operator} {one.mutant.summary} {points.said(one)}"
            for one in told
        )
        if missed:
            noun = "mutant survives" if missed == 1 else "mutants survive"
            _put(case, "failure", f"{missed} of {len(mutants)}: {noun}", body)
        elif left:
            _put(case, "error", f"{left} of {len(mutants)} mutants unknown", body)
        elif not kept and all(kind in {MutantFate.STILLBORN, MutantFate.IGNORED} for kind in kinds):
            SubElement(case, "skipped", {"message": "no mutant counts"})
        cases.append(case)
    return _suite(f"{name}: mutants", cases)


def _case(group: str, name: str, file: str, line: int | None = None) -> Element:
    case = Element("testcase", {"name": legal_in_xml(name), "classname": legal_in_xml(group)})
    case.set("file", legal_in_xml(file))
    if line is not None:
        case.set("line", str(line))
    return case


def _put(case: Element, tag: str, message: str, body: str) -> None:
    SubElement(case, tag, {"message": legal_in_xml(message), "type": tag}).text = legal_in_xml(body)


REPORTER = Reporter("junit", prove, core, mutate)
