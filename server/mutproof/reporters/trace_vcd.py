"""Traces as value change dumps, which waveform viewers such as GTKWave show.

A step takes one time unit. Booleans are wires, integers `integer`s that are wide enough,
rationals reals (rounded), all else strings. The wire `(loop)` is high while a lasso repeats.

Source: IEEE 1364-2005, section 18; strings are GTKWave's extension.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from vcd import VCDWriter
from vcd.common import VarType

from mutproof.model.sorts import Value
from mutproof.model.traits import Traits
from mutproof.reporters.trace_format import ExportedTrace, TraceFormat, exact

LOOP = "(loop)"
NONE = "-"
_NARROW, _WIDE = 32, 64  # usual widths of integers, in bits
_OUTER = "trace"  # the outermost scope


def write(trace: ExportedTrace) -> str:
    """Return a trace as a value change dump; no date, so that equal traces give equal bytes."""
    text = io.StringIO()
    with VCDWriter(
        text, timescale="1 ns", date="", comment=_comment(trace), version="mutproof"
    ) as writer:
        columns = [
            (name, *_declared(writer, name, [step.get(name) for step in trace.steps], trace))
            for name in trace.names
        ]
        loop = None
        if trace.loop is not None:
            loop = writer.register_var(_OUTER, LOOP, VarType.wire, size=1, init="0")
        for number, step in enumerate(trace.steps):
            for name, variable, kind in columns:
                writer.change(variable, number, _encoded(step.get(name), kind, trace.traits))
            if loop is not None and trace.loop is not None:
                writer.change(loop, number, "1" if number >= trace.loop else "0")
        # The last step is as long as the others.
        writer.close(len(trace.steps))
    return text.getvalue()


def _comment(trace: ExportedTrace) -> str:
    loops = "" if trace.loop is None else f"; then again from step {trace.loop}"
    text = f"{trace.title}: one step is 1 ns{loops}".replace("$end", "end")
    return text.encode("ascii", "backslashreplace").decode()  # readers accept ASCII only


def _declared(
    writer: VCDWriter, name: str, values: Sequence[Value | None], trace: ExportedTrace
) -> tuple[Any, VarType]:
    """Declare a variable with a type for its values; return both."""
    *scopes, last = name.split(".")
    scope = (_OUTER, *(_plain(part) for part in scopes))
    known = [value for value in values if value is not None]
    kind = _kind(known)
    if kind is VarType.real and len(known) < len(values):
        kind = VarType.string  # reals have no value for "none"
    first = _encoded(values[0], kind, trace.traits)
    size = {VarType.wire: 1, VarType.integer: _bits(known)}.get(kind)
    return writer.register_var(scope, _plain(last), kind, size=size, init=first), kind


def _kind(known: Sequence[Value]) -> VarType:
    if all(isinstance(value, bool) for value in known):
        return VarType.wire
    if all(isinstance(value, int) and not isinstance(value, bool) for value in known):
        return VarType.integer
    return VarType.real if all(isinstance(v, Fraction) for v in known) else VarType.string


def _bits(values: Sequence[Value]) -> int:
    """Return the width of integers in two's complement: 32, 64, or whole bytes as needed."""
    numbers = [value for value in values if isinstance(value, int)]
    needed = 1 + max(((n if n >= 0 else -n - 1).bit_length() for n in numbers), default=0)
    for width in (_NARROW, _WIDE):
        if needed <= width:
            return width
    return (needed + 7) // 8 * 8


def _encoded(value: Value | None, kind: VarType, traits: Traits) -> Any:
    """Return a value in the form of its type; None is `x` if the type has that."""
    match kind:
        case VarType.wire:
            return "x" if value is None else str(int(bool(value)))
        case VarType.integer:
            return "x" if value is None else value
        case VarType.real:
            return float(value) if isinstance(value, Fraction) else 0.0
        case _:
            return exact(value, traits) or NONE


def _plain(name: str) -> str:
    """Return a name without brackets, which readers take for parts of vectors."""
    return name.replace("[", "(").replace("]", ")").replace(" ", "_")


FORMAT = TraceFormat("vcd", write)
