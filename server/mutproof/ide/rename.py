"""Renaming: the name at a place, and all its occurrences."""

from __future__ import annotations

import re

from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide.names import Declared, NameKind, Names


@dataclass(frozen=True, slots=True)
class Renaming:
    """Hold the places to be replaced, or why that cannot be done."""

    spans: tuple[Span, ...]
    refusal: str = ""


def prepare(names: Names, offset: int) -> Span | None:
    """Return the span of the name at a 0-based offset if it can be renamed."""
    found = names.at(offset)
    return None if found is None else found[0]


def rename(names: Names, offset: int, new: str) -> Renaming:
    """Return the places of the name at a 0-based offset, for a new name that is free."""
    found = names.at(offset)
    if found is None:
        return Renaming((), "there is no name of this file here")
    _, declared = found
    if not re.fullmatch(names.language.lexis.name, new):
        return Renaming((), f"{new!r} is no identifier")
    if declared.kind is NameKind.MODULE and declared.text == names.language.lexis.main != new:
        return Renaming((), f"the main module is always called {declared.text!r}")
    if new != declared.text:
        if new in names.language.lexis.keywords:
            return Renaming((), f"{new!r} is a reserved word")
        if any(other.text == new for other in names.declared if _clash(declared, other)):
            return Renaming((), f"{new!r} is declared already")
    if names.is_shared(declared):
        message = f"{declared.text!r} is also reached through a parameter that is bound to others"
        return Renaming((), message)
    spans = [declared.name, *(use.span for use in names.uses_of(declared))]
    return Renaming(tuple(sorted(spans)))


def _clash(renamed: Declared, other: Declared) -> bool:
    """Tell whether two names may be visible in one place and so must differ."""
    fields = {renamed.kind, other.kind} & {NameKind.FIELD}
    if fields:
        return renamed.kind is other.kind and renamed.container == other.container
    properties = {renamed.kind, other.kind} & {NameKind.PROPERTY}
    if properties:
        return renamed.kind is other.kind
    both_local = renamed.kind.is_variable and other.kind.is_variable
    return not both_local or renamed.container == other.container
