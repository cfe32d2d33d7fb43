"""Lines of a source text with carets under places, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, repeat
from operator import mul

from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.reporters.style import Style

MOST_CHARACTERS = 100
"""The characters of a source line that are shown."""


def excerpt(source: SourceText, span: Span, style: Style, meaning: str) -> list[str]:
    """Return the line in which a span starts, and one that underlines as much of it as is there.

    Empty where there is nothing to show.
    """
    at = source.position(span.start)
    return _marked(
        source, at.line, [(at.column, span.end - span.start)], style=style, meaning=meaning
    )


def pointed(
    source: SourceText, line: int, columns: Iterable[int], *, style: Style, meaning: str
) -> list[str]:
    """Return a line (1-based), and one with a caret under each of some columns (1-based).

    Empty where there is nothing to show. Of a long line the part around the first column is.
    """
    marks = [(column, 1) for column in sorted(set(columns))]
    return _marked(source, line, marks, style=style, meaning=meaning) if marks else []


def _over(shown: str, under: list[str]) -> Iterable[str]:
    """Return marks as wide as the characters above them."""
    if shown.isascii():
        return under
    import unicodedata

    widths = [
        2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1
        for c in shown
    ]
    return map(mul, under, chain(widths, repeat(1)))


def _marked(
    source: SourceText, number: int, marks: list[tuple[int, int]], *, style: Style, meaning: str
) -> list[str]:
    line = source.line(number)
    if not line.strip():
        return []
    column = marks[0][0] - 1
    first = 0
    if len(line) > MOST_CHARACTERS:
        first = max(0, min(column - MOST_CHARACTERS // 2, len(line) - MOST_CHARACTERS))
    part = line[first : first + MOST_CHARACTERS]
    shown = "".join(
        c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in part
    )
    # Tabs are repeated in the line below, so that carets are aligned.
    under = ["\t" if c == "\t" else " " for c in shown] or [" "]
    under += [" "] * (column - first + 1 - len(under))
    for start, length in marks:
        begin = start - 1 - first
        end = max(begin + 1, min(begin + length, len(shown)))
        if begin < len(under):
            under[begin:end] = ["^"] * (end - begin)
    label, margin = style.paint("quiet", str(number)), " " * len(str(number))
    bar = style.paint("quiet", "|")
    carets = "".join(_over(shown, under)).rstrip()
    blank = carets[: len(carets) - len(carets.lstrip())]
    carets = blank + style.paint(meaning, carets.lstrip())
    return [f"{label} {bar} {shown}", f"{margin} {bar} {carets}"]
