"""Thousands of steps of hasty users: no verdict is wrong meanwhile, and all is right after them.

Steps are edits, questions, saves, cancellations, changes of settings, files that are closed and
opened, and workers that are killed. Whatever is shown as current is compared with a run from
scratch of the text that is shown, and at the end all of it is there.
"""

from __future__ import annotations

import asyncio
import random
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import psutil
from clients import SERVER, WAIT_S, Client, started
from lsprotocol import types
from test_traces import ask

from mutproof.workspace.options import Options
from support.reading import accepted_in, analysed

STEPS = 10_000
SEED = 20
LEVELS = ("default", "paper")

LUSTRE = """\
node main (go, stop : bool; speed : int) returns (on, fast : bool; count : int);
var before : int;
let
  before = 0 -> pre count;
  on = {on};
  count = if {reset} then 0 else if before {bound} 5 then 5 else before + {step};
  fast = speed > 3 and on;
  --%PROPERTY count_bounded;
  count_bounded = count >= 0 and count <= {most};
  --%PROPERTY fast_is_on;
  fast_is_on = fast => on;
tel;
""".replace("var before : int;", "var before : int; count_bounded, fast_is_on : bool;")
NUSMV = """\
MODULE main
VAR
  go : boolean;
  at : {{low, middle, high}};
  seen : boolean;
ASSIGN
  init(at) := {on};
  next(at) := case go & at = low : middle; at = middle : {reset}; TRUE : at; esac;
  init(seen) := FALSE;
  next(seen) := seen | at {bound} high;
INVARSPEC NAME starts := {limit}
CTLSPEC NAME comes_back := AG (seen -> EF {most})
"""
CHOICES = {
    "lustre": {
        "on": ("go and not stop", "go -> pre on and not stop", "stop or go"),
        "reset": ("stop", "stop and not go"),
        "bound": (">=", ">"),
        "step": ("1", "2"),
        "most": ("6", "5"),
    },
    "nusmv": {
        "on": ("low", "{low, middle}"),
        "reset": ("high", "{low, high}", "low"),
        "bound": ("=", "!="),
        "limit": ("seen -> at = high", "at = low -> !seen"),
        "most": ("at = low", "go"),
    },
}
TEMPLATES = {"lustre": LUSTRE, "nusmv": NUSMV}
COMMENTS = {"lustre": "-- noted\n", "nusmv": "-- noted\n\n"}


@cache
def truth(language: str, text: str) -> dict[str, str]:
    """Return what runs from scratch decide of the mutants of a text, at all levels."""
    found: dict[str, str] = {}
    for level in LEVELS:
        elaborated = accepted_in(language, text)
        run = analysed(elaborated, Options(level))
        for finding in run.mutants:
            status = finding.status.value
            assert status == found.setdefault(finding.mutant, status)
    return found


@dataclass
class File:
    """Hold one open model; `text` is `sound` with `noise` before it, or with something broken."""

    client: Client
    language: str
    version: int = 1
    chosen: dict[str, str] = field(default_factory=dict)
    noise: str = ""
    broken: bool = False

    @property
    def uri(self) -> str:
        return f"file:///work/storm.{self.language}"

    @property
    def sound(self) -> str:
        slots = CHOICES[self.language]
        values = {slot: self.chosen.get(slot, slots[slot][0]) for slot in slots}
        return TEMPLATES[self.language].format(**values)

    @property
    def text(self) -> str:
        return self.noise + self.sound + ("\nnode (" if self.broken else "")

    def open(self) -> None:
        self.client.open(self.uri, self.text, self.language)
        self.version = 1

    def close(self) -> None:
        identifier = types.TextDocumentIdentifier(self.uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))

    def send(self) -> None:
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        change = types.TextDocumentContentChangeWholeDocument(self.text)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(identifier, [change])
        )

    async def check(self) -> tuple[str, bool]:
        """Check what is shown as current; return the phase, and whether all of it is known."""
        overview = await ask(self.client, "mutproof/overview", self.uri)
        rows = await ask(self.client, "mutproof/mutants", self.uri)
        current = {row["mutant"]: row for row in rows if row["status"] and not row["stale"]}
        if overview is None or self.broken:
            assert {} == current
            return "", False
        known = truth(self.language, self.sound) if current else {}
        for mutant, row in current.items():
            told = "survived" if row["status"] in {"gap", "equivalent"} else row["status"]
            assert told in {"unknown", known[mutant]}, (self.text, row)
        # Where no property is proved, no mutant is decided.
        properties = overview["properties"]
        is_proved = any(one["verdict"] == "proved" for one in properties)
        is_whole = all(one["verdict"] and not one["stale"] for one in properties) and (
            not is_proved or len(rows) == len(current) > 0
        )
        unknown = any(row["status"] == "unknown" for row in current.values())
        return overview["phase"], is_whole and not unknown


def edit(file: File, source: random.Random) -> None:
    kind = source.random()
    if kind < 0.5:
        slot = source.choice(list(CHOICES[file.language]))
        file.chosen[slot] = source.choice(CHOICES[file.language][slot])
    elif kind < 0.8:
        file.noise = COMMENTS[file.language] * source.randrange(4)
    else:
        file.broken = source.random() < 0.2
    file.send()


async def question(file: File, source: random.Random) -> None:
    client, identifier = file.client, types.TextDocumentIdentifier(file.uri)
    line = source.randrange(15)
    match source.randrange(5):
        case 0:
            await client.hover(file.uri, line, source.randrange(40))
        case 1:
            await client.lenses(file.uri)
        case 2:
            await client.actions(file.uri, line, source.randrange(40))
        case 3:
            await client.text_document_document_symbol_async(types.DocumentSymbolParams(identifier))
        case 4:
            await client.text_document_semantic_tokens_full_async(
                types.SemanticTokensParams(identifier)
            )


async def command(file: File, name: str) -> None:
    await file.client.workspace_execute_command_async(types.ExecuteCommandParams(name, [file.uri]))


def configure(client: Client, source: random.Random) -> None:
    client.settings = {
        "level": source.choice(LEVELS),
        "run": source.choice(("onSave", "onOpenAndSave", "manual")),
        "jobs": source.choice((1, 2)),
        "equivalence": source.choice(("on", "off")),
        "suggestions": {"enable": source.random() < 0.2},
        "diagnostics": {"allMutants": source.random() < 0.5},
        "inlayHints": {"enable": source.random() < 0.5},
    }
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))


def children(client: Client) -> list[psutil.Process]:
    return psutil.Process(client.process).children(recursive=True)


def kill_a_worker(client: Client, source: random.Random) -> None:
    workers = children(client)
    if workers:
        source.choice(workers).kill()


async def settle(file: File) -> None:
    """Wait until everything is known of the text that is shown, and check it."""
    client = file.client
    file.broken = False
    file.send()
    client.save(file.uri)

    async def wait() -> None:
        while True:
            client.news.clear()
            phase, is_whole = await file.check()
            if phase == "done" and is_whole:
                return
            if phase in {"idle", "cancelled", "failed", "done"}:
                await command(file, "mutproof.prove")
            await client.news.wait()

    await asyncio.wait_for(wait(), WAIT_S)


@asynccontextmanager
async def logged(log: Path, **settings: Any) -> AsyncIterator[Client]:
    """Start a server whose log goes to a file, and check that it holds no traceback."""
    words = ["sh", "-c", f"exec {shlex.join(SERVER)} 2>{shlex.quote(str(log))}"]
    async with started(words, **settings) as client:
        yield client
    assert "Traceback" not in log.read_text()


async def test_nothing_wrong_is_shown_in_a_storm_and_all_is_right_after_it(tmp_path: Path) -> None:
    source = random.Random(SEED)
    async with logged(tmp_path / "log", suggestions={"enable": False}) as client:
        files = [File(client, "lustre"), File(client, "nusmv")]
        for file in files:
            file.open()
        for _ in range(STEPS):
            file, kind = source.choice(files), source.random()
            if kind < 0.75:
                edit(file, source)
            elif kind < 0.92:
                await question(file, source)
            elif kind < 0.96:
                await file.check()
            elif kind < 0.962:
                await settle(file)
            elif kind < 0.982:
                client.save(file.uri)
            elif kind < 0.990:
                await command(file, "mutproof.cancel")
            elif kind < 0.994:
                configure(client, source)
            elif kind < 0.998:
                file.close()
                file.open()
            else:
                kill_a_worker(client, source)
        client.settings = {"level": "default", "suggestions": {"enable": False}}
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
        for file in files:
            await settle(file)
