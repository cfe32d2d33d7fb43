"""Hovers: what is known about a place."""

from __future__ import annotations

from lsprotocol import types

from mutproof.ide import hover
from mutproof.ide.hover import Hover
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_hover(view: View, params: types.HoverParams) -> types.Hover | None:
    """Answer what is known about a place: verdicts, and what the newest text says of its name."""
    document = view.document
    verdicts, known, moved = document.verdicts, view.known(), document.since_good
    parts: list[Hover] = []
    if verdicts is not None:
        decided = hover.findings(verdicts, view.offset(params.position, moved))
        parts += [] if decided is None else [decided]
    named = None
    if known is not None:
        named = hover.name(known.names, view.offset(params.position, known.moved), verdicts)
    if named is None and verdicts is not None:
        good = document.names(verdicts.analysed.elaborated)
        named = hover.name(good, view.offset(params.position, moved), verdicts)
    elif named is not None and known is not None and not parts:
        moved = known.moved
    found = hover.joined(parts if named is None else [*parts, named])
    if found is None:
        return None
    markup = types.MarkupContent(types.MarkupKind.Markdown, found.markdown)
    return types.Hover(markup, view.range(found.span, moved))


REQUEST = Request(types.TEXT_DOCUMENT_HOVER, on_hover, nothing=lambda _: None)
