"""What a request about one file is: the record that every file of `requests/` defines."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

from lsprotocol import types

from mutproof.base.record import dataclass
from mutproof.lsp.view import View

LINES_AROUND: Final = 15
"""How many lines before and after a place are looked at too."""


@dataclass(frozen=True, slots=True)
class Request:
    """Describe a request to the server and to the table of messages.

    `name` is its method; `answer` gets the file and the parameters; `options` are what the client
    is told when it connects; `nothing` is the answer about a file that is not open, or of no known
    language.
    """

    name: str
    answer: Callable[[View, Any], Coroutine[Any, Any, Any]]
    options: Any = None
    nothing: Callable[[], Any] = list


def look(view: View, params: Any) -> None:
    """Take note of the lines that a request is about, and of what is around a single place."""
    place = getattr(params, "position", None)
    asked = getattr(params, "range", None) or (place and types.Range(place, place))
    if asked is not None:
        first, last = asked.start.line, asked.end.line
        around = 0 if last - first > LINES_AROUND else LINES_AROUND
        view.session.look(view.document, max(0, first - around), last + around)
