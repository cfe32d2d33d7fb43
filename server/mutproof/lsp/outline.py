"""The outline of a text as JSON, in which an edit only renumbers lines that moved.

It is written once for a version of the text, in blocks of consecutive symbols. After an edit the
blocks before it are unchanged, those after it get other line numbers, and only symbols near the
edit are placed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lsprotocol import types

from mutproof.base.giving_way import give_way
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide.names import NameKind
from mutproof.ide.symbols import Symbol
from mutproof.lsp import convert, wire
from mutproof.lsp.convert import Encoding
from mutproof.lsp.regions import Regions
from mutproof.workspace.snapshot import Migration

BLOCK: Final = 200
"""Symbols of a block."""

KINDS: Final = {
    NameKind.COMPONENT: types.SymbolKind.Class,
    NameKind.FUNCTION: types.SymbolKind.Function,
    NameKind.TYPE: types.SymbolKind.Struct,
    NameKind.FIELD: types.SymbolKind.Field,
    NameKind.ENUM_VALUE: types.SymbolKind.EnumMember,
    NameKind.CONSTANT: types.SymbolKind.Constant,
    NameKind.INPUT: types.SymbolKind.Variable,
    NameKind.OUTPUT: types.SymbolKind.Variable,
    NameKind.LOCAL: types.SymbolKind.Variable,
    NameKind.MODULE: types.SymbolKind.Module,
    NameKind.PARAMETER: types.SymbolKind.Variable,
    NameKind.STATE: types.SymbolKind.Variable,
    NameKind.FROZEN: types.SymbolKind.Constant,
    NameKind.INSTANCE: types.SymbolKind.Object,
    NameKind.DEFINE: types.SymbolKind.Function,
    NameKind.PROPERTY: types.SymbolKind.Property,
}
_PLACES: Final = (
    '"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},'
    '"selectionRange":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}'
)


@dataclass(frozen=True, slots=True)
class Block:
    """Hold consecutive symbols.

    `spans` are whole and name of each, in the text that `numbers` place them in; `form` takes
    the numbers. `start` and `end` are what the spans cover.
    """

    form: str
    spans: tuple[Span, ...]
    numbers: tuple[int, ...]
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """Hold the outline of one version of a text."""

    source: SourceText
    encoding: Encoding
    blocks: tuple[Block, ...]


def kind(symbol: Symbol) -> types.SymbolKind:
    """Return the protocol's kind of a symbol."""
    if symbol.kind is not None:
        return KINDS[symbol.kind]
    return types.SymbolKind.Property if symbol.is_property else types.SymbolKind.Operator


def outline(symbols: tuple[Symbol, ...], source: SourceText, encoding: Encoding) -> Outline:
    """Return the outline of a version of a text."""
    blocks: list[Block] = []
    form: list[str] = []
    spans: list[Span] = []
    for text, placed in _parts(symbols):
        form.append(text)
        spans.extend(placed)
        if len(spans) >= 2 * BLOCK:
            blocks.append(_block("".join(form), tuple(spans), source, encoding))
            form, spans = [], []
    blocks.append(_block("".join(form), tuple(spans), source, encoding))
    return Outline(source, encoding, tuple(blocks))


def written(found: Outline, source: SourceText, migration: Migration) -> wire.Wire:
    """Return the outline with its symbols where they are in a later text."""
    if not migration.edits:
        return wire.Wire("".join(block.text for block in found.blocks))
    regions = Regions(found.source, source, migration)
    parts = []
    for block in found.blocks:
        shift = regions.shift(block.start, block.end)
        if shift is None:
            numbers = _near(block, found, source, migration, regions=regions)
            parts.append(block.form % numbers)
        elif shift == 0:
            parts.append(block.text)
        else:
            moved = list(block.numbers)
            moved[::2] = [number + shift for number in moved[::2]]
            parts.append(block.form % tuple(moved))
    return wire.Wire("".join(parts))


def _near(
    block: Block, found: Outline, source: SourceText, migration: Migration, *, regions: Regions
) -> tuple[int, ...]:
    """Return the numbers of a block in which some symbols are near an edit."""
    numbers = list(block.numbers)
    for index, span in enumerate(block.spans):
        shift = regions.shift(span.start, span.end)
        if shift is None:
            begin = 4 * index
            numbers[begin : begin + 4] = _numbers(migration.span(span), source, found.encoding)
        elif shift:
            numbers[4 * index] += shift
            numbers[4 * index + 2] += shift
    return tuple(numbers)


def _block(form: str, spans: tuple[Span, ...], source: SourceText, encoding: Encoding) -> Block:
    give_way()
    numbers = tuple([n for span in spans for n in _numbers(span, source, encoding)])
    start = min((span.start for span in spans), default=0)
    end = max((span.end for span in spans), default=0)
    return Block(form, spans, numbers, form % numbers, start, end)


def _numbers(span: Span, source: SourceText, encoding: Encoding) -> tuple[int, int, int, int]:
    line, column = convert.place(source, span.start, encoding)
    last, end = convert.place(source, span.end, encoding)
    return line, column, last, end


def _parts(symbols: tuple[Symbol, ...]) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield the JSON of symbols in pieces, with gaps for numbers and the spans that fill these."""
    yield "[", ()
    # To be written, last first: symbols, or text that closes some.
    stack: list[Symbol | str] = ["]", *_separated(symbols)]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part, ()
            continue
        give_way()
        head = {"name": part.label, "kind": kind(part).value}
        if part.detail:
            head["detail"] = part.detail
        text = wire.text(head)[:-1].replace("%", "%%")
        if part.children:
            yield f'{text},{_PLACES},"children":[', (part.whole, part.name)
            stack.append("]}")
            stack.extend(_separated(part.children))
        else:
            yield f"{text},{_PLACES}}}", (part.whole, part.name)


def _separated(symbols: tuple[Symbol, ...]) -> Iterator[Symbol | str]:
    """Yield symbols with commas between them, last first."""
    for number, symbol in enumerate(reversed(symbols)):
        if number:
            yield ","
        yield symbol
