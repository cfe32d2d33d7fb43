"""Suites as a module for pytest; what is tested is named by an environment variable."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from mutproof.reporters.suites.document import encoded_row
from mutproof.reporters.suites.projection import Projection, identifiers
from mutproof.workspace.suites.recorded import RecordedSuite

_BEGINNING: Final = '''\
"""Tests of {main}, made by mutproof from {file}.

MUTPROOF_SUBJECT names what is tested, as MODULE:FUNCTION. The function takes nothing and returns
a new subject in its first step; its method `step` takes a dict of inputs and returns a dict of
outputs. Reals are fractions.Fraction, symbols are strings. MUTPROOF_TOLERANCE says how far reals
may be off (default 0).
"""

import importlib
import json
import os
from fractions import Fraction

import pytest

REALS = {reals}

TESTS = json.loads(r"""
'''
_END: Final = '''
""")
TOLERANCE = Fraction(os.environ.get("MUTPROOF_TOLERANCE", "0"))


def subject():
    module, _, function = os.environ["MUTPROOF_SUBJECT"].partition(":")
    return getattr(importlib.import_module(module), function)()


def value(name, encoded):
    return Fraction(encoded) if name in REALS else encoded


def agrees(name, wanted, seen):
    if name in REALS:
        return abs(wanted - Fraction(seen)) <= TOLERANCE
    return isinstance(wanted, bool) == isinstance(seen, bool) and wanted == seen


@pytest.mark.parametrize("name", TESTS)
def test_suite(name):
    tested = subject()
    for number, (given, expected) in enumerate(TESTS[name]):
        shown = tested.step({n: value(n, v) for n, v in given.items()})
        for output, encoded in expected.items():
            wanted, seen = value(output, encoded), shown[output]
            assert agrees(output, wanted, seen), (
                f"step {number}: {output} is {seen}, expected {wanted}"
            )
'''


def write(suite: RecordedSuite, stem: str) -> Mapping[str, str]:
    """Return a module with a test for each test of the suite."""
    names = identifiers([stem])
    tests = ",\n".join(
        f"{json.dumps(test.name)}: [\n"
        + ",\n".join(
            json.dumps([encoded_row(step.inputs), encoded_row(step.outputs)]) for step in test.steps
        )
        + "\n]"
        for test in suite.tests
    )
    reals = sorted(v.name for v in (*suite.inputs, *suite.outputs) if v.type == "real")
    file = ascii(suite.file)[1:-1].replace('"', "'")
    listed = "{" + ", ".join(map(ascii, reals)) + "}" if reals else "set()"
    begin = _BEGINNING.format(main=ascii(suite.main)[1:-1], file=file, reals=listed)
    return {f"test_{names[stem]}.py": f"{begin}{{{tests}}}{_END}"}


PROJECTION = Projection("pytest", write)
