"""From the text of a file to chunks: declarations, and statements inside of nodes.

The scan looks at keywords, semicolons, braces and comments only, so that a broken chunk ends
where its neighbour begins. Linear in the text, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.giving_way import STEPS, by_steps, give_way
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.lustre import errors, pragmas, warnings
from mutproof.languages.lustre.syntax import ChunkKind

_SCAN = re.compile(
    r"""
    --%(?P<pragma>PROPERTY|MAIN|REALIZABLE|IVC)
    |(?P<line>--[^\r\n]*+)
    |(?P<open>\(\*|/\*)
    |"[^"\r\n]*+"
    |(?P<semicolon>;(?:(?:\s*;){8,}+)?)
    |(?P<brace>[{}])
    |(?P<word>[A-Za-z_~!][A-Za-z0-9_~!]*+)
    """,
    re.VERBOSE,
)
_TRIVIA = re.compile(
    r"(?:[ \t\r\n\f\v\ufeff]++"
    r"|--(?!%(?:PROPERTY|MAIN|REALIZABLE|IVC))[^\r\n]*+"
    r"|\(\*(?s:.*?)\*\)|/\*(?s:.*?)\*/)*+"
)
_DECLARATIONS = frozenset({"type", "const", "node", "function"})
_WORDS = _DECLARATIONS | {"var", "let", "tel", "assert"}
_NAMED = re.compile(r"\s*[:,)]")
_SET = re.compile(r"\s*[=;]")
"""What follows a name that is declared, or set in a body, and no word that begins a declaration."""


class _Sign(Enum):
    """Name the marks at which the scan stops."""

    PRAGMA = "pragma"
    SEMICOLON = ";"
    OPEN = "{"
    CLOSE = "}"
    WORD = "word"
    END = "end"


class _Mark(NamedTuple):
    sign: _Sign
    text: str
    start: int
    end: int


class RawChunk(NamedTuple):
    """Hold a chunk's kind and its place in the file; it begins with a token, not with space."""

    kind: ChunkKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RawNode:
    """Hold the chunks of a node and its whole place."""

    header: RawChunk
    locals: tuple[RawChunk, ...]
    statements: tuple[RawChunk, ...]
    whole: Span
    has_body: bool


def split(text: str, diagnostics: list[Diagnostic]) -> Iterator[RawChunk | RawNode]:
    """Yield the declarations of a text; add to `diagnostics` what the scan itself finds wrong."""
    marks, end = _scan(text, diagnostics)
    yield from _Splitter(text, marks, end, diagnostics).file()


def _scan(text: str, diagnostics: list[Diagnostic]) -> tuple[list[_Mark], int]:
    """Return the marks of a text and the end (exclusive) of its readable part."""
    marks: list[_Mark] = []
    position = 0
    end = len(text)
    inside = False  # a body
    search = _SCAN.search
    while match := search(text, position):
        position = match.end()
        group = match.lastgroup
        if group == "semicolon":
            give_way()
        if group == "word":
            word = match.group()
            if word in _DECLARATIONS and (_SET if inside else _NAMED).match(text, position):
                continue  # a name, though no legal one
            if word in {"let", "tel", "node"}:
                inside = word == "let"
            if word in _WORDS:
                marks.append(_Mark(_Sign.WORD, word, match.start(), position))
        elif group == "semicolon":
            marks.append(_Mark(_Sign.SEMICOLON, ";", match.start(), position))
        elif group == "brace":
            sign = _Sign.OPEN if match.group() == "{" else _Sign.CLOSE
            marks.append(_Mark(sign, match.group(), match.start(), position))
        elif group == "pragma":
            marks.append(_Mark(_Sign.PRAGMA, match["pragma"], match.start(), position))
            pragmas.check_word(text, match, diagnostics)
        elif group == "line":
            pragmas.check_comment(match, diagnostics)
        elif group == "open":
            start = match.start()
            closing = "*)" if match.group() == "(*" else "*/"
            found = text.find(closing, position)
            if found < 0:
                diagnostics.append(errors.unterminated_comment(Span(start, start + 2)))
                end = start
                break
            if text.startswith("@contract", position):
                diagnostics.append(warnings.contract_not_checked(Span(start, position + 9)))
            position = found + 2
    marks.append(_Mark(_Sign.END, "", end, end))
    return marks, end


class _Splitter:
    """Walk over the marks once; `index` is the mark to look at next."""

    def __init__(
        self, text: str, marks: list[_Mark], end: int, diagnostics: list[Diagnostic]
    ) -> None:
        self._text = text
        self._marks = marks
        self._end = end
        self._diagnostics = diagnostics
        self._index = 0
        self._body_from = self._body_at = 0  # range of marks in which `_before_body` holds
        self._inside = _marks_in_braces(marks)

    def file(self) -> Iterator[RawChunk | RawNode]:
        """Yield all declarations of the file."""
        position = 0
        while True:
            start = self._skip(position)
            if start >= self._end:
                return
            mark = self._next_mark(start)
            if mark.start == start and mark.sign is _Sign.WORD:
                if mark.text == "node":
                    node = self._node(start)
                    yield node
                    position = node.whole.end
                    continue
                if mark.text in {"type", "const", "function"}:
                    chunk = self._declaration(mark)
                    yield chunk
                    position = chunk.end
                    continue
            chunk = self._stray(start)
            if self._text[start : chunk.end].strip("; \t\r\n"):
                yield chunk
            position = chunk.end

    def _skip(self, position: int) -> int:
        """Return where the first token at or after `position` begins."""
        match = _TRIVIA.match(self._text, position, self._end)
        return match.end() if match else position

    def _next_mark(self, start: int) -> _Mark:
        while self._marks[self._index].start < start and (
            self._marks[self._index].sign is not _Sign.END
        ):
            self._index += 1
        return self._marks[self._index]

    def _declaration(self, first: _Mark) -> RawChunk:
        """Return a type, constant or function: up to the first semicolon outside brackets."""
        kinds = {
            "type": ChunkKind.TYPE,
            "const": ChunkKind.CONSTANT,
            "function": ChunkKind.FUNCTION,
        }
        kind = kinds[first.text]
        if kind is ChunkKind.FUNCTION:
            return RawChunk(kind, first.start, self._function_end(first.start))
        self._index += 1
        while True:
            mark = self._marks[self._index]
            if mark.sign is _Sign.SEMICOLON and not self._inside[self._index]:
                self._index += 1
                return RawChunk(kind, first.start, mark.end)
            if mark.sign is _Sign.END or (mark.sign is _Sign.WORD and mark.text != "assert"):
                return RawChunk(kind, first.start, self._trimmed(first.start, mark.start))
            self._index += 1

    def _function_end(self, start: int) -> int:
        """Return the end of a function: its signature, and a body that other dialects allow."""
        self._index += 1
        body = False
        while True:
            mark = self._marks[self._index]
            if mark.sign is _Sign.END:
                return self._trimmed(start, mark.start)
            if mark.sign is _Sign.WORD:
                if mark.text in {"let", "var"}:
                    body = True
                elif mark.text == "tel":
                    return self._after_tel(mark)
                elif mark.text in {"type", "node", "function"} or (
                    mark.text == "const" and not body
                ):
                    return self._trimmed(start, mark.start)
            self._index += 1

    def _stray(self, start: int) -> RawChunk:
        """Return the text up to the next declaration; a body without a header is one chunk."""
        body = False
        while True:
            mark = self._marks[self._index]
            if mark.sign is _Sign.END:
                break
            if mark.sign is _Sign.WORD:
                if mark.text == "let":
                    body = True
                elif mark.text == "tel" and body:
                    return RawChunk(ChunkKind.STRAY, start, self._after_tel(mark))
                elif mark.text in {"type", "node", "function"} or (
                    mark.text == "const" and not body
                ):
                    break
            self._index += 1
        return RawChunk(ChunkKind.STRAY, start, self._trimmed(start, mark.start))

    def _after_tel(self, mark: _Mark) -> int:
        """Return the end of a body: `tel`, and a semicolon or full stop if one follows."""
        self._index += 1
        after = self._skip(mark.end)
        return after + 1 if after < self._end and self._text[after] in ";." else mark.end

    def _trimmed(self, start: int, end: int) -> int:
        """Return `end` without the space before it (comments before it stay)."""
        while end > start and self._text[end - 1] in " \t\r\n\f":
            end -= 1
        return end

    def _node(self, start: int) -> RawNode:
        self._index += 1
        while True:
            mark = self._marks[self._index]
            if mark.sign is _Sign.END or (
                mark.sign is _Sign.WORD
                and mark.text in {"type", "node", "function", "let", "var", "tel"}
            ):
                break
            if mark.sign is _Sign.WORD and mark.text == "const" and not self._before_body():
                break
            self._index += 1
        header = RawChunk(ChunkKind.HEADER, start, self._trimmed(start, mark.start))
        groups: list[RawChunk] = []
        if mark.sign is _Sign.WORD and mark.text == "var":
            groups, mark = self._locals(mark)
        if mark.sign is not _Sign.WORD or mark.text != "let":
            end = groups[-1].end if groups else header.end
            if mark.sign is _Sign.WORD and mark.text == "tel":
                end = self._after_tel(mark)
            return RawNode(header, tuple(groups), (), Span(start, end), has_body=False)
        self._index += 1
        statements, end = self._statements(mark.end)
        return RawNode(header, tuple(groups), tuple(statements), Span(start, end), has_body=True)

    def _before_body(self) -> bool:
        """Tell whether the body of a node follows before the next declaration.

        If so, a `const` here is a local constant (another dialect), not a declaration.
        """
        if self._body_from <= self._index < self._body_at:
            return True
        for index in range(self._index, len(self._marks)):
            mark = self._marks[index]
            if mark.sign is _Sign.END or mark.text in {"type", "node", "function", "tel"}:
                return False
            if mark.text == "let":
                self._body_from, self._body_at = self._index, index
                return True
        return False

    def _locals(self, first: _Mark) -> tuple[list[RawChunk], _Mark]:
        """Return the groups of local variables and the mark that ends them."""
        groups: list[RawChunk] = []
        start = first.start
        self._index += 1
        while True:
            mark = self._marks[self._index]
            if mark.sign is _Sign.SEMICOLON:
                groups.append(RawChunk(ChunkKind.LOCALS, start, mark.end))
                if not len(groups) % STEPS:
                    give_way()
                start = self._skip(mark.end)
            elif mark.sign is _Sign.END or (
                mark.sign is _Sign.WORD
                and mark.text in {"type", "node", "function", "let", "tel", "const", "var"}
                and (mark.text != "const" or not self._before_body())
            ):
                end = self._trimmed(start, mark.start)
                if end > start:
                    groups.append(RawChunk(ChunkKind.LOCALS, start, end))
                if mark.sign is not _Sign.WORD or mark.text != "var":
                    return groups, mark
                start = mark.start
            self._index += 1

    def _statements(self, position: int) -> tuple[list[RawChunk], int]:
        """Return the statements of a body and the end of the node."""
        found: list[RawChunk] = []
        start = self._skip(position)
        while True:
            mark = self._marks[self._index]
            if mark.start < start and mark.sign is not _Sign.END:
                self._index += 1
                continue
            ends = mark.sign is _Sign.END or (
                mark.sign is _Sign.WORD
                and mark.text in {"type", "const", "node", "function", "tel"}
            )
            begins = mark.sign is _Sign.PRAGMA or (
                mark.sign is _Sign.WORD and mark.text == "assert"
            )
            if (ends or begins) and mark.start > start:
                end = self._trimmed(start, mark.start)
                found.append(RawChunk(ChunkKind.STATEMENT, start, end))
                start = mark.start
            if ends:
                if mark.text == "tel":
                    return found, self._after_tel(mark)
                end = found[-1].end if found else position
                self._diagnostics.append(errors.missing_tel(Span(max(0, end - 1), end)))
                return found, end
            self._index += 1
            if mark.sign is _Sign.PRAGMA and mark.text == "MAIN":
                after = self._skip(mark.end)
                end = after + 1 if self._text[after : after + 1] == ";" else mark.end
                found.append(RawChunk(ChunkKind.STATEMENT, start, end))
                start = self._skip(end)
            elif mark.sign is _Sign.SEMICOLON and not self._inside[self._index - 1]:
                found.append(RawChunk(ChunkKind.STATEMENT, start, mark.end))
                if not len(found) % STEPS:
                    give_way()
                start = self._skip(mark.end)


def _marks_in_braces(marks: list[_Mark]) -> list[bool]:
    """Return for each mark whether it lies between matching braces.

    A brace that is not closed before the next keyword or pragma matches nothing, so a missing
    `}` does not hide the statements after it.
    """
    change = [0] * (len(marks) + 1)
    open_braces: list[int] = []
    for index, mark in enumerate(by_steps(marks)):
        if mark.sign is _Sign.OPEN:
            open_braces.append(index)
        elif mark.sign is _Sign.CLOSE:
            if open_braces:
                change[open_braces.pop()] += 1
                change[index] -= 1
        elif mark.sign is not _Sign.SEMICOLON:
            open_braces.clear()
    inside = []
    depth = 0
    for index in by_steps(range(len(marks))):
        depth += change[index]
        inside.append(depth > 0)
    return inside
