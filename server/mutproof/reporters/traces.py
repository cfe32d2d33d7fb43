"""Counterexamples for reports: which variables to show, in which order, and how values look."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.model import display
from mutproof.model.program import Program
from mutproof.model.sorts import Value
from mutproof.model.trace import Trace, applications
from mutproof.reporters.style import Style
from mutproof.workspace import explaining

_MOST_ROWS = 40
_MOST_DIGITS = 40
_GAP = 2  # blanks between columns


def shown_value(value: Value | None) -> str:
    """Return a value for display: reals with a point or a slash, a dash for None.

    Very long numbers are cut, with the number of their digits.
    """
    match value:
        case None:
            return "-"
        case bool():
            return "true" if value else "false"
        case int():
            text = str(value)
            if len(text) <= _MOST_DIGITS:
                return text
            return f"{text[: _MOST_DIGITS // 2]}…({len(text)} digits)"
        case Fraction(numerator=numerator, denominator=1):
            return f"{shown_value(numerator)}.0"
        case Fraction(numerator=numerator, denominator=denominator):
            plain = display.decimal(value)
            return plain or f"{shown_value(numerator)}/{shown_value(denominator)}"
        case tuple():
            return "(" + ", ".join(shown_value(part) for part in value) + ")"
        case _:
            return str(value)


def encoded_value(value: Value | None) -> object:
    """Return a value for JSON: exact; rationals and symbols are strings, parts are lists."""
    match value:
        case Fraction():
            return f"{value.numerator}.0" if value.denominator == 1 else str(value)
        case tuple():
            return [encoded_value(part) for part in value]
        case _:
            return value


def encoded(trace: Trace, program: Program, finding: PropertyFinding) -> dict[str, object]:
    """Return a trace for JSON: every variable with its value at each step, inputs named."""
    trace, names = explaining.shown(trace, program, finding)
    rest = sorted(explaining.names(trace) - set(names))
    inputs = explaining.inputs(program)
    return {
        "length": trace.length,
        "loop": trace.loop,
        "inputs": [
            name for name in names if any(whole in inputs for whole in explaining.wholes(name))
        ],
        "values": {
            name: [encoded_value(step.get(name)) for step in trace.steps]
            for name in (*names, *rest)
        },
        **({"functions": encoded_functions(trace)} if trace.choices.functions else {}),
    }


def rows(trace: Trace, program: Program, finding: PropertyFinding) -> dict[str, list[str]]:
    """Return the variables that explain a violation, with displayed values at each step."""
    trace, names = explaining.shown(trace, program, finding)
    spelled = {shown_value(one): program.traits.boolean(one) for one in (False, True)}
    values = {name: [shown_value(step.get(name)) for step in trace.steps] for name in names}
    return {name: [spelled.get(text, text) for text in row] for name, row in values.items()}


def table(
    trace: Trace, program: Program, finding: PropertyFinding, style: Style, *, width: int
) -> list[str]:
    """Return a trace as lines: a row for each variable, a column for each step (0-based).

    Values that differ from the step before are highlighted. Steps that do not fit in `width`
    characters continue in a further block.
    """
    every = rows(trace, program, finding)
    hidden = len(every) - _MOST_ROWS
    shown = dict(list(every.items())[:_MOST_ROWS])
    label = max((len(name) for name in (*shown, "step")), default=4)
    widths = [
        max(len(str(step)), *(len(row[step]) for row in shown.values())) if shown else 1
        for step in range(trace.length)
    ]
    lines: list[str] = []
    for first, last in blocks(widths, width, label):
        steps = range(first, last)
        header = "".join(" " * _GAP + str(step).rjust(widths[step]) for step in steps)
        lines.append(style.paint("quiet", "step".ljust(label) + header))
        for name, row in shown.items():
            cells = []
            for step in steps:
                text = row[step].rjust(widths[step])
                changed = is_changed(row, step)
                cells.append(" " * _GAP + (style.paint("changed", text) if changed else text))
            lines.append(name.ljust(label) + "".join(cells))
    if trace.loop is not None:
        lines.append(style.paint("quiet", f"then again from step {trace.loop}"))
    if hidden > 0:
        lines.append(style.paint("quiet", f"… {hidden} more variables (--format json has them)"))
    return [*lines, *function_lines(trace)]


def is_changed(row: Sequence[str], step: int) -> bool:
    """Tell whether a displayed value is there, and another one than a step before."""
    return step > 0 and row[step] not in (row[step - 1], shown_value(None))


def whole(trace: Trace) -> list[str]:
    """Return all variables of an execution as lines: a row for each, a column for each step."""
    names = sorted(explaining.names(trace), key=explaining.part_order)
    rows = [["step", *map(str, range(trace.length))]]
    rows += [[name, *(shown_value(step.get(name)) for step in trace.steps)] for name in names]
    rows = rows[: _MOST_ROWS + 1]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        (" " * _GAP).join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
        for row in rows
    ]
    return [*lines, *function_lines(trace)]


def function_lines(trace: Trace) -> list[str]:
    """Return the values of uninterpreted functions in an execution: `f(1, true) = 3`."""
    found = applications(trace.choices)
    lines = []
    for name, arguments, value in found[:_MOST_ROWS]:
        shown = "…" if arguments is None else ", ".join(map(shown_value, arguments))
        lines.append(f"{name}({shown}) = {shown_value(value)}")
    hidden = len(found) - _MOST_ROWS
    return [*lines, *([f"… {hidden} more values of functions"] if hidden > 0 else [])]


def encoded_whole(trace: Trace) -> dict[str, object]:
    """Return an execution for JSON: every variable with its value at each step."""
    names = sorted(explaining.names(trace), key=explaining.part_order)
    values = {name: [encoded_value(step.get(name)) for step in trace.steps] for name in names}
    return {"length": trace.length, "loop": trace.loop, "values": values}


def encoded_functions(trace: Trace) -> list[dict[str, object]]:
    """Return values of uninterpreted functions for JSON; null stands for other arguments."""
    return [
        {
            "function": name,
            "arguments": None if arguments is None else [encoded_value(one) for one in arguments],
            "value": encoded_value(value),
        }
        for name, arguments, value in applications(trace.choices)
    ]


def blocks(widths: Sequence[int], width: int, label: int) -> list[tuple[int, int]]:
    """Split columns into ranges (end exclusive) that fit the width, of at least one column each.

    Beside labels that fill most of it by themselves, they get half of it nevertheless.
    """
    width = width - label if label < width * 3 // 4 else width // 2
    found: list[tuple[int, int]] = []
    first = used = 0
    for step, column in enumerate(widths):
        if step > first and used + column + _GAP > width:
            found.append((first, step))
            first, used = step, 0
        used += column + _GAP
    if widths:
        found.append((first, len(widths)))
    return found
