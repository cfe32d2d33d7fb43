"""Signature help tells what a node or a module expects while its arguments are written."""

from __future__ import annotations

import pytest
from clients import started
from lsprotocol import types

NODES = """\
function g(a : int) returns (b : int);
node f(x : bool; y, z : int) returns (ok : bool; n : int);
let
  ok = x;
  n = y + z;
tel;
node main(x : bool) returns (p : bool);
var n : int;
let
  p, n = f(x, (* 1, ( *) g(2), 3);
tel;
"""
MODULES = "MODULE m(a, b)\nDEFINE c := a & b;\nMODULE main\nVAR x : m(TRUE, FALSE);\n"


@pytest.fixture
async def client():
    async with started() as made:
        yield made


async def shown(client, text: str, before: str, language: str = "lustre"):
    uri = f"file:///work/model.{language}"
    client.open(uri, text, language)
    offset = text.index(before)
    line = text.count("\n", 0, offset)
    place = types.Position(line, offset - text.rfind("\n", 0, offset) - 1)
    params = types.SignatureHelpParams(types.TextDocumentIdentifier(uri), place)
    found = await client.text_document_signature_help_async(params)
    if found is None:
        return None
    (only,) = found.signatures
    active = found.active_parameter
    start, end = only.parameters[active].label
    return only.label, only.label[start:end]


async def test_a_call_of_a_node_shows_its_inputs(client):
    label = "f(x: bool; y, z: int) returns (ok: bool; n: int)"
    assert await shown(client, NODES, "x, (* 1") == (label, "x")


async def test_a_later_argument_marks_its_input(client):
    label = "f(x: bool; y, z: int) returns (ok: bool; n: int)"
    assert await shown(client, NODES, "3);") == (label, "z")


async def test_the_innermost_call_counts(client):
    assert await shown(client, NODES, "2), 3") == ("g(a: int) returns (b: int)", "a")


async def test_an_instance_of_a_module_shows_its_parameters(client):
    assert await shown(client, MODULES, "FALSE", "nusmv") == ("m(a, b)", "b")


async def test_outside_of_calls_nothing_is_shown(client):
    assert await shown(client, NODES, "y + z") is None
