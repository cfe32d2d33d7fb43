"""What a client may not send: each request is answered with the error that the protocol names."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest
from clients import TOY_SERVER
from lsprotocol import types

from mutproof.lsp import server
from mutproof.lsp.incoming import ErrorCode
from mutproof.lsp.server import Server

URI = "file:///work/model.toy"
AT = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}
VERSION = {"jsonrpc": "2.0"}


class Writer:
    """Keep what a server writes."""

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.written.append(json.loads(data))

    def close(self) -> None:
        pass


def connection() -> tuple[Server, Writer]:
    """Return a server that writes messages without headers, as on a websocket."""
    made, writer = server.make(), Writer()
    made.protocol.set_writer(writer, include_headers=False)
    return made, writer


def send(made: Server, message: object) -> None:
    made.protocol.take(json.dumps(message).encode())


def asked(identity: object, method: object, params: object = None) -> dict[str, object]:
    found: dict[str, object] = {**VERSION, "id": identity, "method": method}
    return found if params is None else {**found, "params": params}


def initialized() -> tuple[Server, Writer]:
    made, writer = connection()
    send(made, asked("first", "initialize", INITIALIZE))
    assert "capabilities" in writer.written.pop()["result"]
    return made, writer


WRONG = {
    "an unknown method": (asked(1, "no/such"), 1, ErrorCode.METHOD_NOT_FOUND),
    "an unknown method of the protocol itself": (asked(1, "$/x"), 1, ErrorCode.METHOD_NOT_FOUND),
    "a method that is not served": (
        asked(1, "textDocument/documentColor"), 1, ErrorCode.METHOD_NOT_FOUND,
    ),
    "no parameters": (asked(1, "textDocument/hover"), 1, ErrorCode.INVALID_PARAMS),
    "parameters that are a number": (
        asked(1, "textDocument/hover", 5), 1, ErrorCode.INVALID_PARAMS,
    ),
    "an empty object": (asked("x", "textDocument/hover", {}), "x", ErrorCode.INVALID_PARAMS),
    "a document that is a number": (
        asked(1, "textDocument/hover", {**AT, "textDocument": 5}), 1, ErrorCode.INVALID_PARAMS,
    ),
    "a negative line": (
        asked(1, "textDocument/hover", {**AT, "position": {"line": -1, "character": 0}}),
        1, ErrorCode.INVALID_PARAMS,
    ),
    "an unknown command": (
        asked(1, "workspace/executeCommand", {"command": "no"}), 1, ErrorCode.INVALID_PARAMS,
    ),
    "a command with a number": (
        asked(1, "workspace/executeCommand", {"command": "mutproof.prove", "arguments": [5]}),
        1, ErrorCode.INVALID_PARAMS,
    ),
    "a notification as a request": (
        asked(1, "textDocument/didOpen", {}), 1, ErrorCode.INVALID_REQUEST,
    ),
    "a second initialize": (asked(1, "initialize", INITIALIZE), 1, ErrorCode.INVALID_REQUEST),
    "an id that is null": (asked(None, "textDocument/hover"), None, ErrorCode.INVALID_REQUEST),
    "an id that is a fraction": (asked(1.5, "textDocument/hover"), None, ErrorCode.INVALID_REQUEST),
    "an id that is an array": (asked([1], "textDocument/hover"), None, ErrorCode.INVALID_REQUEST),
    "an id that is a truth value": (asked(True, "shutdown"), None, ErrorCode.INVALID_REQUEST),
    "a method that is a number": (asked(1, 5), 1, ErrorCode.INVALID_REQUEST),
    "no method": ({**VERSION, "id": 1}, 1, ErrorCode.INVALID_REQUEST),
    "nothing": ({}, None, ErrorCode.INVALID_REQUEST),
    "another version": ({"jsonrpc": "1.0", "id": 1, "method": "x"}, 1, ErrorCode.INVALID_REQUEST),
    "no version": ({"id": 1, "method": "shutdown"}, 1, ErrorCode.INVALID_REQUEST),
    "an empty batch": ([], None, ErrorCode.INVALID_REQUEST),
    "a batch": ([asked(1, "shutdown")], None, ErrorCode.INVALID_REQUEST),
    "a number": (5, None, ErrorCode.INVALID_REQUEST),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_request_is_answered_and_is_one_line_of_the_log(
    name: str, caplog: pytest.LogCaptureFixture
):
    message, identity, code = WRONG[name]
    made, writer = initialized()
    caplog.clear()
    with caplog.at_level(logging.WARNING, "mutproof"):
        send(made, message)
        while not writer.written:
            await asyncio.sleep(0)
    assert [(identity, code)] == [(each["id"], each["error"]["code"]) for each in writer.written]
    own = [record for record in caplog.records if record.name.startswith("mutproof")]
    assert len(own) == 1
    assert "\n" not in own[0].getMessage()
    assert own[0].exc_info is None


async def test_a_name_that_cannot_be_given_is_refused_and_is_nothing_for_the_log(
    caplog: pytest.LogCaptureFixture,
):
    made, writer = initialized()
    uri, model = "file:///m.lus", "node main(x : bool) returns (y : bool);\nlet y = x; tel;\n"
    text = {"uri": uri, "languageId": "lustre", "version": 1, "text": model}
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 10}}
    send(made, {**VERSION, "method": "textDocument/didOpen", "params": {"textDocument": text}})
    with caplog.at_level(logging.WARNING, "mutproof"):
        send(made, asked(7, "textDocument/rename", {**place, "newName": "node"}))
        while not any(each.get("id") == 7 for each in writer.written):
            await asyncio.sleep(0.01)
    (answer,) = [each for each in writer.written if each.get("id") == 7]
    failed = types.LSPErrorCodes.RequestFailed.value
    assert {"code": failed, "message": "'node' is a reserved word"} == answer["error"]
    assert not [one for one in caplog.records if one.name.startswith("mutproof")]


TOLD = {
    "an unknown method": {**VERSION, "method": "no/such"},
    "no parameters": {**VERSION, "method": "textDocument/didOpen"},
    "wrong parameters": {**VERSION, "method": "textDocument/didChange", "params": {"x": 1}},
    "a request without an id": {**VERSION, "method": "textDocument/hover", "params": AT},
    "a cancellation of nothing": {**VERSION, "method": "$/cancelRequest", "params": {"id": 7}},
    "a cancellation without an id": {**VERSION, "method": "$/cancelRequest", "params": {}},
    "an answer that nobody waits for": {**VERSION, "id": "x", "result": 5},
    "an answer with an odd id": {**VERSION, "id": [1], "result": 5},
    "an error that is none": {**VERSION, "id": "x", "error": 5},
    "an error without an id": {**VERSION, "id": None, "error": {"code": 1, "message": "x"}},
}


@pytest.mark.parametrize("name", TOLD)
async def test_what_is_told_is_never_answered(name: str):
    made, writer = initialized()
    send(made, TOLD[name])
    send(made, asked(2, "no/such"))
    assert [2] == [each["id"] for each in writer.written]


@pytest.mark.parametrize("body", [b"{bad", b"", b"[" * 100_000, b'"\xff"', b"{}{}"])
async def test_what_is_no_json_is_answered(body: bytes):
    made, writer = initialized()
    made.protocol.take(body)
    assert [(None, ErrorCode.PARSE_ERROR)] == [
        (m["id"], m["error"]["code"]) for m in writer.written
    ]


async def test_before_initialize_and_after_shutdown_requests_are_refused():
    made, writer = connection()
    send(made, asked(1, "textDocument/hover", AT))
    send(made, asked(2, "no/such"))
    send(made, {**VERSION, "method": "textDocument/didOpen", "params": {}})
    send(made, asked(3, "initialize", {}))
    assert [
        (1, ErrorCode.NOT_INITIALIZED),
        (2, ErrorCode.NOT_INITIALIZED),
        (3, ErrorCode.INVALID_PARAMS),
    ] == [(each["id"], each["error"]["code"]) for each in writer.written]
    writer.written.clear()
    send(made, asked(4, "initialize", INITIALIZE))
    assert "result" in writer.written.pop()
    send(made, asked(5, "shutdown"))
    send(made, asked(6, "textDocument/hover", AT))
    send(made, asked(7, "shutdown"))
    refused = [(each["id"], each["error"]["code"]) for each in writer.written if "error" in each]
    assert [(6, ErrorCode.INVALID_REQUEST), (7, ErrorCode.INVALID_REQUEST)] == refused
    while not any(each["id"] == 5 for each in writer.written):
        await asyncio.sleep(0)
    assert next(each for each in writer.written if each["id"] == 5)["result"] is None


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


async def test_a_server_outlives_what_is_no_message_and_says_so_without_tracebacks():
    process = await asyncio.create_subprocess_exec(
        *TOY_SERVER,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    sent = b"".join([
        b"Content-Length: x\r\n\r\nhello\r\nFoo\r\n\r\n",
        b"Content-Length: 4\r\n\r\n{bad",
        b"Content-Length: 99999999999999999\r\n\r\n",
        b"content-length:  2 \r\nContent-Type: x\r\n\r\n{}",
        framed(asked(1, "initialize", INITIALIZE)),
        framed(asked(2, "no/such")),
        framed({**VERSION, "method": "exit"}),
    ])  # fmt: skip
    out, errors = await asyncio.wait_for(process.communicate(sent), 60)
    assert process.returncode == 1  # nobody asked for a shutdown
    answers = []
    while out:
        header, _, out = out.partition(b"\r\n\r\n")
        length = int(header.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
        answers.append(json.loads(out[:length]))
        out = out[length:]
    codes = [each["error"]["code"] for each in answers if "error" in each]
    parse, wrong = ErrorCode.PARSE_ERROR, ErrorCode.INVALID_REQUEST
    assert [parse, parse, parse, parse, wrong, ErrorCode.METHOD_NOT_FOUND] == codes
    assert [1] == [each["id"] for each in answers if "result" in each]
    assert b"Traceback" not in errors
    assert len(codes) == len(errors.splitlines())
