"""Inlay hints: the verdicts shown in the lines of a range."""

from __future__ import annotations

from lsprotocol import types

from mutproof.base.span import Span
from mutproof.ide import inlay_hints
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_inlay_hint(view: View, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Answer the verdicts shown in the lines of a range."""
    view.session.seen(view.uri)
    verdicts, moved = view.document.verdicts, view.document.since_good
    if verdicts is None or not view.session.settings.inlay_hints:
        return []
    within = Span(view.offset(params.range.start, moved), view.offset(params.range.end, moved))
    return [
        types.InlayHint(
            position=view.range(Span(hint.offset, hint.offset), moved).start,
            label=hint.text,
            tooltip=hint.tooltip,
            padding_left=True,
        )
        for hint in inlay_hints.inlay_hints(verdicts, within)
    ]


REQUEST = Request(types.TEXT_DOCUMENT_INLAY_HINT, on_inlay_hint)
