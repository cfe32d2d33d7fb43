"""Long proofs, cancelled ones, dead workers, dead editors: what stays alive and what does not."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from clients import ROOT, TOY_SERVER, started
from lsprotocol import types

URI = "file:///work/model.toy"
MODEL = "x = a > b;\ny = x > c;\nprove y;\n"
SLOW = "-- slow\n" + MODEL
OTHER = "file:///work/other.toy"
COUNTED = ("killed", "survived")


@pytest.fixture
async def client():
    async with started(TOY_SERVER) as made:
        yield made


def workers(process: int) -> list[psutil.Process]:
    try:
        return psutil.Process(process).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def survivors(processes: list[psutil.Process], within_s: float) -> list[int]:
    _, alive = psutil.wait_procs(processes, timeout=within_s)
    return [process.pid for process in alive if process.status() != psutil.STATUS_ZOMBIE]


async def running(client) -> psutil.Process:
    """Wait until a worker is at work; return its process."""
    await client.until(lambda: "mutating" in client.states(URI))
    (worker,) = workers(client.process)
    return worker


async def test_a_hover_is_answered_while_a_proof_runs(client):
    client.open(URI, SLOW, "toy")
    await running(client)
    times = []
    for _ in range(40):
        begun = time.perf_counter()
        text = await client.hover(URI, 1, 6)
        times.append(time.perf_counter() - begun)
    assert "| `>` → `>=` (g2ge) | running |" in text
    assert max(times) < 1.0
    assert sorted(times)[37] < 0.05


async def test_cancelling_is_shown_at_once_and_stops_the_work(client):
    client.open(URI, SLOW, "toy")
    worker = await running(client)
    begun = time.perf_counter()
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams("mutproof.cancel", [URI])
    )
    await client.until(lambda: "cancelled" in client.states(URI))
    assert time.perf_counter() - begun < 0.2
    titles = [title for _, title in await client.lenses(URI)]
    assert not any("proved" in title and "stale" not in title for title in titles[:1])
    assert worker.is_running()
    client.replace(URI, MODEL)
    client.save(URI)
    await client.done(URI)


async def test_what_is_looked_at_is_decided_first(client):
    far = "\n" * 50
    client.open(URI, f"-- attend\nx = a > b;\n{far}y = x > c;\nprove y;\n", "toy")
    await running(client)
    await client.hover(URI, 52, 6)
    await client.until(lambda: client.shown(URI))
    assert {shown.range.start.line for shown in client.shown(URI)} == {52}
    assert "done" not in client.states(URI)

    await client.hover(URI, 1, 6)

    await client.done(URI)
    assert {shown.range.start.line for shown in client.shown(URI)} == {1, 52}


async def test_what_was_looked_at_before_a_run_is_decided_first():
    far = "\n" * 50
    async with started(TOY_SERVER, run="manual") as client:
        client.open(URI, f"-- attend\nx = a > b;\n{far}y = x > c;\nprove y;\n", "toy")
        await client.hover(URI, 52, 6)
        await client.workspace_execute_command_async(
            types.ExecuteCommandParams("mutproof.prove", [URI])
        )
        await client.until(lambda: client.shown(URI))
        assert {shown.range.start.line for shown in client.shown(URI)} == {52}


async def test_progress_can_be_cancelled(client):
    client.open(URI, SLOW, "toy")
    await running(client)
    token = await client.until(
        lambda: next((t for t, reports in client.progress_reports.items() if reports), None)
    )
    assert client.progress_reports[token][0]["cancellable"]
    client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    await client.until(lambda: "cancelled" in client.states(URI))
    await client.until(lambda: client.progress_reports[token][-1]["kind"] == "end")


async def test_a_worker_that_does_not_obey_is_killed(client):
    client.open(URI, "-- deaf\n" + MODEL, "toy")
    worker = await running(client)
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams("mutproof.cancel", [URI])
    )
    assert survivors([worker], 1.5) == []
    client.replace(URI, MODEL)
    client.save(URI)
    await client.done(URI)
    assert client.counts


async def test_a_killed_worker_is_replaced_and_the_run_completes(client, tmp_path):
    flag = tmp_path / "crashed"
    client.open(URI, f"-- crash once {flag}\n" + MODEL, "toy")
    await client.done(URI)
    assert flag.exists()
    assert len(client.counts) == 1
    assert [d.code for d in client.shown(URI)] == ["g2ge", "g2ge"]


async def test_a_worker_that_always_dies_leaves_its_verdicts_unknown(client):
    client.open(URI, "-- crash\n" + MODEL, "toy")
    await client.done(URI, "failed")
    shown = client.shown(URI)
    assert {d.message for d in shown if d.severity == types.DiagnosticSeverity.Information} == {
        "`>` → `>=` is not decided: the solver process crashed",
        "removed is not decided: the solver process crashed",
    }
    assert "unknown: the solver process crashed" in await client.hover(URI, 2, 6)
    _, title = (await client.lenses(URI))[0]
    assert title.startswith("broken off (the solver process crashed) · ")
    client.replace(URI, MODEL)
    client.save(URI)
    await client.done(URI)


async def test_a_file_whose_worker_always_dies_says_so_and_offers_another_try(client):
    client.open(URI, "-- crash\n" + MODEL, "toy")
    await client.done(URI, "failed")
    (broken,) = [d for d in client.shown(URI) if d.code == "analysis-broken-off"]
    assert broken.severity is types.DiagnosticSeverity.Warning
    assert broken.message.startswith("the analysis broke off (the solver process crashed): ")
    asked = types.CodeActionParams(
        types.TextDocumentIdentifier(URI), broken.range, types.CodeActionContext([broken])
    )
    offered = await client.text_document_code_action_async(asked)
    (again,) = [action for action in offered if action.title == "Prove again"]
    command = str(again.command)  # the client's library reads it as text
    assert "'mutproof.prove'" in command
    assert URI in command
    client.replace(URI, MODEL)
    client.save(URI)
    await client.done(URI)
    assert "analysis-broken-off" not in {d.code for d in client.shown(URI)}


async def test_kill_minus_nine_of_a_worker_keeps_the_server(client):
    client.open(URI, SLOW, "toy")
    worker = await running(client)
    worker.kill()
    (again,) = await client.until_sync(lambda: [w for w in workers(client.process) if w != worker])
    again.kill()
    await client.done(URI, "failed")
    assert await client.hover(URI, 1, 6) is not None


async def test_shutdown_and_exit_leave_no_process(client):
    client.open(URI, "-- deaf\n" + MODEL, "toy")
    await running(client)
    processes = [psutil.Process(client.process), *workers(client.process)]
    assert len(processes) == 2
    await client.shutdown_async(None)
    client.exit(None)
    assert survivors(processes, 2.0) == []


async def test_a_killed_server_leaves_no_process(client):
    client.open(URI, "-- deaf\n" + MODEL, "toy")
    worker = await running(client)
    os.kill(client.process, signal.SIGKILL)
    assert survivors([worker], 2.0) == []


def message(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def opening(process: str) -> bytes:
    """Return the messages of an editor that opens a file."""
    text = ("-- deaf\n" + MODEL).replace("\n", "\\n")
    return (
        message(
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":'
            b'{"processId":%s,"capabilities":{}}}' % process.encode()
        )
        + message(b'{"jsonrpc":"2.0","method":"initialized","params":{}}')
        + message(
            b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":'
            b'{"uri":"file:///m.toy","languageId":"toy","version":1,"text":"%s"}}}' % text.encode()
        )
    )


def start(**streams) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    return subprocess.Popen(
        TOY_SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, **streams
    )


def until_mutating(server: subprocess.Popen[bytes]) -> None:
    seen = b""
    while b'"mutating"' not in seen:
        seen = seen[-200:] + server.stdout.read1()


def test_the_end_of_standard_input_leaves_no_process():
    with start() as server:
        server.stdin.write(opening("null"))
        server.stdin.flush()
        until_mutating(server)
        processes = [psutil.Process(server.pid), *workers(server.pid)]
        assert len(processes) == 2
        server.stdin.close()
        assert survivors(processes, 2.0) == []


def test_the_end_of_the_editor_leaves_no_process_even_if_the_pipe_stays_open():
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with editor, start() as server:
        server.stdin.write(opening(str(editor.pid)))
        server.stdin.flush()
        until_mutating(server)
        processes = [psutil.Process(server.pid), *workers(server.pid)]
        editor.kill()
        editor.wait()
        assert survivors(processes, 2.0) == []


async def test_a_burst_of_edits_ends_with_the_last_text(client):
    client.open(URI, MODEL, "toy")
    await client.done(URI)
    text = MODEL
    for number in range(300):
        client.change(
            URI,
            types.TextDocumentContentChangePartial(
                range=types.Range(types.Position(0, 0), types.Position(0, 0)), text="\n"
            ),
        )
        text = "\n" + text
        if number % 100 == 0:
            assert await client.hover(URI, number + 1, 6) is not None
    await client.until(lambda: {d.range.start.line for d in client.shown(URI)} == {300, 301})


async def test_only_what_is_understood_is_proved(client):
    client.open(URI, "what is this?", "toy")
    await client.until(lambda: client.shown(URI))
    assert [d.code for d in client.shown(URI)] == ["toy-syntax"]
    await client.until(lambda: client.states(URI)[-1:] == ["idle"])
    client.replace(URI, MODEL)
    client.save(URI)
    await client.done(URI)


async def test_ten_megabytes_of_noise_get_one_diagnostic(client):
    noise = "@#! " * 2_600_000
    client.open(URI, noise, "toy")
    await client.until(lambda: client.shown(URI))
    assert [d.code for d in client.shown(URI)] == ["file-too-big"]
    client.replace(URI, MODEL)
    client.save(URI)
    await client.done(URI)
    assert len(client.shown(URI)) == 2


async def test_a_file_that_was_cancelled_before_a_restart_stays_cancelled():
    """The client says which files an earlier server was told to leave alone."""
    async with started(TOY_SERVER, options={"cancelledFiles": [URI, 7]}) as client:
        client.open(URI, MODEL, "toy")
        client.open(OTHER, MODEL, "toy")
        await client.until(lambda: "done" in client.states(OTHER))
        client.settings = {"level": "all"}
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
        await client.until(lambda: client.states(OTHER).count("done") == 2)
        assert set(client.states(URI)) == {"cancelled"}
        assert any("cancelled" in title for _, title in await client.lenses(URI))
        client.save(URI)
        await client.until(lambda: "done" in client.states(URI))
        client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(URI))
        )
        client.statuses.clear()
        client.open(URI, MODEL, "toy")
        await client.until(lambda: "done" in client.states(URI))


async def test_a_cancelled_file_stays_so_when_its_worker_is_killed(client):
    client.open(URI, SLOW, "toy")
    worker = await running(client)
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams("mutproof.cancel", [URI])
    )
    await client.until(lambda: "cancelled" in client.states(URI))
    client.statuses.clear()
    worker.kill()
    client.open(OTHER, MODEL, "toy")
    await client.until(lambda: "done" in client.states(OTHER))
    assert set(client.states(URI)) <= {"cancelled"}


async def test_an_older_run_is_given_up_for_a_newer_one(client):
    client.open(URI, SLOW, "toy")
    await running(client)
    client.replace(URI, MODEL)
    client.save(URI)
    await client.done(URI)
    assert len(client.counts) == 1
    assert len(client.shown(URI)) == 2


async def test_stale_verdicts_say_so_and_undo_makes_them_current(client):
    client.open(URI, MODEL, "toy")
    await client.done(URI)
    client.replace(URI, MODEL.replace("a > b", "b > a"))
    await client.until(lambda: all("(stale" in d.message for d in client.shown(URI)))
    titles = [title for _, title in await client.lenses(URI)]
    assert all("stale" in title for title in titles)
    client.replace(URI, MODEL)
    await client.until(lambda: not any("(stale" in d.message for d in client.shown(URI)))


async def test_closing_a_file_takes_back_its_diagnostics_and_its_worker(client):
    client.open(URI, MODEL, "toy")
    await client.done(URI)
    (worker,) = workers(client.process)
    client.text_document_did_close(
        types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(URI))
    )
    await client.until(lambda: not client.published[-1].diagnostics)
    assert survivors([worker], 2.0) == []


async def test_an_idle_worker_helps_where_another_has_much_to_do():
    async with started(TOY_SERVER, jobs=2) as client:
        client.open(URI, "-- lend\n" + MODEL, "toy")  # ends only if somebody helps
        await client.done(URI)
        assert (2, 2) == tuple(client.counts[-1][name] for name in COUNTED)
        assert ["g2ge", "g2ge"] == [d.code for d in client.shown(URI)]
        before = workers(client.process)
        client.replace(URI, MODEL + "\n")
        client.save(URI)
        await client.done(URI)
        assert before == workers(client.process)


async def test_closing_a_file_that_two_workers_decide_ends_both():
    async with started(TOY_SERVER, jobs=2) as client:
        client.open(URI, "-- lend\n-- helper deaf\n" + MODEL, "toy")
        await client.until_sync(lambda: len(workers(client.process)) == 2)
        both = workers(client.process)
        client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(URI))
        )
        assert survivors(both[:1], 5.0) == []
        client.open(OTHER, "-- lend\n" + MODEL, "toy")
        await client.done(OTHER)
        assert len(workers(client.process)) <= 3


async def test_settings_are_live():
    async with started(TOY_SERVER, run="manual") as client:
        client.open(URI, MODEL, "toy")
        await client.lenses(URI)
        assert "queued" not in client.states(URI)
        client.settings = {"run": "onSave", "codeLens": {"enable": False}}
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
        client.save(URI)
        await asyncio.wait_for(client.hover(URI, 0, 0), 5)
        client.save(URI)
        await client.done(URI)
        assert await client.lenses(URI) == []
