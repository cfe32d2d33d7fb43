"""Suites for Kind 2: a file of inputs for its interpreter, and one with outputs for its monitor.

Integers are strings, reals are strings of a quotient of decimals.
Source: Kind 2 user documentation, "Interpreter" and "Contract monitor".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction

from mutproof.model.sorts import Value
from mutproof.reporters.suites.projection import Projection
from mutproof.workspace.suites.recorded import RecordedSuite


def write(suite: RecordedSuite, stem: str) -> Mapping[str, str]:
    """Return two files for each test: inputs, and inputs with the expected outputs."""
    found = {}
    for test in suite.tests:
        inputs = [_row(step.inputs) for step in test.steps]
        both = [_row({**step.inputs, **step.outputs}) for step in test.steps]
        found[f"{stem}.{test.name}.in.json"] = _written(inputs)
        found[f"{stem}.{test.name}.io.json"] = _written(both)
    return found


def _written(rows: list[dict[str, object]]) -> str:
    return "[\n " + ",\n ".join(json.dumps(row) for row in rows) + "\n]\n"


def _row(values: Mapping[str, Value]) -> dict[str, object]:
    return {name: _value(value) for name, value in values.items()}


def _value(value: Value) -> object:
    match value:
        case bool():
            return value
        case Fraction(numerator=numerator, denominator=1):
            return f"{numerator}.0"
        case Fraction(numerator=numerator, denominator=denominator):
            return f"{numerator}.0/{denominator}.0"
        case _:
            return str(value)


PROJECTION = Projection("kind2", write)
