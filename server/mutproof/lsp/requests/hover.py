"""Hovers: what is known about a place."""

from __future__ import annotations

from lsprotocol import types

from mutproof.ide import hover
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_hover(view: View, params: types.HoverParams) -> types.Hover | None:
    """Answer what is known about a place."""
    verdicts, moved = view.document.verdicts, view.document.since_good
    if verdicts is None:
        return None
    names = view.document.names(verdicts.analysed.elaborated)
    found = hover.hover(verdicts, names, view.offset(params.position, moved))
    if found is None:
        return None
    markup = types.MarkupContent(types.MarkupKind.Markdown, found.markdown)
    return types.Hover(markup, view.range(found.span, moved))


REQUEST = Request(types.TEXT_DOCUMENT_HOVER, on_hover, nothing=lambda _: None)
