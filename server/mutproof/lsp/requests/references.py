"""References: where a name is used."""

from __future__ import annotations

from lsprotocol import types

from mutproof.ide import navigation
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_references(view: View, params: types.ReferenceParams) -> list[types.Location]:
    """Answer where a name is used."""
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        return []
    spans = navigation.references(
        known.names,
        view.offset(params.position, known.moved),
        include_declaration=params.context.include_declaration,
    )
    return [types.Location(view.uri, view.range(span, known.moved)) for span in spans]


REQUEST = Request(types.TEXT_DOCUMENT_REFERENCES, on_references)
