"""Corrections of errors in a text: what may have been meant, as the errors say."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.editing import TextEdit


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
            title = f"Change `{written}` to `{fix.text}`" if written else f"Insert `{fix.text}`"
            yield Correction(title, TextEdit(fix.span, fix.text), found)
