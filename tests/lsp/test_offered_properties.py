"""Suggested properties in an editor: offered for gaps, added by a click, and what that closes."""

from __future__ import annotations

import asyncio

import pytest
from clients import ROOT, WAIT_S, started
from lsprotocol import types

URI = "file:///work/demo2.lus"
DEMO2 = (ROOT / "examples" / "demo2.lus").read_text()
GAP = (5, 10)
"""The 0-based place of a token with gaps."""


@pytest.fixture
async def client():
    async with started(level="default") as made:
        yield made


def offered(actions: list[types.CodeAction]) -> list[types.CodeAction]:
    """Return the actions that add properties."""
    added = [one for one in actions if one.title.startswith("Add ")]
    return [one for one in added if not one.title.startswith("Add as test")]


async def suggested(client) -> list[types.CodeAction]:
    """Return the properties that are offered for a gap, once they are found."""

    async def wait() -> list[types.CodeAction]:
        while True:
            if found := offered(await client.actions(URI, *GAP)):
                return found

    return await asyncio.wait_for(wait(), WAIT_S)


def applied(text: str, edit: types.WorkspaceEdit) -> str:
    """Return the text with the edit of a file, which is bound to its version."""
    (change,) = edit.document_changes
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    for one in sorted(change.edits, key=lambda e: e.range.start.line, reverse=True):
        at = starts[one.range.start.line] + one.range.start.character
        assert one.range.start == one.range.end
        text = text[:at] + one.new_text + text[at:]
    return text


async def test_properties_that_are_offered_close_the_gaps_they_say(client):
    client.open(URI, DEMO2)
    await client.done(URI)
    before = client.counts[-1]["survived"]
    actions = await suggested(client)
    assert all(action.title.endswith("proved") for action in actions)
    everything = actions[-1]
    assert everything.title.startswith("Add 2 properties: closes ")
    menu = [action.title for action in await client.menu(URI, *GAP)]
    assert actions[0].title == menu[0]
    assert everything.title in menu

    client.replace(URI, applied(DEMO2, everything.edit))
    client.save(URI)
    await client.done(URI)

    assert before > 0
    assert 0 == client.counts[-1]["survived"] - client.counts[-1].get("equivalent", 0)
    assert not [d for d in client.shown(URI) if d.severity == types.DiagnosticSeverity.Warning]


async def test_a_lens_adds_them_all(client):
    edits: list[types.ApplyWorkspaceEditParams] = []

    @client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    client.open(URI, DEMO2)
    await client.done(URI)
    await suggested(client)
    titles = [title for _, title in await client.lenses(URI)]
    assert "close 13 gaps with 2 properties" in titles

    await client.workspace_execute_command_async(
        types.ExecuteCommandParams("mutproof.addProperties", [URI])
    )

    (asked,) = edits
    assert 3 == applied(DEMO2, asked.edit).count("--%PROPERTY")


async def test_a_click_that_adds_nothing_says_why():
    # As after a restart: the lens is one of an earlier server, this one knows nothing yet.
    async with started(run="manual") as client:
        client.open(URI, DEMO2)
        await client.lenses(URI)  # the text is read
        for uri in (URI, "file:///work/closed.lus"):
            await client.workspace_execute_command_async(
                types.ExecuteCommandParams("mutproof.addProperties", [uri])
            )
    assert [sent.message for sent in client.messages] == [
        "mutproof: no properties are added: the analysis of this file has not come to them yet.",
        "mutproof: no properties are added, since the file is not open.",
    ]


async def test_a_click_where_none_are_looked_for_says_that_none_are_known():
    async with started(suggestions={"enable": False}) as client:
        client.open(URI, DEMO2)
        await client.done(URI)

        await client.workspace_execute_command_async(
            types.ExecuteCommandParams("mutproof.addProperties", [URI])
        )

    (sent,) = client.messages
    assert "mutproof: no properties are known so far that close gaps of this file." == sent.message


async def test_what_changes_meanwhile_is_looked_at_again(client):
    client.open(URI, DEMO2)
    await client.done(URI)
    await suggested(client)

    client.replace(URI, DEMO2.replace("a1 > 0", "a1 > 1"))

    async def until_none() -> None:
        while offered(await client.actions(URI, *GAP)):
            pass  # until the text is read

    await asyncio.wait_for(until_none(), WAIT_S)


async def test_they_are_not_looked_for_where_that_is_not_wanted():
    async with started(suggestions={"enable": False}) as client:
        client.open(URI, DEMO2)
        await client.done(URI)
        client.save(URI)
        await client.done(URI)

        actions = await client.actions(URI, *GAP)

        assert not offered(actions)
        assert [a for a in actions if a.title.startswith("Insert a property stub")]
