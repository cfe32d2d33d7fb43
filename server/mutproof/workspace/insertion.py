"""Insert suggested properties into a text, by edits or as separate lines."""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.analyses.suggesting.finding import Suggestion
from mutproof.model.editing import NewProperty, TextEdit
from mutproof.model.language import Elaborated, Language
from mutproof.model.program import PropertyKind


def insertion(
    language: Language, elaborated: Elaborated, suggestions: Sequence[Suggestion]
) -> tuple[TextEdit, ...]:
    """Return the edits that add properties to a text, with the line ends of its first line."""
    assert elaborated.program is not None
    end = elaborated.parsed.source.line_end
    by_component: dict[str, list[NewProperty]] = {}
    for one in suggestions:
        by_component.setdefault(one.component, []).append(new_property(language, one))
    return tuple(
        TextEdit(edit.span, edit.text.replace("\n", end))
        for component, stated in by_component.items()
        for edit in language.state(elaborated, component, tuple(stated))
    )


def new_property(language: Language, suggestion: Suggestion) -> NewProperty:
    """Return the property to be inserted for a suggestion."""
    comment = f"{language.line_comment} {suggestion.sentence}"
    kind = PropertyKind(suggestion.logic)
    return NewProperty(suggestion.name, suggestion.text, (comment,), kind)
