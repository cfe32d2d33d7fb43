"""Executions as text: one line per variable, one column per step, in the words of the language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.model import display
from mutproof.model.program import Program, VariableKind
from mutproof.model.sorts import ArraySort, Sort, Value
from mutproof.model.trace import Trace, applications
from mutproof.model.traits import Traits
from mutproof.workspace import explaining

MAX_STEPS: Final = 30
MAX_PARTS: Final = 16
MAX_SUMMARY: Final = 4
_KINDS: Final = (
    VariableKind.INPUT,
    VariableKind.OUTPUT,
    VariableKind.LOCAL,
    VariableKind.STATE,
    VariableKind.FROZEN,
    VariableKind.DEFINE,
)


def value_text(value: Value, traits: Traits | None = None, sort: Sort | None = None) -> str:
    """Return a value as the language writes it; a very long number is shortened."""
    return display.text(value) if traits is None else traits.show(value, sort)


def row(trace: Trace, name: str, program: Program | None = None) -> tuple[str, ...] | None:
    """Return the values of a variable at every step; None if the trace does not have it."""
    if not any(name in step for step in trace.steps):
        return None
    traits = None if program is None else program.traits
    sort = _sort(name, _sorts(program))
    return tuple(
        value_text(step[name], traits, sort) if name in step else "-" for step in trace.steps
    )


def parts(trace: Trace, name: str) -> tuple[str, ...]:
    """Return the names by which a trace has a variable: its own, or those of its elements."""
    present = {found: None for step in trace.steps for found in step}
    if name in present:
        return (name,)
    return tuple(found for found in present if found.startswith(f"{name}["))[:MAX_PARTS]


def names(trace: Trace, program: Program | None) -> tuple[str, ...]:
    """Return the variables of a trace to be shown: inputs first, then those of `main`.

    An array whose elements are in the trace is represented by these.
    """
    present = {name: None for step in trace.steps for name in step}
    if program is None:
        return tuple(present)
    component = program.component(program.main)
    declared = {variable.name for variable in component.variables}
    parts: dict[str, list[str]] = {}
    for name in present:
        whole = name
        while whole not in declared and (cut := max(whole.rfind("."), whole.rfind("["))) > 0:
            whole = whole[:cut]
        parts.setdefault(whole, []).append(name)
    shown = [
        part
        for kind in _KINDS
        for variable in component.of_kind(kind)
        for part in parts.get(variable.name, ())
    ]
    return tuple(shown) or tuple(present)


def table(trace: Trace, program: Program | None, shown: Iterable[str] = ()) -> str:
    """Return a trace as lines of aligned columns: of the `shown` variables, or of all if none are.

    Steps are counted from 0.
    """
    steps = range(min(trace.length, MAX_STEPS))
    lines = [["step", *map(str, steps)]]
    for name in tuple(shown) or names(trace, program):
        values = row(trace, name, program)
        if values is not None:
            lines.append([name, *values[: len(steps)]])
    text = aligned(lines)
    if trace.length > MAX_STEPS:
        text += f"\n({trace.length - MAX_STEPS} more steps)"
    if trace.loop is not None:
        text += f"\n(then again from step {trace.loop})"
    for name, arguments, value in applications(trace.choices)[:MAX_PARTS]:
        given = "…" if arguments is None else ", ".join(map(value_text, arguments))
        text += f"\n{name}({given}) = {value_text(value)}"
    return text


def explained(finding: PropertyFinding, program: Program) -> str:
    """Return the trace of a property as a table of the variables that explain it; empty if none."""
    if finding.trace is None:
        return ""
    trace, names = explaining.shown(finding.trace, program, finding)
    return table(trace, program, names)


def summary(finding: PropertyFinding, program: Program) -> str:
    """Return the last values in a property's trace in one line: of what it reads, the nearest."""
    trace = finding.trace
    if trace is None or not trace.steps:
        return ""
    last, sorts = trace.steps[-1], _sorts(program)
    ordered = explaining.read_by(trace, program, finding) or names(trace, program)
    listed = [name for name in ordered if name in last]
    parts = [
        f"{name} = {value_text(last[name], program.traits, _sort(name, sorts))}"
        for name in listed[:MAX_SUMMARY]
    ]
    return ", ".join([*parts, "…"] if len(listed) > MAX_SUMMARY else parts)


def _sorts(program: Program | None) -> Mapping[str, Sort]:
    if program is None:
        return {}
    return {variable.name: variable.sort for variable in program.component(program.main).variables}


def _sort(name: str, known: Mapping[str, Sort]) -> Sort | None:
    """Return the sort of a variable or an array's element; None if it is unknown."""
    depth = 0
    while name not in known and name.endswith("]"):
        name = name[: name.rindex("[")]
        depth += 1
    sort = known.get(name)
    for _ in range(depth):
        sort = sort.element if isinstance(sort, ArraySort) else None
    return sort


def aligned(lines: Iterable[list[str]], *, left: int = 1) -> str:
    """Return rows of equal length as aligned lines; the first `left` columns are left-aligned."""
    rows = list(lines)
    widths = [max(len(r[i]) for r in rows if i < len(r)) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(r, widths, strict=True))
        ).rstrip()
        for r in rows
    )
