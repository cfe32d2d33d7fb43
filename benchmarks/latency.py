"""How fast the language server answers while it proves, and when the first survivor is shown."""

from __future__ import annotations

import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from typing import Any

import models
from report import Section, percentiles

URI = "file:///cells.lus"
PAUSE_S = 0.02


class Server:
    """Speak to a `mutproof serve` process over its standard input and output."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(models.ROOT / "server")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mutproof", "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._number = 0
        self._answers: dict[int, queue.Queue[Any]] = {}
        self.heard: list[tuple[float, str, Any]] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            if not line.lower().startswith(b"content-length"):
                continue
            size = int(line.split(b":")[1])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(size))
            if "method" not in message:
                self._answers[message["id"]].put(message.get("result"))
                continue
            self.heard.append((time.perf_counter(), message["method"], message.get("params")))
            if "id" in message:
                asked = message["method"] == "workspace/configuration"
                self._send({"id": message["id"], "result": [{"level": "paper"}] if asked else None})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        stream.flush()

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its answer."""
        self._number += 1
        number = self._number
        self._answers[number] = queue.Queue()
        self._send({"id": number, "method": method, "params": params})
        answer = self._answers[number].get(timeout=60)
        del self._answers[number]
        return answer

    def close(self) -> None:
        """End the process as an editor does."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._process.wait(10)


def measure(seconds: float, cells: int) -> Section:
    """Ask for some seconds at most, while a model of ten equations for each cell is decided."""
    section = Section("latency", "Answers of the language server while it proves")
    content = models.cells(cells).content
    lines = content.splitlines()
    server = Server()
    capabilities = {
        "workspace": {"configuration": True},
        "textDocument": {"publishDiagnostics": {"versionSupport": True}},
    }
    server.ask(
        "initialize",
        {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities},
    )
    server.tell("initialized", {})
    document = {"uri": URI, "languageId": "lustre", "version": 1, "text": content}
    opened = time.perf_counter()
    server.tell("textDocument/didOpen", {"textDocument": document})
    source = random.Random(0)
    body = [n for n, line in enumerate(lines) if " = " in line]
    times: dict[str, list[float]] = {"hover": [], "lens": [], "completion": [], "keystroke": []}
    version = 1
    while time.perf_counter() - opened < seconds and not _ended(server):
        line = source.choice(body)
        place = {
            "textDocument": {"uri": URI},
            "position": {"line": line, "character": source.randrange(2, len(lines[line]))},
        }
        for name, method in (
            ("hover", "textDocument/hover"),
            ("lens", "textDocument/codeLens"),
            ("completion", "textDocument/completion"),
        ):
            times[name].append(_waited(server, method, place))
        begun = time.perf_counter()
        version += 1
        # A blank is typed, or taken away again: the next answer comes after it was handled.
        end = len(lines[line])
        typed = version % 2 == 0
        if typed:
            last = line, end
        where, column = last
        after = column if typed else column + 1
        change = {
            "range": {
                "start": {"line": where, "character": column},
                "end": {"line": where, "character": after},
            },
            "text": " " if typed else "",
        }
        identifier = {"uri": URI, "version": version}
        server.tell(
            "textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]}
        )
        server.ask("textDocument/hover", place)
        times["keystroke"].append(time.perf_counter() - begun)
        time.sleep(PAUSE_S)
    rows = []
    for name, found in times.items():
        half, most, worst = (1000 * value for value in percentiles(found, 50, 95, 100))
        rows.append([name, len(found), half, most, worst])
    section.say(
        f"A model of {len(body)} equations and {2 * cells} properties; `keystroke` is an edit and"
        " an answer after it."
    )
    section.table(["request", "asked", "p50 ms", "p95 ms", "largest ms"], rows)
    first = [at - opened for at, method, params in server.heard if _shows(method, params)]
    section.say(
        f"First survivor shown {first[0]:.2f} s after the file was opened, first verdicts included"
        if first
        else f"No survivor was shown in {seconds:g} s."
    )
    server.close()
    return section


def _waited(server: Server, method: str, place: dict[str, Any]) -> float:
    begun = time.perf_counter()
    server.ask(method, place)
    return time.perf_counter() - begun


def _shows(method: str, params: Any) -> bool:
    return method == "textDocument/publishDiagnostics" and any(
        "survive" in item["message"] for item in params["diagnostics"]
    )


def _ended(server: Server) -> bool:
    return any(
        method == "mutproof/status" and params.get("state") == "done"
        for _, method, params in server.heard
    )
