"""Suites for Kind 2: a file of inputs for its interpreter, and one with outputs for its monitor.

Integers are strings, reals are strings of a quotient of decimals; records are objects, arrays are
lists.
Source: Kind 2 user documentation, "Interpreter" and "Contract monitor".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from mutproof.model.sorts import Value
from mutproof.reporters.suites.projection import Projection
from mutproof.workspace.suites.recorded import RecordedSuite

_PARTS: Final = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def write(suite: RecordedSuite, stem: str) -> Mapping[str, str]:
    """Return two files for each test: inputs, and inputs with the expected outputs."""
    found = {}
    for test in suite.tests:
        inputs = [_row(step.inputs) for step in test.steps]
        both = [_row({**step.inputs, **step.outputs}) for step in test.steps]
        found[f"{stem}.{test.name}.in.json"] = _written(inputs)
        found[f"{stem}.{test.name}.io.json"] = _written(both)
    return found


def _written(rows: list[dict[object, object]]) -> str:
    return "[\n " + ",\n ".join(json.dumps(row) for row in rows) + "\n]\n"


def _row(values: Mapping[str, Value]) -> dict[object, object]:
    """Return the values of a step, with records as objects and arrays as lists."""
    root: dict[object, object] = {}
    for name, value in values.items():
        *outer, last = [int(i) if i else part for i, part in _PARTS.findall(name)]
        inside = root
        for part in outer:
            inner = inside.setdefault(part, {})
            assert isinstance(inner, dict)
            inside = inner
        inside[last] = _value(value)
    return {name: _with_lists(value) for name, value in root.items()}


def _with_lists(value: object) -> object:
    """Return a value with lists in place of objects whose keys are positions; gaps are null."""
    if not isinstance(value, dict):
        return value
    inner = {key: _with_lists(one) for key, one in value.items()}
    if all(isinstance(key, int) for key in inner):
        return [inner.get(position) for position in range(max(inner) + 1)]
    return inner


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
