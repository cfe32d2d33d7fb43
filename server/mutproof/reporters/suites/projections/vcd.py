"""Suites as value change dumps, one for each test."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.reporters import trace_vcd
from mutproof.reporters.suites.projection import Projection
from mutproof.reporters.suites.traced import written
from mutproof.workspace.suites.recorded import RecordedSuite


def write(suite: RecordedSuite, stem: str) -> Mapping[str, str]:
    """Return a file for each test."""
    return written(suite, stem, trace_vcd.FORMAT)


PROJECTION = Projection("vcd", write)
