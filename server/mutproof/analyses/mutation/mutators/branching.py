"""Operators on `if then else`, on `c ? a : b` and on the branches of cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutproof.analyses.mutation import spelling
from mutproof.analyses.mutation.mutator import Change, Mutator, Occurrence
from mutproof.analyses.mutation.mutators.exchange import TABLE_2, TABLE_2_LEVELS
from mutproof.model import terms
from mutproof.model.operators import Op


def _fix(value: bool) -> Callable[[Occurrence], Iterator[Change]]:
    fixed = terms.bool_(value)

    def apply(occurrence: Occurrence) -> Iterator[Change]:
        term = occurrence.term
        shown = spelling.value(occurrence, value)
        if not occurrence.traits.has_own_conditions:
            if term.op is Op.ITE:
                yield Change((*occurrence.path, 0), fixed, f"`if` condition → `{shown}`")
        elif _is_condition(occurrence):
            yield Change(occurrence.path, fixed, f"condition → `{shown}`")

    return apply


def _is_condition(occurrence: Occurrence) -> bool:
    parent = occurrence.parent
    if parent is None or parent.op not in {Op.ITE, Op.CASE}:
        return False
    position = occurrence.path[-1]
    return position == 0 or (parent.op is Op.CASE and position % 2 == 0)


def _swap(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is Op.ITE:
        condition, then, otherwise = term.args
        swapped = terms.rebuilt(term, (condition, otherwise, then))
        yield Change(occurrence.path, swapped, "`then` and `else` exchanged")
    elif term.op is Op.CASE:
        for index in range(1, len(term.args) - 2, 2):
            args = list(term.args)
            args[index], args[index + 2] = args[index + 2], args[index]
            number = index // 2 + 1
            summary = f"values {number} and {number + 1} of `case` exchanged"
            yield Change(occurrence.path, terms.rebuilt(term, args), summary)


MUTATORS = (
    Mutator(
        "ifthen",
        "branching",
        "the condition becomes true",
        TABLE_2,
        TABLE_2_LEVELS,
        _fix(True),
    ),
    Mutator(
        "ifelse",
        "branching",
        "the condition becomes false",
        TABLE_2,
        TABLE_2_LEVELS,
        _fix(False),
    ),
    Mutator(
        "ifelsethen",
        "branching",
        "the branches change places",
        TABLE_2,
        TABLE_2_LEVELS,
        _swap,
        frozenset({Op.ITE, Op.CASE}),
    ),
)
