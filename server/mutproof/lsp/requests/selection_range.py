"""Selections that grow: from a word to the whole text."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from mutproof.base.span import Span
from mutproof.ide import selection
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_selection_range(
    view: View, params: types.SelectionRangeParams
) -> list[types.SelectionRange] | None:
    """Answer the nested ranges around each position."""
    snapshot = await view.session.fresh(view.document)
    moved = view.document.since_current
    if snapshot.current is None or moved.edits:
        return None  # editors then expand selections by words
    offsets = [view.offset(position, moved) for position in params.positions]
    found = await asyncio.to_thread(
        selection.selections, snapshot.current, view.document.snapshot.language, offsets
    )
    if view.document.since_current.edits:
        return None

    def linked(spans: tuple[Span, ...]) -> types.SelectionRange:
        *inner, last = spans
        outer = types.SelectionRange(view.range(last, moved))
        for span in reversed(inner):
            outer = types.SelectionRange(view.range(span, moved), outer)
        return outer

    return [linked(spans) for spans in found]


REQUEST = Request(types.TEXT_DOCUMENT_SELECTION_RANGE, on_selection_range, nothing=lambda _: None)
