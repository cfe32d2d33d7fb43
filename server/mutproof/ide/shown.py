"""What a click shows or starts, as plain values; the protocol gives them their form."""

from __future__ import annotations

from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.base.span import Span


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Name a place of the file."""

    span: Span
    label: str


@dataclass(frozen=True, slots=True)
class ShowPlaces:
    """List places of the file to go to."""

    title: str
    places: tuple[FilePlace, ...]


@dataclass(frozen=True, slots=True)
class ShowText:
    """Show a text."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ShowDiff:
    """Show two texts side by side."""

    title: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class StartRun:
    """Prove and mutate the file now."""


@dataclass(frozen=True, slots=True)
class AddProperties:
    """Add the best set of the suggested properties to the file."""


Shown: TypeAlias = ShowPlaces | ShowText | ShowDiff | StartRun | AddProperties
