"""Classify incoming messages: requests, notifications and answers, or why one is refused.

The protocol library silently drops what it cannot handle; a client that asked would wait for ever.
Nothing is executed here.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final, TypeAlias

from lsprotocol import types

from mutproof.base.record import dataclass

VERSION: Final = "2.0"
_SHOWN: Final = 200
"""How many characters of what a client sent are shown in a message."""


class ErrorCode(IntEnum):
    """Name the errors of the protocol; Source: JSON-RPC 2.0, 5.1, and LSP 3.17, ErrorCodes."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    NOT_INITIALIZED = -32002


@dataclass(frozen=True, slots=True)
class ConnectionState:
    """Hold the state of the handshake, and the methods that are served."""

    is_initialized: bool
    is_shut_down: bool
    serves: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Hold a message that is to be handled; `kind` is the class of its method, if it is known."""

    data: dict[str, Any]
    kind: type[Any] | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Say why a message is refused; answered if `is_answered`, with its id or null."""

    code: ErrorCode
    reason: str
    id: int | str | None = None
    is_answered: bool = True


Sorted: TypeAlias = Wanted | Refused


def sort(data: object, state: ConnectionState) -> Sorted:
    """Classify a message, a plain value read from JSON."""
    if isinstance(data, list):
        return Refused(ErrorCode.INVALID_REQUEST, "messages come one by one, not in an array")
    if not isinstance(data, dict):
        return Refused(ErrorCode.INVALID_REQUEST, f"a message is an object, not {shown(data)}")
    identity = data.get("id")
    if "method" not in data and ("result" in data or "error" in data):
        return _answer(data, identity)
    if "id" in data and not _is_id(identity):
        return Refused(
            ErrorCode.INVALID_REQUEST, f"an id is an integer or a string, not {shown(identity)}"
        )
    if data.get("jsonrpc") != VERSION:
        return Refused(ErrorCode.INVALID_REQUEST, f'"jsonrpc" is not "{VERSION}"', identity)
    method = data.get("method")
    if not isinstance(method, str):
        return Refused(
            ErrorCode.INVALID_REQUEST, f"a method is a string, not {shown(method)}", identity
        )
    return _notified(data, method, state) if "id" not in data else _asked(data, method, state)


def unstructured(error: BaseException, wanted: Wanted) -> Refused:
    """Say that the parameters of a message are not those of its method."""
    identity = wanted.data.get("id")
    reason = f"{wanted.data.get('method', 'an answer')}: {_innermost(error)}"
    is_answered = "method" in wanted.data and "id" in wanted.data
    return Refused(ErrorCode.INVALID_PARAMS, reason, identity, is_answered)


def shown(value: object) -> str:
    """Return what a client sent as a short text of one line."""
    text = f"{value!r:.{_SHOWN}}"
    return text if len(text) < _SHOWN else f"{text}..."


def _answer(data: dict[str, Any], identity: object) -> Sorted:
    """Sort a response to a request of the server; refusals are not answered."""
    if not _is_id(identity) or data.get("jsonrpc") != VERSION:
        reason = f"an answer to nothing that was asked: {shown(data)}"
        return Refused(ErrorCode.INVALID_REQUEST, reason, is_answered=False)
    return Wanted(data)


def _asked(data: dict[str, Any], method: str, state: ConnectionState) -> Sorted:
    identity: int | str = data["id"]
    if method == types.EXIT:
        return Wanted({"jsonrpc": VERSION, "method": method}, types.ExitNotification)
    if state.is_shut_down:
        reason = f"{method}: the server was shut down"
        return Refused(ErrorCode.INVALID_REQUEST, reason, identity)
    if not state.is_initialized and method != types.INITIALIZE:
        reason = f"{method}: the server was not initialized"
        return Refused(ErrorCode.NOT_INITIALIZED, reason, identity)
    if state.is_initialized and method == types.INITIALIZE:
        return Refused(ErrorCode.INVALID_REQUEST, "the server was initialized before", identity)
    kind = _kind(method)
    if kind is not None and not _has_id(kind):
        reason = f"{shown(method)} is told, not asked: it has no id"
        return Refused(ErrorCode.INVALID_REQUEST, reason, identity)
    if not state.serves(method):
        return Refused(ErrorCode.METHOD_NOT_FOUND, f"no such method: {shown(method)}", identity)
    if not isinstance(data.get("params", {}), dict | list | None):
        reason = f"{method}: parameters are an object, not {shown(data['params'])}"
        return Refused(ErrorCode.INVALID_PARAMS, reason, identity)
    return Wanted(data, kind)


def _notified(data: dict[str, Any], method: str, state: ConnectionState) -> Sorted:
    """Sort a notification, which is not answered even if it is refused."""

    def refused(code: ErrorCode, reason: str) -> Refused:
        return Refused(code, f"{shown(method)}: {reason}", is_answered=False)

    if method == types.EXIT:
        return Wanted({"jsonrpc": VERSION, "method": method}, types.ExitNotification)
    if state.is_shut_down:
        return refused(ErrorCode.INVALID_REQUEST, "the server was shut down")
    if not state.is_initialized:
        return refused(ErrorCode.NOT_INITIALIZED, "the server was not initialized")
    kind = _kind(method)
    if kind is not None and _has_id(kind):
        return refused(ErrorCode.INVALID_REQUEST, "is asked, and has an id")
    if not state.serves(method):
        return refused(ErrorCode.METHOD_NOT_FOUND, "no such method")
    return Wanted(data, kind)


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _kind(method: str) -> type[Any] | None:
    known: dict[str, Any] = types.METHOD_TO_TYPES
    return known[method][0] if method in known else None


def _has_id(kind: type[Any]) -> bool:
    return "id" in kind.__annotations__


def _innermost(error: BaseException) -> str:
    """Return the message of the first error in a group that may have one for each field."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    what = f"{error}" if str(error) else type(error).__name__
    if isinstance(error, KeyError):
        what = f"there is no {what}"
    notes = [f" ({note})" for note in getattr(error, "__notes__", ())][:1]
    return " ".join(f"{what}{''.join(notes)}".split())[:_SHOWN]
