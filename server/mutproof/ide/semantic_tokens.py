"""The colour of every token that a grammar of regular expressions cannot know."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mutproof.base.span import Span
from mutproof.ide import names
from mutproof.model.language import Elaborated
from mutproof.model.program import VariableKind


class TokenKind(Enum):
    """Name the kinds of tokens; the values are those of the protocol's legend."""

    COMPONENT = "function"
    INPUT = "parameter"
    VARIABLE = "variable"
    PROPERTY = "property"


@dataclass(frozen=True, slots=True)
class SemanticToken:
    """Hold a token within one line."""

    span: Span
    kind: TokenKind
    is_declaration: bool


def semantic_tokens(elaborated: Elaborated) -> tuple[SemanticToken, ...]:
    """Return the names of a text with what they mean, in the order of the text."""
    provenance = elaborated.provenance
    text = elaborated.parsed.source.content
    occurrences = names.words(text, names.language_name(elaborated))
    found: dict[Span, SemanticToken] = {}
    for name, declared in provenance.components.items():
        for span in occurrences.get(name, ()):
            found[span] = SemanticToken(span, TokenKind.COMPONENT, span == declared)
    kinds = _kinds(elaborated)
    for (component, name), declared in provenance.variables.items():
        body = provenance.component_bodies.get(component)
        kind = kinds.get((component, name), TokenKind.VARIABLE)
        for span in occurrences.get(name, ()):
            if body is not None and body.covers(span):
                found[span] = SemanticToken(span, kind, span == declared)
    return tuple(found[span] for span in sorted(found))


def _kinds(elaborated: Elaborated) -> dict[tuple[str, str], TokenKind]:
    if elaborated.program is None:
        return {}
    kinds = {}
    for component in elaborated.program.components:
        stated = {prop.name for prop in component.properties}
        for variable in component.variables:
            if variable.name in stated:
                kind = TokenKind.PROPERTY
            elif variable.kind is VariableKind.INPUT:
                kind = TokenKind.INPUT
            else:
                kind = TokenKind.VARIABLE
            kinds[component.name, variable.name] = kind
    return kinds
