"""Suites in the Reactive Input Format, in which tools of Lustre V4 and V6 exchange executions.

A file for each test: the names and types of inputs and outputs, then a line of inputs and one of
outputs for each step. `?` stands for what is not expected; reals are decimals.
Source: Verimag, lutils, `RifIO`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from mutproof.model.sorts import Value
from mutproof.reporters.suites.projection import NotProjectableError, Projection
from mutproof.workspace.suites.recorded import RecordedSuite, RecordedTest, SuiteVariable


def write(suite: RecordedSuite, stem: str) -> Mapping[str, str]:
    """Return a file for each test.

    Raises:
        NotProjectableError: a real is too large.
    """
    return {
        f"{stem}.{test.name}.rif": "".join(f"{line}\n" for line in _lines(suite, test))
        for test in suite.tests
    }


def _lines(suite: RecordedSuite, test: RecordedTest) -> Iterator[str]:
    yield f"#inputs {_declared(suite.inputs)}".rstrip()
    yield f"#outputs {_declared(suite.outputs)}".rstrip()
    for number, step in enumerate(test.steps, 1):
        yield f"#step {number}"
        yield _row(suite.inputs, step.inputs)
        yield f"#outs {_row(suite.outputs, step.outputs)}".rstrip()
    yield "q"


def _declared(variables: Sequence[SuiteVariable]) -> str:
    return " ".join(f'"{one.name}":{one.type}' for one in variables)


def _row(variables: Sequence[SuiteVariable], row: Mapping[str, Value]) -> str:
    return " ".join(_text(row.get(one.name)) for one in variables)


def _text(value: Value | None) -> str:
    match value:
        case None:
            return "?"
        case bool():
            return "t" if value else "f"
        case Fraction():
            try:
                return repr(float(value))
            except OverflowError:
                raise NotProjectableError(f"{value} does not fit a double") from None
        case _:
            return str(value)


PROJECTION = Projection("rif", write)
