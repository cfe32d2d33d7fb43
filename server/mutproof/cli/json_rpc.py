"""JSON-RPC with one client: requests are answered at the same time, and can be cancelled.

Independent of methods. (The protocol library of the language server turns parameters into objects,
which lose keys such as file paths.)

Source: JSON-RPC 2.0; framing and `$/cancelRequest` as in the Language Server Protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any, Final, TypeAlias

from mutproof.base.record import dataclass
from mutproof.cli.failure import UserError
from mutproof.lsp import pipes

NOT_JSON: Final = -32700
NO_REQUEST: Final = -32600
NO_METHOD: Final = -32601
WRONG_PARAMETERS: Final = -32602
DEFECT: Final = -32603
CANCELLED: Final = -32800


@dataclass(frozen=True, slots=True)
class MethodCall:
    """Hold the parameters of a call, and whether it is still wanted; `tell` notifies the client."""

    parameters: Mapping[str, Any]
    unwanted: asyncio.Event
    tell: Callable[[str, object], None]


Method: TypeAlias = Callable[[MethodCall], Awaitable[object]]
"""Answers a request; ends early once it is not wanted any more."""

logger = logging.getLogger(__name__)


class ParameterError(Exception):
    """Say what is wrong with the parameters of a request."""


@dataclass(slots=True)
class Peer:
    """Answer one client by some methods; mutable, owned by the event loop's thread."""

    methods: Mapping[str, Method]
    write: Callable[[bytes], None]
    _running: dict[str, tuple[asyncio.Task[None], asyncio.Event]] = field(default_factory=dict)

    def notify(self, method: str, parameters: object) -> None:
        """Send a notification to the client."""
        self._send({"method": method, "params": parameters})

    async def listen(self, reader: pipes.LineReader) -> None:
        """Answer requests until the client ends; pending ones are cancelled then."""
        try:
            async for body in pipes.bodies(reader):
                self._receive(body)
        finally:
            tasks = [task for task, _ in self._running.values()]
            for _, unwanted in self._running.values():
                unwanted.set()
            await asyncio.gather(*tasks)

    def _receive(self, body: bytes | None) -> None:
        try:
            message = None if body is None else json.loads(body)
        except (ValueError, RecursionError):
            message = None
        if message is None:
            self._fail(None, NOT_JSON, "this is not JSON")
            return
        if not isinstance(message, dict):
            self._fail(None, NO_REQUEST, "a message is an object")
            return
        name, number = message.get("method"), message.get("id")
        if not isinstance(name, str):
            if "result" not in message and "error" not in message:
                self._fail(number, NO_REQUEST, "a request has a method")
            return
        parameters = message.get("params")
        if name == "$/cancelRequest":
            self._cancel(parameters)
        elif "id" in message:
            self._begin(number, name, {} if parameters is None else parameters)

    def _cancel(self, parameters: object) -> None:
        number = parameters.get("id") if isinstance(parameters, dict) else None
        if (known := self._running.get(json.dumps(number))) is not None:
            known[1].set()

    def _begin(self, number: object, name: str, parameters: object) -> None:
        method = self.methods.get(name)
        if method is None:
            self._fail(number, NO_METHOD, f"there is no method {name!r}")
        elif not isinstance(parameters, dict):
            self._fail(number, WRONG_PARAMETERS, "parameters are an object")
        else:
            key, unwanted = json.dumps(number), asyncio.Event()
            answering = self._answer(number, method, parameters, unwanted)
            task = asyncio.create_task(answering)
            self._running[key] = task, unwanted
            task.add_done_callback(lambda _: self._running.pop(key, None))

    async def _answer(
        self, number: object, method: Method, parameters: Mapping[str, Any], unwanted: asyncio.Event
    ) -> None:
        try:
            result = await method(MethodCall(parameters, unwanted, self.notify))
        except ParameterError as error:
            self._fail(number, WRONG_PARAMETERS, str(error))
        except UserError as error:
            way_out = f" ({error.way_out})" if error.way_out else ""
            self._fail(number, WRONG_PARAMETERS, f"{error.message}{way_out}")
        except Exception as error:
            logger.exception("a request failed")
            self._fail(number, DEFECT, f"a defect of mutproof: {type(error).__name__}: {error}")
        else:
            if unwanted.is_set():
                self._fail(number, CANCELLED, "cancelled")
            else:
                self._send({"id": number, "result": result})

    def _fail(self, number: object, code: int, message: str) -> None:
        self._send({"id": number, "error": {"code": code, "message": message}})

    def _send(self, message: Mapping[str, object]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


async def on_streams(methods: Mapping[str, Method]) -> None:
    """Answer one client on standard streams until it closes them."""
    # Output of other code must not get between the messages.
    stdout = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    pipes.widen(stdout)

    def write(data: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # the end of input follows
            stdout.write(data)
            stdout.flush()

    await Peer(methods, write).listen(await pipes.reader_of(sys.stdin.buffer, stdout))


async def on_socket(methods: Mapping[str, Method], host: str, port: int) -> None:
    """Answer clients that connect to a port, until the last of them has left.

    Raises:
        UserError: nobody can connect to this port.
    """
    connected = 0
    left = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connected
        connected += 1
        try:
            first = await reader.readline()
            # Web pages can send HTTP requests with any body to any port: accept headers only.
            if first.lower().startswith(b"content-"):
                rest = _Begun(first, pipes.PipeReader(reader))
                await Peer(methods, writer.write).listen(rest)
        finally:
            writer.close()
            connected -= 1
            if not connected:
                left.set()

    try:
        server = await asyncio.start_server(answer, host, port, limit=pipes.HEADER_BYTES)
    except OSError as error:
        message = f"cannot listen on {host}:{port}: {error.strerror}"
        raise UserError("address-unusable", message, way_out="choose another --port") from error
    async with server:
        await left.wait()


class _Begun:
    """Read a stream whose first line was read already."""

    def __init__(self, first: bytes, rest: pipes.PipeReader) -> None:
        self._first = first
        self._rest = rest

    async def readline(self) -> bytes:
        first, self._first = self._first, b""
        return first or await self._rest.readline()

    async def readexactly(self, n: int) -> bytes:
        return await self._rest.readexactly(n)
