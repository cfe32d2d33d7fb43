"""What a mutation operator is: a name, its source, and what it does to one subterm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Final

from mutproof.analyses.mutation.domains import Domains
from mutproof.base.record import dataclass
from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.sorts import Sort
from mutproof.model.terms import Path, Term
from mutproof.model.traits import Semantics, Traits


class Level(Enum):
    """Name a choice of operators; `all` includes every one that a language has."""

    DEFAULT = "default"
    PAPER = "paper"
    ALL = "all"


EVERY: Final = frozenset(Level)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Hold one place an operator may change: the subterm at `path` of an element's body.

    `parent` is the term around it, None for the body itself. `target` is the declared sort of
    the variable the element defines; None for constraints and for elements that define several.
    What the source writes as a name stands here as a variable, whatever the name is bound to.
    """

    traits: Traits
    element: Element
    path: Path
    term: Term
    parent: Term | None
    target: Sort | None
    domains: Domains


@dataclass(frozen=True, slots=True)
class Change:
    """Replace the subterm at `path` (relative to the body) by `replacement`; None removes all.

    `summary` describes the change by operators and constants only, without source text. With
    `at_head` reports locate the change at the left-hand side, otherwise at the occurrence.
    """

    path: Path
    replacement: Term | None
    summary: str
    at_head: bool = False


@dataclass(frozen=True)
class Mutator:
    """Describe an operator; `apply` yields its changes at one occurrence.

    `levels` says for each semantics it is made for which levels include it. `source` names the
    study it is from. `changes` lists the operators of the terms that it can change (None: of any
    term); with `whole` it changes whole bodies only.
    """

    name: str
    group: str
    summary: str
    source: str
    levels: Mapping[Semantics, frozenset[Level]]
    apply: Callable[[Occurrence], Iterator[Change]]
    changes: frozenset[Op] | None = None
    whole: bool = False

    def concerns(self, op: Op, *, whole: bool) -> bool:
        """Tell whether it may change a term with an operator; `whole`: the term is a body."""
        return (whole or not self.whole) and (self.changes is None or op in self.changes)
