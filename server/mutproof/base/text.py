"""The text of one file and its lines; knows nothing of what is written in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field

from mutproof.base.digest import Digest, digest_text
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.base.span import Position, Span


@dataclass(frozen=True)
class SourceText:
    r"""Hold a file's name and content; lines end with \n, \r\n or \r."""

    name: str
    content: str = field(repr=False)

    @cached_property
    def digest(self) -> Digest:
        """Return the digest of the content (the name is not part of it)."""
        return digest_text(self.content)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Return the 0-based offset of the first character of every line."""
        starts = [0]
        content = self.content
        if "\r" not in content:
            position = content.find("\n")
            while position >= 0:
                starts.append(position + 1)
                position = content.find("\n", position + 1)
            return tuple(starts)
        for index, character in enumerate(content):
            if character == "\n" or (character == "\r" and content[index + 1 : index + 2] != "\n"):
                starts.append(index + 1)
        return tuple(starts)

    @property
    def line_end(self) -> str:
        """Return how the first line ends, as inserted ones should too."""
        first = self.content.find("\n")
        return "\r\n" if first > 0 and self.content[first - 1] == "\r" else "\n"

    def position(self, offset: int) -> Position:
        """Return the 1-based line and column of a 0-based offset, clamped to the text."""
        offset = max(0, min(offset, len(self.content)))
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """Return the 0-based offset of a 1-based position, clamped to its line."""
        starts = self.line_starts
        line = max(1, min(position.line, len(starts)))
        end = starts[line] if line < len(starts) else len(self.content)
        return max(starts[line - 1], min(starts[line - 1] + position.column - 1, end))

    def replaced(self, span: Span, text: str) -> SourceText:
        """Return the text with a span replaced, reusing most line starts."""
        content = self.content
        new = SourceText(self.name, content[: span.start] + text + content[span.end :])
        if "line_starts" in self.__dict__ and "\r" not in new.content and "\r" not in content:
            starts = self.line_starts
            first = bisect_right(starts, span.start)
            behind = bisect_right(starts, span.end)
            added = [span.start + n + 1 for n, character in enumerate(text) if character == "\n"]
            shift = len(text) - (span.end - span.start)
            moved = [start + shift for start in starts[behind:]] if shift else starts[behind:]
            new.__dict__["line_starts"] = (*starts[:first], *added, *moved)
        return new

    def slice(self, span: Span) -> str:
        """Return the characters of a span."""
        return self.content[span.start : span.end]

    def line(self, number: int) -> str:
        """Return the text of a 1-based line without its line end."""
        starts = self.line_starts
        end = starts[number] if number < len(starts) else len(self.content)
        return self.content[starts[number - 1] : end].rstrip("\r\n")


def visible(text: str) -> str:
    """Return a text in one line of printable characters, for terminals: the rest as escapes.

    File names may hold anything, such as control characters and line breaks.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def counted(count: int, noun: str) -> str:
    """Return a number of things: "1 test", "2 tests", "2 properties"."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def legal_in_xml(text: str) -> str:
    """Return a text with replacement characters for those that XML 1.0 cannot hold.

    Source: W3C, Extensible Markup Language 1.0, production 2.
    """
    return "".join(
        c if c in "\t\n\r" or _is_legal(ord(c)) else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _is_legal(code: int) -> bool:
    return 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
