"""Names in a text: which thing an identifier means, where it is declared and used.

Works on the provenance and on the identifiers of the text, so it serves every language and a
text with errors. Comments are skipped, pragmas (`--%PROPERTY x`) are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from mutproof.base.span import Span
from mutproof.model.language import Elaborated


class Kind(Enum):
    """Say what a name names."""

    VARIABLE = "variable"
    COMPONENT = "component"


@dataclass(frozen=True, slots=True)
class Name:
    """Hold one occurrence of a name; `declared` is the declaring occurrence.

    `component` is the component that declares a variable, or is the named one.
    """

    text: str
    span: Span
    kind: Kind
    component: str
    declared: Span


class Lexeme(Enum):
    """Tell apart what tokens are, as far as colouring and searching need it."""

    WORD = "word"
    NUMBER = "number"
    COMMENT = "comment"
    PRAGMA = "pragma"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Token:
    """Hold a token; white space and brackets make none."""

    kind: Lexeme
    span: Span
    text: str


_COMMENTS: Final = r"(?P<comment>--(?!%)[^\r\n]*|\(\*(?s:.*?)(?:\*\)|\Z)|/\*(?s:.*?)(?:\*/|\Z)"
_REST: Final = (
    r"|(?P<pragma>--%[A-Za-z]*)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?)?(?![A-Za-z_]))"
    r"|(?P<word>[A-Za-z_~][A-Za-z0-9_~!]*)"
    r"|(?P<operator>->|=>|<=|>=|<>|<->|!=|:=|<<|>>|::|\.\.|[-+*/<>=&|!?^])"
)
_LEXERS: Final = {
    "lustre": re.compile(_COMMENTS + ")" + _REST),
    "nusmv": re.compile(
        _COMMENTS
        + r"|/--(?s:.*?)(?:--/|\Z))"
        + _REST.replace("[A-Za-z0-9_~!]", r"[A-Za-z0-9_$#\-]")
    ),
}


@lru_cache(maxsize=16)
def tokens(text: str, language: str) -> tuple[Token, ...]:
    """Return the tokens of a text; characters that begin none are skipped."""
    lexer = _LEXERS.get(language, _LEXERS["lustre"])
    found = []
    for match in lexer.finditer(text):
        kind = Lexeme(match.lastgroup)
        found.append(Token(kind, Span(match.start(), match.end()), match.group()))
    return tuple(found)


@lru_cache(maxsize=16)
def words(text: str, language: str) -> dict[str, tuple[Span, ...]]:
    """Return where every identifier and keyword of a text occurs."""
    found: dict[str, list[Span]] = {}
    for token in tokens(text, language):
        # A word behind a dot is a field of a record.
        if token.kind is Lexeme.WORD and text[token.span.start - 1 : token.span.start] != ".":
            found.setdefault(token.text, []).append(token.span)
    return {word: tuple(spans) for word, spans in found.items()}


def word_at(elaborated: Elaborated, offset: int) -> tuple[str, Span] | None:
    """Return the identifier at or just before a 0-based offset."""
    text = elaborated.parsed.source.content
    for word, spans in words(text, language_name(elaborated)).items():
        for span in spans:
            if span.contains(offset):
                return word, span
    return None


def language_name(elaborated: Elaborated) -> str:
    """Return the name of the language, as the program or else the file's suffix has it."""
    if elaborated.program is not None:
        return elaborated.program.language
    return "nusmv" if elaborated.parsed.source.name.lower().endswith(".smv") else "lustre"


def component_at(elaborated: Elaborated, offset: int) -> str | None:
    """Return the component whose declaration covers an offset."""
    for name, span in elaborated.provenance.component_bodies.items():
        if span.contains(offset):
            return name
    return None


def at(elaborated: Elaborated, offset: int) -> Name | None:
    """Return the declared name at a 0-based offset; None for anything else."""
    found = word_at(elaborated, offset)
    if found is None:
        return None
    text, span = found
    provenance = elaborated.provenance
    component = component_at(elaborated, offset)
    if component is not None:
        declared = provenance.variables.get((component, text))
        if declared is not None:
            return Name(text, span, Kind.VARIABLE, component, declared)
    declared = provenance.components.get(text)
    if declared is not None:
        return Name(text, span, Kind.COMPONENT, text, declared)
    return None


def uses(elaborated: Elaborated, name: Name) -> tuple[Span, ...]:
    """Return all occurrences of a name, its declaration included, in order."""
    text = elaborated.parsed.source.content
    spans = words(text, language_name(elaborated)).get(name.text, ())
    provenance = elaborated.provenance
    if name.kind is Kind.VARIABLE:
        body = provenance.component_bodies[name.component]
        return tuple(span for span in spans if body.covers(span))
    shadowing = [
        provenance.component_bodies[component]
        for component, variable in provenance.variables
        if variable == name.text
    ]
    return tuple(span for span in spans if not any(body.covers(span) for body in shadowing))
