"""Code actions: what can be done about a selection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lsprotocol import types

from mutproof.base.span import Span
from mutproof.ide import actions
from mutproof.ide.action import Action, ActionKind, Selection
from mutproof.lsp import commands
from mutproof.lsp.request import Request
from mutproof.lsp.view import View
from mutproof.workspace.snapshot import Migration

_KINDS: Final = {
    ActionKind.QUICK_FIX: types.CodeActionKind.QuickFix,
    ActionKind.REWRITE: types.CodeActionKind.RefactorRewrite,
    ActionKind.SHOW: types.CodeActionKind.QuickFix,
}


async def on_code_action(view: View, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Answer what can be done about a selection."""
    verdicts, moved = view.document.verdicts, view.document.since_good
    if verdicts is None:
        return []
    start = view.offset(params.range.start, moved)
    end = max(start, view.offset(params.range.end, moved))
    wanted = params.context.only
    found = []
    for action in actions.actions(Selection(verdicts, Span(start, end))):
        kind = _KINDS[action.kind]
        if wanted and not any(_is_within(kind, one) for one in wanted):
            continue
        if any(moved.touches(edit.span) for edit in action.edits):
            continue  # the text there is being changed; what would be replaced is not what it was
        found.append(
            _code_action(view, action, kind=kind, about=params.context.diagnostics, moved=moved)
        )
    return found


def _is_within(kind: str, wanted: str) -> bool:
    return wanted in {"", kind} or kind.startswith(f"{wanted}.")


def _code_action(
    view: View,
    action: Action,
    *,
    kind: types.CodeActionKind,
    about: Sequence[types.Diagnostic],
    moved: Migration,
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
        title=action.title, kind=kind, diagnostics=meant or None, edit=edit, command=command
    )


REQUEST = Request(
    types.TEXT_DOCUMENT_CODE_ACTION,
    on_code_action,
    types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite]
    ),
)
