"""Mutants: a program with one small change or two, named so that edits elsewhere keep the name."""

from __future__ import annotations

from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.model.program import Element, ElementId
from mutproof.model.terms import Path, Term

LEAST_DIGITS = 10
"""The least number of hexadecimal digits of a mutant's digest that users are shown."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """Hold one change: `operator` applied at `path` of the body of `element`.

    `replacement` replaces the subterm at `path` in every occurrence of the element; None
    removes the whole element. It is a term of the occurrence `source`, which prints it; in other
    instances of a module it reads what stands there (`enumerate.mutated_body`). `place` is the
    path at which reports locate the change: the subterm whose token is changed; None means the
    head of the element (its left-hand side). `summary` says the change in source terms, for
    example "`>` → `>=`". `id` is a digest of the change; people are shown as much of it as tells
    the mutant from the others of its file. `parts` are the two changes of a pair, empty for a
    single change; of a pair, `element` and what belongs to it are those of the first one. `named`
    are the constants that the replacement reads by a name of the text; None if that is the same.
    """

    id: str
    shown: str = field(compare=False)
    element: ElementId
    operator: str
    path: Path
    replacement: Term | None
    place: Path | None
    summary: str
    source: Element
    parts: tuple[Mutant, ...] = ()
    named: frozenset[Term] | None = None

    @property
    def changes(self) -> tuple[Mutant, ...]:
        """Return the single changes it makes, one or two."""
        return self.parts or (self,)
