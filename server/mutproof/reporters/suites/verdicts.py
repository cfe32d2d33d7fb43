"""Results of the tests of a suite: as text, as JSON, and as JUnit."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement

from mutproof.base.record import dataclass
from mutproof.base.text import counted, legal_in_xml, visible
from mutproof.reporters import encoding
from mutproof.reporters.style import Style
from mutproof.reporters.suites.document import encoded_row
from mutproof.reporters.traces import encoded_value, shown_value
from mutproof.workspace.suites.recorded import RecordedMutant
from mutproof.workspace.suites.replaying import TestOutcome, TestResult

_MARKS = {
    TestOutcome.PASSED: ("good", "PASS"),
    TestOutcome.FAILED: ("bad", "FAIL"),
    TestOutcome.INCONCLUSIVE: ("warning", "UNKNOWN"),
}
_MOST_EXPLAINING: Final = 20


@dataclass(frozen=True, slots=True)
class SuiteVerdict:
    """Hold the results of a suite on a system; both are named as the user wrote them.

    `explaining` are the mutants that show exactly what was seen; `undiagnosed` says why none were
    sought, empty if they were, or if nothing failed.
    """

    suite: str
    against: str
    results: tuple[TestResult, ...]
    explaining: tuple[RecordedMutant, ...] = ()
    undiagnosed: str = ""

    def count(self, outcome: TestOutcome) -> int:
        """Return how many tests ended so."""
        return sum(1 for one in self.results if one.outcome is outcome)


def difference(found: TestResult) -> str:
    """Return where a test failed and by what, in words; empty for one that passed."""
    if found.outcome is TestOutcome.PASSED:
        return ""
    if found.reason:
        return f"at step {found.step}: {found.reason}"
    wanted, seen = found.wanted or {}, found.seen or {}
    parts = [
        f"{name} is {shown_value(seen[name])}, expected {shown_value(value)}"
        if name in seen
        else f"{name} is missing, expected {shown_value(value)}"
        for name, value in wanted.items()
    ]
    given = ", ".join(
        f"{name} = {shown_value(value)}"
        for name, value in found.test.steps[found.step].inputs.items()
    )
    return f"at step {found.step}: {'; '.join(parts)}" + (f" (inputs {given})" if given else "")


def text(verdict: SuiteVerdict, style: Style) -> str:
    """Return a line for each test, and what explains the failures."""
    return "\n".join(_lines(verdict, style)) + "\n"


def _lines(verdict: SuiteVerdict, style: Style) -> Iterator[str]:
    names = f"{visible(verdict.suite)} against {visible(verdict.against)}"
    yield style.paint("strong", names)
    for one in verdict.results:
        colour, mark = _MARKS[one.outcome]
        where = difference(one)
        steps = counted(len(one.test.steps), "step")
        yield f"{style.paint(colour, mark)} {one.test.name} {where or steps}"
    ended = [f"{n} {outcome.value}" for outcome in TestOutcome if (n := verdict.count(outcome))]
    yield f"{counted(len(verdict.results), 'test')}: {', '.join(ended) or 'nothing to run'}"
    if verdict.undiagnosed:
        yield f"no diagnosis: {verdict.undiagnosed}"
    elif verdict.count(TestOutcome.FAILED):
        found = verdict.explaining
        verb = "shows" if len(found) == 1 else "show"
        yield f"{counted(len(found), 'mutant')} {verb} all that was seen{':' if found else ''}"
        for mutant in found[:_MOST_EXPLAINING]:
            yield f"    {mutant.line}:{mutant.column} {mutant.summary} ({mutant.operator})"
        if len(found) > _MOST_EXPLAINING:
            yield f"    and {len(found) - _MOST_EXPLAINING} more"


def to_json(verdict: SuiteVerdict, style: Style) -> str:  # noqa: ARG001 - as the others
    """Return how each test ended, with what was seen, and the mutants that explain it."""
    value = {
        "suite": verdict.suite,
        "against": verdict.against,
        "tests": [_encoded(one) for one in verdict.results],
        "explaining": [
            {
                "id": one.id,
                "line": one.line,
                "column": one.column,
                "operator": one.operator,
                "summary": one.summary,
            }
            for one in verdict.explaining
        ],
        **({"undiagnosed": verdict.undiagnosed} if verdict.undiagnosed else {}),
    }
    return encoding.dumped(value)


def _encoded(found: TestResult) -> dict[str, Any]:
    failed: dict[str, Any] = {}
    if found.outcome is not TestOutcome.PASSED:
        failed = {
            "step": found.step,
            "expected": encoded_row(found.wanted or {}),
            "seen": encoded_row(found.seen or {}),
            "message": difference(found),
        }
    rows = () if found.answer is None else found.answer.rows
    names = [name for step in found.test.steps[:1] for name in step.outputs]
    return {
        "name": found.test.name,
        "outcome": found.outcome.value,
        **failed,
        "outputs": [{n: encoded_value(r[n]) for n in names if n in r} for r in rows],
    }


def junit(verdict: SuiteVerdict, style: Style) -> str:  # noqa: ARG001 - as the others
    """Return the tests as those of one suite of JUnit; a test without answer is an error."""
    failures, errors = (
        str(verdict.count(kind)) for kind in (TestOutcome.FAILED, TestOutcome.INCONCLUSIVE)
    )
    sums = {"tests": str(len(verdict.results)), "failures": failures, "errors": errors}
    root = Element("testsuites", {"name": "mutproof", **sums, "skipped": "0"})
    suite = SubElement(
        root, "testsuite", {"name": legal_in_xml(verdict.suite), **sums, "skipped": "0"}
    )
    for one in verdict.results:
        case = SubElement(
            suite, "testcase", {"name": one.test.name, "classname": legal_in_xml(verdict.suite)}
        )
        if one.outcome is not TestOutcome.PASSED:
            tag = "failure" if one.outcome is TestOutcome.FAILED else "error"
            said = legal_in_xml(difference(one))
            SubElement(case, tag, {"message": said}).text = said
        kills = counted(len(one.test.kills), "mutant")
        SubElement(case, "system-out").text = f"kills {kills}"
    if verdict.explaining:
        SubElement(suite, "system-out").text = legal_in_xml(
            "\n".join(
                f"{m.line}:{m.column} {m.summary} ({m.operator}) shows all that was seen"
                for m in verdict.explaining
            )
        )
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


VERDICTS: Final[Mapping[str, Callable[[SuiteVerdict, Style], str]]] = {
    "text": text,
    "json": to_json,
    "junit": junit,
}
