"""Renaming: which name, and all places where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mutproof.base.span import Span
from mutproof.ide import completion, names
from mutproof.model.language import Elaborated

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Renaming:
    """Hold the places to be replaced, or why that cannot be done."""

    spans: tuple[Span, ...]
    refusal: str = ""


def prepare(elaborated: Elaborated, offset: int) -> Span | None:
    """Return the name at a 0-based offset if it can be renamed."""
    name = names.at(elaborated, offset)
    return None if name is None else name.span


def rename(elaborated: Elaborated, offset: int, new: str) -> Renaming:
    """Return the places of the name at a 0-based offset, for a new name that is free."""
    name = names.at(elaborated, offset)
    if name is None:
        return Renaming((), "there is no name of this file here")
    if not _IDENTIFIER.fullmatch(new):
        return Renaming((), f"{new!r} is no identifier")
    if new != name.text:
        provenance = elaborated.provenance
        if new in completion.keywords(names.language_name(elaborated)):
            return Renaming((), f"{new!r} is a keyword")
        if (name.component, new) in provenance.variables or new in provenance.components:
            return Renaming((), f"{new!r} is declared already")
    return Renaming(names.uses(elaborated, name))
