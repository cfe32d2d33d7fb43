"""From a text to tokens, coarsely, for any of the languages: what colouring and folding need.

Comments are told apart from pragmas (`--%PROPERTY x`), whose names count as uses.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Final

from mutproof.base.record import dataclass
from mutproof.base.span import Span


class Lexeme(Enum):
    """Tell apart what tokens are, as far as colouring and searching need it."""

    WORD = "word"
    NUMBER = "number"
    COMMENT = "comment"
    PRAGMA = "pragma"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class LexicalToken:
    """Hold a token; white space and brackets make none."""

    kind: Lexeme
    span: Span
    text: str


COMMENT: Final = r"--(?!%)[^\r\n]*|\(\*(?s:.*?)(?:\*\)|\Z)|/\*(?s:.*?)(?:\*/|\Z)"
_PRAGMA: Final = r"--%(?:PROPERTY|MAIN|REALIZABLE|IVC|[A-Za-z]*)"
_NUMBER: Final = r"[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?)?(?![A-Za-z_])"
_OPERATOR: Final = r"->|=>|<=|>=|<>|<->|!=|:=|<<|>>|::|\.\.|[-+*/<>=&|!?^]"


@dataclass(frozen=True, slots=True)
class Lexis:
    """Say what the words of a language are, as regular expressions.

    `word` matches names and keywords in any text, `name` all of what may be declared. The
    `keywords` are in the order in which editors propose them. The main component is called `main`,
    where it has to be.
    """

    comment: str = COMMENT
    word: str = r"[A-Za-z_~!][A-Za-z0-9_~!]*"
    name: str = r"[A-Za-z_][A-Za-z0-9_]*"
    keywords: tuple[str, ...] = ()
    main: str = ""


@lru_cache(maxsize=16)
def _lexer(lexis: Lexis) -> re.Pattern[str]:
    return re.compile(
        f"(?P<comment>{lexis.comment})|(?P<pragma>{_PRAGMA})|(?P<number>{_NUMBER})"
        f"|(?P<word>{lexis.word})|(?P<operator>{_OPERATOR})"
    )


@lru_cache(maxsize=16)
def tokens(text: str, lexis: Lexis) -> tuple[LexicalToken, ...]:
    """Return the tokens of a text; characters that begin none are skipped."""
    found = []
    for match in _lexer(lexis).finditer(text):
        kind = Lexeme(match.lastgroup)
        found.append(LexicalToken(kind, Span(match.start(), match.end()), match.group()))
    return tuple(found)


@lru_cache(maxsize=16)
def words(text: str, lexis: Lexis) -> dict[str, tuple[Span, ...]]:
    """Return where every identifier and keyword of a text occurs."""
    found: dict[str, list[Span]] = {}
    for token in tokens(text, lexis):
        # A word after a dot is a field of a record.
        if token.kind is Lexeme.WORD and text[token.span.start - 1 : token.span.start] != ".":
            found.setdefault(token.text, []).append(token.span)
    return {word: tuple(spans) for word, spans in found.items()}
