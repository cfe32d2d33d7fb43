"""What texts in any language mean, and what analyses find in them."""

from __future__ import annotations

from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.editing import TextEdit, edited, separated
from mutproof.model.language import Elaborated
from mutproof.workspace.analysis import Memory
from mutproof.workspace.answering import analyse
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options


def elaborated_in(language: str, text: str) -> Elaborated:
    """Return what a text means, with its diagnostics."""
    front = LANGUAGES[language]
    return front.elaborate(front.parse(SourceText("model", text)))


def accepted_in(language: str, text: str) -> Elaborated:
    """Return what a text means that has a meaning."""
    found = elaborated_in(language, text)
    assert found.program is not None, (text, found.diagnostics)
    return found


def analysed(found: Elaborated, options: Options, memory: Memory | None = None) -> Report:
    """Return what an analysis finds."""
    used = Memory() if memory is None else memory
    return analyse(found, options, used, lambda _: None, cancelled=lambda: False)


def spliced(content: str, span: Span, text: str) -> str:
    """Return a text with a span replaced, as the edit of a mutant does."""
    return edited(content, (separated(content, TextEdit(span, text)),))
