"""The layout of Lustre: which words begin statements, and the spacing between words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mutproof.base.span import Span
from mutproof.languages.lustre.syntax import KEYWORDS
from mutproof.model.editing import TextEdit
from mutproof.model.formatting import Layout, Piece, Spacing, formatted

_WORD: Final = r"""
    (?P<COMMENT>--(?!%(?:PROPERTY|MAIN|REALIZABLE|IVC))[^\r\n]*?(?=[ \t]*(?:[\r\n]|\Z))
      |\(\*(?s:.*?)(?:\*\)|\Z)|/\*(?s:.*?)(?:\*/|\Z))
   |(?P<PRAGMA>--%(?:PROPERTY|MAIN|REALIZABLE|IVC))
   |(?P<ID>[A-Za-z_~!][A-Za-z0-9_~!]*+)
   |(?P<NUMBER>[0-9]++(?:\.[0-9]++(?:[eE][+-]?[0-9]++)?)?)
   |(?P<FOREIGN>"[^"\r\n]*"|//|&&|\|\||<<|>>|::|\.\.)
   |(?P<MARK>:=|->|=>|<=|>=|<>|[-+*/<>=(){}\[\],;:.])
   |(?P<OTHER>[^ \t\r\n\f\v\ufeff])
    """
"""A word, mark or comment; compiled when a text is formatted, which few processes do."""

_DECLARES: Final = frozenset({"node", "function", "type", "const", "var", "let", "tel"})
_ENDS: Final = frozenset({";", "let", "var", "tel", "--%MAIN"})
_OPENS: Final = frozenset("([{")
_CLOSES: Final = frozenset(")]}")
_BINARY: Final = frozenset({":=", "->", "=>", "<=", ">=", "<>", "+", "*", "/", "<", ">", "=", ":"})
_CALLED: Final = frozenset({"real", "floor", "condact", "int", "bool"})


def edits(text: str, style: Layout) -> tuple[TextEdit, ...]:
    """Return the edits that format a text."""
    return formatted(text, pieces, style)


def pieces(text: str) -> Sequence[Piece]:
    """Return the words, marks and comments of a text."""
    found: list[Piece] = []
    comments: list[int] = []  # indices of comments not yet followed by a word
    depth = inner = 0
    begins = True
    before = ""  # the word before, without comments
    was_prefix = False
    for match in re.finditer(_WORD, text, re.VERBOSE):
        word = match.group()
        span = Span(match.start(), match.end())
        if match.lastgroup == "COMMENT":
            comments.append(len(found))
            found.append(Piece(span, is_comment=True))
            continue
        declares = word in _DECLARES and before != "."
        if declares:
            depth = 0
            inner = 1 if word in {"var", "let"} else 0
        starts = (begins or declares) and word not in {";", "."}
        level = (0 if declares else inner) if starts else None
        for index in comments:
            # Comments before `tel` are still part of the body.
            above = 1 if word == "tel" else level
            found[index] = Piece(found[index].span, level=above, is_comment=True)
        comments.clear()
        prefix = word == "-" and not _ends_operand(before)
        gap = _gap(before, was_prefix, word)
        closes = word in _CLOSES or word == "returns"
        found.append(Piece(span, gap, level, closes))
        depth += (word in _OPENS) - (word in _CLOSES and depth > 0)
        begins = depth == 0 and (word in _ENDS or (before == "tel" and word == "."))
        before, was_prefix = word, prefix
    for index in comments:
        found[index] = Piece(found[index].span, level=inner, is_comment=True)
    return found


def _ends_operand(word: str) -> bool:
    is_name = word[:1].isalnum() or word[:1] in {"_", "~", "!"}
    return word in _CLOSES or (is_name and (word not in KEYWORDS or word in {"true", "false"}))


def _gap(before: str, was_prefix: bool, word: str) -> Spacing:
    if word in {",", ";", ")", "]", "}"} or before in {"(", "[", "{"}:
        return Spacing.NONE
    if "." in {word, before}:
        number = (before if word == "." else word)[:1].isdigit()
        return Spacing.KEPT if number else Spacing.NONE
    if was_prefix:
        return Spacing.ONE if word[:1] == "-" else Spacing.NONE
    if before in {",", ";"} or word in _BINARY or before in _BINARY or "-" in {word, before}:
        return Spacing.ONE
    if word in {"(", "["}:
        called = _ends_operand(before) or before in _CALLED
        return Spacing.NONE if called else Spacing.KEPT if before in {"not", "pre"} else Spacing.ONE
    if (_is_word(before) or before in _CLOSES) and _is_word(word):
        return Spacing.ONE
    return Spacing.KEPT


def _is_word(word: str) -> bool:
    return word[:1].isalnum() or word[:1] == "_"
