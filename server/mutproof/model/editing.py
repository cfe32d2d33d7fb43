"""Edits of a text, and what languages need to make those that keep it a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.program import Component, ElementId, Program, PropertyKind
from mutproof.model.provenance import Provenance


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the text of a span."""

    span: Span
    text: str


def separated(content: str, edit: TextEdit) -> TextEdit:
    """Return an edit with spaces where its text would make one token with what is beside it.

    Such as `pre(a)and b`, where `a` alone replaces `pre(a)`.
    """
    text, start, end = edit.text, edit.span.start, edit.span.end
    if not text:
        return edit
    old, left, right = (
        content[start:end],
        content[max(0, start - 1) : start],
        content[end : end + 1],
    )
    if _join(left, text[0]) and not _join(left, old[:1]):
        text = f" {text}"
    if _join(text[-1], right) and not _join(old[-1:], right):
        text = f"{text} "
    return TextEdit(edit.span, text)


def _join(left: str, right: str) -> bool:
    """Tell whether two characters may be of one token: words of NuSMV go on with a minus."""
    return left == right == "-" or (_is_of_word(left) and (_is_of_word(right) or right == "-"))


def _is_of_word(character: str) -> bool:
    return character.isalnum() or (character != "" and character in "_~$#")


@dataclass(frozen=True, slots=True)
class EditedElement:
    """Hold the element that edits are about, in its text; `label` names it for users."""

    source: SourceText
    program: Program
    provenance: Provenance
    element: ElementId
    label: str

    @property
    def component(self) -> Component | None:
        """Return the component that it is declared in, if the program has that."""
        for component in self.program.components:
            if component.name == self.element.component:
                return component
        return None


@dataclass(frozen=True, slots=True)
class ControlledChoice:
    """Say which input replaces a choice, its place (a 0-based offset), and its meaning."""

    input: str
    offset: int
    what: str


@dataclass(frozen=True, slots=True)
class Controlled:
    """Hold the edits that turn the choices of a model into inputs.

    `left` has the place (a 0-based offset) of each choice that stays, and why.
    """

    edits: tuple[TextEdit, ...]
    choices: tuple[ControlledChoice, ...]
    left: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Stub:
    """Hold what a property stub needs beside the element.

    `comments` are the lines above it; `fresh` returns an unused name similar to another one.
    """

    comments: tuple[str, ...]
    fresh: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class NewProperty:
    """Hold a property to be inserted: name, expression, comments above it, and its logic."""

    name: str
    text: str
    comments: tuple[str, ...] = ()
    kind: PropertyKind = PropertyKind.INVARIANT


def edited(text: str, edits: Iterable[TextEdit]) -> str:
    """Apply edits to a text; they do not overlap, and those at one place are applied in order."""
    parts: list[str] = []
    last = 0
    for edit in sorted(edits, key=lambda one: one.span.start):
        parts += (text[last : edit.span.start], edit.text)
        last = edit.span.end
    return "".join((*parts, text[last:]))


def with_insertions(source: SourceText, edits: Iterable[TextEdit]) -> str:
    """Apply edits to a text, with the line ends of its first line."""
    ends = (TextEdit(one.span, re.sub(r"\r?\n", source.line_end, one.text)) for one in edits)
    return edited(source.content, ends)


def whole_lines(text: str, span: Span) -> Span:
    """Return the span with its line breaks if nothing else stands on its lines."""
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    end = len(text) if end < 0 else end + 1
    if text[start : span.start].strip() or text[span.end : end].strip():
        return span
    return Span(start, end)


def before_line(text: str, word: Span, inserted: str) -> TextEdit:
    """Insert whole lines before a word: at the start of its line if it is the first there."""
    start = max(text.rfind("\n", 0, word.start), text.rfind("\r", 0, word.start)) + 1
    if text[start : word.start].strip():
        return TextEdit(Span(word.start, word.start), f"\n{inserted}")
    return TextEdit(Span(start, start), inserted)
