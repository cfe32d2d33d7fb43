"""Suites as FRET exports its tests: the variables of a trace once, then their values by steps.

Source: NASA-SW-VnV/fret, export of generated tests (`testID`, `testTrace`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from mutproof.model.sorts import Value
from mutproof.reporters.suites.projection import Projection
from mutproof.reporters.traces import encoded_value
from mutproof.workspace.suites.recorded import RecordedSuite


def write(suite: RecordedSuite, stem: str) -> Mapping[str, str]:
    """Return a file with all tests; truth values are 0 and 1, null is not expected."""
    names = [one.name for one in (*suite.inputs, *suite.outputs)]
    value = [
        {
            "testID": test.name,
            "testTrace": {
                "traceLength": len(test.steps),
                "keys": names,
                "values": [
                    [_value({**step.inputs, **step.outputs}.get(name)) for name in names]
                    for step in test.steps
                ],
            },
        }
        for test in suite.tests
    ]
    return {f"{stem}.fret.json": json.dumps(value, indent=1, ensure_ascii=False) + "\n"}


def _value(value: Value | None) -> object:
    return int(value) if isinstance(value, bool) else encoded_value(value)


PROJECTION = Projection("fret", write)
