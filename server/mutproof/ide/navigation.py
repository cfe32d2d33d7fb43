"""From a name to its declaration and its uses."""

from __future__ import annotations

from dataclasses import dataclass

from mutproof.base.span import Span
from mutproof.ide import names
from mutproof.model.language import Elaborated


@dataclass(frozen=True, slots=True)
class Target:
    """Hold a place to go to: `whole` shows it in context, `name` is what is selected."""

    origin: Span
    whole: Span
    name: Span


@dataclass(frozen=True, slots=True)
class Highlight:
    """Hold one use of a name."""

    span: Span
    is_write: bool


def definition(elaborated: Elaborated, offset: int) -> Target | None:
    """Return where the name at a 0-based offset is declared."""
    name = names.at(elaborated, offset)
    if name is None:
        return None
    whole = name.declared
    if name.kind is names.Kind.COMPONENT:
        whole = elaborated.provenance.component_bodies.get(name.text, name.declared)
    return Target(name.span, whole, name.declared)


def references(
    elaborated: Elaborated, offset: int, *, include_declaration: bool
) -> tuple[Span, ...]:
    """Return all uses of the name at a 0-based offset."""
    name = names.at(elaborated, offset)
    if name is None:
        return ()
    found = names.uses(elaborated, name)
    return tuple(span for span in found if include_declaration or span != name.declared)


def highlights(elaborated: Elaborated, offset: int) -> tuple[Highlight, ...]:
    """Return the uses of the name at a 0-based offset; writing ones are told apart."""
    name = names.at(elaborated, offset)
    if name is None:
        return ()
    provenance = elaborated.provenance
    heads = [provenance.head(element) for element in provenance.elements]
    return tuple(
        Highlight(span, span == name.declared or any(head.covers(span) for head in heads))
        for span in names.uses(elaborated, name)
    )
