"""Formatting: a text, some of its lines, or the line that was just typed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from lsprotocol import types

from mutproof.ide import formatting
from mutproof.lsp import convert
from mutproof.lsp.request import Request
from mutproof.lsp.view import View
from mutproof.model.editing import TextEdit
from mutproof.model.formatting import Layout

WIDEST_TAB = 16


async def on_formatting(
    view: View, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    """Answer the edits that format the text."""
    source, language = view.source, view.document.snapshot.language
    found = await asyncio.to_thread(formatting.edits, source, language, _style(params.options))
    return _answer(view, found) if view.source is source else None


async def on_range_formatting(
    view: View, params: types.DocumentRangeFormattingParams
) -> list[types.TextEdit] | None:
    """Answer the edits that format the lines of a range."""
    first, last = params.range.start, params.range.end
    # A selection of whole lines ends at the start of the next line.
    end = last.line - 1 if last.character == 0 and last.line > first.line else last.line
    return await _format_lines(view, params.options, (first.line, end))


async def on_type_formatting(
    view: View, params: types.DocumentOnTypeFormattingParams
) -> list[types.TextEdit] | None:
    """Answer the edits that format the line that a line break or a semicolon has ended."""
    line = params.position.line - (params.ch == "\n")
    return await _format_lines(view, params.options, (line, line))


async def _format_lines(
    view: View, options: types.FormattingOptions, lines: tuple[int, int]
) -> list[types.TextEdit] | None:
    source, language = view.source, view.document.snapshot.language
    if lines[0] < 0:
        return []
    style = _style(options)
    found = await asyncio.to_thread(formatting.edits_in, source, language, style, lines)
    return _answer(view, found) if view.source is source else None


def _style(options: types.FormattingOptions) -> Layout:
    return Layout(max(1, min(options.tab_size, WIDEST_TAB)), tabs=not options.insert_spaces)


def _answer(view: View, edits: Iterable[TextEdit]) -> list[types.TextEdit]:
    return [
        types.TextEdit(convert.range_(view.source, edit.span, view.encoding), edit.text)
        for edit in edits
    ]


TEXT = Request(types.TEXT_DOCUMENT_FORMATTING, on_formatting, nothing=lambda _: None)
RANGE = Request(types.TEXT_DOCUMENT_RANGE_FORMATTING, on_range_formatting, nothing=lambda _: None)
TYPED = Request(
    types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
    on_type_formatting,
    types.DocumentOnTypeFormattingOptions(";", ["\n"]),
    nothing=lambda _: None,
)
