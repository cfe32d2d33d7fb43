"""Formatting a text or some of its lines."""

from __future__ import annotations

from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.editing import TextEdit
from mutproof.model.formatting import Layout
from mutproof.model.language import Language


def edits(source: SourceText, language: Language, style: Layout) -> tuple[TextEdit, ...]:
    """Return the edits of white space that format a text."""
    return language.format(source.content, style)


def edits_in(
    source: SourceText, language: Language, style: Layout, lines: tuple[int, int]
) -> tuple[TextEdit, ...]:
    """Return those edits that lie in lines: the first and the last, 0-based, inclusive."""
    starts = source.line_starts
    first, last = lines
    if first >= len(starts) or last < first:
        return ()
    end = starts[last + 1] if last + 1 < len(starts) else len(source.content)
    wanted = Span(starts[first], end)
    return tuple(
        edit
        for edit in edits(source, language, style)
        if wanted.covers(edit.span) and (edit.span.start < end or end == len(source.content))
    )
