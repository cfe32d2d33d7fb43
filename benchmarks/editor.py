"""An editor as far as measuring needs one: it speaks to a language server and keeps time."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

import models

_ANSWER = re.compile(rb'\A\{"(?:jsonrpc":"2\.0","id"|id") ?: ?(\d+)[,}]')


class Editor:
    """Start `mutproof serve` and speak to it over its standard input and output.

    `settings` is what it answers when it is asked for the section `mutproof`; `variables` are
    added to the environment of the server.
    """

    def __init__(
        self, settings: dict[str, Any], variables: Mapping[str, str] | None = None
    ) -> None:
        self._settings = settings
        environment = {**os.environ, "PYTHONPATH": str(models.ROOT / "server"), **(variables or {})}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mutproof", "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._number = 0
        self._answers: dict[int, queue.Queue[tuple[float, bytes]]] = {}
        self.heard: list[tuple[float, str, Any]] = []
        threading.Thread(target=self._listen, daemon=True).start()
        capabilities = {
            "workspace": {"configuration": True},
            "textDocument": {"publishDiagnostics": {"versionSupport": True}},
        }
        self.ask(
            "initialize",
            {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities},
        )
        self.tell("initialized", {})

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            if not line.lower().startswith(b"content-length"):
                continue
            size = int(line.split(b":")[1])
            while stream.readline().strip():
                pass
            body = stream.read(size)
            arrived = time.perf_counter()
            # A long answer is not read here: that would be a part of the time of the next one.
            begin = _ANSWER.match(body)
            if begin is not None and b'"method"' not in body[:100]:
                self._answers[int(begin[1])].put((arrived, body))
                continue
            message = json.loads(body)
            if "method" not in message:
                self._answers[message["id"]].put((arrived, body))
                continue
            self.heard.append((arrived, message["method"], message.get("params")))
            if "id" in message:
                asked = message["method"] == "workspace/configuration"
                self._send({"id": message["id"], "result": [self._settings] if asked else None})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        stream.flush()

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def timed(self, method: str, params: Any, *, read: bool = True) -> tuple[float, Any]:
        """Send a request; return the seconds until its answer was there, and the answer.

        Without `read` it is only received: what an editor does with it is not measured.
        """
        self._number += 1
        number = self._number
        self._answers[number] = queue.Queue()
        begun = time.perf_counter()
        self._send({"id": number, "method": method, "params": params})
        arrived, body = self._answers[number].get(timeout=60)
        del self._answers[number]
        assert b'"error"' not in body[:100], body[:1000]
        return arrived - begun, json.loads(body).get("result") if read else None

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its answer."""
        return self.timed(method, params)[1]

    def open(self, uri: str, language: str, content: str) -> float:
        """Open a file; return when."""
        document = {"uri": uri, "languageId": language, "version": 1, "text": content}
        opened = time.perf_counter()
        self.tell("textDocument/didOpen", {"textDocument": document})
        return opened

    def change(self, uri: str, version: int, place: dict[str, Any], text: str) -> None:
        """Replace a range of a file."""
        identifier = {"uri": uri, "version": version}
        change = {"range": place, "text": text}
        self.tell(
            "textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]}
        )

    def is_told(self, wanted: str, **fields: Any) -> bool:
        """Tell whether a notification with such fields came."""
        return any(
            method == wanted and all(params.get(name) == value for name, value in fields.items())
            for _, method, params in list(self.heard)
        )

    def close(self) -> None:
        """End the process as an editor does."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._process.wait(10)
