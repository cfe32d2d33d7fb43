"""Signature help: what a call expects, and which argument is being written."""

from __future__ import annotations

from lsprotocol import types

from mutproof.ide import signatures
from mutproof.lsp import convert
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_signature_help(
    view: View, params: types.SignatureHelpParams
) -> types.SignatureHelp | None:
    """Answer the signature of the innermost call around a place."""
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        return None
    offset = convert.offset(view.source, params.position, view.encoding)
    found = signatures.signature(known.names, view.source.content, offset)
    if found is None:
        return None
    parameters = [types.ParameterInformation(part) for part in found.parameters]
    shown = types.SignatureInformation(found.label, parameters=parameters)
    return types.SignatureHelp([shown], active_signature=0, active_parameter=found.active)


REQUEST = Request(
    types.TEXT_DOCUMENT_SIGNATURE_HELP,
    on_signature_help,
    types.SignatureHelpOptions(["(", ","], [")"]),
    nothing=lambda _: None,
)
