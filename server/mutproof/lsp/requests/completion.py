"""Completion: what may be typed."""

from __future__ import annotations

from typing import Final

from lsprotocol import types

from mutproof.ide import completion
from mutproof.lsp import convert, wire
from mutproof.lsp.request import Request
from mutproof.lsp.view import View
from mutproof.lsp.wire import Wire

_KINDS: Final = {
    completion.CompletionKind.VARIABLE: types.CompletionItemKind.Variable,
    completion.CompletionKind.COMPONENT: types.CompletionItemKind.Function,
    completion.CompletionKind.TYPE: types.CompletionItemKind.Struct,
    completion.CompletionKind.CONSTANT: types.CompletionItemKind.Constant,
    completion.CompletionKind.KEYWORD: types.CompletionItemKind.Keyword,
    completion.CompletionKind.FIELD: types.CompletionItemKind.Field,
}


async def on_completion(view: View, params: types.CompletionParams) -> Wire:
    """Answer what may be typed."""
    known = view.known()
    if known is None:
        return Wire('{"isIncomplete":false,"items":[]}')
    start = types.Position(params.position.line, 0)
    here = convert.offset(view.source, params.position, view.encoding)
    before = view.source.content[convert.offset(view.source, start, view.encoding) : here]
    found = completion.proposals(known.names, known.moved.back(here), before)
    items = wire.listed(map(_completion, found.items))
    return Wire(f'{{"isIncomplete":{wire.text(not found.is_complete)},"items":{items.text}}}')


def _completion(item: completion.Completion) -> str:
    shown = {"label": item.label, "kind": _KINDS[item.kind].value}
    if item.detail:
        shown["detail"] = item.detail
    if item.likely:
        shown["sortText"] = f" {item.label}"  # editors sort all others by their labels
    return wire.text(shown)


REQUEST = Request(
    types.TEXT_DOCUMENT_COMPLETION,
    on_completion,
    types.CompletionOptions(trigger_characters=["."]),
)
