"""The colour of every name, which a grammar of regular expressions cannot know."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from mutproof.base.span import Span
from mutproof.ide.names import Declared, Kind, Names
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
    STATED = "documentation"  # the name is a property that is proved or to be proved


_KINDS: Final = {
    Kind.COMPONENT: TokenKind.COMPONENT,
    Kind.FUNCTION: TokenKind.COMPONENT,
    Kind.TYPE: TokenKind.TYPE,
    Kind.FIELD: TokenKind.FIELD,
    Kind.ENUM_VALUE: TokenKind.ENUM_VALUE,
    Kind.CONSTANT: TokenKind.VARIABLE,
    Kind.INPUT: TokenKind.INPUT,
    Kind.OUTPUT: TokenKind.VARIABLE,
    Kind.LOCAL: TokenKind.VARIABLE,
    Kind.MODULE: TokenKind.MODULE,
    Kind.PARAMETER: TokenKind.INPUT,
    Kind.STATE: TokenKind.VARIABLE,
    Kind.FROZEN: TokenKind.VARIABLE,
    Kind.INSTANCE: TokenKind.VARIABLE,
    Kind.DEFINE: TokenKind.MACRO,
    Kind.PROPERTY: TokenKind.FIELD,
}


_READONLY: Final = frozenset({Kind.CONSTANT, Kind.ENUM_VALUE, Kind.INPUT, Kind.FROZEN})


@dataclass(frozen=True, slots=True)
class SemanticToken:
    """Hold a token within one line."""

    span: Span
    kind: TokenKind
    modifiers: tuple[Modifier, ...] = ()


def semantic_tokens(names: Names, provenance: Provenance) -> tuple[SemanticToken, ...]:
    """Return the names of a text with what they mean, in the order of the text."""
    found: dict[Span, SemanticToken] = {}
    for declared in names.declared:
        found[declared.name] = _token(declared.name, declared, provenance, Modifier.DECLARATION)
    for use in names.uses:
        extra = (Modifier.MODIFICATION,) if use.is_write else ()
        found[use.span] = _token(use.span, use.declared, provenance, *extra)
    return tuple(found[span] for span in sorted(found))


def _token(
    span: Span, declared: Declared, provenance: Provenance, *extra: Modifier
) -> SemanticToken:
    modifiers = list(extra)
    if declared.kind in _READONLY:
        modifiers.append(Modifier.READONLY)
    key = f"{declared.container}.{declared.text}"
    if declared.kind is Kind.PROPERTY or key in provenance.properties:
        modifiers.append(Modifier.STATED)
    return SemanticToken(span, _KINDS[declared.kind], tuple(modifiers))
