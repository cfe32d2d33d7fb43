"""Code actions: what can be done about a selection.

A menu has a few entries, one of which leads to the others in clients that can show them. A request
for a kind of ours, finer than those of the standard, gets all actions of that kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from mutproof.base.span import Span
from mutproof.ide import actions
from mutproof.ide.action import Action, ActionKind, Selection
from mutproof.ide.corrections import corrections
from mutproof.lsp import commands, protocol
from mutproof.lsp.request import Request
from mutproof.lsp.view import View
from mutproof.workspace.snapshot import Migration

_MORE = "More changes here…"


async def on_code_action(view: View, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Answer what can be done about a selection."""
    about = params.context.diagnostics
    only = [_text(kind) for kind in params.context.only or [""]]
    corrected = []
    if any(_is_within(ActionKind.REPAIR.value, one) for one in only):
        corrected = list(_corrections(view, params.range, about))
    verdicts, moved = view.document.verdicts, view.document.since_good
    if verdicts is None:
        return corrected
    named = tuple(d.data for d in about if isinstance(d.data, str))
    selection = Selection(verdicts, _selected(view, params.range, moved), named)

    def is_wanted(action: Action) -> bool:
        if not any(_is_within(action.kind.value, one) for one in only):
            return False
        # The text to be replaced must not have been edited since.
        return not any(moved.touches(edit.span) for edit in action.edits)

    if all(protocol.SECTION in one.split(".") for one in only):
        wanted = filter(is_wanted, actions.actions(selection))
        offers = [_code_action(view, action, about=about, moved=moved) for action in wanted]
        return corrected + offers
    menu = actions.menu(selection, is_wanted, entry_for_more=view.lists_actions)
    found = [_code_action(view, action, about=about, moved=moved) for action in menu.actions]
    if menu.has_more and view.lists_actions:
        found.append(_more(view, params.range, found[-1].kind))
    return corrected + found


def _selected(view: View, place: types.Range, moved: Migration) -> Span:
    """Return what is selected, in an older text."""
    start = view.offset(place.start, moved)
    return Span(start, max(start, view.offset(place.end, moved)))


def _corrections(
    view: View, place: types.Range, about: Sequence[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    """Yield corrections of errors in the text that was read last."""
    current, moved = view.document.snapshot.current, view.document.since_current
    if current is None:
        return
    selected = _selected(view, place, moved)
    for offer in corrections(current.diagnostics, current.parsed.source, selected):
        if moved.touches(offer.edit.span):
            continue
        code, shown = offer.error.code, view.range(offer.error.span, moved)
        edit = types.TextEdit(view.range(offer.edit.span, moved), offer.edit.text)
        yield types.CodeAction(
            title=offer.title,
            kind=ActionKind.REPAIR.value,
            diagnostics=[d for d in about if d.code == code and d.range == shown] or None,
            edit=view.workspace_edit([edit]),
        )


def _text(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _is_within(kind: str, wanted: str) -> bool:
    return wanted in {"", kind} or kind.startswith(f"{wanted}.")


def _code_action(
    view: View, action: Action, *, about: Sequence[types.Diagnostic], moved: Migration
) -> types.CodeAction:
    edit = None
    if action.edits:
        edits = [types.TextEdit(view.range(e.span, moved), e.text) for e in action.edits]
        edit = view.workspace_edit(edits)
    command = None
    if action.shown is not None:
        command = commands.click(
            action.title, action.shown, view.uri, lambda s: view.range(s, moved)
        )
    meant = [d for d in about if action.about and d.data == action.about]
    return types.CodeAction(
        title=action.title,
        kind=action.kind.value,
        diagnostics=meant or None,
        edit=edit,
        command=command,
    )


def _more(
    view: View, place: types.Range, kind: types.CodeActionKind | str | None
) -> types.CodeAction:
    """Return the last entry of a menu, with the kind of the one before, to stay beside it."""
    command = types.Command(
        _MORE, protocol.SHOW_ACTIONS, arguments=[view.uri, commands.plain(place)]
    )
    return types.CodeAction(title=_MORE, kind=kind, command=command)


REQUEST = Request(
    types.TEXT_DOCUMENT_CODE_ACTION,
    on_code_action,
    types.CodeActionOptions(code_action_kinds=[kind.value for kind in ActionKind]),
)
