"""Semantic tokens: the kind of every name, which a grammar of regular expressions cannot know."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from mutproof.base.giving_way import give_way
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide.names import Declared, NameKind, Names
from mutproof.model.provenance import Provenance


class TokenKind(Enum):
    """Name the kinds of tokens; the values are those of the protocol's legend."""

    COMPONENT = "function"
    TYPE = "type"
    FIELD = "property"
    ENUM_VALUE = "enumMember"
    INPUT = "parameter"
    VARIABLE = "variable"
    MODULE = "class"
    MACRO = "macro"


class Modifier(Enum):
    """Name what modifies a token; the values are those of the protocol's legend."""

    DECLARATION = "declaration"
    READONLY = "readonly"
    MODIFICATION = "modification"
    STATED = "documentation"  # the name is a property


_KINDS: Final = {
    NameKind.COMPONENT: TokenKind.COMPONENT,
    NameKind.FUNCTION: TokenKind.COMPONENT,
    NameKind.TYPE: TokenKind.TYPE,
    NameKind.FIELD: TokenKind.FIELD,
    NameKind.ENUM_VALUE: TokenKind.ENUM_VALUE,
    NameKind.CONSTANT: TokenKind.VARIABLE,
    NameKind.INPUT: TokenKind.INPUT,
    NameKind.OUTPUT: TokenKind.VARIABLE,
    NameKind.LOCAL: TokenKind.VARIABLE,
    NameKind.MODULE: TokenKind.MODULE,
    NameKind.PARAMETER: TokenKind.INPUT,
    NameKind.STATE: TokenKind.VARIABLE,
    NameKind.FROZEN: TokenKind.VARIABLE,
    NameKind.INSTANCE: TokenKind.VARIABLE,
    NameKind.DEFINE: TokenKind.MACRO,
    NameKind.PROPERTY: TokenKind.FIELD,
}


_READONLY: Final = frozenset(
    {NameKind.CONSTANT, NameKind.ENUM_VALUE, NameKind.INPUT, NameKind.FROZEN}
)


@dataclass(frozen=True, slots=True)
class SemanticToken:
    """Hold a token within one line."""

    span: Span
    kind: TokenKind
    modifiers: tuple[Modifier, ...] = ()


class PlacedToken(NamedTuple):
    """Hold a token as numbers: 0-based offsets, and what it is."""

    start: int
    end: int
    kind: TokenKind
    modifiers: tuple[Modifier, ...]


def semantic_tokens(names: Names, provenance: Provenance) -> tuple[SemanticToken, ...]:
    """Return the names of a text with what they mean, in the order of the text."""
    return tuple(
        SemanticToken(Span(start, end), kind, modifiers)
        for start, end, kind, modifiers in marks(names, provenance)
    )


def marks(names: Names, provenance: Provenance) -> list[PlacedToken]:
    """Return the names of a text with what they mean, in the order of the text."""
    found: dict[tuple[int, int], PlacedToken] = {}
    kinds: dict[int, tuple[TokenKind, tuple[Modifier, ...], tuple[Modifier, ...]]] = {}
    for declared in names.declared:
        give_way()
        kind, modifiers = _KINDS[declared.kind], _modifiers(declared, provenance)
        kinds[id(declared)] = kind, modifiers, (Modifier.MODIFICATION, *modifiers)
        span = declared.name
        own = (Modifier.DECLARATION, *modifiers)
        found[span.start, span.end] = PlacedToken(span.start, span.end, kind, own)
    for use in names.uses:
        give_way()
        kind, reads, writes = kinds[id(use.declared)]
        span = use.span
        mark = PlacedToken(span.start, span.end, kind, writes if use.is_write else reads)
        found[span.start, span.end] = mark
    return [found[place] for place in sorted(found)]


def _modifiers(declared: Declared, provenance: Provenance) -> tuple[Modifier, ...]:
    modifiers = []
    if declared.kind in _READONLY:
        modifiers.append(Modifier.READONLY)
    key = f"{declared.container}.{declared.text}"
    if declared.kind is NameKind.PROPERTY or key in provenance.properties:
        modifiers.append(Modifier.STATED)
    return tuple(modifiers)
