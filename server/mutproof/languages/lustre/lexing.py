"""From the text of a chunk to tokens: one regular expression, one pass, no look back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutproof.base.grammar import Token
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


def tokens(text: str) -> Iterator[Token]:
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
        yield Token(kind, found, start, end)
