"""What a click shows or starts, as plain values; `lsp` converts them to the protocol."""

from __future__ import annotations

from enum import Enum
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


class SubjectKind(Enum):
    """Say what an execution belongs to."""

    MUTANT = "mutant"
    PROPERTY = "property"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Subject:
    """Name what an execution belongs to: a mutant by its id, a property by its finding's name.

    A fault of the model is named by its 0-based number.
    """

    kind: SubjectKind
    name: str


@dataclass(frozen=True, slots=True)
class ShowText:
    """Show a text; `trace` names the execution it is about, which a client may show instead."""

    title: str
    text: str
    trace: Subject | None = None


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


@dataclass(frozen=True, slots=True)
class MakeTests:
    """Make the suite of tests that is kept beside the file, or only a test that kills `mutant`."""

    mutant: str = ""


Shown: TypeAlias = ShowPlaces | ShowText | ShowDiff | StartRun | AddProperties | MakeTests
