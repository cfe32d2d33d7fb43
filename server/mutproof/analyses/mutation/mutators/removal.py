"""Operators that remove a unary operator or a whole equation."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.mutation import spelling
from mutproof.analyses.mutation.mutator import EVERY, Change, Mutator, Occurrence
from mutproof.analyses.mutation.mutators.exchange import TABLE_2, TABLE_2_LEVELS
from mutproof.model.operators import Op
from mutproof.model.program import ElementKind
from mutproof.model.traits import Semantics


def _remove_not(occurrence: Occurrence) -> Iterator[Change]:
    if occurrence.term.op is Op.NOT:
        shown = spelling.operator(occurrence, Op.NOT)
        yield Change(occurrence.path, occurrence.term.args[0], f"`{shown}` removed")


def _remove_minus(occurrence: Occurrence) -> Iterator[Change]:
    if occurrence.term.op is Op.NEG:
        yield Change(occurrence.path, occurrence.term.args[0], "`-` removed")


def _remove_equation(occurrence: Occurrence) -> Iterator[Change]:
    if not occurrence.path and occurrence.element.kind is ElementKind.EQUATION:
        yield Change((), None, "equation removed", at_head=True)


MUTATORS = (
    Mutator(
        "rm_not",
        "boolean",
        "`not a` becomes `a`",
        TABLE_2,
        TABLE_2_LEVELS,
        _remove_not,
        frozenset({Op.NOT}),
    ),
    Mutator(
        "rm_minus",
        "arithmetic",
        "`-a` becomes `a`",
        TABLE_2,
        TABLE_2_LEVELS,
        _remove_minus,
        frozenset({Op.NEG}),
    ),
    Mutator(
        "equation_remove",
        "equation",
        "the equation is removed: its variables may take any value",
        TABLE_2,
        {Semantics.FORWARD: EVERY},
        _remove_equation,
        whole=True,
    ),
)
