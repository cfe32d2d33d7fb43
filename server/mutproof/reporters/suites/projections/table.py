"""Suites as one table, which `mutproof tests run --against` reads as well.

Truth values are `true` and `false`, rationals exact; an output that is not expected is empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from mutproof.reporters.suites.projection import Projection
from mutproof.reporters.traces import encoded_value
from mutproof.workspace.suites.recorded import RecordedSuite
from mutproof.workspace.suites.tables import own_columns


def write(suite: RecordedSuite, stem: str) -> Mapping[str, str]:
    """Return a file with a row for each step of each test."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    inputs, outputs = ([one.name for one in kind] for kind in (suite.inputs, suite.outputs))
    writer.writerow([*own_columns(suite), *inputs, *outputs])
    for test in suite.tests:
        for number, step in enumerate(test.steps):
            cells = [step.inputs.get(name) for name in inputs]
            cells += [step.outputs.get(name) for name in outputs]
            writer.writerow([test.name, number, *map(_cell, cells)])
    return {f"{stem}.csv": text.getvalue()}


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else encoded_value(value)  # type: ignore[arg-type]


PROJECTION = Projection("csv", write)
