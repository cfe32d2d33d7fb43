"""A request is one file and one line: nothing else knows the request of this file."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types
from test_refusals import INITIALIZE, URI, Writer, asked, connection, send

from mutproof.base.registry import Registry
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.lsp import messages, server
from mutproof.lsp.documents import Document
from mutproof.lsp.request import Request
from mutproof.lsp.requests import REQUESTS
from mutproof.lsp.server import Server
from mutproof.lsp.view import View
from mutproof.workspace.options import Options
from mutproof.workspace.snapshot import Snapshot

MODEL = "node main(x : bool) returns (ok : bool);\nlet\n  ok = x or not x;\ntel;\n"


async def on_linked(view: View, _: types.LinkedEditingRangeParams) -> types.LinkedEditingRanges:
    end = types.Position(len(view.source.content), 0)
    return types.LinkedEditingRanges([types.Range(types.Position(0, 0), end)])


LINKED = Request(
    types.TEXT_DOCUMENT_LINKED_EDITING_RANGE,
    on_linked,
    types.LinkedEditingRangeOptions(work_done_progress=True),
    nothing=lambda _: None,
)


@pytest.fixture(autouse=True)
def _one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "REQUESTS", Registry("request", [*REQUESTS, LINKED]))


def connected() -> tuple[Server, Writer, dict[str, Any]]:
    """Return a server with one line more, and what it says it can do."""
    made, writer = connection()
    send(made, asked("first", "initialize", INITIALIZE))
    return made, writer, writer.written.pop()["result"]["capabilities"]


async def answer(made: Server, writer: Writer) -> Any:
    params = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
    send(made, asked(7, LINKED.name, params))
    for _ in range(10_000):
        found = [message for message in writer.written if message.get("id") == 7]
        if found:
            return found[0]
        await asyncio.sleep(0)
    pytest.fail("there is no answer")


def test_the_client_is_told_of_an_added_request() -> None:
    *_, capabilities = connected()
    assert {"workDoneProgress": True} == capabilities["linkedEditingRangeProvider"]


async def test_an_added_request_is_answered() -> None:
    made, writer, _ = connected()
    source = SourceText("model.lus", MODEL)
    snapshot = Snapshot(URI, 1, source, LANGUAGES["lustre"], Options())
    made.session.documents[URI] = Document(snapshot)
    (found,) = (await answer(made, writer))["result"]["ranges"]
    assert len(MODEL) == found["end"]["line"]


async def test_a_file_that_is_not_open_has_its_empty_answer() -> None:
    made, writer, _ = connected()
    assert (await answer(made, writer))["result"] is None


def test_the_table_of_messages_has_all_requests() -> None:
    assert set(REQUESTS.names()) <= set(messages.PROTOCOL.names())
