"""Operators on time: memories, initial values and delays."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutproof.analyses.mutation.mutator import Change, Level, Mutator, Occurrence
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.traits import Semantics

HERE = "mutproof: temporal operators"
_LEVELS = {Semantics.FORWARD: frozenset({Level.ALL})}


def _drop_pre(occurrence: Occurrence) -> Iterator[Change]:
    if occurrence.term.op is Op.PRE:
        yield Change(occurrence.path, occurrence.term.args[0], "`pre` removed")


def _swap_arrow(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is Op.ARROW:
        swapped = terms.rebuilt(term, (term.args[1], term.args[0]))
        yield Change(occurrence.path, swapped, "sides of `->` exchanged")


def _drop_initial(occurrence: Occurrence) -> Iterator[Change]:
    if occurrence.term.op is Op.ARROW:
        yield Change(occurrence.path, occurrence.term.args[1], "initial value removed")


def _delay(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is Op.VAR and sorts.is_scalar(term.sort):
        late = terms.make(Op.ARROW, term.sort, (term, terms.make(Op.PRE, term.sort, (term,))))
        yield Change(occurrence.path, late, "delayed by one step")


def _made(
    name: str, summary: str, op: Op, apply: Callable[[Occurrence], Iterator[Change]]
) -> Mutator:
    return Mutator(name, "temporal", summary, HERE, _LEVELS, apply, frozenset({op}))


MUTATORS = (
    _made("drop_pre", "`pre e` becomes `e`", Op.PRE, _drop_pre),
    _made("swap_arrow", "`a -> b` becomes `b -> a`", Op.ARROW, _swap_arrow),
    _made("drop_initial", "`a -> b` becomes `b`", Op.ARROW, _drop_initial),
    _made("delay", "`x` becomes `x -> pre x`", Op.VAR, _delay),
)
