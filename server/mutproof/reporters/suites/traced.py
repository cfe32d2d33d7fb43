"""Tests of a suite as traces, for the formats of traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mutproof.languages import LANGUAGES
from mutproof.model.sorts import WordSort
from mutproof.model.traits import Semantics
from mutproof.reporters.trace_format import ExportedTrace, TraceFormat
from mutproof.workspace.suites.recorded import RecordedSuite


def written(suite: RecordedSuite, stem: str, form: TraceFormat) -> Mapping[str, str]:
    """Return a file in a format of traces for each test of a suite."""
    return {f"{stem}.{name}.{form.name}": form.write(trace) for name, trace in _traces(suite)}


def _traces(suite: RecordedSuite) -> Iterator[tuple[str, ExportedTrace]]:
    traits = LANGUAGES[suite.language].traits
    names = tuple(one.name for one in (*suite.inputs, *suite.outputs))
    apart: frozenset[str] = frozenset()
    if traits.semantics is Semantics.RELATIONAL:  # input variables belong to transitions
        apart = frozenset(one.name for one in suite.inputs if not one.storage)
    words = {
        one.name: WordSort(one.width, one.signed)
        for one in (*suite.inputs, *suite.outputs)
        if one.type == "word"
    }
    for test in suite.tests:
        title = f"Test {test.name} of {suite.main}"
        steps = tuple({**step.inputs, **step.outputs} for step in test.steps)
        yield (
            test.name,
            ExportedTrace(title, traits, names, apart, frozenset(), steps, None, words),
        )
