"""The notation of annotated sources: comments that say what is found, and where.

In both languages an annotation is a comment: `--! …` and `--= …` at the end of a line speak of
the line; a comment of blanks and carets speaks of what the carets stand under, in the next
line above that is no annotation, and `--  | …` continues it. `tests/README.md` shows them all.
This module knows the notation only; what is found is the business of `features`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mutproof.base.span import Position, Span
from mutproof.base.text import SourceText

_AT_END = re.compile(r"[ \t]*--(?P<kind>[!=]) (?P<found>(?:(?!--[!=]).)+)$")
_UNDER = re.compile(r"^(?P<lead>--[ <]*)(?P<carets>\^+)(?: +\^+)*…? (?P<text>[^\s^].*)$")
_MORE = re.compile(r"^-- *\|(?: (?P<text>.*))?$")
_LOOKS_LIKE_ONE = re.compile(r"^\s*--\s*[\^|<]|--[!=] ")


class NotationError(Exception):
    """Say which line of a section cannot be read, and why."""


@dataclass(frozen=True, slots=True)
class Note:
    """Hold one annotation under a line: its place, and its text, of one line or more.

    Those of one `feature` that stand side by side share a line.
    """

    span: Span
    lines: tuple[str, ...]
    feature: str = ""

    @property
    def kind(self) -> str:
        """Return the first word, without what is in brackets."""
        return re.split(r"[ :\[]", self.lines[0], maxsplit=1)[0]

    @property
    def subject(self) -> str:
        """Return what stands between the first word and the colon."""
        return self.lines[0].partition(":")[0].removeprefix(self.kind).strip()


@dataclass(frozen=True, slots=True)
class Annotated:
    """Hold a text without its annotations, those under its lines, and those at their ends.

    `ends` maps the number of a line (from 1) and `!` or `=` to the annotation.
    """

    source: SourceText
    notes: tuple[Note, ...] = ()
    ends: dict[tuple[int, str], str] = field(default_factory=dict)


def read(text: str) -> Annotated:
    """Return the parts of an annotated text.

    Raises:
        NotationError: a line looks like an annotation and is none, or marks no place.
    """
    lines: list[str] = []
    ends: dict[tuple[int, str], str] = {}
    notes: list[tuple[Position, int, list[str]]] = []
    for line in text.splitlines():
        under, more = _UNDER.match(line), _MORE.match(line)
        if more is not None and notes:
            notes[-1][2].append(more["text"] or "")
        elif under is not None:
            column = 0 if "<" in under["lead"] else len(under["lead"])
            if not lines or column >= len(lines[-1]):
                raise NotationError(f"marks no place: {line}")
            length = len(under["carets"]) + (len(under["lead"]) - column)
            notes.append((Position(len(lines), column + 1), length, [under["text"]]))
        else:
            while found := _AT_END.search(line):
                ends[len(lines) + 1, found["kind"]] = found["found"]
                line = line[: found.start()]
            if _LOOKS_LIKE_ONE.search(line):
                raise NotationError(f"no annotation: {line}")
            lines.append(line)
    source = SourceText("golden", "".join(f"{line}\n" for line in lines))
    placed = []
    for position, length, written in notes:
        start = source.offset(position)
        placed.append(Note(Span(start, start + length), tuple(written)))
    return Annotated(source, tuple(placed), ends)


def write(found: Annotated) -> str:
    """Return the text with its annotations, those of one line in their given order."""
    source = found.source
    under: dict[int, list[Note]] = {}
    for note in found.notes:
        under.setdefault(source.position(note.span.start).line, []).append(note)
    lines = []
    for number, line in enumerate(source.content.splitlines(), start=1):
        ends = [(kind, found.ends.get((number, kind))) for kind in "=!"]
        lines.append(line + "".join(f" --{kind} {text}" for kind, text in ends if text))
        start = source.line_starts[number - 1]
        for group in _joined(under.get(number, [])):
            lines.extend(_written(group, start, line))
    return "".join(f"{line}\n" for line in lines)


def _joined(notes: list[Note]) -> list[list[Note]]:
    """Return notes of one line in groups that can share a line: of one feature, side by side."""
    groups: list[list[Note]] = []
    for note in notes:
        last = groups[-1] if groups else []
        if (
            last
            and note.feature
            and note.feature == last[-1].feature
            and len(note.lines) == len(last[-1].lines) == 1
            and last[-1].span.end < note.span.start
        ):
            last.append(note)
        else:
            groups.append([note])
    return groups


def _written(notes: list[Note], start: int, line: str) -> list[str]:
    """Return the comment under a line that begins at an offset."""
    marks = ""
    for note in notes:
        first, last = note.span.start - start, note.span.end - start
        if first == 1 or (first == 0 and last < 4):
            raise NotationError(f"too near to the beginning of the line to be marked: {line}")
        marks = (marks or ("--" if first else "--<")).ljust(first)
        marks += "^" * max(1, min(last, len(line)) - len(marks))
        marks += "…" if last > len(line) else ""
    margin = marks.partition("^")[0].replace("<", "")
    first_lines = " | ".join(note.lines[0] for note in notes)
    rest = (f"{margin}| {text}".rstrip() for text in notes[0].lines[1:])
    return [f"{marks} {first_lines}", *rest]
