"""Between offsets of characters and positions of the protocol.

Positions of the protocol count code units of the negotiated encoding (UTF-16 unless the client
prefers another); here everything else counts characters. Lines end with CR, LF or CRLF only,
as the protocol has it: `str.splitlines` knows more line ends.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, TypeAlias

from lsprotocol import types

from mutproof.base.diagnostics import Severity
from mutproof.base.span import Position, Span
from mutproof.base.text import SourceText

Encoding: TypeAlias = types.PositionEncodingKind | str

_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def units(text: str, encoding: Encoding) -> int:
    """Return the number of code units of a text."""
    if text.isascii() or encoding == types.PositionEncodingKind.Utf32:
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(1 for character in text if character > "\uffff")


def characters(text: str, count: int, encoding: Encoding) -> int:
    """Return how many whole characters the first `count` code units of a text hold.

    A position inside a character counts as the one before it.
    """
    if text.isascii() or encoding == types.PositionEncodingKind.Utf32:
        return min(count, len(text))
    seen = 0
    for index, character in enumerate(text):
        seen += units(character, encoding)
        if seen > count:
            return index
    return len(text)


def place(source: SourceText, offset: int, encoding: Encoding) -> tuple[int, int]:
    """Return the 0-based line and column of a 0-based offset, clamped to the text."""
    content, starts = source.content, source.line_starts
    if not 0 <= offset <= len(content):
        offset = max(0, min(offset, len(content)))
    line = bisect_right(starts, offset) - 1
    start = starts[line]
    if content.isascii():
        return line, offset - start
    return line, units(content[start:offset], encoding)


def position(source: SourceText, offset: int, encoding: Encoding) -> types.Position:
    """Return the position of a 0-based offset."""
    return types.Position(*place(source, offset, encoding))


def offset(source: SourceText, where: types.Position, encoding: Encoding) -> int:
    """Return the 0-based offset of a position; beyond the end of a line is its end."""
    if where.line >= len(source.line_starts):
        return len(source.content)
    line = source.line(where.line + 1)
    column = characters(line, where.character, encoding)
    return source.offset(Position(where.line + 1, column + 1))


def range_(source: SourceText, span: Span, encoding: Encoding) -> types.Range:
    """Return the range of a span."""
    return types.Range(position(source, span.start, encoding), position(source, span.end, encoding))


def span(source: SourceText, where: types.Range, encoding: Encoding) -> Span:
    """Return the span of a range."""
    start = offset(source, where.start, encoding)
    return Span(start, max(start, offset(source, where.end, encoding)))


def severity(value: Severity) -> types.DiagnosticSeverity:
    """Return the protocol's number of a severity."""
    return _SEVERITIES[value]
