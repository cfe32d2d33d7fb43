"""Highlights: where the name under the cursor occurs."""

from __future__ import annotations

from lsprotocol import types

from mutproof.ide import navigation
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_highlight(
    view: View, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    """Answer where the name under the cursor occurs."""
    known = view.known()
    if known is None:
        return []
    write, read = types.DocumentHighlightKind.Write, types.DocumentHighlightKind.Read
    return [
        types.DocumentHighlight(
            view.range(found.span, known.moved), write if found.is_write else read
        )
        for found in navigation.highlights(known.names, view.offset(params.position, known.moved))
    ]


REQUEST = Request(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, on_highlight)
