"""Traces as flat values, for messages between processes.

Values are encoded as themselves, except that a `Fraction` becomes a list
`[numerator, denominator]` (values contain no lists).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias, cast

from mutproof.model.sorts import Value
from mutproof.model.trace import Choices, FunctionTable, Trace

Flat: TypeAlias = Any
"""What `marshal` writes: None, numbers, strings, bytes, and tuples, lists and dicts of them."""


def encode_trace(trace: Trace | None) -> Flat:
    """Return a trace as flat values: names once, then a row of values for every step."""
    if trace is None:
        return None
    choices = trace.choices
    functions = [
        (
            key,
            [(encode_value(a), encode_value(v)) for a, v in table.entries.items()],
            encode_value(table.otherwise),
        )
        for key, table in choices.functions.items()
    ]
    before = {name: encode_value(value) for name, value in choices.before.items()}
    chosen = (_table(choices.steps), choices.loop)
    return (chosen, before, functions, _table(trace.steps), trace.loop)


def decode_trace(flat: Flat) -> Trace | None:
    """Return the trace that `encode_trace` made flat."""
    if flat is None:
        return None
    chosen, before, functions, steps, loop = flat
    rows, back = chosen
    choices = Choices(
        _rows(rows),
        {name: decode_value(value) for name, value in before.items()},
        {
            key: FunctionTable(
                {cast("tuple[Value, ...]", decode_value(a)): decode_value(v) for a, v in entries},
                decode_value(otherwise),
            )
            for key, entries, otherwise in functions
        },
        back,
    )
    return Trace(choices, _rows(steps), loop)


def encode_value(value: Value) -> Flat:
    """Return a value as a flat one."""
    match value:
        case Fraction():
            return [value.numerator, value.denominator]
        case tuple():
            return tuple([encode_value(part) for part in value])
        case _:
            return value


def decode_value(flat: Flat) -> Value:
    """Return the value that `encode_value` made flat."""
    match flat:
        case list():
            return Fraction(flat[0], flat[1])
        case tuple():
            return tuple([decode_value(part) for part in flat])
        case _:
            return cast("Value", flat)


def _table(steps: tuple[Mapping[str, Value], ...]) -> Flat:
    names = tuple(dict.fromkeys(name for step in steps for name in step))
    # None marks a name that a step does not give a value.
    return (names, [tuple([_optional(step.get(name)) for name in names]) for step in steps])


def _optional(value: Value | None) -> Flat:
    return None if value is None else encode_value(value)


def _rows(flat: Flat) -> tuple[Mapping[str, Value], ...]:
    names, rows = flat
    return tuple(
        {n: decode_value(v) for n, v in zip(names, row, strict=True) if v is not None}
        for row in rows
    )
