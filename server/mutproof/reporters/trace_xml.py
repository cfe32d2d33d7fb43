"""Traces as NuSMV's XML, which its `read_trace` and other tools read.

A node holds a state, and the inputs that lead to the next one under that one's number. As
there, the last state of a lasso is the first of its loop again.

Source: NuSMV 2.6 user manual, section 4.7 (trace plugin 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from mutproof.reporters.trace_format import ExportedTrace, TraceFormat

COUNTEREXAMPLE = 0
"""The type of a trace that shows a failure."""


def write(trace: ExportedTrace) -> str:
    """Return a trace as an XML document; states are numbered from 1."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<counter-example type="{COUNTEREXAMPLE}" id="1" desc={quoteattr(trace.title)} >',
    ]
    apart = trace.inputs | trace.mixed
    states = tuple(name for name in trace.names if name not in apart)
    last = len(trace.steps) - 1
    for step in range(len(trace.steps)):
        lines.append("  <node>")
        lines += _section(trace, "state", step + 1, step, names=states)
        if step < last or trace.loop is not None:
            for tag, names in (("combinatorial", trace.mixed), ("input", trace.inputs)):
                chosen = tuple(name for name in trace.names if name in names)
                if chosen:
                    lines += _section(trace, tag, step + 2, step, names=chosen)
        lines.append("  </node>")
    loops = ""
    if trace.loop is not None:
        again = _section(trace, "state", len(trace.steps) + 1, trace.loop, names=states)
        lines += ["  <node>", *again, "  </node>"]
        loops = f"{trace.loop + 1} "
    lines += [f"  <loops> {loops}</loops>", "</counter-example>", ""]
    return "\n".join(lines)


def _section(
    trace: ExportedTrace, tag: str, number: int, step: int, *, names: tuple[str, ...]
) -> Iterator[str]:
    yield f'    <{tag} id="{number}">'
    for name in names:
        if name in trace.steps[step]:
            value = escape(trace.constant(name, step))
            yield f"      <value variable={quoteattr(name)}>{value}</value>"
    yield f"    </{tag}>"


FORMAT = TraceFormat("xml", write)
