"""Operators that exchange one binary operator for another, or keep one operand only."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutproof.analyses.mutation import spelling
from mutproof.analyses.mutation.mutator import (
    EVERY,
    Change,
    Level,
    Mutator,
    Occurrence,
)
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.traits import Semantics

TABLE_2 = "Todorov, Taha, Boulanger: NFM 2020, Table 2"
TABLE_2_LEVELS = {
    Semantics.FORWARD: EVERY,
    Semantics.RELATIONAL: frozenset({Level.DEFAULT, Level.ALL}),
}
"""In NuSMV models, `paper` is the choice of the study on NuSMV."""


def _exchange(old: Op, new: Op) -> Callable[[Occurrence], Iterator[Change]]:
    def apply(occurrence: Occurrence) -> Iterator[Change]:
        term = occurrence.term
        if term.op is old and len(term.args) == 2:
            replacement = terms.make(new, term.sort, term.args)
            before, after = (spelling.operator(occurrence, op) for op in (old, new))
            yield Change(occurrence.path, replacement, f"`{before}` → `{after}`")

    return apply


def _keep(old: Op, position: int) -> Callable[[Occurrence], Iterator[Change]]:
    side = ("left", "right")[position]

    def apply(occurrence: Occurrence) -> Iterator[Change]:
        term = occurrence.term
        if term.op is old:
            kept = term.args[position]
            shown = spelling.operator(occurrence, old)
            yield Change(occurrence.path, kept, f"`{shown}` → its {side} operand")

    return apply


def _exchanger(name: str, group: str, old: Op, new: Op) -> Mutator:
    summary = f"`{old.value}` becomes `{new.value}`"
    apply = _exchange(old, new)
    return Mutator(name, group, summary, TABLE_2, TABLE_2_LEVELS, apply, frozenset({old}))


def _keeper(name: str, old: Op, position: int) -> Mutator:
    summary = f"`a {old.value} b` becomes `{'ab'[position]}`"
    apply = _keep(old, position)
    return Mutator(name, "boolean", summary, TABLE_2, TABLE_2_LEVELS, apply, frozenset({old}))


MUTATORS = (
    _exchanger("or2xor", "boolean", Op.OR, Op.XOR),
    _exchanger("xor2implies", "boolean", Op.XOR, Op.IMPLIES),
    _exchanger("implies2and", "boolean", Op.IMPLIES, Op.AND),
    _exchanger("and2or", "boolean", Op.AND, Op.OR),
    _keeper("or2left", Op.OR, 0),
    _keeper("or2right", Op.OR, 1),
    _keeper("and2left", Op.AND, 0),
    _keeper("and2right", Op.AND, 1),
    _exchanger("eq2neq", "relational", Op.EQ, Op.NE),
    _exchanger("neq2eq", "relational", Op.NE, Op.EQ),
    _exchanger("g2ge", "relational", Op.GT, Op.GE),
    _exchanger("ge2g", "relational", Op.GE, Op.GT),
    _exchanger("l2le", "relational", Op.LT, Op.LE),
    _exchanger("le2l", "relational", Op.LE, Op.LT),
    _exchanger("g2l", "relational", Op.GT, Op.LT),
    _exchanger("l2g", "relational", Op.LT, Op.GT),
    _exchanger("ge2le", "relational", Op.GE, Op.LE),
    _exchanger("le2ge", "relational", Op.LE, Op.GE),
    _exchanger("plus2minus", "arithmetic", Op.ADD, Op.SUB),
    _exchanger("minus2plus", "arithmetic", Op.SUB, Op.ADD),
)
