"""Ways to connect and to be told: ports, pulled diagnostics, files written by something else."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import os
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from clients import CAPABILITIES, ROOT, SERVER, TOY_SERVER, started
from lsprotocol import types

from mutproof.lsp import messages, server

MODEL = "x = a > b;\nprove x;\n"
PULLING = copy.deepcopy(CAPABILITIES)
PULLING["workspace"]["diagnostics"] = {"refreshSupport": True}
PULLING["textDocument"]["diagnostic"] = {}


async def test_a_client_that_pulls_is_not_pushed_to():
    uri = "file:///work/model.toy"
    async with started(TOY_SERVER, PULLING) as client:
        assert client.offered.diagnostic_provider is not None
        client.open(uri, MODEL, "toy")
        await client.done(uri)
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        report = await client.text_document_diagnostic_async(params)
        assert [item.code for item in report.items] == ["g2ge"]
        params.previous_result_id = report.result_id
        again = await client.text_document_diagnostic_async(params)
        assert again.kind == "unchanged"
        assert client.published == []


async def test_a_client_that_cannot_be_asked_to_pull_again_is_pushed_to():
    capabilities = copy.deepcopy(PULLING)
    del capabilities["workspace"]["diagnostics"]
    uri = "file:///work/model.toy"
    async with started(TOY_SERVER, capabilities) as client:
        assert client.offered.diagnostic_provider is None
        client.open(uri, MODEL, "toy")
        await client.done(uri)
        assert len(client.shown(uri)) == 1


def explaining(diagnostic: types.Diagnostic) -> str:
    """Return the line to which the code of a diagnostic leads."""
    assert diagnostic.code_description is not None
    page, _, line = diagnostic.code_description.href.partition("#L")
    assert page.endswith(".md")
    return Path(url2pathname(urlsplit(page).path)).read_text().splitlines()[int(line) - 1]


@pytest.mark.parametrize("pulls", [False, True])
async def test_codes_lead_to_what_explains_them(pulls):
    capabilities = copy.deepcopy(PULLING if pulls else CAPABILITIES)
    capabilities["textDocument"]["publishDiagnostics"]["codeDescriptionSupport"] = True
    uri = "file:///work/model.lus"
    text = (ROOT / "examples" / "demo2.lus").read_text()
    async with started(capabilities=capabilities) as client:
        client.open(uri, text, "lustre")
        await client.done(uri)
        shown = client.shown(uri)
        if pulls:
            params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
            shown = (await client.text_document_diagnostic_async(params)).items
        assert len({one.code for one in shown}) > 3
        assert [explaining(one) for one in shown] == [f"## {one.code}" for one in shown]


async def test_codes_lead_nowhere_for_a_client_that_shows_no_links():
    uri = "file:///work/model.toy"
    async with started(TOY_SERVER) as client:
        client.open(uri, MODEL, "toy")
        await client.done(uri)
        assert [one.code_description for one in client.shown(uri)] == [None]


async def test_a_file_that_something_else_wrote_is_proved_once_the_editor_shows_it(tmp_path: Path):
    path = tmp_path / "model.toy"
    path.write_text(MODEL)
    uri = path.as_uri()
    async with started(TOY_SERVER) as client:
        client.open(uri, MODEL, "toy")
        await client.done(uri)
        changed = MODEL.replace("a > b", "b > a")
        path.write_text(changed)
        event = types.FileEvent(uri, types.FileChangeType.Changed)
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        client.replace(uri, changed)
        await client.done(uri)
        assert len(client.counts) == 2


async def test_a_broken_file_that_something_else_repairs_is_proved_though_nobody_watches_it(
    tmp_path: Path,
):
    path = tmp_path / "model.toy"
    path.write_text(MODEL)
    uri = path.as_uri()
    async with started(TOY_SERVER) as client:  # no folder is open
        client.open(uri, MODEL, "toy")
        await client.done(uri)
        client.replace(uri, "what?\n")
        await client.until(lambda: any(d.severity == 1 for d in client.shown(uri)))
        repaired = MODEL.replace("a > b", "b > a")
        path.write_text(repaired)
        client.replace(uri, repaired)
        await client.done(uri)
        assert len(client.counts) == 2


async def test_typing_starts_no_run(tmp_path: Path):
    path = tmp_path / "model.toy"
    path.write_text(MODEL)
    uri = path.as_uri()
    async with started(TOY_SERVER) as client:
        client.open(uri, MODEL, "toy")
        await client.done(uri)
        client.replace(uri, MODEL.replace("a > b", "b > a"))
        await client.until(lambda: all("stale" in d.message for d in client.shown(uri)))
        client.replace(uri, MODEL)
        await client.until(lambda: not any("stale" in d.message for d in client.shown(uri)))
        assert len(client.counts) == 1


async def test_a_client_that_does_not_watch_files_needs_not(tmp_path: Path):
    path = tmp_path / "model.toy"
    path.write_text(MODEL)
    uri = path.as_uri()
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "models")
    async with started(TOY_SERVER, folders=[folder]) as client:
        client.open(uri, MODEL, "toy")
        await client.done(uri)
        changed = MODEL.replace("a > b", "b > a")
        client.replace(uri, changed)
        await client.until(lambda: all("stale" in d.message for d in client.shown(uri)))
        # Written again and again until the watcher of the server is at work.
        for _ in range(20):
            path.write_text(changed)
            with contextlib.suppress(TimeoutError):
                await client.until(lambda: len(client.counts) == 2, 1)
                break
        assert len(client.counts) == 2


def request(identity: int, method: str, params: object) -> bytes:
    body = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
    return json.dumps(body).encode()


INITIALIZE = request(1, "initialize", {"processId": None, "capabilities": {}})


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def serving(kind: str, port: int, *more: str) -> asyncio.subprocess.Process:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    return await asyncio.create_subprocess_exec(
        *SERVER, f"--{kind}", f"127.0.0.1:{port}", *more, env=environment
    )


async def connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except ConnectionRefusedError:
            await asyncio.to_thread(os.sched_yield)


async def test_an_editor_connects_to_a_port_and_the_server_ends_with_it():
    port = free_port()
    server = await serving("tcp", port)
    reader, writer = await asyncio.wait_for(connected(port), 20)
    writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(INITIALIZE), INITIALIZE))
    assert b"Content-Length" in await asyncio.wait_for(reader.readline(), 10)
    writer.close()
    assert await asyncio.wait_for(server.wait(), 5) is not None


async def test_an_editor_connects_to_a_websocket_and_the_server_ends_with_it():
    client = pytest.importorskip("websockets.asyncio.client")
    port = free_port()
    server = await serving("ws", port)
    (await asyncio.wait_for(connected(port), 20))[1].close()
    async with client.connect(f"ws://127.0.0.1:{port}") as connection:
        await connection.send(INITIALIZE)
        answer = json.loads(await asyncio.wait_for(connection.recv(), 10))
        assert answer["result"]["serverInfo"]["name"] == "mutproof"
    assert await asyncio.wait_for(server.wait(), 5) is not None


@pytest.mark.parametrize("origin", ["https://editor.example", None])
async def test_a_page_of_another_origin_is_refused_by_a_websocket(origin):
    client = pytest.importorskip("websockets.asyncio.client")
    exceptions = pytest.importorskip("websockets.exceptions")
    port = free_port()
    server = await serving("ws", port, "--origin", "https://editor.example")
    (await asyncio.wait_for(connected(port), 20))[1].close()
    with pytest.raises(exceptions.InvalidStatus):
        async with client.connect(f"ws://127.0.0.1:{port}", origin="https://page.example"):
            pass
    async with client.connect(f"ws://127.0.0.1:{port}", origin=origin) as connection:
        await connection.send(INITIALIZE)
        answer = json.loads(await asyncio.wait_for(connection.recv(), 10))
        assert answer["result"]["serverInfo"]["name"] == "mutproof"
    assert await asyncio.wait_for(server.wait(), 5) is not None


async def test_an_address_that_is_none_is_refused():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "mutproof", "serve", "--tcp", "nowhere",
        stderr=asyncio.subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT / "server")},
    )  # fmt: skip
    _, errors = await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode == 1
    assert b"error[no-address]" in errors


def test_every_message_the_server_takes_is_in_the_table_of_the_protocol():
    made = server.make()
    taken = {*made.protocol.fm.features, *made.protocol.fm.commands}
    assert taken <= set(messages.PROTOCOL.names())


async def test_what_no_parser_likes_gets_a_diagnostic_and_the_server_lives():
    uri = "file:///work/model.lus"
    deep = f"node m(a: int) returns (ok: bool);\nlet ok = {'(' * 50_000}a > 0{')' * 50_000}; tel;"
    recursive = "node m(a: int) returns (ok: bool);\nlet ok = m(a); --%PROPERTY ok;\ntel;"
    async with started() as client:
        client.open(uri, deep)
        for text in (deep, recursive, "", "\x01\x02 node"):
            client.published.clear()
            client.replace(uri, text)
            await client.until(lambda: client.shown(uri))
            assert client.shown(uri)[0].severity == types.DiagnosticSeverity.Error
            client.replace(uri, "node m(a: int) returns (ok: bool); let ok = true; tel;")
            await client.until(lambda: not client.shown(uri))
