"""Reports for GitHub's workflows: annotations of a step, and a summary of the job in Markdown.

A step shows few annotations of each severity, so the last one counts those left out; the summary
has all.

Source: GitHub documentation, workflow commands for GitHub Actions (annotations, job summaries).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mutproof.reporters import point as points
from mutproof.reporters.fate import MutantFate, fate, score, unmeasured
from mutproof.reporters.point import Grade, Point
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter

_COMMANDS: Final = {Grade.ERROR: "error", Grade.WARNING: "warning", Grade.NOTE: "notice"}
_MOST: Final = 10  # annotations of each severity that a step shows
_MOST_ROWS: Final = 500  # in a table of the summary
MOST_BYTES: Final = 1_000_000
"""The longest summary; GitHub drops those longer than 1 MiB."""


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return an annotation for each property that is not proved, and a line for each file."""
    return _proved(files, presentation, points.of_properties)


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return these, and an annotation for each property's core and each element in none."""
    return _proved(files, presentation, points.of_cores)


def _proved(
    files: tuple[ReportedFile, ...],
    presentation: Presentation,
    pointing: Callable[[ReportedFile], list[Point]],
) -> str:
    pointed = [(file, one) for file in files for one in pointing(file)]
    lines = [
        f"{_name(file, presentation)}: {_properties([file])}"
        f"{'' if file.finished else '; incomplete: the run was given up'}"
        for file in files
    ]
    return _commands(pointed, presentation) + "".join(f"{line}\n" for line in lines)


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return these, an annotation for each gap to look at, and the score of each file."""
    every = presentation.all_mutants
    pointed = [
        (file, one)
        for file in files
        for one in points.of_mutants(file, presentation, every=every)
        if one.accepted is None
    ]
    lines = [
        f"{_name(file, presentation)}: {unmeasured(file) or _scored([file])}"
        + (f"; {file.left_alone}" if file.left_alone else "")
        for file in files
        if file.placed or file.left_alone
    ]
    return _commands(pointed, presentation) + "".join(f"{line}\n" for line in lines)


def summary(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return the summary of a job: score, properties, and what no property notices."""
    lines = [f"## mutproof: {_headline(files)}", ""]
    if any(file.placed for file in files):
        kinds = [kind for kind in MutantFate if _count(files, kind)]
        lines += _row(["file", "score", *(kind.value for kind in kinds)])
        lines += _row(["---"] * (2 + len(kinds)))
        for file in files:
            name = f"`{_name(file, presentation)}`"
            counts = (str(_count([file], kind)) for kind in kinds)
            lines += _row([name, unmeasured(file) or _scored([file]), *counts])
        lines.append("")
    for file in files:
        if file.left_alone:
            lines += [f"{_cell(_name(file, presentation))}: {_cell(file.left_alone)}", ""]
    every = presentation.all_mutants
    for file in files:
        found = points.of_mutants(file, presentation, every=every)
        if found:
            noun = "place" if len(found) == 1 else "places"
            name = _cell(_name(file, presentation))
            lines += [f"<details><summary>{len(found)} {noun} in {name}</summary>", ""]
            lines += _row(["place", "rule", "what"]) + _row(["---"] * 3)
            for one in found[:_MOST_ROWS]:
                place = file.source.position(one.span.start)
                accepted = "" if one.accepted is None else f"; {one.accepted.words}"
                lines += _row([str(place), f"`{one.rule}`", one.message + accepted])
            left = len(found) - _MOST_ROWS
            lines += [*([f"\n… and {left} more"] if left > 0 else []), "", "</details>", ""]
    return _cut("\n".join(lines) + "\n")


def _headline(files: Sequence[ReportedFile]) -> str:
    if any(file.placed and not unmeasured(file) for file in files):
        return _scored(files)
    return _properties(files)


def _properties(files: Sequence[ReportedFile]) -> str:
    """Return how many properties are proved, of those that can be true or false."""
    verdicts = [found.verdict.value for file in files for found in file.properties]
    stated = len(verdicts) - verdicts.count("computed")
    return f"{verdicts.count('proved')} of {stated} properties proved"


def _scored(files: Sequence[ReportedFile]) -> str:
    found = score(files)
    percent = "" if found.percent is None else f" ({found.percent:.1f} %)"
    return f"{found.killed} of {found.valid} mutants killed{percent}"


def _count(files: Sequence[ReportedFile], kind: MutantFate) -> int:
    return sum(fate(placed.finding) is kind for file in files for placed in file.placed)


def _name(file: ReportedFile, presentation: Presentation) -> str:
    return presentation.named(file.path)


# --- annotations ------------------------------------------------------------------------------


def _commands(pointed: Sequence[tuple[ReportedFile, Point]], presentation: Presentation) -> str:
    lines: list[str] = []
    for grade, command in _COMMANDS.items():
        found = [(file, one) for file, one in pointed if one.grade is grade]
        most = _MOST if len(found) <= _MOST else _MOST - 1
        lines += [_command(command, file, one, presentation) for file, one in found[:most]]
        left = len(found) - most
        if left > 0:
            lines.append(f"::{command} title=mutproof::… and {left} more, see the summary")
    return "".join(f"{line}\n" for line in lines)


def _command(command: str, file: ReportedFile, one: Point, presentation: Presentation) -> str:
    start, end = (file.source.position(at) for at in (one.span.start, one.span.end))
    properties = {"file": _name(file, presentation), "line": start.line, "endLine": end.line}
    if start.line == end.line:  # columns apply to ranges in one line only
        properties |= {"col": start.column, "endColumn": max(end.column, start.column + 1)}
    properties["title"] = one.title
    shown = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{command} {shown}::{_data(one.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# --- Markdown ---------------------------------------------------------------------------------


def _row(cells: Sequence[str]) -> list[str]:
    return [f"| {' | '.join(map(_cell, cells))} |"]


def _cell(text: str) -> str:
    """Return a text escaped for a cell, on one line; code between backticks is kept."""
    return "".join(_escaped(text)).replace("|", "\\|")


def _escaped(text: str) -> Iterator[str]:
    pieces = " ".join(text.split()).split("`")
    if len(pieces) % 2 == 0:  # an unmatched backtick begins no code
        pieces[-2:] = [f"{pieces[-2]}\\`{pieces[-1]}"]
    for number, piece in enumerate(pieces):
        if number % 2:
            yield f"`{piece}`"
        else:
            for sign in piece:
                yield {"<": "&lt;", ">": "&gt;", "&": "&amp;"}.get(sign, _literal(sign))


def _literal(sign: str) -> str:
    return f"\\{sign}" if sign in "*_[]#~" else sign


def _cut(text: str) -> str:
    """Return a text of at most MOST_BYTES, cut at the end of a line."""
    encoded = text.encode("utf-8", "backslashreplace")
    if len(encoded) <= MOST_BYTES:
        return text
    kept = encoded[:MOST_BYTES].rpartition(b"\n")[0].decode("utf-8", "ignore")
    return f"{kept}\n\n… and more than a summary may hold\n"


REPORTER = Reporter("github", prove, core, mutate, summary=summary)
