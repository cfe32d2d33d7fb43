"""Operators on `if then else`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutproof.analyses.mutation.mutator import Change, Level, Mutator, Occurrence
from mutproof.analyses.mutation.mutators.exchange import TABLE_2
from mutproof.model import terms
from mutproof.model.operators import Op


def _fix(value: bool) -> Callable[[Occurrence], Iterator[Change]]:
    def apply(occurrence: Occurrence) -> Iterator[Change]:
        if occurrence.term.op is Op.ITE:
            shown = "true" if value else "false"
            yield Change((*occurrence.path, 0), terms.bool_(value), f"`if` condition → `{shown}`")

    return apply


def _swap(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is Op.ITE:
        condition, then, otherwise = term.args
        swapped = terms.rebuilt(term, (condition, otherwise, then))
        yield Change(occurrence.path, swapped, "`then` and `else` exchanged")


MUTATORS = (
    Mutator(
        "ifthen", "branching", "the condition becomes true", TABLE_2, Level.DEFAULT, _fix(True)
    ),
    Mutator(
        "ifelse", "branching", "the condition becomes false", TABLE_2, Level.DEFAULT, _fix(False)
    ),
    Mutator("ifelsethen", "branching", "the branches change places", TABLE_2, Level.DEFAULT, _swap),
)
