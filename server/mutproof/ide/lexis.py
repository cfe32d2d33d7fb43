"""From a text to tokens, coarsely, for any of the languages: what colouring and folding need.

Comments are told apart from pragmas (`--%PROPERTY x`), whose names count as uses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from mutproof.base.span import Span


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
    r"|(?P<pragma>--%(?:PROPERTY|MAIN|REALIZABLE|IVC|[A-Za-z]*))"
    r"|(?P<number>[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?)?(?![A-Za-z_]))"
    r"|(?P<word>[A-Za-z_~!][A-Za-z0-9_~!]*)"
    r"|(?P<operator>->|=>|<=|>=|<>|<->|!=|:=|<<|>>|::|\.\.|[-+*/<>=&|!?^])"
)
_LEXERS: Final = {
    "lustre": re.compile(_COMMENTS + ")" + _REST),
    "nusmv": re.compile(
        _COMMENTS
        + r"|/--(?s:.*?)(?:--/|\Z))"
        + _REST.replace("[A-Za-z_~!][A-Za-z0-9_~!]", r"[A-Za-z_~][A-Za-z0-9_$#\-]")
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
