"""The tests of the suite beside a file, and how they end on its model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from mutproof.base.record import dataclass
from mutproof.base.text import counted
from mutproof.model.program import Program
from mutproof.model.sorts import Value
from mutproof.reporters.suites.verdicts import difference
from mutproof.reporters.traces import shown_value
from mutproof.workspace.suites.recorded import RecordedSuite, RecordedTest
from mutproof.workspace.suites.replaying import (
    TestOutcome,
    TestResult,
    incomparable,
    on_model,
    replayed,
)

_NAME: Final = re.compile(r'"name":\s*("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True)
class KeptTest:
    """Hold a test of a suite: its 0-based line there, what it is, and how it ends.

    `message` says why it does not pass; `wanted` and `seen` are the outputs that differ, one to a
    line, both empty where none do.
    """

    name: str
    line: int
    said: str
    outcome: TestOutcome
    message: str = ""
    wanted: str = ""
    seen: str = ""


def kept_tests(suite: RecordedSuite, text: str, program: Program) -> tuple[KeptTest, ...]:
    """Run the tests of a suite, written in `text`, on a model; gives way after each."""
    lines = _lines(text)
    reason = incomparable(suite, program)
    if reason:
        return not_run(suite, text, reason)
    return tuple(
        _ended(found, lines.get(found.test.name, 0)) for found in replayed(suite, on_model(program))
    )


def not_run(suite: RecordedSuite, text: str, reason: str) -> tuple[KeptTest, ...]:
    """Return the tests of a suite as ones that were not run, and why."""
    lines = _lines(text)
    return tuple(
        KeptTest(test.name, lines.get(test.name, 0), _said(test), TestOutcome.INCONCLUSIVE, reason)
        for test in suite.tests
    )


def _ended(found: TestResult, line: int) -> KeptTest:
    wanted, seen = found.wanted or {}, found.seen or {}
    test = found.test
    return KeptTest(
        test.name,
        line,
        _said(test),
        found.outcome,
        difference(found),
        _rows(wanted),
        _rows({name: seen[name] for name in wanted if name in seen}),
    )


def _said(test: RecordedTest) -> str:
    said = [counted(len(test.steps), "step"), f"kills {counted(len(test.kills), 'mutant')}"]
    if test.violates:
        said.append(f"some violate {', '.join(test.violates)}")
    return " · ".join(said)


def _rows(values: Mapping[str, Value]) -> str:
    return "\n".join(f"{name} = {shown_value(value)}" for name, value in values.items())


def _lines(text: str) -> Mapping[str, int]:
    """Return the 0-based line of each test's name in the text of a suite."""
    found: dict[str, int] = {}
    begun = max(text.find('"tests":'), 0)
    first = text.count("\n", 0, begun)
    for number, line in enumerate(text[begun:].split("\n"), first):
        if match := _NAME.search(line):
            found.setdefault(json.loads(match[1]), number)
    return found
