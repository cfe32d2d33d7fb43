"""From the text of one declaration to tokens: one regular expression, one pass.

Source: NuSMV 2.6 input.l; manual §2.1.
"""

from __future__ import annotations

import re

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.giving_way import by_steps
from mutproof.base.grammar import Terminal
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv import errors

DEEPEST_NESTING = 1000
LARGEST_INTEGER = 2147483647

RESERVED = frozenset(
    word
    for line in (
        "MODULE DEFINE MDEFINE VAR FUN FROZENVAR IVAR INIT TRANS INVAR SPEC CTLSPEC LTLSPEC",
        "PSLSPEC COMPUTE INVARSPEC NAME CONSTRAINT ITYPE CONSTANTS SIMPWFF NEXTWFF CTLWFF LTLWFF",
        "COMPWFF COMPID IN FAIRNESS JUSTICE COMPASSION ISA ASSIGN process array bool of boolean",
        "word1 word Word signed unsigned extend uwconst swconst resize sizeof toint count READ",
        "WRITE CONSTARRAY typeof EX AX EF AF EG AG E A F O G H X Y Z U S V T BU EBF ABF EBG ABG",
        "MIN MAX FALSE TRUE case esac mod next init self union in abs min max xor xnor",
    )
    for word in line.split()
)
"""The words that name nothing. Source: input.l."""

_TERMINAL = {
    **{word: word if word.isupper() else f"L_{word.upper()}" for word in RESERVED},
    "word1": "FUNCTION",
    "Word": "L_WORD",
    "SPEC": "CTLSPEC",
    "JUSTICE": "FAIRNESS",
    "MDEFINE": "DEFINE",
    **dict.fromkeys(
        ("extend", "uwconst", "swconst", "resize", "sizeof", "toint", "bool", "abs", "count"),
        "FUNCTION",
    ),
    **dict.fromkeys(("min", "max", "READ", "WRITE", "CONSTARRAY", "typeof"), "FUNCTION"),
    "signed": "L_SIGNED",
    "unsigned": "L_SIGNED",
    **dict.fromkeys(("EX", "AX", "EF", "AF", "EG", "AG", "X", "Y", "Z"), "TEMPORAL"),
    **dict.fromkeys(("F", "G", "H", "O"), "BOUNDED"),
    **dict.fromkeys(("EBF", "ABF", "EBG", "ABG"), "REALTIME"),
    **dict.fromkeys(("A", "E"), "QUANTIFIER"),
    **dict.fromkeys(
        ("mod", "union", "in", "xor", "xnor", "U", "V", "S", "T"),
        "BINARY",
    ),
    "TRUE": "BOOLEAN",
    "FALSE": "BOOLEAN",
    "MIN": "EXTREME",
    "MAX": "EXTREME",
}
_PUNCTUATION = {
    ":=": "BECOMES",
    "..": "DOTDOT",
    "->": "BINARY",
    "<->": "BINARY",
    "<=": "BINARY",
    ">=": "BINARY",
    "!=": "BINARY",
    "<<": "BINARY",
    ">>": "BINARY",
    "::": "BINARY",
    "&": "BINARY",
    "|": "BINARY",
    "=": "BINARY",
    "<": "BINARY",
    ">": "BINARY",
    "*": "BINARY",
    "/": "BINARY",
    "+": "PLUS",
    "-": "MINUS",
    "!": "NOT",
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    "{": "LBRACE",
    "}": "RBRACE",
    ",": "COMMA",
    ";": "SEMICOLON",
    ":": "COLON",
    ".": "DOT",
    "?": "QUESTION",
    "|->": "BINARY",
    "|=>": "BINARY",
}
_PSL_WORD = {
    **dict.fromkeys(("always", "never", "eventually!", "X!"), "TEMPORAL"),
    **dict.fromkeys(("next", "next!", "next_a", "next_a!", "next_e", "next_e!"), "PSL_NEXT"),
    **dict.fromkeys(
        tuple("next_event" + kind + suffix for kind in ("", "_a", "_e") for suffix in ("", "!")),
        "PSL_EVENT",
    ),
    **dict.fromkeys(
        tuple(word + suffix for word in ("until", "before") for suffix in ("", "!", "_", "!_")),
        "BINARY",
    ),
    "W": "BINARY",
    "forall": "PSL_FORALL",
}

_COMMON = r"""
  (?P<SKIP>[ \t\r\n\f]+|--[^\n]*|/--.*?--/)
 |(?P<COMMENT>/--.*)
 |(?P<WORDCONST>0[us]?[bBoOdDhH][0-9]*_[0-9a-fA-F][0-9a-fA-F_]*)
 |(?P<REAL>[fF]'[0-9]+/[0-9]+|[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+|[0-9]+\.[0-9]+)
 |(?P<NUMBER>[0-9]+)
"""
_REST = r"""
 |(?P<WORD>[A-Za-z_][A-Za-z0-9_$\#-]*)
 |(?P<STRING>"[^"\n]*")
 |(?P<PUNCT>:=|::|\.\.|<->|<=|>=|<<|>>|!=|->|[-+*/&|=<>!()\[\]{},;:.?])
 |(?P<BAD>[^\s\w"()\[\]{},;:.?+*/&|=<>!-]+|.)
"""
_PSL = r"""
 |(?P<PSL>\|->|\|=>|&&|\|\||(?:until|before)!_?|(?:eventually|next(?:_event)?(?:_[ae])?|X)!
   |(?:next(?:_event)?(?:_[ae])?|(?:until|before)_?|always|never|forall|W)(?![A-Za-z0-9_$\#-]))
"""
_FLAGS = re.VERBOSE | re.DOTALL
_PLAIN = re.compile(_COMMON + _REST, _FLAGS)
_WITH_PSL = re.compile(_COMMON + _PSL + _REST, _FLAGS)

_OPENING = {"LPAR", "LSQB", "LBRACE", "L_CASE"}
_CLOSING = {"RPAR", "RSQB", "RBRACE", "L_ESAC"}


@dataclass(frozen=True, slots=True)
class Lexed:
    """Hold the tokens of a text and its errors; with errors, the tokens should not be parsed."""

    tokens: tuple[Terminal, ...]
    diagnostics: tuple[Diagnostic, ...]


def lex(text: str, *, psl: bool = False) -> Lexed:
    """Return the tokens of a declaration; `psl` reads the words that only PSL reserves."""
    tokens: list[Terminal] = []
    bad: list[Diagnostic] = []
    depth = 0
    for match in by_steps((_WITH_PSL if psl else _PLAIN).finditer(text)):
        group = match.lastgroup
        if group == "SKIP":
            continue
        start, end = match.span()
        word = match.group()
        if group == "PUNCT":
            kind = _PUNCTUATION[word]
        elif group == "WORD":
            kind = _TERMINAL.get(word, "IDENTIFIER")
            if psl and kind == "BOUNDED":  # what follows `G` in brackets is `[p U q]`
                kind = "TEMPORAL"
        elif group == "STRING":
            kind = "IDENTIFIER"
        elif group == "PSL":
            kind = _PSL_WORD.get(word, "BINARY")
        elif group == "NUMBER":
            kind = "NUMBER"
            # Python refuses to read very long numbers; leading zeros are allowed.
            word = word.lstrip("0") or "0"
            if len(word) > 10 or (len(word) == 10 and int(word) > LARGEST_INTEGER):
                bad.append(
                    errors.literal(
                        "bad-literal",
                        "this integer is larger than 2147483647",
                        Span(start, end),
                        "use words, or scale the model down",
                    )
                )
                continue
        elif group == "COMMENT":
            bad.append(errors.unterminated_comment(Span(start, end)))
            break
        elif group == "BAD":
            if not bad or bad[-1].code != "illegal-character":
                bad.append(errors.illegal_character(word, Span(start, end)))
            continue
        else:
            kind = str(group)
        if kind in _OPENING:
            depth += 1
            if depth > DEEPEST_NESTING:
                place = Span(start, end)
                return Lexed((), (errors.nesting_too_deep(place, DEEPEST_NESTING),))
        elif kind in _CLOSING:
            depth -= 1
        tokens.append(Terminal(kind, word, start, end))
    return Lexed(tuple(_counted(tokens) if psl else tokens), tuple(bad))


def _counted(tokens: list[Terminal]) -> list[Terminal]:
    """Mark the brackets of `next[2]`, `next_a[1:3]` and `X[2]`, unlike those of `next [p U q]`."""
    kinds = [token.type for token in tokens]
    for place in range(1, len(tokens) - 2):
        takes = kinds[place - 1] == "PSL_NEXT" or tokens[place - 1].text in {"X", "X!"}
        ends = kinds[place + 2] in {"RSQB", "COLON"}
        if takes and ends and kinds[place : place + 2] == ["LSQB", "NUMBER"]:
            bracket = tokens[place]
            tokens[place] = Terminal("COUNTED", bracket.text, bracket.start, bracket.end)
    return tokens


def normalised(text: str) -> str:
    """Return a text with single blanks and without comments, independent of layout."""
    parts: list[str] = []
    end = 0
    for token in lex(text).tokens:
        if parts and token.start > end:
            parts.append(" ")
        parts.append(token.text)
        end = token.end
    return "".join(parts)
