"""Executions as text: one line per variable, one column per step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from mutproof.model.program import Component, VariableKind
from mutproof.model.sorts import Value
from mutproof.model.trace import Trace

MAX_STEPS: Final = 30
MAX_DIGITS: Final = 40
_KINDS: Final = (
    VariableKind.INPUT,
    VariableKind.OUTPUT,
    VariableKind.LOCAL,
    VariableKind.STATE,
    VariableKind.FROZEN,
    VariableKind.DEFINE,
)


def value_text(value: Value) -> str:
    """Return a value as a person writes it; a very long number is shortened."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            # Python refuses to print numbers of thousands of digits.
            if value.bit_length() > 4 * MAX_DIGITS:
                return f"{'-' if value < 0 else ''}2^{value.bit_length() - 1}…"
            return str(value)
        case Fraction(numerator=numerator, denominator=denominator):
            if denominator == 1:
                return f"{value_text(numerator)}.0"
            return f"{value_text(numerator)}/{value_text(denominator)}"
        case tuple():
            return "[" + ", ".join(value_text(part) for part in value) + "]"
        case _:
            return str(value)


def row(trace: Trace, name: str) -> tuple[str, ...] | None:
    """Return the values of a variable at every step; None if the trace does not have it."""
    if not any(name in step for step in trace.steps):
        return None
    return tuple(value_text(step[name]) if name in step else "-" for step in trace.steps)


def names(trace: Trace, component: Component | None) -> tuple[str, ...]:
    """Return the variables of a trace worth showing: inputs first, then those of the component."""
    present = {name: None for step in trace.steps for name in step}
    if component is None:
        return tuple(present)
    shown = [
        variable.name
        for kind in _KINDS
        for variable in component.of_kind(kind)
        if variable.name in present
    ]
    return tuple(shown) or tuple(present)


def table(trace: Trace, component: Component | None) -> str:
    """Return a trace as lines of aligned columns; steps are counted from 0."""
    steps = range(min(trace.length, MAX_STEPS))
    lines = [["step", *map(str, steps)]]
    for name in names(trace, component):
        values = row(trace, name)
        if values is not None:
            lines.append([name, *values[: len(steps)]])
    text = _aligned(lines)
    if trace.length > MAX_STEPS:
        text += f"\n({trace.length - MAX_STEPS} more steps)"
    if trace.loop is not None:
        text += f"\n(then back to step {trace.loop})"
    return text


def summary(trace: Trace, component: Component | None, *, most: int = 4) -> str:
    """Return the values of the last step in one line, the component's inputs first."""
    if not trace.steps:
        return ""
    last = trace.steps[-1]
    listed = [name for name in names(trace, component) if name in last]
    parts = [f"{name} = {value_text(last[name])}" for name in listed[:most]]
    if len(listed) > most:
        parts.append("…")
    return ", ".join(parts)


def differences(left: Mapping[str, Value], right: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the variables that have different values in two states, in order."""
    return tuple(name for name in left if name in right and left[name] != right[name])


def _aligned(lines: Iterable[list[str]]) -> str:
    rows = list(lines)
    widths = [max(len(r[i]) for r in rows if i < len(r)) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if index == 0 else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(r, widths, strict=True))
        ).rstrip()
        for r in rows
    )
