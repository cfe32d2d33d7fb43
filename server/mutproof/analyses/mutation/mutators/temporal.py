"""Operators on time: memories, initial values and delays."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.mutation.mutator import LUSTRE, Change, Level, Mutator, Occurrence
from mutproof.model import sorts, terms
from mutproof.model.operators import Op

HERE = "mutproof: temporal operators"
_LEVELS = {LUSTRE: frozenset({Level.ALL})}


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


MUTATORS = (
    Mutator("drop_pre", "temporal", "`pre e` becomes `e`", HERE, _LEVELS, _drop_pre),
    Mutator("swap_arrow", "temporal", "`a -> b` becomes `b -> a`", HERE, _LEVELS, _swap_arrow),
    Mutator("drop_initial", "temporal", "`a -> b` becomes `b`", HERE, _LEVELS, _drop_initial),
    Mutator("delay", "temporal", "`x` becomes `x -> pre x`", HERE, _LEVELS, _delay),
)
