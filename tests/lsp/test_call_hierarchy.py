"""The call hierarchy of nodes and modules, and links to the models that a text names."""

from __future__ import annotations

import pytest
from clients import TOY_SERVER, started
from lsprotocol import types

NODES = """\
node inner(a : int) returns (b : int);
let b = a; tel;
node outer(a : int) returns (b : int);
let
  b = inner(a) + inner(inner(a));
tel;
node main(x : int) returns (p : bool);
let
  p = outer(x) = inner(x);
  --%PROPERTY p;
tel;
"""
MODULES = """\
MODULE cell(a)
DEFINE c := !a;
MODULE pair(a)
VAR first : cell(a); second : cell(first.c);
MODULE main
VAR one : boolean; two : pair(one);
"""


@pytest.fixture
async def client():
    async with started(run="manual") as made:
        yield made


def position(text: str, before: str) -> types.Position:
    offset = text.index(before)
    return types.Position(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


async def item(client, text: str, before: str, language: str = "lustre"):
    uri = f"file:///work/model.{language}"
    client.open(uri, text, language)
    found = await client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(types.TextDocumentIdentifier(uri), position(text, before))
    )
    (only,) = found or [None]
    return only


async def incoming(client, asked):
    found = await client.call_hierarchy_incoming_calls_async(
        types.CallHierarchyIncomingCallsParams(asked)
    )
    return {call.from_.name: len(call.from_ranges) for call in found}


async def outgoing(client, asked):
    found = await client.call_hierarchy_outgoing_calls_async(
        types.CallHierarchyOutgoingCallsParams(asked)
    )
    return {call.to.name: len(call.from_ranges) for call in found}


async def test_nodes_are_called_and_call(client):
    inner = await item(client, NODES, "inner(a) +")
    assert ("inner", 0) == (inner.name, inner.selection_range.start.line)
    assert {"outer": 3, "main": 1} == await incoming(client, inner)
    assert {} == await outgoing(client, inner)


async def test_a_place_in_a_node_is_about_the_node(client):
    main = await item(client, NODES, "--%PROPERTY")
    assert "main" == main.name
    assert {"outer": 1, "inner": 1} == await outgoing(client, main)
    assert {} == await incoming(client, main)


async def test_an_instance_is_about_its_module(client):
    pair = await item(client, MODULES, "two : pair", "nusmv")
    assert "pair" == pair.name
    assert {"main": 1} == await incoming(client, pair)
    assert {"cell": 2} == await outgoing(client, pair)


async def test_places_move_with_the_text_and_a_lost_name_has_no_calls(client):
    inner = await item(client, NODES, "inner(a) +")
    client.replace(inner.uri, "\n" + NODES)
    found = await client.call_hierarchy_incoming_calls_async(
        types.CallHierarchyIncomingCallsParams(inner)
    )
    assert [5, 5, 5] == [place.start.line for place in found[0].from_ranges]
    client.replace(inner.uri, NODES.replace("inner", "other"))
    gone = types.CallHierarchyIncomingCallsParams(inner)
    assert await client.call_hierarchy_incoming_calls_async(gone) is None


async def test_a_file_that_is_not_open_has_no_calls():
    async with started(TOY_SERVER) as client:
        place = types.Range(types.Position(0, 0), types.Position(0, 0))
        asked = types.CallHierarchyItem("x", types.SymbolKind.Class, "file:///no", place, place)
        params = types.CallHierarchyOutgoingCallsParams(asked)
        assert await client.call_hierarchy_outgoing_calls_async(params) is None


async def test_models_that_a_text_names_are_links_if_they_exist(client, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "base.lus").write_text(NODES)
    text = "-- see more/base.lus, not more/none.lus\n" + NODES
    uri = (tmp_path / "model.lus").as_uri()
    client.open(uri, text)
    (link,) = await client.text_document_document_link_async(
        types.DocumentLinkParams(types.TextDocumentIdentifier(uri))
    )
    assert (tmp_path / "more" / "base.lus").as_uri() == link.target
    assert types.Range(types.Position(0, 7), types.Position(0, 20)) == link.range
