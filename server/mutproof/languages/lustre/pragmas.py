"""Warnings about comments that resemble pragmas, and misspelt pragmas.

A property that is taken for a comment is never proved and never missed, so every comment that may
have been meant as a pragma gets a warning.
"""

from __future__ import annotations

import re

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.near import near
from mutproof.base.span import Span
from mutproof.languages.lustre import warnings

PRAGMAS = ("PROPERTY", "MAIN", "REALIZABLE", "IVC")

_INTENDED = re.compile(
    r"--(?P<space>[ \t]*)(?P<sign>[%!]?)[ \t]*(?P<word>[A-Za-z]+)(?P<rest>[^\r\n]*)"
)
_NAMED = re.compile(r"[A-Za-z0-9_~!]*[ \t]+[A-Za-z_~!][A-Za-z0-9_~!.\[\]]*[ \t]*;")
_NAME_PART = re.compile(r"[A-Za-z0-9_~!]+")


def check_comment(comment: re.Match[str], report: list[Diagnostic]) -> None:
    """Report a comment up to the end of the line that was probably meant as a pragma."""
    text = comment.group()
    found = _INTENDED.match(text)
    begins = text.startswith("--%")
    if found is None:
        if begins:
            report.append(warnings.unknown_pragma("--%", "", _span(comment, 3)))
        return
    sign, word = found["sign"], found["word"]
    meant = _meant(word) if sign else word if word in PRAGMAS else ""
    if not sign and not _NAMED.match(found["rest"]):
        return  # prose
    if meant or begins:
        shown = text[: found.end("word")]
        report.append(warnings.unknown_pragma(shown, meant, _span(comment, len(shown))))


def check_word(text: str, pragma: re.Match[str], report: list[Diagnostic]) -> None:
    """Report a pragma whose word goes on without a space: the rest is read as a name."""
    rest = _NAME_PART.match(text, pragma.end())
    if rest is not None:
        span = Span(pragma.start(), rest.end())
        report.append(warnings.glued_pragma(pragma.group(), rest.group(), span))


def _meant(word: str) -> str:
    """Return the pragma that a word resembles; empty if there is none."""
    return next(iter(near(word, PRAGMAS, most=1)), "")


def _span(comment: re.Match[str], length: int) -> Span:
    return Span(comment.start(), comment.start() + length)
