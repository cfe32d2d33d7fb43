"""From the text of a chunk to tokens: one regular expression, one pass, no look back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mutproof.base.grammar import Terminal
from mutproof.languages.lustre.syntax import KEYWORDS, NESTING_LIMIT

_TOKEN = re.compile(
    r"""
    (?:[ \t\r\n\f\v\ufeff]++
      |--(?!%(?:PROPERTY|MAIN|REALIZABLE|IVC))[^\r\n]*+
      |\(\*(?s:.*?)\*\)|/\*(?s:.*?)\*/)*+
    (?:(?P<ID>[A-Za-z_~!][A-Za-z0-9_~!]*+)
      |(?P<DECIMAL>[0-9]++\.[0-9]++(?:[eE][+-]?[0-9]++)?)
      |(?P<INT>[0-9]++)
      |(?P<PRAGMA>--%(?:PROPERTY|MAIN|REALIZABLE|IVC))
      |(?P<TWO>"[^"\r\n]*"|//|&&|\|\||<<|>>|::|\.\.)
      |(?P<MARK>:=|->|=>|<=|>=|<>|[-+*/<>=(){}\[\],;:.])
      |(?P<FOREIGN>.)
      |\Z)
    """,
    re.VERBOSE,
)

_MARKS = {
    ":=": "ASSIGN",
    "=": "EQUALS",
    "-": "MINUS",
    "(": "LPAR",
    ")": "RPAR",
    "{": "LBRACE",
    "}": "RBRACE",
    "[": "LBRACKET",
    "]": "RBRACKET",
    ",": "COMMA",
    ";": "SEMICOLON",
    ":": "COLON",
    ".": "DOT",
}


class NestingTooDeepError(Exception):
    """Tell where more brackets and prefix operators are open than this tool follows."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def tokens(text: str) -> Iterator[Terminal]:
    """Yield the tokens of a text; characters outside the language are FOREIGN tokens.

    Raises:
        NestingTooDeepError: more than `NESTING_LIMIT` brackets or prefix operators are open.
    """
    depth = 0
    prefixes = 0
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group is None:
            continue
        found = match.group(group)
        end = match.end()
        start = end - len(found)
        if group == "ID":
            kind = KEYWORDS.get(found, "ID")
        elif group == "MARK":
            kind = _MARKS.get(found, "BINARY")
            if found in "([{":
                depth += 1
            elif found in ")]}":
                depth = max(0, depth - 1)
        elif group == "PRAGMA":
            kind = "PRAGMA_" + found[3:]
        elif group == "TWO":
            kind = "FOREIGN"
        else:
            kind = group
        prefixes = prefixes + 1 if kind in {"PREFIX", "MINUS"} else 0
        if depth + prefixes > NESTING_LIMIT:
            raise NestingTooDeepError(start)
        yield Terminal(kind, found, start, end)


_NEXT = {"DOT": ("ID",), "LBRACKET": ("INT", "RBRACKET")}
"""Continuations of a name with parts, by their first token."""


def with_parts(found: Iterable[Terminal]) -> Iterator[Terminal]:
    """Yield tokens in which a name with dots and indices, such as `p.q[2]`, is one name."""
    name: list[Terminal] = []  # the tokens of a name so far
    more: list[Terminal] = []  # tokens that may continue it
    for token in found:
        if more:
            more.append(token)
            wanted = _NEXT[more[0].type]
            if token.type == wanted[len(more) - 2]:
                if len(more) > len(wanted):
                    name += more
                    more = []
                continue
            yield _joined(name)
            yield from more[:-1]
            name, more = [], []
        elif name and token.type in _NEXT:
            more = [token]
            continue
        elif name:
            yield _joined(name)
            name = []
        if token.type == "ID":
            name = [token]
        else:
            yield token
    if name:
        yield _joined(name)
    yield from more


def _joined(name: list[Terminal]) -> Terminal:
    if len(name) == 1:
        return name[0]
    text = "".join(str(int(one.text)) if one.type == "INT" else one.text for one in name)
    return Terminal("ID", text, name[0].start, name[-1].end)


def declares_parts(found: Iterable[Terminal]) -> bool:
    """Tell whether declarations, with names joined, declare one with dots or indices."""
    name = ""
    for token in found:
        if name and token.type in {"COLON", "COMMA", "LPAR"}:
            return True
        joined = token.type == "ID" and ("." in token.text or "[" in token.text)
        name = token.text if joined else ""
    return False


def declares_arrays(found: Iterable[Terminal]) -> bool:
    """Tell whether a list of declarations, with names joined, has an array type."""
    before = ""
    for token in found:
        if token.type == "LBRACKET" and before != "SUBRANGE":
            return True
        before = token.type
    return False
