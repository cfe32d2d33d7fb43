"""A long day of editing leaves nothing behind: no object, handle or process more than before."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise

import psutil
from lsprotocol import types

from mutproof.base.text import SourceText
from mutproof.ide import code_lenses
from mutproof.lsp import publish, server
from mutproof.lsp.session import Session
from mutproof.lsp.settings import Settings
from mutproof.runtime.pool import Pool
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import migration

EDITS = 400
PART = EDITS // 4
VARIANTS = 10
"""How many texts take turns, so that what is remembered of texts does not grow by itself."""

MOST_BLOCKS = 30
"""How many blocks of memory more each edit may leave: chance makes that many, no snapshot."""

RUN_EVERY = 7
"""Every so many edits the file is saved; no divisor of a cycle, so that each text has its turn."""

LUSTRE = """\
node main(go, stop: bool) returns (n: int; ok: bool);
var before: int;
let
  before = 0 -> pre n;
  n = if stop then 0 else if go and before < {0} then before + 1 else before;
  ok = n >= 0;
  --%PROPERTY ok;
tel;
"""
NUSMV = """\
MODULE main
VAR go : boolean; n : 0..20;
ASSIGN
  init(n) := 0;
  next(n) := case go & n < {0} : n + 1; TRUE : n; esac;
INVARSPEC n <= 12
"""
FILES = {"file:///day/m.lus": ("lustre", LUSTRE), "file:///day/m.smv": ("nusmv", NUSMV)}


class Client:
    """Take what the server sends, and keep nothing of it."""

    def __init__(self) -> None:
        self.messages = 0

    def write(self, data: bytes) -> None:
        self.messages += data.startswith(b"Content-Length: ")

    def close(self) -> None:
        pass


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(90):
        while not condition():
            await asyncio.sleep(0.01)


async def edited(session: Session, uri: str, text: str, version: int, *, is_saved: bool) -> None:
    """Edit a file, look at all of it, and perhaps save it and wait for the verdicts."""
    document = session.documents[uri]
    before = document.snapshot.source
    edits = migration(before.content, text).edits
    session.change(uri, SourceText(before.name, text), version, edits)
    await session.fresh(document)
    if is_saved:
        session.save(uri)
        await until(lambda: not document.snapshot.report.phase.is_active)
        assert document.snapshot.report.phase.value == "done"
    assert document.verdicts is not None
    code_lenses.lenses(document.verdicts)
    publish.diagnostics(document, types.PositionEncodingKind.Utf16)


def held(workers: list[psutil.Process]) -> tuple[int, int, int, int]:
    """Return how many blocks of memory, handles, processes and tasks there are."""
    gc.collect()
    here = psutil.Process()
    handles = sum(process.num_fds() for process in (here, *workers))
    processes, tasks = len(here.children(recursive=True)), len(asyncio.all_tasks())
    return sys.getallocatedblocks(), handles, processes, tasks


async def day() -> list[tuple[int, int, int, int]]:
    """Edit for a day; return what is held after each part."""
    made = server.make(Pool(cache=False), Queries())
    params = {"capabilities": {}, "processId": None, "rootUri": None}
    client = Client()
    made.protocol.set_writer(client)  # type: ignore[arg-type]
    made.protocol.handle_message(
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    )
    session = made.session
    session.configure(Settings(suggestions=False, equivalence=False))
    seen = []
    try:
        for uri, (language, text) in FILES.items():
            session.open(uri, uri.removeprefix("file://"), language, text.format(5), version=0)
        for step in range(EDITS):
            uri = list(FILES)[step % 2]
            text = FILES[uri][1].format(2 + step // 2 % VARIANTS)
            is_saved = step // 2 % RUN_EVERY == 0
            await edited(session, uri, text, step + 1, is_saved=is_saved)
            if (step + 1) % PART == 0:
                await until(lambda: not any(map(session.is_running, FILES)))
                seen.append(held(psutil.Process().children(recursive=True)))
    finally:
        await session.shut_down()
    assert psutil.Process().children(recursive=True) == []
    assert client.messages > EDITS // 2
    return seen


def test_hundreds_of_edits_leave_no_more_behind_than_those_before() -> None:
    # In a process of its own, where no other test holds anything.
    ended = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)
    assert (0, "") == (ended.returncode, ended.stderr)
    _, *seen = json.loads(ended.stdout)
    # What is remembered may grow once; what is left behind grows in each part.
    blocks, *others = ([b - a for a, b in pairwise(each)] for each in zip(*seen, strict=True))
    assert min(blocks) < MOST_BLOCKS * PART, seen
    assert all(min(grown) <= 0 for grown in others), seen


if __name__ == "__main__":
    print(json.dumps(asyncio.run(day())))
