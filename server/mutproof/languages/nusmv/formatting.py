"""The layout of NuSMV: which words begin statements, and the spacing between words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mutproof.base.span import Span
from mutproof.languages.nusmv.lexing import RESERVED
from mutproof.model.editing import TextEdit
from mutproof.model.formatting import Layout, Piece, Spacing, formatted

_WORD: Final = re.compile(
    r"""
    (?P<COMMENT>/--(?s:.*?)(?:--/|\Z)|--[^\n]*?(?=[ \t]*(?:\r?\n|\Z)))
   |(?P<NUMBER>0[us]?[bBoOdDhH][0-9]*_[0-9a-fA-F][0-9a-fA-F_]*
      |[fF]'[0-9]+/[0-9]+|[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+|[0-9]+\.[0-9]+|[0-9]+)
   |(?P<WORD>[A-Za-z_][A-Za-z0-9_$\#-]*|"[^"\n]*")
   |(?P<MARK>:=|::|\.\.|<->|<=|>=|<<|>>|!=|->|\|->|\|=>|&&|\|\||[-+*/&|=<>!()\[\]{},;:.?])
   |(?P<OTHER>[^ \t\r\n\f])
    """,
    re.VERBOSE,
)
_LISTS: Final = frozenset(
    {"VAR", "IVAR", "FROZENVAR", "FUN", "DEFINE", "MDEFINE", "ASSIGN", "CONSTANTS"}
    | {"CONSTRAINT", "ITYPE"}
)
_SECTIONS: Final = _LISTS | {
    *("MODULE", "INIT", "TRANS", "INVAR", "SPEC", "CTLSPEC", "LTLSPEC", "PSLSPEC", "INVARSPEC"),
    *("COMPUTE", "FAIRNESS", "JUSTICE", "COMPASSION", "ISA"),
}
_OPENS: Final = frozenset({"(", "[", "{", "case"})
_CLOSES: Final = frozenset({")", "]", "}", "esac"})
_BINARY: Final = frozenset(
    {":=", "::", "<->", "<=", ">=", "<<", ">>", "!=", "->", "&", "|", "=", "<", ">", "*", "/", "+"}
    | {"?", "&&", "||", "|->", "|=>"}
)
_OPERANDS: Final = frozenset({")", "]", "}", "esac", "TRUE", "FALSE", "self"})
_CALLED: Final = frozenset(
    {"init", "next", "word1", "bool", "extend", "uwconst", "swconst", "resize", "sizeof", "toint"}
    | {"abs", "count", "min", "max", "READ", "WRITE", "CONSTARRAY", "typeof", "signed", "unsigned"}
    | {"word"}
)


def edits(text: str, style: Layout) -> tuple[TextEdit, ...]:
    """Return the edits that format a text."""
    return formatted(text, pieces, style)


def pieces(text: str) -> Sequence[Piece]:
    """Return the words, marks and comments of a text."""
    found: list[Piece] = []
    comments: list[int] = []  # indices of comments not yet followed by a word
    opened: list[str] = []
    section = before = ""
    begins = True
    was_prefix = False
    for match in _WORD.finditer(text):
        word = match.group()
        span = Span(match.start(), match.end())
        if match.lastgroup == "COMMENT":
            comments.append(len(found))
            found.append(Piece(span, is_comment=True))
            continue
        declares = word in _SECTIONS
        if declares:
            section = word
            opened.clear()
        level = None
        if declares or word == "#":  # preprocessor lines are not indented
            level = 0
        elif begins and word != ";":
            level = 1
        for index in comments:
            found[index] = Piece(found[index].span, level=level, is_comment=True)
        comments.clear()
        gap = Spacing.KEPT if section == "PSLSPEC" else _gap((before, was_prefix), word, opened)
        found.append(Piece(span, gap, level, closes=word in _CLOSES))
        was_prefix = word == "!" or (word in {"-", "+"} and not _ends_operand(before))
        if word in _OPENS:
            opened.append(word)
        elif word in _CLOSES and opened:
            opened.pop()
        begins = not opened and section in _LISTS and (word == ";" or word in _LISTS)
        before = word
    for index in comments:
        found[index] = Piece(found[index].span, level=int(section in _LISTS), is_comment=True)
    return found


def _ends_operand(word: str) -> bool:
    return word in _OPERANDS or (_is_word(word) and word not in RESERVED)


def _gap(last: tuple[str, bool], word: str, opened: list[str]) -> Spacing:
    before, was_prefix = last
    if word in {",", ";", ")", "]", "}", ".."} or before in {"(", "[", "{", ".."}:
        return Spacing.NONE
    if "." in {word, before}:
        number = (before if word == "." else word)[:1].isdigit()
        return Spacing.KEPT if number else Spacing.NONE
    if was_prefix:
        return Spacing.ONE if word[:1] in {"-", "=", "+"} else Spacing.NONE
    if ":" in {word, before}:
        return Spacing.NONE if opened and opened[-1] == "[" else Spacing.ONE
    if before in {",", ";"} or word in _BINARY or before in _BINARY:
        return Spacing.ONE
    if word in {"-", "+"} or before in {"-", "+"}:
        return Spacing.ONE
    if word in {"(", "["}:
        return Spacing.NONE if _ends_operand(before) or before in _CALLED else Spacing.KEPT
    if (_is_word(before) or before in _CLOSES) and _is_word(word):
        return Spacing.ONE
    return Spacing.KEPT


def _is_word(word: str) -> bool:
    return word[:1].isalnum() or word[:1] in {"_", '"'}
