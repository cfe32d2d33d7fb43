"""What was meant where a token fits no rule: a sign or word of other languages, or another order.

What belongs to another Lustre is named by `dialects`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mutproof.base.diagnostics import Diagnostic, meaning
from mutproof.base.grammar import Terminal
from mutproof.base.span import Span
from mutproof.languages.lustre import errors

WORDS: Final = {
    "implies": "=>",
    "iff": "=",
    "prev": "pre",
    "previous": "pre",
    "True": "true",
    "TRUE": "true",
    "False": "false",
    "FALSE": "false",
}
"""Words of other languages that stand where Lustre has another word or sign."""

_SIGNS: Final = {
    ("!", "="): "<>",
    ("/", "="): "<>",
    ("=", "="): "=",
    ("<=", ">"): "=",
    ("<", "->"): "=",
    ("=", "<"): "<=",
}
"""Signs of other languages, as they are read, and what Lustre writes in the same place."""

_TYPES: Final = frozenset({"INT_TYPE", "BOOL_TYPE", "REAL"})


def sign(tokens: Sequence[Terminal], index: int, expected: frozenset[str]) -> Diagnostic | None:
    """Return the error for a sign or word of another language at the token that does not fit."""
    for first in (index, index - 1):
        pair = tokens[max(first, 0) : first + 2]
        if len(pair) == 2 and pair[0].end == pair[1].start:
            found = _SIGNS.get((pair[0].text, pair[1].text))
            if found is not None:
                return _instead(pair[0].text + pair[1].text, found, _both(pair))
    token, before = tokens[index], tokens[index - 1] if index else tokens[index]
    if token.text == "%" and before.type != "DOT":
        return _instead("%", "mod", Span(token.start, token.end))
    if token.type == "ASSIGN" and "EQUALS" in expected:
        return _instead(":=", "=", Span(token.start, token.end))
    after = tokens[index + 1].type if index + 1 < len(tokens) else ""
    # In `x = prev y = z`, a semicolon is missing behind a variable.
    for word in (token, before) if token.type == "ID" and after not in {"EQUALS", "COMMA"} else ():
        if word.type == "ID" and word.text in WORDS and "BINARY" in expected:
            return _instead(word.text, WORDS[word.text], Span(word.start, word.end))
    return None


def advice(tokens: Sequence[Terminal], index: int, expected: frozenset[str]) -> str:
    """Return how to mend the order or spelling at the token that does not fit; empty if unknown."""
    token = tokens[index]
    after = tokens[index + 1] if index + 1 < len(tokens) else token
    if token.type in _TYPES and expected <= {"ID", "RPAR"} and after.type == "ID":
        return f"the name comes first: `{after.text} : {token.text}`"
    if token.type == "COMMA" and {"RPAR", "SEMICOLON"} <= expected and after.type == "ID":
        return f"a semicolon stands behind a type: `; {after.text} : …`"
    if token.type == "DOT" and after.type == "INT" and "DECIMAL" in expected:
        return f"a number begins with a digit: `0.{after.text}`"
    if [one.type for one in tokens[max(index - 2, 0) : index]] == ["INT", "DOT"]:
        return f"a number ends with a digit: `{tokens[index - 2].text}.0`"
    if token.type in {"LBRACKET", "DOT"} and expected == {"COMMA", "EQUALS"}:
        whole = "[x, y]" if token.type == "LBRACKET" else "name { f = x; g = y }"
        return f"an equation defines a variable as a whole: `{tokens[index - 1].text} = {whole};`"
    if (
        token.type == "SEMICOLON"
        and "RBRACE" in expected
        and any(one.type == "ENUM" for one in tokens)
    ):
        return "commas stand between the names of an enumeration"
    if expected == {"$END"} and tokens[0].type == "NODE":
        return "expected `var` or `let`"
    return ""


def _instead(found: str, ours: str, span: Span) -> Diagnostic:
    help_ = f"expected a single `{ours}`" if found == 2 * ours else f"write `{ours}`"
    return meaning(errors.unexpected(found, span, help_), [ours])


def _both(pair: Sequence[Terminal]) -> Span:
    return Span(pair[0].start, pair[-1].end)
