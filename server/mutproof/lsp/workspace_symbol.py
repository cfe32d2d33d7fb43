"""Symbols of all open files; a request that is about no file of its own."""

from __future__ import annotations

from lsprotocol import types

from mutproof.ide import symbols
from mutproof.lsp import outline
from mutproof.lsp.convert import Encoding
from mutproof.lsp.session import Session
from mutproof.lsp.view import View


def workspace_symbols(
    session: Session, encoding: Encoding, query: str
) -> list[types.SymbolInformation]:
    """Return the symbols of all open files that match a query."""
    found = []
    for document in session.documents.values():
        view = View(session, document, encoding)
        known = view.known()
        if known is None:
            continue
        declared = symbols.symbols(known.names, known.elaborated.provenance)
        for symbol, owner in symbols.flattened(declared, query):
            location = types.Location(document.uri, view.range(symbol.name, known.moved))
            found.append(
                types.SymbolInformation(
                    location, symbol.label, outline.kind(symbol), container_name=owner or None
                )
            )
    return found
