"""Unified diffs, as git and diff write them, and the texts of files before one was applied.

Source: GNU diffutils manual, "Detailed Description of Unified Format"; git-diff documentation,
"Generating patch text with -p".
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from mutproof.base.record import dataclass

NOTHING: Final = "/dev/null"
"""The name that stands for a missing file."""

BYTE_ORDER_MARK: Final = "\ufeff"
"""The mark that may precede a text and is no part of it."""

_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPED: Final = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES: Final = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_OCTAL: Final = 3
_BINARY: Final = re.compile("Binary files (.+) and (.+) differ")
_PREFIXES: Final = frozenset("abciow12")


class DiffError(ValueError):
    """Say why a text is no diff, or does not fit."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Hold one change: the lines `before` became those `after` it, which begin at `line`.

    `line` is 0-based, in the new file; lines have their ends.
    """

    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(slots=True)
class FileChange:
    """Hold the changes of a diff to one file; a name is None for no file. Mutable while read.

    `is_opaque`: it does not say what has changed, as of binary files.
    """

    old: str | None
    new: str | None
    hunks: list[Hunk] = field(default_factory=list)
    is_opaque: bool = False

    def undone(self, content: str) -> str:
        """Return the content before the change, from that after it.

        Raises:
            DiffError: the diff does not fit.
        """
        if self.is_opaque:
            message = "the diff does not say what has changed"
            raise DiffError(message)
        lines = content.split("\n")
        lines = [*(f"{line}\n" for line in lines[:-1]), *filter(None, lines[-1:])]
        for hunk in reversed(self.hunks):
            end = hunk.line + len(hunk.after)
            if tuple(lines[hunk.line : end]) != hunk.after:
                message = f"line {hunk.line + 1} and what follows it say something else"
                raise DiffError(message)
            lines[hunk.line : end] = hunk.before
        return "".join(lines)


def parsed(text: str) -> tuple[FileChange, ...]:
    """Return the changes of a diff to each file, in order; other lines are skipped.

    Raises:
        DiffError: it is no unified diff.
    """
    found = _DiffReader(text.removesuffix("\n").split("\n") if text else []).changes()
    if text.strip() and not found:
        message = "it is no unified diff"
        raise DiffError(message)
    return tuple(found)


class _DiffReader:
    """Read a diff line by line; mutable."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._found: list[FileChange] = []
        self._names: tuple[str | None, str | None] = (None, None)  # from git's header

    def changes(self) -> list[FileChange]:
        while self._at < len(self._lines):
            line, following = self._next(), self._peek()
            if line.startswith("--- ") and following.startswith("+++ "):
                self._at += 1
                self._found.append(FileChange(*_names(line[4:], following[4:])))
            elif line.startswith("@@ "):
                self._hunk(line)
            elif line.startswith("@@@"):
                message = "it is a combined diff, against several older versions"
                raise DiffError(message)
            elif line.startswith("diff --git "):
                both = line.removeprefix("diff --git ")
                self._names = _names(both[: len(both) // 2], both[len(both) // 2 + 1 :])
            elif line.startswith("rename from "):
                self._names = _unquoted(line.removeprefix("rename from ")), None
            elif line.startswith("rename to "):
                self._names = self._names[0], _unquoted(line.removeprefix("rename to "))
                if not following.startswith("index "):
                    self._found.append(FileChange(*self._names))
            elif line == "GIT binary patch":
                self._found.append(FileChange(*self._names, is_opaque=True))
            elif binary := _BINARY.fullmatch(line):
                self._found.append(FileChange(*_names(*binary.groups()), is_opaque=True))
        return self._found

    def _next(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]

    def _peek(self) -> str:
        return self._lines[self._at] if self._at < len(self._lines) else ""

    def _hunk(self, header: str) -> None:
        numbers = _HUNK.match(header)
        if numbers is None or not self._found:
            message = f"a part begins with {header!r}"
            raise DiffError(message)
        _, old, start, new = (1 if each is None else int(each) for each in numbers.groups())
        sides: dict[str, list[str]] = {"-": [], "+": []}
        while len(sides["-"]) < old or len(sides["+"]) < new:
            if self._at == len(self._lines):
                message = "it ends within a part"
                raise DiffError(message)
            self._line(self._next(), sides)
        if self._peek().startswith("\\"):
            self._line(self._next(), sides)
        before, after = map(tuple, sides.values())
        if (len(before), len(after)) != (old, new):
            message = f"the numbers of lines are others than in {header!r}"
            raise DiffError(message)
        self._found[-1].hunks.append(Hunk(start - 1 if new else start, before, after))

    def _line(self, line: str, sides: dict[str, list[str]]) -> None:
        mark = line[:1] or " "  # some programs strip blanks at the ends of lines
        if mark == "\\":  # the line above has no line break
            above = self._lines[self._at - 2][:1]
            for name, lines in sides.items():
                if above in {name, " "} and lines:
                    lines[-1] = lines[-1].removesuffix("\n")
        elif mark in {" ", *sides}:
            for name, lines in sides.items():
                if mark in {name, " "}:
                    lines.append(f"{line[1:].removeprefix(BYTE_ORDER_MARK)}\n")
        else:
            message = f"a line begins with {mark!r}"
            raise DiffError(message)


def _names(old: str, new: str) -> tuple[str | None, str | None]:
    """Return the names of a file before and after a change, without git's prefixes."""
    names = [None if name == NOTHING else name for name in map(_unquoted, (old, new))]
    before = [name[:1] for name in names if name is not None and name[1:2] == "/"]
    is_prefixed = len(before) == len(names) - names.count(None) and len(set(before)) == len(before)
    if is_prefixed and _PREFIXES.issuperset(before):
        names = [None if name is None else name[2:] for name in names]
    return names[0], names[1]


def _unquoted(name: str) -> str:
    """Return a name without the time after a tab, or without quotes and escapes as in C."""
    quoted = _QUOTED.match(name)
    if quoted is None:
        return name.partition("\t")[0].removesuffix("\r")
    found, at, inner = bytearray(), 0, quoted[1]
    for escape in _ESCAPED.finditer(inner):
        found += inner[at : escape.start()].encode("utf-8", "surrogateescape")
        said = escape[1]
        found.append(int(said, 8) & 255 if len(said) == _OCTAL else _ESCAPES.get(said, ord(said)))
        at = escape.end()
    return (bytes(found) + inner[at:].encode("utf-8", "surrogateescape")).decode(
        "utf-8", "surrogateescape"
    )
