"""From a name to its declaration and its uses."""

from __future__ import annotations

from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide.names import Names


@dataclass(frozen=True, slots=True)
class Target:
    """Hold a place to go to: `whole` is the declaration, `name` the part that is selected."""

    origin: Span
    whole: Span
    name: Span


@dataclass(frozen=True, slots=True)
class Highlight:
    """Hold one occurrence of a name."""

    span: Span
    is_write: bool


def definition(names: Names, offset: int) -> Target | None:
    """Return where the name at a 0-based offset is declared."""
    found = names.at(offset)
    if found is None:
        return None
    span, declared = found
    return Target(span, declared.whole, declared.name)


def references(names: Names, offset: int, *, include_declaration: bool) -> tuple[Span, ...]:
    """Return all uses of the name at a 0-based offset, in order."""
    return tuple(
        highlight.span
        for highlight in highlights(names, offset)
        if include_declaration or not _is_declaration(names, highlight.span)
    )


def highlights(names: Names, offset: int) -> tuple[Highlight, ...]:
    """Return the occurrences of the name at a 0-based offset; writing ones are told apart."""
    found = names.at(offset)
    if found is None:
        return ()
    _, declared = found
    occurrences = [Highlight(use.span, use.is_write) for use in names.uses_of(declared)]
    occurrences.append(Highlight(declared.name, is_write=True))
    return tuple(sorted(occurrences, key=lambda highlight: highlight.span))


def _is_declaration(names: Names, span: Span) -> bool:
    found = names.at(span.start)
    return found is not None and found[1].name == span
