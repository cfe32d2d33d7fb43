"""What a mutation operator is: a name, where it comes from, and what it does to one subterm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from mutproof.model.program import Element
from mutproof.model.sorts import Sort
from mutproof.model.terms import Path, Term


class Level(Enum):
    """Name a choice of operators: those of `paper` and `all` include those of `default`."""

    DEFAULT = "default"
    PAPER = "paper"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Hold one place an operator may change: the subterm at `path` of an element's body.

    `target` is the declared sort of the variable the element defines; None for constraints
    and for elements that define several.
    """

    element: Element
    path: Path
    term: Term
    target: Sort | None


@dataclass(frozen=True, slots=True)
class Change:
    """Replace the subterm at `path` (relative to the body) by `replacement`; None removes all.

    `summary` says the change with source text left out: operators and constants only. With
    `at_head` reports locate the change at the left-hand side, otherwise at the occurrence.
    """

    path: Path
    replacement: Term | None
    summary: str
    at_head: bool = False


@dataclass(frozen=True)
class Mutator:
    """Describe an operator; `apply` yields its changes at one occurrence.

    `level` is the smallest level that includes it. `source` names the study it is from.
    """

    name: str
    group: str
    summary: str
    source: str
    level: Level
    apply: Callable[[Occurrence], Iterator[Change]]
