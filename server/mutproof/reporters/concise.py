"""Reports of one line for each finding with its place, as compilers write them.

Findings that are as wanted have no line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutproof.base.text import visible
from mutproof.reporters import point as points
from mutproof.reporters.point import Grade, Point
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter

_MEANING = {Grade.ERROR: "bad", Grade.WARNING: "warning", Grade.NOTE: "note"}


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a line for each property that is not proved."""
    return _all(files, presentation, points.of_properties)


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return these, and a line for what each property needs and each element that none needs."""
    return _all(files, presentation, points.of_cores)


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return these, and a line for each mutant to look at; none for what is accepted."""
    every = presentation.all_mutants

    def pointed(file: ReportedFile) -> list[Point]:
        found = points.of_mutants(file, presentation, every=every)
        return [one for one in found if one.accepted is None]

    return _all(files, presentation, pointed)


def _all(
    files: tuple[ReportedFile, ...],
    presentation: Presentation,
    pointed: Callable[[ReportedFile], list[Point]],
) -> str:
    return "".join(
        f"{line}\n" for file in files for line in _lines(file, presentation, pointed(file))
    )


def _lines(file: ReportedFile, presentation: Presentation, found: list[Point]) -> Iterator[str]:
    style = presentation.style
    for one in found:
        place = f"{file.shown_path}:{file.source.position(one.span.start)}"
        grade = style.paint(_MEANING[one.grade], one.grade.value)
        message = visible("; ".join(" ".join(line.split()) for line in one.message.splitlines()))
        yield f"{style.paint('strong', place)}: {grade}: {message} [{one.rule}]"


REPORTER = Reporter("concise", prove, core, mutate)
