"""The table of all messages that the server receives or sends.

Messages of our own are listed with their fields in `DocumentStatus` and `RunStatistics`.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, cast

from lsprotocol import types

from mutproof.base.record import dataclass
from mutproof.base.registry import Registry
from mutproof.lsp.protocol import (
    ADD_PROPERTIES,
    CANCEL,
    MAKE_TESTS,
    PROVE,
    SHOW_FINDINGS,
    SHOW_TEXT,
    STATISTICS,
    STATUS,
)
from mutproof.lsp.requests import REQUESTS


class Direction(Enum):
    """Say who sends a message and whether it is answered."""

    ASKED = "client asks"
    TOLD = "client tells"
    ASKS = "server asks"
    TELLS = "server tells"
    COMMAND = "client has the server execute"
    CLIENT_COMMAND = "a click has the client execute"


@dataclass(frozen=True, slots=True)
class Message:
    """Describe a message: its method, its sender, its parameters, and the answer's content."""

    name: str
    direction: Direction
    params: str
    result: str = ""


def _standard(direction: Direction, *methods: str) -> list[Message]:
    rows = []
    for method in methods:
        _, result, params, _ = cast("Any", types.METHOD_TO_TYPES)[method]
        name = "" if params is None else getattr(params, "__name__", str(params))
        answer = "" if result is None else getattr(result, "__name__", str(result))
        rows.append(Message(method, direction, name, answer))
    return rows


PROTOCOL: Final = Registry(
    "message",
    [
        *_standard(
            Direction.ASKED,
            types.INITIALIZE,
            types.SHUTDOWN,
            *(request.name for request in REQUESTS if request.name in types.METHOD_TO_TYPES),
            types.WORKSPACE_SYMBOL,
            types.WORKSPACE_EXECUTE_COMMAND,
        ),
        *_standard(
            Direction.TOLD,
            types.INITIALIZED,
            types.EXIT,
            types.TEXT_DOCUMENT_DID_OPEN,
            types.TEXT_DOCUMENT_DID_CHANGE,
            types.TEXT_DOCUMENT_DID_SAVE,
            types.TEXT_DOCUMENT_DID_CLOSE,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
            types.CANCEL_REQUEST,
        ),
        *_standard(
            Direction.ASKS,
            types.WORKSPACE_CONFIGURATION,
            types.WORKSPACE_CODE_LENS_REFRESH,
            types.WORKSPACE_INLAY_HINT_REFRESH,
            types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
            types.WORKSPACE_DIAGNOSTIC_REFRESH,
            types.WINDOW_WORK_DONE_PROGRESS_CREATE,
            types.WORKSPACE_APPLY_EDIT,
            types.CLIENT_REGISTER_CAPABILITY,
        ),
        *_standard(
            Direction.TELLS,
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            types.PROGRESS,
            types.WINDOW_LOG_MESSAGE,
        ),
        *(
            Message(request.name, Direction.ASKED, *request.carries)
            for request in REQUESTS
            if request.name not in types.METHOD_TO_TYPES
        ),
        Message(STATUS, Direction.TELLS, "DocumentStatus"),
        Message(STATISTICS, Direction.TELLS, "RunStatistics"),
        Message(PROVE, Direction.COMMAND, "uri?", "null"),
        Message(CANCEL, Direction.COMMAND, "uri?", "null"),
        Message(ADD_PROPERTIES, Direction.COMMAND, "uri", "null"),
        Message(MAKE_TESTS, Direction.COMMAND, "uri, mutant?", "null"),
        Message(SHOW_FINDINGS, Direction.CLIENT_COMMAND, "title, {uri, range, label}[]"),
        Message(
            SHOW_TEXT, Direction.CLIENT_COMMAND, "{title, text, trace?} | {title, left, right}"
        ),
    ],
)
