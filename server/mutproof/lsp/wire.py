"""Answers that are written as JSON here: those that are long, or asked for at every keystroke.

The protocol library makes and checks an object for every position; ten thousand symbols have
forty thousand. The names of the fields are those of the protocol's specification.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from lsprotocol import types

from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.lsp import convert
from mutproof.lsp.convert import Encoding
from mutproof.workspace.snapshot import Migration

RangeText: TypeAlias = Callable[[Span], str]
"""Writes the range of a span of some version of the text."""


@dataclass(frozen=True, slots=True)
class Wire:
    """Hold a value of the protocol as JSON in ASCII."""

    text: str


_encoder: Final = json.JSONEncoder(separators=(",", ":"))


def text(value: Any) -> str:
    """Return plain values as JSON in ASCII."""
    return _encoder.encode(value)


def listed(parts: Iterable[str]) -> Wire:
    """Return a list of values that are JSON already."""
    return Wire(f"[{','.join(parts)}]")


def ranges(source: SourceText, moved: Migration, encoding: Encoding) -> RangeText:
    """Return a writer of the current ranges of spans of an older text."""
    place, offset = convert.place, moved.offset

    def write(span: Span) -> str:
        start = offset(span.start)
        line, column = place(source, start, encoding)
        last, end = place(source, max(start, offset(span.end, end=True)), encoding)
        return (
            f'{{"start":{{"line":{line},"character":{column}}},'
            f'"end":{{"line":{last},"character":{end}}}}}'
        )

    return write


def command(value: types.Command) -> str:
    """Return a command; its arguments are plain values."""
    return text({"title": value.title, "command": value.command, "arguments": value.arguments})
