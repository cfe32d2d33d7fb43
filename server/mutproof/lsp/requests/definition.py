"""Definitions: where a name is declared."""

from __future__ import annotations

from lsprotocol import types

from mutproof.ide import navigation
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_definition(
    view: View, params: types.DefinitionParams
) -> list[types.LocationLink] | types.Location | None:
    """Answer where a name is declared."""
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        return None
    target = navigation.definition(known.names, view.offset(params.position, known.moved))
    return (
        None if target is None else types.Location(view.uri, view.range(target.name, known.moved))
    )


REQUEST = Request(types.TEXT_DOCUMENT_DEFINITION, on_definition, nothing=lambda _: None)
