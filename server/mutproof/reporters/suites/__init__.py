"""Suites of tests for people and for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mutproof.reporters.reported_file import ReportedFile
    from mutproof.reporters.reporter import Presentation


def _text(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return the tests of each file with the mutants they kill and those left."""
    from mutproof.reporters.suites import summary

    return summary.text(files, presentation)


def _json(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return the suite of a file, or a list of suites for several files."""
    from mutproof.reporters.suites.document import document, written

    suites = [written(document(file, presentation)) for file in files]
    return suites[0] if len(suites) == 1 else f"[{','.join(suites)}]\n"


REPORTS: Final[Mapping[str, Callable[[tuple[ReportedFile, ...], Presentation], str]]] = {
    "text": _text,
    "json": _json,
}
