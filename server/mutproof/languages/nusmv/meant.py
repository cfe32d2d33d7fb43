"""What was meant where a token fits no rule: a reserved name, or a sign of another language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mutproof.base.grammar import Terminal
from mutproof.base.near import asked, near
from mutproof.languages.nusmv import lexing
from mutproof.languages.nusmv.chunks import SECTIONS, ChunkKind

_OPERATORS: Final = (
    frozenset({"abs", "bool", "count", "extend", "max", "min", "resize", "signed", "sizeof"})
    | {"swconst", "toint", "unsigned", "uwconst", "word1"}
    | frozenset("AEFGHOSTUVXYZ")
)
"""Words of expressions that are easily taken for names of variables."""

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
    "/=": "!=",
    "//": "--",
    "/*": "/--",
}
"""How NuSMV writes what some other languages write otherwise."""


def advice(kind: ChunkKind, tokens: Sequence[Terminal], at: int, expected: frozenset[str]) -> str:
    """Return how to mend a chunk of which the token at an index fits no rule; empty if unknown."""
    token, last = tokens[at], tokens[at - 1].text if at else ""
    if kind is ChunkKind.STRAY and (word := token.text.upper()) in {"MODULE", *SECTIONS}:
        return f"NuSMV writes `{word}` for `{token.text}`"
    if last == "bool" and at > 1 and tokens[at - 2].text == ":":
        return "NuSMV writes `boolean` for `bool`"
    for sign in _signs(tokens, at):
        if sign in _FOREIGN:
            return f"NuSMV writes `{_FOREIGN[sign]}` for `{sign}`"
    if word := _reserved(token, last, expected):
        return f"`{word}` is a reserved word of NuSMV: choose another name"
    if kind is ChunkKind.HEADER and token.text == ";":
        return "nothing stands behind the parameters of a module: remove `;`"
    if kind is ChunkKind.SPECIFICATION and token.text == ":=":
        return f"a name stands behind NAME: `{tokens[0].text} NAME {last} := …`"
    if last.isupper() and not expected.isdisjoint({"BECOMES", "COLON"}):
        return asked(near(last, SECTIONS))
    return ""


def _signs(tokens: Sequence[Terminal], at: int) -> Iterator[str]:
    """Yield what may be a sign of another language at a token."""
    token = tokens[at]
    yield token.text
    if at and tokens[at - 1].end == token.start:
        yield tokens[at - 1].text + token.text
    if at + 1 < len(tokens) and tokens[at + 1].start == token.end:
        yield token.text + tokens[at + 1].text
    if at and tokens[at - 1].text == "not":
        yield "not"


def _reserved(token: Terminal, last: str, expected: frozenset[str]) -> str:
    """Return the reserved word at or before an unexpected token that was meant as a name, if any.

    A word before it is one that needs an operand, and has none.
    """
    if token.text in lexing.RESERVED and "IDENTIFIER" in expected and "LPAR" not in expected:
        return token.text
    return last if last in _OPERATORS and "LPAR" in expected else ""
