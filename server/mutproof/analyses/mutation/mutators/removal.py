"""Operators that remove a unary operator or a whole equation."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.mutation.mutator import Change, Level, Mutator, Occurrence
from mutproof.analyses.mutation.mutators.exchange import TABLE_2
from mutproof.model.operators import Op
from mutproof.model.program import ElementKind


def _remove_not(occurrence: Occurrence) -> Iterator[Change]:
    if occurrence.term.op is Op.NOT:
        yield Change(occurrence.path, occurrence.term.args[0], "`not` removed")


def _remove_minus(occurrence: Occurrence) -> Iterator[Change]:
    if occurrence.term.op is Op.NEG:
        yield Change(occurrence.path, occurrence.term.args[0], "`-` removed")


def _remove_equation(occurrence: Occurrence) -> Iterator[Change]:
    if not occurrence.path and occurrence.element.kind is ElementKind.EQUATION:
        yield Change((), None, "equation removed", at_head=True)


MUTATORS = (
    Mutator("rm_not", "boolean", "`not a` becomes `a`", TABLE_2, Level.DEFAULT, _remove_not),
    Mutator("rm_minus", "arithmetic", "`-a` becomes `a`", TABLE_2, Level.DEFAULT, _remove_minus),
    Mutator(
        "equation_remove",
        "equation",
        "the equation is removed: its variables may take any value",
        TABLE_2,
        Level.DEFAULT,
        _remove_equation,
    ),
)
