"""The outline of a file."""

from __future__ import annotations

from lsprotocol import types

from mutproof.lsp import outline, wire
from mutproof.lsp.request import Request
from mutproof.lsp.view import View
from mutproof.lsp.wire import Wire


async def on_document_symbol(view: View, _: types.DocumentSymbolParams) -> Wire:
    """Answer the outline."""
    drawing = await view.session.reader.drawing(view.document)
    if drawing is None:
        return wire.listed(())
    return outline.written(
        drawing.outline, view.source, view.document.journal.since(drawing.source)
    )


REQUEST = Request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, on_document_symbol)
