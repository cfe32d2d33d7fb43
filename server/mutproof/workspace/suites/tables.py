"""Recorded executions of tests as tables: a row for each step, a column for each variable.

A column `test` names the test of a row; without it, the suite must have one test. Cells of inputs
must agree with the test unless they are empty. Where a variable is called `test` or `step`, the
columns that are no variables are `(test)` and `(step)`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from mutproof.model.sorts import Value
from mutproof.workspace.suites.recorded import RecordedSuite, RecordedTest, SuiteError, decoded
from mutproof.workspace.suites.replaying import SystemUnderTest, TestAnswer


def own_columns(suite: RecordedSuite) -> tuple[str, str]:
    """Return the names of the columns for the test and the step of a row."""
    test, step = "test", "step"
    taken = any(one.name in {test, step} for one in (*suite.inputs, *suite.outputs))
    return (f"({test})", f"({step})") if taken else (test, step)


def on_table(text: str, suite: RecordedSuite) -> SystemUnderTest:
    """Return the system under test whose outputs are read from a table.

    Raises:
        SuiteError: the table does not belong to the suite, or holds what cannot be read.
    """
    reader = csv.DictReader(io.StringIO(text))
    columns = reader.fieldnames or ()
    outputs = {one.name: one for one in suite.outputs}
    inputs = {one.name: one for one in suite.inputs}
    if not any(name in outputs for name in columns):
        raise SuiteError("the table has no column of an output")
    own, _ = own_columns(suite)
    if own not in columns and len(suite.tests) > 1:
        raise SuiteError(f"the table has no column `{own}`, and the suite has several tests")
    rows: dict[str, list[Mapping[str, Value]]] = {}
    tests = {test.name: test for test in suite.tests}
    for line, cells in enumerate(reader, 2):
        name = cells.get(own) or next(iter(tests), "")
        test = tests.get(name)
        if test is None:
            raise SuiteError(f"line {line}: the suite has no test {name!r}")
        try:
            given, shown = (
                {n: decoded(cells[n].strip(), one) for n, one in declared.items() if cells.get(n)}
                for declared in (inputs, outputs)
            )
        except ValueError as error:
            raise SuiteError(f"line {line}: {error}") from error
        known = rows.setdefault(name, [])
        _check_inputs(test, len(known), given, line)
        known.append(shown)

    def answer(test: RecordedTest) -> TestAnswer:
        found = tuple(rows.get(test.name, ()))
        return TestAnswer(found, "the table has no more rows", is_known=False)

    return answer


def _check_inputs(test: RecordedTest, step: int, given: Mapping[str, Value], line: int) -> None:
    if step >= len(test.steps):
        raise SuiteError(f"line {line}: test {test.name} has only {len(test.steps)} steps")
    for name, value in given.items():
        wanted = test.steps[step].inputs.get(name)
        if wanted is not None and wanted != value:
            raise SuiteError(f"line {line}: {name} is another input than that of the test")
