"""Semantic tokens: the kinds of all names, complete or as changes."""

from __future__ import annotations

from array import array
from typing import Final

from lsprotocol import types

from mutproof.lsp import colours
from mutproof.lsp.colours import Data
from mutproof.lsp.request import Request
from mutproof.lsp.view import View
from mutproof.lsp.wire import Wire


async def on_semantic_tokens(view: View, _: types.SemanticTokensParams) -> Wire:
    """Answer the semantic tokens, with relative positions."""
    identity, data = await _coloured(view)
    return Wire(f'{{"resultId":"{identity}","data":{colours.written(data)}}}')


async def on_semantic_tokens_delta(view: View, params: types.SemanticTokensDeltaParams) -> Wire:
    """Answer the changes to the semantic tokens that the client has."""
    known, before = view.document.sent
    identity, data = await _coloured(view)
    if known != params.previous_result_id:
        return Wire(f'{{"resultId":"{identity}","data":{colours.written(data)}}}')
    start, count, added = colours.difference(before, data)
    edit = f'{{"start":{start},"deleteCount":{count},"data":{colours.written(added)}}}'
    edits = edit if count or added else ""
    return Wire(f'{{"resultId":"{identity}","edits":[{edits}]}}')


async def _coloured(view: View) -> tuple[str, Data]:
    """Return the colours of the current text, with a name by which clients request changes."""
    document = view.document
    drawing = await view.session.reader.drawing(document)
    data = array("I")
    if drawing is not None:
        data = colours.moved(drawing.colours, view.source, document.journal.since(drawing.source))
    document.sent = str(int(document.sent[0] or 0) + 1), data
    return document.sent


def _nothing(_: object) -> types.SemanticTokens:
    return types.SemanticTokens(data=[])


LEGEND: Final = types.SemanticTokensLegend(colours.TOKEN_KINDS, colours.MODIFIERS)
FULL = Request(
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, on_semantic_tokens, LEGEND, nothing=_nothing
)
DELTA = Request(
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, on_semantic_tokens_delta, nothing=_nothing
)
