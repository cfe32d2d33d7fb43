"""Reports for GitLab's merge requests: its form of Code Climate's issues.

Source: GitLab documentation, Code Quality, "Import Code Quality results from a CI/CD job".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from mutproof.base.digest import digest_parts
from mutproof.reporters import encoding
from mutproof.reporters import point as points
from mutproof.reporters.point import Grade, Point
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter

_SEVERITIES: Final = {Grade.ERROR: "critical", Grade.WARNING: "major", Grade.NOTE: "info"}


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return an issue for each property that is not proved."""
    return _issues(files, presentation, points.of_properties)


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return these, and an issue for what each property needs and each element none needs."""
    return _issues(files, presentation, points.of_cores)


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return these, and an issue for each mutant that is missed or unknown."""
    return _issues(files, presentation, lambda f: points.of_mutants(f, presentation, every=True))


def _issues(
    files: tuple[ReportedFile, ...],
    presentation: Presentation,
    pointed: Callable[[ReportedFile], list[Point]],
) -> str:
    found = [issue for file in files for issue in _of_file(file, presentation, pointed(file))]
    return encoding.dumped(found)


def _of_file(
    file: ReportedFile, presentation: Presentation, pointed: list[Point]
) -> Iterator[dict[str, object]]:
    path = presentation.named(file.path)
    seen: dict[str, int] = {}
    for one in pointed:
        if one.accepted is not None:
            continue
        again = seen[one.identity] = seen.get(one.identity, 0) + 1
        start, end = (file.source.position(at) for at in (one.span.start, one.span.end))
        yield {
            "description": one.message,
            "check_name": one.rule,
            "fingerprint": digest_parts(path, one.identity, again).hex(),
            "severity": _SEVERITIES[one.grade],
            "location": {
                "path": path,
                "lines": {"begin": start.line, "end": max(start.line, end.line)},
            },
        }


REPORTER = Reporter("gitlab", prove, core, mutate)
