"""What is wrong in a file, as values; rendering is left to reporters and editors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from typing import Final

from mutproof.base.record import dataclass
from mutproof.base.span import Span

_LAST_WORD: Final = re.compile(r"\w+$")
_LONGEST_WORD: Final = 80


class Severity(Enum):
    """Rank a diagnostic as editors do."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Related:
    """Point at another place of the same file that explains a diagnostic."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Fix:
    """Hold a text that may have been meant in the place of a span, which is empty to insert it.

    If something is to be `closing`, what the span has stays between the two.
    """

    span: Span
    text: str
    closing: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Hold a problem: what is wrong, where, its kebab-case code, and how to fix it.

    `fixes` has what may have been meant, the likeliest first.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    help: str = ""
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()

    def shifted(self, offset: int) -> Diagnostic:
        """Return the diagnostic for a text in which everything lies `offset` further right."""
        if offset == 0:
            return self
        related = tuple(Related(r.message, r.span.shifted(offset)) for r in self.related)
        fixes = tuple(replace(fix, span=fix.span.shifted(offset)) for fix in self.fixes)
        return replace(self, span=self.span.shifted(offset), related=related, fixes=fixes)


def meaning(found: Diagnostic, texts: Iterable[str]) -> Diagnostic:
    """Return a diagnostic with texts that may have been meant in its place."""
    return replace(found, fixes=tuple(Fix(found.span, text) for text in texts))


def told_once(
    text: str, diagnostics: Iterable[Diagnostic], codes: frozenset[str], told: Iterable[Span]
) -> list[Diagnostic]:
    """Return the diagnostics without those of some codes that follow from a word told of before.

    They are at the word, or right behind it; `told` are its places in a text that stay.
    """
    places = frozenset(told)
    words = {text[place.start : place.end] for place in places}

    def follows(found: Diagnostic) -> bool:
        if not words or found.code not in codes or found.span in places:
            return False
        ends = (found.span.end, found.span.start)
        return any(_word_before(text, end) in words for end in ends)

    return [found for found in diagnostics if not follows(found)]


def _word_before(text: str, end: int) -> str:
    """Return the word that a text has right before an offset, but for space."""
    found = _LAST_WORD.search(text[max(0, end - _LONGEST_WORD) : end].rstrip())
    return "" if found is None else found.group()


def has_errors(diagnostics: tuple[Diagnostic, ...] | list[Diagnostic]) -> bool:
    """Tell whether any of the diagnostics is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
