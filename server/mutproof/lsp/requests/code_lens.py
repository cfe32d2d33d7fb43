"""Lenses: the verdicts of properties, equations and nodes, above them."""

from __future__ import annotations

from typing import Final

from lsprotocol import types

from mutproof.ide.code_lenses import Lens
from mutproof.lsp import commands, wire
from mutproof.lsp.request import Request
from mutproof.lsp.view import View
from mutproof.lsp.wire import Wire
from mutproof.workspace.snapshot import Migration

MAX_PLACES_AHEAD: Final = 1_000
"""How many places lenses may list before they are looked up on demand."""


async def on_code_lens(view: View, _: types.CodeLensParams) -> Wire:
    """Answer the verdicts of properties, equations and nodes.

    Where lenses would list very many places, each gets its text and places when it comes into view.
    """
    view.session.seen(view.uri)
    if view.document.snapshot.good is None:
        await view.session.fresh(view.document)
    if not view.session.settings.code_lens:
        return wire.listed(())
    moved = view.document.since_good
    written = view.written(moved)
    lenses = [lens for lens in _all(view) if not moved.is_gone(lens.span)]
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


async def on_resolve(view: View, asked: types.CodeLens) -> types.CodeLens:
    """Answer a lens with its current text and places; with an empty text once it is gone."""
    _, key = _subject(asked)
    for lens in _all(view):
        if lens.key == key:
            command = _click(view, lens, view.document.since_good)
            return types.CodeLens(asked.range, command, asked.data)
    return _silent(asked)


def _all(view: View) -> tuple[Lens, ...]:
    kept = () if view.suites is None else view.suites.lenses(view.document)
    return (*view.document.lenses, *kept)


def _silent(asked: types.CodeLens) -> types.CodeLens:
    return types.CodeLens(asked.range, types.Command("", ""), asked.data)


def _subject(asked: types.CodeLens) -> tuple[str, str]:
    """Return the file and the key of a lens; empty texts if it has none."""
    match asked.data:
        case (str(uri), str(key)):
            return uri, key
    return "", ""


def _click(view: View, lens: Lens, moved: Migration) -> types.Command:
    return commands.click(lens.title, lens.shown, view.uri, lambda s: view.range(s, moved))


RESOLVE = Request(
    types.CODE_LENS_RESOLVE, on_resolve, nothing=_silent, file=lambda asked: _subject(asked)[0]
)
REQUEST = Request(
    types.TEXT_DOCUMENT_CODE_LENS, on_code_lens, types.CodeLensOptions(resolve_provider=False)
)
