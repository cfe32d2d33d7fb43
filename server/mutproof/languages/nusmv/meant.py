"""What was meant where a token fits no rule: a reserved name, or a sign of another language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mutproof.base.diagnostics import Fix
from mutproof.base.grammar import Terminal
from mutproof.base.near import asked, near
from mutproof.base.span import Span
from mutproof.languages.nusmv import lexing
from mutproof.languages.nusmv.chunks import SECTIONS, ChunkKind

_OPERATORS: Final = (
    frozenset({"abs", "bool", "count", "extend", "max", "min", "resize", "signed", "sizeof"})
    | {"swconst", "toint", "unsigned", "uwconst", "word1"}
    | frozenset("AEFGHOSTUVXYZ")
)
"""Words of expressions that are easily taken for names of variables."""

_PREFIXES: Final = frozenset({"NOT", "MINUS", "PLUS", "TEMPORAL", "LPAR"})
_VARIABLES: Final = frozenset({ChunkKind.VARIABLE, ChunkKind.INPUT, ChunkKind.FROZEN})

_FOREIGN: Final = {
    "==": "=",
    "&&": "&",
    "||": "|",
    "and": "&",
    "or": "|",
    "not": "!",
    "implies": "->",
    "=>": "->",
    "<=>": "<->",
    "<>": "!=",
    "=<": "<=",
    "/=": "!=",
    "//": "--",
    "/*": "/--",
}
"""How NuSMV writes what some other languages write otherwise."""

_TEMPORAL: Final = {"[]": "G", "<>": "F"}
"""Prefix operators of linear time in other languages, as Promela."""

_BETWEEN: Final = {
    "W": "NuSMV has no weak until: write `(p U q) | G p` for `p W q`",
    "R": "NuSMV writes `V` for `R`",
}
"""Operators of linear time between operands that NuSMV does not have, or writes otherwise."""


def advice(kind: ChunkKind, tokens: Sequence[Terminal], at: int, expected: frozenset[str]) -> str:
    """Return how to mend a chunk of which the token at an index fits no rule; empty if unknown."""
    token, last = tokens[at], tokens[at - 1].text if at else ""
    if kind is ChunkKind.STRAY and (word := token.text.upper()) in {"MODULE", *SECTIONS}:
        return f"NuSMV writes `{word}` for `{token.text}`"
    if word := _written_small(last, expected):
        return f"NuSMV writes `{word}` for `{last}`"
    if _is_bool(tokens, at):
        return "NuSMV writes `boolean` for `bool`"
    for sign, place in _signs(tokens, at):
        if sign == "[]" or (sign == "<>" and place.start == token.start):
            return f"NuSMV writes `{_TEMPORAL[sign]}` for `{sign}`"
        if sign in _FOREIGN:
            return f"NuSMV writes `{_FOREIGN[sign]}` for `{sign}`"
    if kind is ChunkKind.SPECIFICATION and last in {"A", "E"} and "LSQB" in expected:
        return f"NuSMV writes `{last} [p U q]`, or `{last}F p`, `{last}G p`, `{last}X p`"
    if kind is ChunkKind.SPECIFICATION and token.text in _BETWEEN:
        return _BETWEEN[token.text]
    if last == "if" or token.text in {"then", "else"}:
        return (
            "NuSMV has no `if`: write `condition ? a : b`, or `case condition : a; TRUE : b; esac`"
        )
    if kind is ChunkKind.HEADER and token.text == ";":
        return "nothing stands behind the parameters of a module: remove `;`"
    if kind is ChunkKind.SPECIFICATION and token.text == ":=":
        return f"a name stands behind NAME: `{tokens[0].text} NAME {last} := …`"
    if kind in _VARIABLES and token.text == "," and "COLON" in expected:
        return f"NuSMV declares one variable at a time: `{last} : …;`"
    return asked(_sections(last, expected))


def glued(tokens: Sequence[Terminal], place: Span) -> str:
    """Return how to mend `p->F q` where its operator at a place fits no rule; empty for others."""
    at = sum(one.start < place.start for one in tokens) - 1
    while at > 0 and tokens[at].type in _PREFIXES:
        at -= 1
    name, sign = (tokens[at - 1], tokens[at]) if at > 0 else (None, None)
    if name and sign and name.text.endswith("-") and sign.text == ">" and name.end == sign.start:
        return f"`{name.text}` is read as a name: put a space before `->` if it is an operator"
    return ""


def equation(kind: ChunkKind, tokens: Sequence[Terminal], at: int, expected: frozenset[str]) -> int:
    """Return the index of the `=` with which an assignment was written instead of `:=`, else `at`.

    Up to where `:=` is missed, `next(x) = x + 1` is an expression.
    """
    if kind is not ChunkKind.ASSIGNMENT or "BECOMES" not in expected:
        return at
    depth = 0
    for index, token in enumerate(tokens[:at]):
        depth += (token.text in {"(", "["}) - (token.text in {")", "]"})
        if token.text == "=" and not depth:
            return index
    return at


def correction(tokens: Sequence[Terminal], at: int, expected: frozenset[str]) -> Fix | None:
    """Return what was meant instead of a sign or word at or before a token; None if unknown."""
    last = tokens[at - 1] if at else tokens[at]
    if _is_bool(tokens, at):
        return Fix(Span(last.start, last.end), "boolean")
    if tokens[at].text == "=" and "BECOMES" in expected:
        return Fix(Span(tokens[at].start, tokens[at].end), ":=")
    if word := _written_small(last.text, expected):
        return Fix(Span(last.start, last.end), word)
    for section in _sections(last.text, expected)[:1]:
        return Fix(Span(last.start, last.end), section)
    for sign, place in _signs(tokens, at):
        if sign in _FOREIGN and not (sign == "<>" and place.start == tokens[at].start):
            return Fix(place, _FOREIGN[sign])
    return None


def reserved(tokens: Sequence[Terminal], at: int, expected: frozenset[str]) -> Terminal | None:
    """Return the reserved word at or before an unexpected token that was meant as a name, if any.

    A word before it is one that needs an operand, and has none.
    """
    token, last = tokens[at], tokens[at - 1] if at else None
    if token.text in lexing.RESERVED and "IDENTIFIER" in expected and "LPAR" not in expected:
        return token
    is_operator = last is not None and last.text in _OPERATORS and "LPAR" in expected
    return last if is_operator else None


def _sections(last: str, expected: frozenset[str]) -> list[str]:
    """Return the sections of which a word before an unexpected token may be a misspelt keyword."""
    if last.isupper() and not expected.isdisjoint({"BECOMES", "COLON"}):
        return near(last, SECTIONS)
    return []


def _written_small(last: str, expected: frozenset[str]) -> str:
    """Return the keyword that a word in small letters before an unexpected token is, if any."""
    word = last.upper()
    declares = not expected.isdisjoint({"BECOMES", "COLON"})
    return word if declares and word != last and word in {"MODULE", *SECTIONS} else ""


def _is_bool(tokens: Sequence[Terminal], at: int) -> bool:
    """Tell whether `bool` was meant as a type before a token."""
    return at > 1 and [token.text for token in tokens[at - 2 : at]] == [":", "bool"]


def _signs(tokens: Sequence[Terminal], at: int) -> Iterator[tuple[str, Span]]:
    """Yield what may be a sign of another language at a token, with its place."""
    token = tokens[at]
    yield token.text, Span(token.start, token.end)
    before, after = tokens[at - 1] if at else token, tokens[at + 1 : at + 2]
    if before.end == token.start:
        yield before.text + token.text, Span(before.start, token.end)
    if after and after[0].start == token.end:
        yield token.text + after[0].text, Span(token.start, after[0].end)
    if before.text == "not":
        yield "not", Span(before.start, before.end)
