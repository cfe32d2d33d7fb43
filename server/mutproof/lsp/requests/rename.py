"""Renaming: the name that would be renamed, and the edits."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from mutproof.ide import rename
from mutproof.lsp.request import Request
from mutproof.lsp.view import View


async def on_prepare_rename(view: View, params: types.PrepareRenameParams) -> types.Range | None:
    """Answer which name would be renamed."""
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        return None
    span = rename.prepare(known.names, view.offset(params.position, known.moved))
    return None if span is None else view.range(span, known.moved)


async def on_rename(view: View, params: types.RenameParams) -> types.WorkspaceEdit:
    """Answer the edits of a renaming.

    Raises:
        JsonRpcException: the name cannot be used; the message says why.
    """
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        raise _failed("the text is not understood")
    found = rename.rename(known.names, view.offset(params.position, known.moved), params.new_name)
    if found.refusal:
        raise _failed(found.refusal)
    edits = [types.TextEdit(view.range(span, known.moved), params.new_name) for span in found.spans]
    return view.workspace_edit(edits)


def _failed(why: str) -> JsonRpcException:
    return JsonRpcException(why, types.LSPErrorCodes.RequestFailed.value)


PREPARE = Request(types.TEXT_DOCUMENT_PREPARE_RENAME, on_prepare_rename, nothing=lambda _: None)
REQUEST = Request(
    types.TEXT_DOCUMENT_RENAME,
    on_rename,
    types.RenameOptions(prepare_provider=True),
    nothing=lambda _: None,
)
