"""Folding: which lines can be hidden."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from mutproof.ide import folding
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_folding(view: View, _: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Answer what can be folded."""
    snapshot = await view.session.fresh(view.document)
    if snapshot.current is None or view.document.since_current.edits:
        return []
    return [
        types.FoldingRange(
            start_line=fold.first,
            end_line=fold.last,
            kind=types.FoldingRangeKind.Comment
            if fold.kind is folding.FoldKind.COMMENT
            else types.FoldingRangeKind.Region,
        )
        for fold in await asyncio.to_thread(
            folding.folds, snapshot.current, view.document.snapshot.language
        )
    ]


REQUEST = Request(types.TEXT_DOCUMENT_FOLDING_RANGE, on_folding)
