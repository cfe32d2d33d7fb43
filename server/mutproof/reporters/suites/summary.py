"""A suite in a few lines: what its tests kill, how few they are, and what no test shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutproof.analyses.suites.suite import SuiteFate, SuiteFinding
from mutproof.base.text import counted
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.suites.document import found_in, name_of

_WORDS = {
    SuiteFate.KILLED: "killed",
    SuiteFate.EQUIVALENT: "equivalent",
    SuiteFate.ASSUMES: "assuming other inputs",
    SuiteFate.CHANCE: "left to chance",
    SuiteFate.UNKNOWN: "unknown",
}
_MARKS = {SuiteFate.CHANCE: "CHANCE", SuiteFate.ASSUMES: "ASSUMES", SuiteFate.UNKNOWN: "UNKNOWN"}
_MOST_PLACES = 6
_CONTROLLED = re.compile(r"(^|\.)nd_")
"""The names of inputs that `mutproof control` makes."""

_OPEN = (SuiteFate.ASSUMES, SuiteFate.CHANCE, SuiteFate.UNKNOWN)


def text(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return for each file its tests, what they kill, and what is left."""
    analysed = (file for file in files if file.report is not None)
    return "\n".join("\n".join(_of_file(file, presentation)) + "\n" for file in analysed)


def size(found: SuiteFinding) -> str:
    """Return how many tests there are, and whether fewer would suffice."""
    words = counted(len(found.tests), "test")
    if not found.tests:
        return words
    if found.is_optimal:
        return f"{words}, optimal"
    if not found.at_least:
        return words
    return f"{words}, at least {found.at_least} needed"


def _of_file(file: ReportedFile, presentation: Presentation) -> Iterator[str]:
    style = presentation.style
    found = found_in(file)
    yield style.paint("strong", file.shown_path)
    if found.refused:
        yield f"{style.paint('warning', 'NO TESTS')} {found.refused}"
    killed: set[str] = set()
    for test in found.tests:
        more = [kill.mutant for kill in test.kills if kill.mutant not in killed]
        killed.update(more)
        broken = f"; some violate {', '.join(test.violates)}" if test.violates else ""
        kills = f"kills {counted(len(test.kills), 'mutant')}, {len(more)} of them first"
        yield f"  {name_of(test)} {counted(len(test.inputs), 'step')}: {kills}{broken}"
    placed = {one.mutant.mutant: one for one in file.placed}
    open_: dict[tuple[SuiteFate, str], list[str]] = {}
    for one in found.mutants:
        if one.fate in _OPEN:
            at = placed.get(one.mutant)
            where = one.mutant if at is None else f"{at.place} {at.mutant.summary}"
            open_.setdefault((one.fate, one.reason), []).append(where)
    for (fate, reason), places in open_.items():
        mark = style.paint("warning" if fate is SuiteFate.UNKNOWN else "note", _MARKS[fate])
        left = len(places) - _MOST_PLACES
        rest = f" and {left} more" if left > 0 else ""
        yield f"{mark} {counted(len(places), 'mutant')}: {reason}"
        yield f"    {', '.join(places[:_MOST_PLACES])}{rest}"
    counts = [f"{n} {_WORDS[fate]}" for fate in SuiteFate if (n := found.count(fate))]
    if not found.refused:
        parts = ", ".join((counted(len(found.mutants), "mutant"), *counts, size(found)))
        steps = sum(len(test.inputs) for test in found.tests)
        sums = f"{parts} among {found.collected} collected, {counted(steps, 'step')} in all"
        yield f"{file.so_far}{sums}"
    choices = [name for name in found.inputs if _CONTROLLED.search(name)]
    if choices and found.tests:
        yield f"these tests choose what is open: kills need control of {', '.join(choices)}"
    yield from file.notes
    if presentation.timings:
        yield f"time {found.seconds:.2f} s"
    if not file.finished:
        yield style.paint("bad", "incomplete: the run was given up")
