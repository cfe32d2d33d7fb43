"""The protocol: names and fields of our own messages, and the few corrections that pygls needs.

`messages` lists all messages, those of the standard too.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import os
from collections.abc import Callable
from typing import Any, Final

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)

from mutproof.base.record import dataclass
from mutproof.lsp import incoming, wire
from mutproof.lsp.incoming import ConnectionState, ErrorCode, Refused, Wanted
from mutproof.lsp.wire import Wire

STATUS: Final = "mutproof/status"
STATISTICS: Final = "mutproof/statistics"
OVERVIEW: Final = "mutproof/overview"
MUTANTS: Final = "mutproof/mutants"
KEPT_TESTS: Final = "mutproof/tests"
TRACE: Final = "mutproof/trace"
TRACE_FILE: Final = "mutproof/traceFile"
PROVE: Final = "mutproof.prove"
CANCEL: Final = "mutproof.cancel"
ADD_PROPERTIES: Final = "mutproof.addProperties"
MAKE_TESTS: Final = "mutproof.makeTests"
SHOW_FINDINGS: Final = "mutproof.showFindings"
SHOW_TEXT: Final = "mutproof.showText"
SHOW_ACTIONS: Final = "mutproof.showActions"
SECTION: Final = "mutproof"
CANCELLED: Final = "cancelledFiles"
"""The option of `initialize` with the files that an earlier server was told to leave alone."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    """Say what the server is doing with a document; `done` of `total` steps.

    `state` is one of idle, parsing, queued, proving, mutating, done, cancelled, failed.
    """

    uri: str
    state: str
    message: str = ""
    done: int | None = None
    total: int | None = None

    def params(self) -> dict[str, object]:
        """Return the parameters of the notification."""
        found: dict[str, object] = {"uri": self.uri, "state": self.state}
        if self.message:
            found["message"] = self.message
        if self.done is not None and self.total is not None:
            found["done"] = self.done
            found["total"] = self.total
        return found


@dataclass(frozen=True, slots=True)
class RunStatistics:
    """Count what a run found and how; `verdicts` counts mutants and properties.

    `equivalent` of the `survived` are proved equivalent to the model.
    """

    uri: str
    version: int | None
    verdicts: int
    kept: int
    replayed: int
    reproved: int
    solver_calls: int
    seconds: float
    killed: int
    survived: int
    unknown: int
    stillborn: int
    equivalent: int = 0

    def params(self) -> dict[str, object]:
        """Return the parameters of the notification."""
        return {
            "uri": self.uri,
            "version": self.version,
            "verdicts": self.verdicts,
            "kept": self.kept,
            "replayed": self.replayed,
            "reproved": self.reproved,
            "solverCalls": self.solver_calls,
            "seconds": self.seconds,
            "killed": self.killed,
            "survived": self.survived,
            "unknown": self.unknown,
            "stillborn": self.stillborn,
            "equivalent": self.equivalent,
        }


class Protocol(LanguageServerProtocol):
    """Correct pygls 2.1: documents are kept by the session, and shutting down ends the process.

    Every request is answered, and each error is one line of the log. `before_exit` is set by the
    server; it ends the workers.
    """

    before_exit: Callable[[], None] | None = None

    def __init__(self, server: Any, converter: Any) -> None:
        super().__init__(server, converter)
        self._sending: set[asyncio.Future[Any]] = set()

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Leave every object of a message as it is; `handle_message` looks at the whole of it."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle a message that was read from JSON, or answer why not."""
        state = ConnectionState(self._workspace is not None, self._shutdown, self._serves)
        found = incoming.sort(message, state)
        if isinstance(found, Wanted):
            try:
                structured = self._structured(found)
            except Exception as error:
                found = incoming.unstructured(error, found)
            else:
                super().handle_message(structured)
                return
        self.refuse(found)

    def refuse(self, refused: Refused) -> None:
        """Log why a message is refused, and answer it if the client waits."""
        logger.warning("refused (%d): %s", refused.code, refused.reason)
        if refused.is_answered:
            error = {"code": int(refused.code), "message": refused.reason}
            answer = {"jsonrpc": incoming.VERSION, "id": refused.id, "error": error}
            self._write(wire.text(answer))

    def refuse_text(self, error: Exception) -> None:
        """Answer that a message is not JSON."""
        self.refuse(Refused(ErrorCode.PARSE_ERROR, f"no JSON: {incoming.shown(str(error))}"))

    def take(self, body: bytes | None) -> None:
        """Handle the bytes of one message; None stands for one of unknown length."""
        if body is None:
            self.refuse(
                Refused(ErrorCode.PARSE_ERROR, "a header without a length that can be read")
            )
            return
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            self.refuse_text(error)
            return
        try:
            self.handle_message(data)
        except Exception:
            logger.exception("a message could not be handled")

    def _serves(self, method: str) -> bool:
        return (
            method in self.fm.builtin_features
            or method in self.fm.features
            or method == types.CANCEL_REQUEST
        )

    def _structured(self, wanted: Wanted) -> Any:
        """Return a message as an instance of its class.

        Raises:
            Exception: its parameters do not fit the method.
        """
        data = wanted.data
        if wanted.kind is not None:
            return self._converter.structure(data, wanted.kind)
        if "method" in data:
            return self._converter.structure(
                {"params": None, **data},
                JsonRPCRequestMessage if "id" in data else JsonRPCNotification,
            )
        if "error" in data:
            return self._converter.structure(data, types.ResponseErrorMessage)
        kind = self._result_types.pop(data["id"], None) or JsonRPCResponseMessage
        return self._converter.structure(data, kind)

    def tell(self, method: str, params: Wire) -> None:
        """Send a notification whose parameters are JSON already."""
        self._write(f'{{"jsonrpc":"2.0","method":{wire.text(method)},"params":{params.text}}}')

    def _send_data(self, data: Any) -> None:
        """Send a message; write a result that is JSON already as it is."""
        result = getattr(data, "result", None)
        if isinstance(result, Wire):
            identity = wire.text(data.id)
            self._write(f'{{"jsonrpc":"2.0","id":{identity},"result":{result.text}}}')
        else:
            super()._send_data(data)

    def _write(self, body: str) -> None:
        if self.writer is None:
            return
        header = f"Content-Length: {len(body)}\r\n\r\n" if self._include_headers else ""
        sent = self.writer.write((header + body).encode("ascii"))
        if inspect.isawaitable(sent):
            task = asyncio.ensure_future(sent)
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Any) -> Any:
        """Hand the notification to the session; pygls would keep a second copy of the text."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Any) -> Any:
        """Hand the notification to the session; pygls splits lines at form feeds."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Any) -> Any:
        """Hand the notification to the session."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Any:
        """End the workers, then cancel requests, as pygls would change the table it iterates."""
        self._shutdown = True  # no new requests
        handler = self.fm.features.get(types.SHUTDOWN)
        if handler is not None:
            yield handler, args, None
        current = self.msg_id
        for message, future in list(self._request_futures.items()):
            if message != current and not future.done():
                future.cancel()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> Any:
        """End the process at once: nothing may keep it alive."""
        if self.before_exit is not None:
            self.before_exit()
        os._exit(0 if self._shutdown else 1)
