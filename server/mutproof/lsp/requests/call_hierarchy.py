"""Call hierarchy: which nodes, functions and modules call one, and which it calls."""

from __future__ import annotations

from lsprotocol import types

from mutproof.ide import calls
from mutproof.ide.names import Declared
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
    """Answer who calls a component; null once there is none of its name."""
    known, asked = await _asked(view, params.item)
    if known is None or asked is None:
        return None
    return [
        types.CallHierarchyIncomingCall(
            _item(view, known, found.other),
            [view.range(span, known.moved) for span in found.places],
        )
        for found in calls.callers(known.names, asked)
    ]


async def on_outgoing(
    view: View, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    """Answer what a component calls; null once there is none of its name."""
    known, asked = await _asked(view, params.item)
    if known is None or asked is None:
        return None
    return [
        types.CallHierarchyOutgoingCall(
            _item(view, known, found.other),
            [view.range(span, known.moved) for span in found.places],
        )
        for found in calls.callees(known.names, asked)
    ]


async def _asked(
    view: View, item: types.CallHierarchyItem
) -> tuple[ReadVersion | None, Declared | None]:
    await view.session.fresh(view.document)
    known = view.known()
    return known, None if known is None else calls.component(known.names, item.name)


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
