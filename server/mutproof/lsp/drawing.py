"""Colours and outline of one version of a text, ready to be sent.

Made on the reading thread. While a text does not parse, the drawing of the last one that did is
kept and moved to where its text is now, so that code does not lose its colours during typing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mutproof.base.diagnostics import has_errors
from mutproof.base.giving_way import by_steps
from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.ide import symbols
from mutproof.ide.names import NameKind, Names
from mutproof.ide.symbols import Symbol
from mutproof.lsp import colours, outline
from mutproof.lsp.colours import Colours
from mutproof.lsp.convert import Encoding
from mutproof.lsp.outline import Outline
from mutproof.model.language import Elaborated
from mutproof.workspace.snapshot import Migration

MAX_SYMBOLS: Final = 10_000
"""Symbols of an outline beyond which it leaves out local variables."""

FAR_CHARACTERS: Final = 2_000
"""How far apart edits may be, in characters, before a text that does not parse is drawn anew."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Hold colours and outline of a version; `is_sound`: that version parses."""

    source: SourceText
    colours: Colours
    outline: Outline
    is_sound: bool


def drawing(elaborated: Elaborated, names: Names, encoding: Encoding) -> Drawing:
    """Return colours and outline of a version that was read."""
    source, provenance = elaborated.parsed.source, elaborated.provenance
    return Drawing(
        source,
        colours.colours(names, provenance, source, encoding),
        outline.outline(_shown(symbols.symbols(names, provenance)), source, encoding),
        is_sound(elaborated),
    )


def _shown(found: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """Return the symbols, without local variables if there are too many.

    The equations of these stay, with the same names.
    """
    if sum(1 + len(symbol.children) for symbol in found) <= MAX_SYMBOLS:
        return found
    return tuple(
        replace(symbol, children=tuple(c for c in symbol.children if c.kind is not NameKind.LOCAL))
        for symbol in by_steps(found)
    )


def is_sound(elaborated: Elaborated) -> bool:
    """Tell whether a version parses."""
    return not has_errors(elaborated.parsed.diagnostics)


def outlasts(known: Drawing | None, elaborated: Elaborated, moved: Migration) -> bool:
    """Tell whether a drawing, `moved` to a newer version, is better than one of that version."""
    if known is None or not known.is_sound or is_sound(elaborated) or not moved.edits:
        return False
    first, last = moved.edits[0], moved.edits[-1]
    added = sum(edit.length for edit in moved.edits)
    return last.end - first.start + added <= FAR_CHARACTERS
