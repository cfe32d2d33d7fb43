"""From a text to its lines."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.language import Parsed

CODES = {"toy-line": "A line of the toy language is an input, a definition or a check."}
LINE = re.compile(
    r"(?:input (?P<input>\w+) : (?P<of>int|bool)|check (?P<check>\w+)"
    r"|(?P<name>\w+) : (?P<sort>int|bool) := (?P<body>[ -\"$-~]+?))?\s*(?:#.*)?$"
)


@dataclass(frozen=True)
class Line:
    """Hold a line that says something; `start` is where it begins in the text."""

    start: int
    match: re.Match[str]
    body: ast.expr | None

    def span(self, group: str) -> Span:
        """Return where a part of it stands."""
        return Span(*self.match.span(group)).shifted(self.start)


def parse(source: SourceText) -> Parsed:
    """Return the lines of a text as its tree."""
    lines, wrong, start = [], [], 0
    for text in source.content.split("\n"):
        match = LINE.match(text)
        try:
            body = match and match["body"] and ast.parse(match["body"], mode="eval").body
        except SyntaxError:
            match = None
        if match is None:
            wrong.append(error("this is no line of the toy language", start, text))
        elif match.lastgroup is not None:
            lines.append(Line(start, match, body or None))
        start += len(text) + 1
    return Parsed(source, tuple(lines), tuple(wrong))


def error(message: str, start: int, text: str) -> Diagnostic:
    """Return what is wrong with a line."""
    return Diagnostic("toy-line", Severity.ERROR, message, Span(start, start + len(text)))
