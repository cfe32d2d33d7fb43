"""Commands behind clicks: those of the client, with places and texts, and those of the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from mutproof.base.span import Span
from mutproof.ide.actions import insert_suggestion
from mutproof.ide.shown import (
    AddProperties,
    MakeTests,
    ShowDiff,
    Shown,
    ShowPlaces,
    ShowText,
    StartRun,
)
from mutproof.lsp import protocol
from mutproof.lsp.incoming import shown
from mutproof.lsp.session import Session
from mutproof.lsp.view import View
from mutproof.workspace.report import Phase

RangeOf = Callable[[Span], types.Range]


def click(title: str, shown: Shown, uri: str, range_of: RangeOf) -> types.Command:
    """Return the command of a lens or an action."""
    match shown:
        case ShowPlaces(heading, places):
            listed = [
                {"uri": uri, "range": plain(range_of(place.span)), "label": place.label}
                for place in places
            ]
            return types.Command(title, protocol.SHOW_FINDINGS, arguments=[heading, listed])
        case ShowText(heading, text, about):
            shown_text: dict[str, object] = {"title": heading, "text": text}
            if about is not None:
                shown_text["trace"] = {"uri": uri, "kind": about.kind.value, "name": about.name}
            return types.Command(title, protocol.SHOW_TEXT, arguments=[shown_text])
        case ShowDiff(heading, left, right):
            texts = {"title": heading, "left": left, "right": right}
            return types.Command(title, protocol.SHOW_TEXT, arguments=[texts])
        case StartRun():
            return types.Command(title, protocol.PROVE, arguments=[uri])
        case AddProperties():
            return types.Command(title, protocol.ADD_PROPERTIES, arguments=[uri])
        case MakeTests(mutant):
            named_mutant = [mutant] if mutant else []
            return types.Command(title, protocol.MAKE_TESTS, arguments=[uri, *named_mutant])
        case _:
            assert_never(shown)


def prove(session: Session, arguments: tuple[object, ...]) -> None:
    """Analyse the named files, or all open ones."""
    for uri in _uris(session, arguments):
        session.prove(uri)


def added_properties(view: View) -> types.ApplyWorkspaceEditParams | None:
    """Return the edit that adds the best set of properties to a file; None if none is known."""
    verdicts, moved = view.document.verdicts, view.document.since_good
    changes = () if verdicts is None else insert_suggestion.best(verdicts)
    if not changes or any(moved.touches(edit.span) for edit in changes):
        return None
    edits = [types.TextEdit(view.range(e.span, moved), e.text) for e in changes]
    return types.ApplyWorkspaceEditParams(view.workspace_edit(edits), "Add properties")


def nothing_added(view: View | None) -> str:
    """Say why a click on properties to add, perhaps on one of an older text, changes nothing."""
    if view is None:
        return "mutproof: no properties are added, since the file is not open."
    verdicts, report = view.document.verdicts, view.document.snapshot.report
    if verdicts is None or (report.suggestions is None and report.phase is not Phase.DONE):
        return (
            "mutproof: no properties are added: the analysis of this file has not come to them yet."
        )
    if insert_suggestion.best(verdicts):
        return "mutproof: no properties are added, since the text there has changed; save it first."
    return "mutproof: no properties are known so far that close gaps of this file."


def cancel(session: Session, arguments: tuple[object, ...]) -> None:
    """Give up the analysis of the named files, or of all open ones."""
    for uri in _uris(session, arguments):
        session.cancel(uri)


def _uris(session: Session, arguments: tuple[object, ...]) -> tuple[str, ...]:
    """Return the files that arguments name; all files if they name none.

    Raises:
        JsonRpcInvalidParams: an argument names no file.
    """
    return named(arguments) or tuple(session.documents)


def named(arguments: tuple[object, ...]) -> tuple[str, ...]:
    """Return the files that the arguments of a command name.

    Raises:
        JsonRpcInvalidParams: an argument names no file.
    """
    found = []
    for argument in arguments:
        uri = argument.get("uri") if isinstance(argument, dict) else argument
        if isinstance(uri, str):
            found.append(uri)
        elif argument is not None:
            message = f"an argument is a URI, or an object with one, not {shown(argument)}"
            raise JsonRpcInvalidParams(message)
    return tuple(found)


def plain(place: types.Range) -> dict[str, dict[str, int]]:
    """Return a range as JSON, for the arguments of a command."""
    return {
        end: {"line": position.line, "character": position.character}
        for end, position in (("start", place.start), ("end", place.end))
    }
