"""A NuSMV file through the server: survivors, lenses, fixes and reuse, as an editor sees them."""

from __future__ import annotations

import pytest
from clients import started
from lsprotocol import types
from test_demo2 import apply, place

URI = "file:///work/machine.smv"
MODEL = """\
MODULE counter(step)
VAR
  n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := step ? (n + 1) mod 4 : n;
DEFINE
  full := n = 2;
-- The machine.
MODULE main
VAR
  go : boolean;
  first : counter(go);
  second : counter(first.full);
INVARSPEC NAME bounded := first.n + second.n < 7
CTLSPEC NAME fills := AG EF first.full
INVARSPEC NAME never := !second.full
"""


@pytest.fixture
async def client():
    async with started(level="default") as made:
        yield made


def at(text: str, mark: str) -> types.Position:
    """Return the position of the place marked `^`."""
    before, _, after = mark.partition("^")
    start = text.index(before + after) + len(before)
    return types.Position(text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1)


async def hover(client, mark: str) -> str:
    position = at(MODEL, mark)
    return await client.hover(URI, position.line, position.character) or ""


async def test_the_suffixes_of_nusmv_are_served(client):
    for suffix in ("smv", "nuxmv", "xmv"):
        uri = f"file:///work/small.{suffix}"
        client.open(uri, "MODULE main\nVAR x : boolean;\nINVARSPEC x | !x\n", "plaintext")
        await client.done(uri)
        assert [(2, "proved")] == [(line, title[:6]) for line, title in await client.lenses(uri)]


@pytest.mark.parametrize(
    ("suffix", "text", "mark", "shown"),
    [
        ("smv", MODEL.replace("n = 2", "m = 2"), "init(^n)", "`n : 0..3` (state variable)"),
        ("smv", MODEL.replace("n = 2", "m = 2"), "first.^full", "`full := m = 2` (macro)"),
        ("smv", MODEL.replace("n : 0..3;\n", "n : 0..3\n"), "^step ?", "`step := go"),
        (
            "lus",
            "node n (a: bool) returns (b: bool);\nlet b = a and c; tel;",
            "^a and",
            "`a : bool`",
        ),
    ],
)
async def test_names_have_hovers_where_a_file_is_opened_with_an_error(
    client, suffix, text, mark, shown
):
    uri = f"file:///work/new.{suffix}"
    client.open(uri, text, "plaintext")
    await client.until(lambda: client.shown(uri))
    position = at(text, mark)
    assert (await client.hover(uri, position.line, position.character)).startswith(shown)


async def test_an_editor_sees_verdicts_of_modules_and_closes_a_gap(client):
    client.open(URI, MODEL, "nuxmv")
    await client.done(URI)

    shown = client.shown(URI)
    survivors = [d for d in shown if d.severity == types.DiagnosticSeverity.Warning]
    gap = at(MODEL, "n ^= 2")
    assert (gap.line + 1, gap.character + 1) in {place(d)[:2] for d in survivors}
    (error,) = [d for d in shown if d.severity == types.DiagnosticSeverity.Error]
    assert error.message.startswith("never is falsified after")
    assert ": second.full = TRUE, second.n = 2, " in error.message

    lenses = dict(await client.lenses(URI))
    assert lenses[0].startswith("score ")
    assert lenses[at(MODEL, "^bounded").line].startswith("proved")
    assert lenses[at(MODEL, "^fills").line].startswith("proved (bdd)")
    assert lenses[at(MODEL, "^never").line].startswith("falsified after")

    assert "**survived**" in await hover(client, "n ^= 2")
    assert "- `first.n`: 0, " in await hover(client, "  ^n : 0..3")
    found = await client.text_document_definition_async(
        types.DefinitionParams(types.TextDocumentIdentifier(URI), at(MODEL, "counter(first.^full)"))
    )
    assert at(MODEL, "  ^full := n") == found.range.start

    actions = await client.actions(URI, gap.line, gap.character)
    fix = next(a for a in actions if a.title == "Insert a property stub for full")
    stubbed = apply(MODEL, fix)
    assert stubbed.index("INVARSPEC NAME full_is_as_stated := full = (n = 2);") < stubbed.index(
        "MODULE main"
    )
    client.replace(URI, stubbed)
    client.save(URI)
    await client.until(lambda: len(client.counts) == 2)
    assert client.counts[0]["killed"] < client.counts[1]["killed"]
    line = stubbed[: stubbed.index("full_is_as_stated")].count("\n")
    assert dict(await client.lenses(URI))[line].startswith("proved")
    at_gap = [d for d in client.shown(URI) if d.range.start.line == gap.line]
    assert not [d for d in at_gap if d.severity == types.DiagnosticSeverity.Warning]


async def test_comments_and_blank_lines_ask_the_solver_nothing(client):
    client.open(URI, MODEL, "nuxmv")
    await client.done(URI)
    client.replace(URI, MODEL.replace("-- The machine.", "\n/-- A machine --/\n-- of counters."))
    client.save(URI)
    await client.until(lambda: len(client.counts) == 2)
    assert 0 == client.counts[1]["solverCalls"]
    assert client.counts[0]["killed"] == client.counts[1]["killed"]


async def test_behind_a_dot_are_the_parts_of_the_instance(client):
    client.open(URI, MODEL, "nuxmv")
    await client.done(URI)
    edited = MODEL + "DEFINE both := first."
    client.replace(URI, edited)
    found = await client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(URI), at(edited, "both := first.^"))
    )
    assert ["n", "full"] == [item.label for item in found.items]


async def test_the_values_of_a_variable_are_sorted_before_all_else(client):
    text = "MODULE main\nVAR a : {x, y}; b : {y, z};\nASSIGN\n  next(b) := y;\n"
    client.open(URI, text, "nuxmv")
    await client.done(URI)
    found = await client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(URI), at(text, "next(b) := ^"))
    )
    shown = sorted(found.items, key=lambda item: item.sort_text or item.label)
    assert ["y", "z"] == [item.label for item in shown[:2]]
    assert "x" in {item.label for item in shown}
