"""Executions for a panel and as files: of gaps, of killed mutants, of properties, of faults."""

from __future__ import annotations

import ast
import csv
import io
from typing import Any

import pytest
from clients import ROOT, Client, started
from pygls.exceptions import JsonRpcInvalidParams
from vcd.reader import TokenKind, tokenize

URI = "file:///work/model.lus"
SMV = "file:///work/model.smv"
DEMO2 = (ROOT / "examples" / "demo2.lus").read_text()
COUNTER = """\
node step(n : int) returns (m : int);
let
  m = n + 2;
tel;

node main(tick, unused : bool) returns (count : int; ok : bool);
var beside : bool;
let
  count = 0 -> if tick then step(pre count) else pre count;
  ok = count < 3;
  beside = unused;
  --%PROPERTY ok;
tel;
"""
TURN = """\
MODULE main
VAR x : boolean; y : boolean;
ASSIGN
  init(x) := FALSE;
  next(x) := y | x;
INVARSPEC NAME low := !x
"""


@pytest.fixture
async def client():
    async with started() as made:
        yield made


async def ask(client: Client, method: str, uri: str, **fields: object) -> Any:
    params = {"textDocument": {"uri": uri}, **fields}
    return plain(await client.protocol.send_request_async(method, params))


def plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {key: plain(part) for key, part in value._asdict().items()}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


async def shown(client: Client, uri: str, kind: str, name: str) -> Any:
    return await ask(client, "mutproof/trace", uri, kind=kind, name=name)


async def click(client: Client, uri: str, line: int, character: int, title: str) -> dict[str, str]:
    """Return which execution the action of a title names."""
    actions = await client.actions(uri, line, character)
    (found,) = [action for action in actions if action.title.startswith(title)]
    # The test client takes the action for a command, and its command for a text.
    return ast.literal_eval(found.command)["arguments"][0]["trace"]


def of(run: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [one for one in run["variables"] if one["name"] == name]
    return found


async def test_a_gap_is_the_model_beside_the_mutant(client):
    client.open(URI, DEMO2)
    await client.done(URI)
    about = await click(client, URI, 5, 10, "Show distinguishing trace of `>` → `>=`")
    run = await shown(client, URI, about["kind"], about["name"])
    assert ["model", "mutant"] == [side["title"] for side in run["sides"]]
    assert "d: `>` → `>=`" == run["title"]
    assert run["step"] in of(run, "d")["differing"]
    assert [["false"], ["true"]] == [side["values"] for side in of(run, "d")["sides"]]
    assert [[0.0], [1.0]] == [side["numbers"] for side in of(run, "d")["sides"]]
    assert of(run, "a1")["input"]
    assert [] == of(run, "a1")["differing"]
    assert {"line": 5, "character": 2} == of(run, "d")["range"]["start"]
    assert of(run, "b")["cone"]
    assert not of(run, "Prop1")["cone"]
    assert not run["stale"]


async def test_a_killed_mutant_is_beside_the_model_on_the_same_inputs(client):
    client.open(URI, DEMO2)
    await client.done(URI)
    about = await click(client, URI, 6, 2, "Show the trace that kills always `5`")
    run = await shown(client, URI, about["kind"], about["name"])
    assert "killed by Prop1" == run["about"]
    assert ["model", "mutant"] == [side["title"] for side in run["sides"]]
    assert [["true"], ["false"]] == [side["values"] for side in of(run, "Prop1")["sides"]]
    assert [] == of(run, "a1")["differing"]


async def test_a_counterexample_has_its_cone_and_the_places_of_called_nodes(client):
    client.open(URI, COUNTER)
    await client.done(URI)
    run = await shown(client, URI, "property", "ok")
    assert "ok is falsified" == run["title"]
    assert ["model"] == [side["title"] for side in run["sides"]]
    assert 3 == run["length"]
    assert 2 == run["step"]
    (count,) = of(run, "count")["sides"]
    assert ["0", "2", "4"] == count["values"]
    assert [0.0, 2.0, 4.0] == count["numbers"]
    assert {"tick", "count", "ok"} == {one["name"] for one in run["variables"] if one["cone"]}
    (inner,) = [one for one in run["variables"] if one["name"].endswith(".m")]
    assert {"line": 2, "character": 2} == inner["range"]["start"]


async def test_values_are_spelled_as_in_the_language(client):
    client.open(SMV, TURN, "nuxmv")
    await client.done(SMV)
    run = await shown(client, SMV, "property", "low")
    assert ["FALSE", "TRUE"] == of(run, "x")["sides"][0]["values"]
    assert {"line": 4, "character": 2} == of(run, "x")["range"]["start"]


async def test_an_edit_makes_it_stale_and_moves_its_places(client):
    client.open(URI, COUNTER)
    await client.done(URI)
    client.replace(URI, "\n" + COUNTER)
    run = await shown(client, URI, "property", "ok")
    assert run["stale"]
    assert 9 == of(run, "count")["range"]["start"]["line"]


async def test_a_gap_is_one_file_with_both_sides(client):
    client.open(URI, DEMO2)
    await client.done(URI)
    about = await click(client, URI, 5, 10, "Show distinguishing trace of `>` → `>=`")
    fields = {"kind": about["kind"], "name": about["name"]}
    table = await ask(client, "mutproof/traceFile", URI, format="csv", **fields)
    (row,) = csv.DictReader(io.StringIO(table["text"]))
    assert ("false", "true") == (row["model.d"], row["mutant.d"])
    assert row["model.a1"] == row["mutant.a1"]
    dump = await ask(client, "mutproof/traceFile", URI, format="vcd", **fields)
    tokens = list(tokenize(io.BytesIO(dump["text"].encode())))
    scopes = [token.scope.ident for token in tokens if token.kind is TokenKind.SCOPE]
    assert {"trace", "model", "mutant"} == set(scopes)


async def test_what_has_no_execution_is_null(client):
    client.open(URI, DEMO2)
    await client.done(URI)
    for kind, name in (("property", "Prop1"), ("mutant", "none"), ("fault", "0"), ("fault", "x")):
        assert await shown(client, URI, kind, name) is None
        assert (
            await ask(client, "mutproof/traceFile", URI, kind=kind, name=name, format="csv") is None
        )
    assert await shown(client, "file:///closed.lus", "property", "Prop1") is None


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"textDocument": 5},
        {"textDocument": {"uri": URI}},
        {"textDocument": {"uri": URI}, "kind": "no", "name": "x"},
        {"textDocument": {"uri": URI}, "kind": "mutant", "name": 5},
    ],
)
async def test_a_wrong_question_is_refused(client, params):
    client.open(URI, DEMO2)
    with pytest.raises(JsonRpcInvalidParams):
        await client.protocol.send_request_async("mutproof/trace", params)


async def test_an_unknown_format_is_refused(client):
    client.open(URI, DEMO2)
    with pytest.raises(JsonRpcInvalidParams, match="vcd"):
        await ask(client, "mutproof/traceFile", URI, kind="mutant", name="x", format="no")
