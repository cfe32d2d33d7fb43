"""Requests of the client, answered from snapshots; nothing here solves or waits for solving."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from mutproof.base.span import Span
from mutproof.ide import (
    actions,
    completion,
    folding,
    hover,
    inlay_hints,
    navigation,
    rename,
    symbols,
)
from mutproof.ide.action import Action, ActionKind, Selection
from mutproof.ide.code_lenses import Lens
from mutproof.lsp import colours, commands, convert, outline, wire
from mutproof.lsp.colours import Data
from mutproof.lsp.convert import Encoding
from mutproof.lsp.session import Session
from mutproof.lsp.view import View
from mutproof.lsp.wire import Wire
from mutproof.workspace.snapshot import Migration

MAX_PLACES_AHEAD: Final = 1_000
"""How many places lenses may list before they are looked up on demand."""
LINES_AROUND: Final = 15
"""How many lines before and after a place are looked at too."""
_COMPLETIONS: Final = {
    completion.CompletionKind.VARIABLE: types.CompletionItemKind.Variable,
    completion.CompletionKind.COMPONENT: types.CompletionItemKind.Function,
    completion.CompletionKind.TYPE: types.CompletionItemKind.Struct,
    completion.CompletionKind.CONSTANT: types.CompletionItemKind.Constant,
    completion.CompletionKind.KEYWORD: types.CompletionItemKind.Keyword,
    completion.CompletionKind.FIELD: types.CompletionItemKind.Field,
}
_CODE_ACTIONS: Final = {
    ActionKind.QUICK_FIX: types.CodeActionKind.QuickFix,
    ActionKind.REWRITE: types.CodeActionKind.RefactorRewrite,
    ActionKind.SHOW: types.CodeActionKind.QuickFix,
}


Handler = Callable[[View, Any], Coroutine[Any, Any, Any]]


def look(view: View, params: Any) -> None:
    """Take note of the lines that a request is about, and of what is around a single place."""
    place = getattr(params, "position", None)
    asked = getattr(params, "range", None) or (place and types.Range(place, place))
    if asked is not None:
        first, last = asked.start.line, asked.end.line
        around = 0 if last - first > LINES_AROUND else LINES_AROUND
        view.session.look(view.document, max(0, first - around), last + around)


async def on_hover(view: View, params: types.HoverParams) -> types.Hover | None:
    """Answer what is known about a place."""
    verdicts, moved = view.document.verdicts, view.document.since_good
    if verdicts is None:
        return None
    names = view.document.names(verdicts.analysed.elaborated)
    found = hover.hover(verdicts, names, view.offset(params.position, moved))
    if found is None:
        return None
    markup = types.MarkupContent(types.MarkupKind.Markdown, found.markdown)
    return types.Hover(markup, view.range(found.span, moved))


async def on_code_lens(view: View, _: types.CodeLensParams) -> Wire:
    """Answer the verdicts of properties, equations and nodes.

    Where clicks would list very many places, lenses are written when they come into view.
    """
    view.session.seen(view.uri)
    if view.document.snapshot.good is None:
        await view.session.fresh(view.document)
    if not view.session.settings.code_lens:
        return wire.listed(())
    moved = view.document.since_good
    written = view.written(moved)
    lenses = view.document.lenses
    if sum(lens.size for lens in lenses) > MAX_PLACES_AHEAD:
        uri = wire.text(view.uri)
        return wire.listed(
            f'{{"range":{written(lens.span)},"data":[{uri},{wire.text(lens.key)}]}}'
            for lens in lenses
        )
    return wire.listed(
        f'{{"range":{written(lens.span)},"command":{wire.command(_click(view, lens, moved))}}}'
        for lens in lenses
    )


def resolved_lens(view: View | None, asked: types.CodeLens, key: str) -> types.CodeLens:
    """Return a lens with what it says and shows now; it says nothing once it is gone."""
    command = types.Command("", "")
    if view is not None:
        for lens in view.document.lenses:
            if lens.key == key:
                command = _click(view, lens, view.document.since_good)
    return types.CodeLens(asked.range, command, asked.data)


def _click(view: View, lens: Lens, moved: Migration) -> types.Command:
    return commands.click(lens.title, lens.shown, view.uri, lambda s: view.range(s, moved))


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
        kind = _CODE_ACTIONS[action.kind]
        if wanted and not any(_is_within(kind, one) for one in wanted):
            continue
        if any(moved.touches(edit.span) for edit in action.edits):
            continue  # the text there is being changed; what would be replaced is not what it was
        found.append(_code_action(view, action, kind, params.context.diagnostics, moved))
    return found


def _is_within(kind: str, wanted: str) -> bool:
    return wanted in {"", kind} or kind.startswith(f"{wanted}.")


def _code_action(
    view: View,
    action: Action,
    kind: types.CodeActionKind,
    diagnostics: Sequence[types.Diagnostic],
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
    about = [d for d in diagnostics if action.about and d.data == action.about]
    return types.CodeAction(
        title=action.title, kind=kind, diagnostics=about or None, edit=edit, command=command
    )


async def on_definition(
    view: View, params: types.DefinitionParams
) -> list[types.LocationLink] | types.Location | None:
    """Answer where a name is declared."""
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        return None
    target = navigation.definition(known.names, view.offset(params.position, known.moved))
    return (
        None if target is None else types.Location(view.uri, view.range(target.name, known.moved))
    )


async def on_references(view: View, params: types.ReferenceParams) -> list[types.Location]:
    """Answer where a name is used."""
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        return []
    spans = navigation.references(
        known.names,
        view.offset(params.position, known.moved),
        include_declaration=params.context.include_declaration,
    )
    return [types.Location(view.uri, view.range(span, known.moved)) for span in spans]


async def on_highlight(
    view: View, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    """Answer where the name under the cursor occurs."""
    known = view.known()
    if known is None:
        return []
    write, read = types.DocumentHighlightKind.Write, types.DocumentHighlightKind.Read
    return [
        types.DocumentHighlight(
            view.range(found.span, known.moved), write if found.is_write else read
        )
        for found in navigation.highlights(known.names, view.offset(params.position, known.moved))
    ]


async def on_document_symbol(view: View, _: types.DocumentSymbolParams) -> Wire:
    """Answer the outline."""
    drawing = await view.session.reader.drawing(view.document)
    if drawing is None:
        return wire.listed(())
    return outline.written(
        drawing.outline, view.source, view.document.journal.since(drawing.source)
    )


async def on_folding(view: View, _: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Answer what can be folded."""
    snapshot = await view.session.fresh(view.document)
    if snapshot.current is None or view.document.since_current.edits:
        return []
    return [
        types.FoldingRange(
            start_line=fold.first,
            end_line=fold.last,
            kind=types.FoldingRangeKind.Comment
            if fold.kind is folding.FoldKind.COMMENT
            else types.FoldingRangeKind.Region,
        )
        for fold in await asyncio.to_thread(
            folding.folds, snapshot.current, view.document.snapshot.language
        )
    ]


async def on_semantic_tokens(view: View, _: types.SemanticTokensParams) -> Wire:
    """Answer what every name means, as differences of positions."""
    identity, data = await _coloured(view)
    return Wire(f'{{"resultId":"{identity}","data":{colours.written(data)}}}')


async def on_semantic_tokens_delta(view: View, params: types.SemanticTokensDeltaParams) -> Wire:
    """Answer what changed about the colours that the client has."""
    known, before = view.document.sent
    identity, data = await _coloured(view)
    if known != params.previous_result_id:
        return Wire(f'{{"resultId":"{identity}","data":{colours.written(data)}}}')
    start, count, added = colours.difference(before, data)
    edit = f'{{"start":{start},"deleteCount":{count},"data":{colours.written(added)}}}'
    edits = edit if count or added else ""
    return Wire(f'{{"resultId":"{identity}","edits":[{edits}]}}')


async def _coloured(view: View) -> tuple[str, Data]:
    """Return the colours of today's text with a name, by which the client will ask for others."""
    document = view.document
    drawing = await view.session.reader.drawing(document)
    data = array("I")
    if drawing is not None:
        data = colours.moved(drawing.colours, view.source, document.journal.since(drawing.source))
    document.sent = str(int(document.sent[0] or 0) + 1), data
    return document.sent


async def on_inlay_hint(view: View, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Answer the verdicts shown in the lines of a range."""
    view.session.seen(view.uri)
    verdicts, moved = view.document.verdicts, view.document.since_good
    if verdicts is None or not view.session.settings.inlay_hints:
        return []
    within = Span(view.offset(params.range.start, moved), view.offset(params.range.end, moved))
    return [
        types.InlayHint(
            position=view.range(Span(hint.offset, hint.offset), moved).start,
            label=hint.text,
            tooltip=hint.tooltip,
            padding_left=True,
        )
        for hint in inlay_hints.inlay_hints(verdicts, within)
    ]


async def on_completion(view: View, params: types.CompletionParams) -> Wire:
    """Answer what may be typed."""
    known = view.known()
    if known is None:
        return Wire('{"isIncomplete":false,"items":[]}')
    start = types.Position(params.position.line, 0)
    here = convert.offset(view.source, params.position, view.encoding)
    before = view.source.content[convert.offset(view.source, start, view.encoding) : here]
    found = completion.proposals(known.names, known.moved.back(here), before)
    items = wire.listed(map(_completion, found.items))
    return Wire(f'{{"isIncomplete":{wire.text(not found.is_complete)},"items":{items.text}}}')


def _completion(item: completion.Completion) -> str:
    shown = {"label": item.label, "kind": _COMPLETIONS[item.kind].value}
    return wire.text(shown | {"detail": item.detail} if item.detail else shown)


async def on_prepare_rename(view: View, params: types.PrepareRenameParams) -> types.Range | None:
    """Answer which name would be renamed."""
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        return None
    span = rename.prepare(known.names, view.offset(params.position, known.moved))
    return None if span is None else view.range(span, known.moved)


async def on_rename(view: View, params: types.RenameParams) -> types.WorkspaceEdit:
    """Answer the edits of a renaming.

    Raises:
        JsonRpcInvalidParams: the name cannot be used; the message says why.
    """
    await view.session.fresh(view.document)
    known = view.known()
    if known is None:
        raise JsonRpcInvalidParams("the text is not understood")
    found = rename.rename(known.names, view.offset(params.position, known.moved), params.new_name)
    if found.refusal:
        raise JsonRpcInvalidParams(found.refusal)
    edits = [types.TextEdit(view.range(span, known.moved), params.new_name) for span in found.spans]
    return view.workspace_edit(edits)


HANDLERS: Final[dict[str, tuple[Handler, Any]]] = {
    types.TEXT_DOCUMENT_HOVER: (on_hover, None),
    types.TEXT_DOCUMENT_CODE_LENS: (on_code_lens, types.CodeLensOptions(resolve_provider=False)),
    types.TEXT_DOCUMENT_CODE_ACTION: (
        on_code_action,
        types.CodeActionOptions(
            code_action_kinds=[
                types.CodeActionKind.QuickFix,
                types.CodeActionKind.RefactorRewrite,
            ]
        ),
    ),
    types.TEXT_DOCUMENT_DEFINITION: (on_definition, None),
    types.TEXT_DOCUMENT_REFERENCES: (on_references, None),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (on_highlight, None),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (on_document_symbol, None),
    types.TEXT_DOCUMENT_FOLDING_RANGE: (on_folding, None),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (
        on_semantic_tokens,
        types.SemanticTokensLegend(colours.TOKEN_KINDS, colours.MODIFIERS),
    ),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: (on_semantic_tokens_delta, None),
    types.TEXT_DOCUMENT_INLAY_HINT: (on_inlay_hint, None),
    types.TEXT_DOCUMENT_COMPLETION: (
        on_completion,
        types.CompletionOptions(trigger_characters=["."]),
    ),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (on_prepare_rename, None),
    types.TEXT_DOCUMENT_RENAME: (on_rename, types.RenameOptions(prepare_provider=True)),
}
"""Requests about one file: method, handler, registration options."""


def nothing(method: str) -> Any:
    """Return the answer about a file that is not open, or of no known language."""
    if method in {
        types.TEXT_DOCUMENT_HOVER,
        types.TEXT_DOCUMENT_DEFINITION,
        types.TEXT_DOCUMENT_PREPARE_RENAME,
        types.TEXT_DOCUMENT_RENAME,
    }:
        return None
    if method in {
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA,
    }:
        return types.SemanticTokens(data=[])
    return []


def workspace_symbols(
    session: Session, encoding: Encoding, query: str
) -> list[types.SymbolInformation]:
    """Return the symbols of all open files that match a query."""
    found = []
    for document in session.documents.values():
        view = View(session, document, encoding)
        known = view.known()
        if known is None:
            continue
        declared = symbols.symbols(known.names, known.elaborated.provenance)
        for symbol, owner in symbols.flattened(declared, query):
            location = types.Location(document.uri, view.range(symbol.name, known.moved))
            found.append(
                types.SymbolInformation(
                    location, symbol.label, outline.kind(symbol), container_name=owner or None
                )
            )
    return found
