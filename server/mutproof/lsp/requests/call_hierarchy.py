"""Call hierarchy: which nodes, functions and modules call one, and which it calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types

from mutproof.ide import calls
from mutproof.ide.calls import Calls
from mutproof.ide.names import Declared, Names
from mutproof.lsp import outline
from mutproof.lsp.request import Request
from mutproof.lsp.view import ReadVersion, View


async def on_prepare(
    view: View, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    """Answer the components whose calls can be asked for at a place."""
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        return None
    found = calls.components_at(known.names, view.offset(params.position, known.moved))
    return [_item(view, known, one) for one in found] or None


async def on_incoming(
    view: View, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    """Answer the callers of a component; null if there is none of its name any more."""
    found = await _found(view, params.item, calls.callers)
    return None if found is None else [types.CallHierarchyIncomingCall(*one) for one in found]


async def on_outgoing(
    view: View, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    """Answer the callees of a component; null if there is none of its name any more."""
    found = await _found(view, params.item, calls.callees)
    return None if found is None else [types.CallHierarchyOutgoingCall(*one) for one in found]


async def _found(
    view: View, item: types.CallHierarchyItem, of: Callable[[Names, Declared], Iterable[Calls]]
) -> list[tuple[types.CallHierarchyItem, list[types.Range]]] | None:
    """Return callers or callees with the places of calls; None if the component is gone."""
    await view.session.fresh(view.document)
    known = view.known()
    asked = None if known is None else calls.component(known.names, item.name)
    if known is None or asked is None:
        return None
    return [
        (_item(view, known, one.other), [view.range(span, known.moved) for span in one.places])
        for one in of(known.names, asked)
    ]


def _item(view: View, known: ReadVersion, declared: Declared) -> types.CallHierarchyItem:
    return types.CallHierarchyItem(
        name=declared.text,
        kind=outline.KINDS[declared.kind],
        uri=view.uri,
        range=view.range(declared.whole, known.moved),
        selection_range=view.range(declared.name, known.moved),
        detail=declared.detail or None,
    )


def _uri(params: types.CallHierarchyIncomingCallsParams) -> str:
    return params.item.uri


PREPARE = Request(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, on_prepare, nothing=lambda _: None)
INCOMING = Request(
    types.CALL_HIERARCHY_INCOMING_CALLS, on_incoming, nothing=lambda _: None, file=_uri
)
OUTGOING = Request(
    types.CALL_HIERARCHY_OUTGOING_CALLS, on_outgoing, nothing=lambda _: None, file=_uri
)
