"""Colours and outline of one version of a text, ready to be sent.

Made on the reading thread. While a text does not parse, what was drawn of the last one that did
is kept and moved to where its text is now: what is being typed does not lose its colours.
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
"""How much text may lie between edits of which none parses before the newest text is drawn."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Hold what is drawn of a version; `is_sound`: that version parses."""

    source: SourceText
    colours: Colours
    outline: Outline
    is_sound: bool


def drawing(elaborated: Elaborated, names: Names, encoding: Encoding) -> Drawing:
    """Return what is drawn of a version that was read."""
    source, provenance = elaborated.parsed.source, elaborated.provenance
    return Drawing(
        source,
        colours.colours(names, provenance, source, encoding),
        outline.outline(_shown(symbols.symbols(names, provenance)), source, encoding),
        is_sound(elaborated),
    )


def _shown(found: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """Return the symbols without local variables if there are too many to look through.

    Their equations stay, and are called like them.
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
    """Tell whether a drawing says more than one of a newer version would; `moved` to there."""
    if known is None or not known.is_sound or is_sound(elaborated) or not moved.edits:
        return False
    first, last = moved.edits[0], moved.edits[-1]
    added = sum(edit.length for edit in moved.edits)
    return last.end - first.start + added <= FAR_CHARACTERS
