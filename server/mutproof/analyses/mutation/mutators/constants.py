"""Operators on constants, and those that make a whole equation (or its start) constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from mutproof.analyses.mutation import spelling
from mutproof.analyses.mutation.mutator import Change, Level, Mutator, Occurrence
from mutproof.analyses.mutation.mutators.exchange import TABLE_2, TABLE_2_LEVELS
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.program import ElementKind
from mutproof.model.sorts import BoolSort, IntSort, RealSort
from mutproof.model.terms import Term
from mutproof.model.traits import Semantics

FIGURE_5 = "Todorov, Taha, Boulanger: NFM 2020, Figure 5"
FIGURE_5_LEVELS = {Semantics.FORWARD: frozenset({Level.PAPER, Level.ALL})}


def _shown(value: bool | int) -> str:
    return str(value).lower()


def _other_constant(term: Term) -> Term | None:
    match term.sort:
        case BoolSort():
            return terms.bool_(not term.payload)
        case IntSort():
            return terms.int_(-1 if term.payload == 1 else 1)
        case RealSort():
            return terms.real_(Fraction(-1 if term.payload == 1 else 1))
        case _:
            return None


def _constant(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is Op.CONST:
        other = _other_constant(term)
        if other is not None:
            before, after = (spelling.constant(occurrence, t) for t in (term, other))
            yield Change(occurrence.path, other, f"`{before}` → `{after}`")


def _values(sort: sorts.Sort | None, truth: bool, number: int) -> Term | None:
    """Return the constant that equal_V or init_V assigns to a variable of a sort; None if none."""
    match sort:
        case BoolSort():
            return terms.bool_(truth)
        case IntSort(None, None):
            return terms.int_(number)
        case RealSort():
            return terms.real_(Fraction(number))
        case _:
            return None


def _whole(value: bool | int, *, initial: bool) -> Callable[[Occurrence], Iterator[Change]]:
    def apply(occurrence: Occurrence) -> Iterator[Change]:
        if occurrence.path or occurrence.element.kind is not ElementKind.EQUATION:
            return
        target = occurrence.target
        if isinstance(target, BoolSort) != isinstance(value, bool):
            return
        constant = _values(target, bool(value), int(value))
        if constant is None:
            return
        if initial:
            body = terms.make(Op.ARROW, occurrence.term.sort, (constant, occurrence.term))
            summary = f"initially `{_shown(value)}`"
        else:
            body = constant
            summary = f"always `{_shown(value)}`"
        yield Change((), body, summary, at_head=True)

    return apply


def _fixed(value: bool | int) -> Mutator:
    shown = _shown(value)
    apply = _whole(value, initial=False)
    summary = f"`x = e` becomes `x = {shown}`"
    name = f"equal_{shown}"
    return Mutator(name, "equation", summary, FIGURE_5, FIGURE_5_LEVELS, apply, whole=True)


def _started(value: bool | int) -> Mutator:
    shown = _shown(value)
    apply = _whole(value, initial=True)
    summary = f"`x = e` becomes `x = {shown} -> e`"
    name = f"init_{shown}"
    return Mutator(name, "equation", summary, FIGURE_5, FIGURE_5_LEVELS, apply, whole=True)


MUTATORS = (
    Mutator(
        "constant",
        "constant",
        "a number becomes 1 (1 becomes -1), a truth value the other one",
        TABLE_2,
        TABLE_2_LEVELS,
        _constant,
        frozenset({Op.CONST}),
    ),
    _fixed(True),
    _fixed(False),
    _fixed(5),
    _fixed(-2),
    _started(True),
    _started(False),
    _started(5),
    _started(-1),
)
