"""What a request about one file is: the record that every file of `requests/` defines."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from mutproof.base.record import dataclass
from mutproof.lsp import settings
from mutproof.lsp.view import View

LINES_AROUND: Final = 15
"""How many lines before and after a place count as looked at."""


@dataclass(frozen=True, slots=True)
class Request:
    """Describe a request to the server and to the table of messages.

    `name` is its method; `answer` gets the file and the parameters; `options` are announced to the
    client when it connects; `nothing` is the answer about a file that is not open, or of no known
    language; `file` finds the file in the parameters. A request for some clients only has `suits`,
    a predicate on the client's capabilities. A method of our own has `read`, which checks the
    parameters, and `carries`, which describes the content of question and answer.
    """

    name: str
    answer: Callable[[View, Any], Coroutine[Any, Any, Any]]
    options: Any = None
    nothing: Callable[[Any], Any] = lambda _: []
    file: Callable[[Any], str] = lambda params: str(params.text_document.uri)
    suits: Callable[[types.ClientCapabilities], bool] | None = None
    read: Callable[[Any], Any] = lambda params: params
    carries: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Question:
    """Hold the parameters of a request of our own: a file, and fields that are checked later."""

    text_document: types.TextDocumentIdentifier
    fields: Mapping[str, Any]


def question(params: object) -> Question:
    """Return the parameters of a request of our own.

    Raises:
        JsonRpcInvalidParams: they name no file.
    """
    fields = settings.plain(params)
    document = fields.get("textDocument") if isinstance(fields, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    if not isinstance(fields, dict) or not isinstance(uri, str):
        raise JsonRpcInvalidParams("there is no 'textDocument' with a 'uri'")
    return Question(types.TextDocumentIdentifier(uri), fields)


def look(view: View, params: Any) -> None:
    """Note the lines that a request is about, with the lines around a single place."""
    place = getattr(params, "position", None)
    asked = getattr(params, "range", None) or (place and types.Range(place, place))
    if asked is not None:
        first, last = asked.start.line, asked.end.line
        around = 0 if last - first > LINES_AROUND else LINES_AROUND
        view.session.look(view.document, max(0, first - around), last + around)
