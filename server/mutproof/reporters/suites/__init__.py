"""Suites of tests for people and for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.suites import summary
from mutproof.reporters.suites.document import document, written


def _json(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return the suite of a file, or a list of those of several."""
    suites = [written(document(file, presentation)) for file in files]
    return suites[0] if len(suites) == 1 else f"[{','.join(suites)}]\n"


REPORTS: Final[Mapping[str, Callable[[tuple[ReportedFile, ...], Presentation], str]]] = {
    "text": summary.text,
    "json": _json,
}
