"""Corrections of errors in a text: what may have been meant, as the errors say."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.editing import TextEdit

MOST_SHOWN = 40
"""The longest text, in characters, that a title shows with what is inserted around it."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Hold one offer: an edit that may remove an error."""

    title: str
    edit: TextEdit
    error: Diagnostic


def corrections(
    diagnostics: tuple[Diagnostic, ...], source: SourceText, selected: Span
) -> Iterator[Correction]:
    """Yield what may have been meant where a selection touches errors of its text."""
    for found in diagnostics:
        for fix in found.fixes:
            ends = (found.span.start, found.span.end, fix.span.start, fix.span.end)
            if selected.start > max(ends) or selected.end < min(ends):
                continue
            written = source.content[fix.span.start : fix.span.end]
            text = f"{fix.text}{written}{fix.closing}" if fix.closing else fix.text
            title = f"Change `{written}` to `{text}`" if written else f"Insert `{text}`"
            if "\n" in text or len(text) > MOST_SHOWN:
                title = f"Insert `{fix.text}` … `{fix.closing}`" if fix.closing else title
            yield Correction(title, TextEdit(fix.span, text), found)
