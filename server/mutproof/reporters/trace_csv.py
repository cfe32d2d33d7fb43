"""Traces as tables for spreadsheets and scripts: a row for each step.

The tool's own columns are in parentheses, which no name has: `(step)` is 0-based; `(loop)`, for
lassos only, marks the rows that repeat for ever.
"""

from __future__ import annotations

import csv
import io

from mutproof.reporters.trace_format import ExportedTrace, TraceFormat, exact

STEP = "(step)"
LOOP = "(loop)"


def write(trace: ExportedTrace) -> str:
    """Return a trace as comma-separated values with a header (RFC 4180, lines end in LF)."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    looped = [LOOP] if trace.loop is not None else []
    rows.writerow([STEP, *trace.names, *looped])
    for number, step in enumerate(trace.steps):
        row = [str(number), *(exact(step.get(name), trace.traits) for name in trace.names)]
        if trace.loop is not None:
            row.append(exact(number >= trace.loop, trace.traits))
        rows.writerow(row)
    return text.getvalue()


FORMAT = TraceFormat("csv", write)
