"""Suites read back from JSON, without the run that made them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Final

from mutproof.base.record import dataclass
from mutproof.model.sorts import Value

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class SuiteVariable:
    """Declare an input or an output: its type is bool, int, real, enum, word or other.

    `low` and `high` bound an int, None where nothing does; `values` are those of an enum.
    An input that is a part of states has the `storage` "state", or "frozen" where it keeps its
    first value, which steps after the first do not repeat.
    """

    name: str
    type: str
    low: int | None = None
    high: int | None = None
    values: tuple[Value, ...] = ()
    width: int = 0
    signed: bool = False
    storage: str = ""


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """Hold the inputs and the expected outputs of a step; outputs left out may be anything."""

    inputs: Mapping[str, Value]
    outputs: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class RecordedTest:
    """Hold a test from a reset on; `kills` are the ids of mutants, in order."""

    name: str
    steps: tuple[RecordedStep, ...]
    kills: tuple[str, ...] = ()
    violates: tuple[str, ...] = ()
    origin: str = ""


@dataclass(frozen=True, slots=True)
class RecordedMutant:
    """Hold what a suite says of a mutant; line and column are 1-based, 0 where there is none."""

    id: str
    fate: str
    line: int = 0
    column: int = 0
    operator: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class RecordedSuite:
    """Hold a suite and the model that it was made from, by the digest of its text."""

    file: str
    language: str
    main: str
    digest: str
    config: Mapping[str, Any]
    inputs: tuple[SuiteVariable, ...]
    outputs: tuple[SuiteVariable, ...]
    tests: tuple[RecordedTest, ...]
    mutants: tuple[RecordedMutant, ...] = ()

    def inputs_at_all_steps(self, test: RecordedTest) -> tuple[Mapping[str, Value], ...]:
        """Return the inputs of a test, with what keeps its first value at every step."""
        frozen = [one.name for one in self.inputs if one.storage == "frozen"]
        first = test.steps[0].inputs if test.steps else {}
        kept = {name: first[name] for name in frozen if name in first}
        return tuple({**kept, **step.inputs} for step in test.steps)


class SuiteError(ValueError):
    """Say why a text is no suite."""


def read(text: str) -> RecordedSuite:
    """Return the suite that a text holds.

    Raises:
        SuiteError: it is no suite, or one of another version.
    """
    try:
        found = json.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"not JSON: {error}") from error
    if not isinstance(found, dict) or "suite" not in found:
        raise SuiteError("not a suite of tests")
    if found["suite"] != VERSION:
        raise SuiteError(f"a suite of version {found['suite']}; this is for version {VERSION}")
    try:
        return _suite(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SuiteError(f"not a whole suite: {error}") from error


def _suite(found: Mapping[str, Any]) -> RecordedSuite:
    model = found["model"]
    inputs, outputs = (tuple(map(_variable, found[kind])) for kind in ("inputs", "outputs"))
    return RecordedSuite(
        str(model["file"]),
        str(model["language"]),
        str(model["main"]),
        str(model["digest"]),
        dict(found.get("config", {})),
        inputs,
        outputs,
        tuple(_test(one, inputs, outputs) for one in found["tests"]),
        tuple(_mutant(one) for one in found.get("mutants", ())),
    )


def _variable(found: Mapping[str, Any]) -> SuiteVariable:
    return SuiteVariable(
        str(found["name"]),
        str(found["type"]),
        found.get("low"),
        found.get("high"),
        tuple(found.get("values", ())),
        int(found.get("width", 0)),
        bool(found.get("signed", False)),
        str(found.get("storage", "")),
    )


def _test(
    found: Mapping[str, Any], inputs: Iterable[SuiteVariable], outputs: Iterable[SuiteVariable]
) -> RecordedTest:
    given, wanted = ({one.name: one for one in kind} for kind in (inputs, outputs))
    steps = tuple(
        RecordedStep(decoded_row(step["inputs"], given), decoded_row(step["outputs"], wanted))
        for step in found["steps"]
    )
    return RecordedTest(
        str(found["name"]),
        steps,
        tuple(str(kill["mutant"]) for kill in found.get("kills", ())),
        tuple(map(str, found.get("violates", ()))),
        str(found.get("origin", "")),
    )


def _mutant(found: Mapping[str, Any]) -> RecordedMutant:
    return RecordedMutant(
        str(found["id"]),
        str(found["fate"]),
        int(found.get("line", 0)),
        int(found.get("column", 0)),
        str(found.get("operator", "")),
        str(found.get("summary", "")),
    )


def decoded_row(
    row: Mapping[str, Any], declared: Mapping[str, SuiteVariable]
) -> Mapping[str, Value]:
    """Return the values of a step.

    Raises:
        ValueError: a value is none of its type.
        KeyError: a variable is not declared.
    """
    return {name: decoded(value, declared[name]) for name, value in row.items()}


def decoded(value: object, variable: SuiteVariable) -> Value:
    """Decode a value of a variable from JSON or a table cell.

    Raises:
        ValueError: it is no value of the variable's type.
    """
    found = _decoded(value, variable)
    if found is None:
        message = f"{variable.name}: {value!r} is not of type {variable.type}"
        raise ValueError(message)
    return found


_TRUTHS: Final = {"true": True, "false": False, "1": True, "0": False}


def _decoded(value: object, variable: SuiteVariable) -> Value | None:
    match variable.type:
        case "bool":
            return value if isinstance(value, bool) else _TRUTHS.get(str(value).lower())
        case "int" | "word":
            try:
                return None if isinstance(value, bool) else int(str(value))
            except ValueError:
                return None
        case "real":
            return None if isinstance(value, bool) else _fraction(str(value))
        case "enum":
            return next((one for one in variable.values if str(one) == str(value)), None)
        case _:
            return value if isinstance(value, bool | int | str) else None


def _fraction(text: str) -> Fraction | None:
    above, slash, below = text.partition("/")
    try:
        number = Fraction(Decimal(above.strip()))
        return number / Fraction(Decimal(below.strip())) if slash else number
    except (InvalidOperation, ZeroDivisionError, ValueError, OverflowError):
        return None
