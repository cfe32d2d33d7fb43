"""Which condition implies which other one, as their form alone tells.

Comparisons of one thing with numbers are sets of numbers, within the range that is declared of
it; all else implies what is the same or what it is made of. What takes the model is for proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Final, NamedTuple

from mutproof.analyses.suggesting.branches import Literals, negated, ways
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms
from mutproof.model.operators import SWAPPED, Op
from mutproof.model.program import Component
from mutproof.model.sorts import IntSort, RealSort
from mutproof.model.terms import Term

_WEAKER: Final = {
    Op.EQ: frozenset({Op.EQ, Op.LE, Op.GE}),
    Op.LT: frozenset({Op.LT, Op.LE, Op.NE}),
    Op.GT: frozenset({Op.GT, Op.GE, Op.NE}),
}
"""What a comparison implies of the same two things."""


class _Edge(NamedTuple):
    """Hold where an interval ends: just above or below a number, or at it."""

    number: int | Fraction
    beside: int = 0


class _Numbers(NamedTuple):
    """Hold the numbers from `low` to `high` (None is unbounded) but the `hole`."""

    low: _Edge | None
    high: _Edge | None
    hole: int | Fraction | None = None

    def within(self, other: _Numbers) -> bool:
        """Tell whether all of these numbers are among others."""
        if other.low is not None and (self.low is None or self.low < other.low):
            return False
        if other.high is not None and (self.high is None or self.high > other.high):
            return False
        return other.hole is None or self.hole == other.hole or self.lacks(other.hole)

    def lacks(self, number: int | Fraction) -> bool:
        """Tell whether a number lies outside the interval."""
        edge = _Edge(number)
        below = self.low is not None and edge < self.low
        return below or (self.high is not None and edge > self.high)


@dataclass(frozen=True, slots=True)
class Implying:
    """Tell what conditions imply, given the ranges of some terms; a value with a memo."""

    ranges: Mapping[Term, IntSort]
    _known: dict[tuple[Term, Term], bool] = field(default_factory=dict)

    def any(self, conditions: Iterable[Term], other: Term) -> bool:
        """Tell whether one of several conditions implies another one."""
        return any(self.one(condition, other) for condition in conditions)

    def one(self, condition: Term, other: Term) -> bool:
        """Tell whether a condition implies another one."""
        if condition is other:
            return True
        key = condition, other
        if key not in self._known:
            self._known[key] = self._implies(_plain(condition), _plain(other))
        return self._known[key]

    def contradictory(self, conditions: Literals) -> bool:
        """Tell whether two of some conditions exclude each other."""
        return any(
            self.any(conditions[:number], negated(one)) for number, one in enumerate(conditions)
        )

    def follows(self, claim: Term, known: Term) -> bool:
        """Tell whether a Boolean term follows from another one, as connectives tell."""
        return all(
            self.contradictory((*one, *other)) for one in ways(known)[0] for other in ways(claim)[1]
        )

    def _implies(self, one: Term, other: Term) -> bool:
        if one is other:
            return True
        if len(one.args) != 2 or len(other.args) != 2:
            return False
        if one.args == other.args and other.op in _WEAKER.get(one.op, ()):
            return True
        if one.args[0] is not other.args[0]:
            return False
        numbers, others = self._numbers(one), self._numbers(other)
        if numbers is not None and others is not None:
            return numbers.within(others)
        values = (one.args[1], other.args[1])
        return (
            (one.op, other.op) == (Op.EQ, Op.NE)
            and all(value.op is Op.CONST for value in values)
            and values[0].payload != values[1].payload
        )

    def _numbers(self, term: Term) -> _Numbers | None:
        """Return the numbers that a comparison leaves its left side, None for other terms."""
        thing, bound = term.args
        number = bound.payload
        whole = isinstance(thing.sort, IntSort)
        if bound.op is not Op.CONST or not (whole or isinstance(thing.sort, RealSort)):
            return None
        assert isinstance(number, int | Fraction)
        beside = (number + 1, number - 1) if whole else (number, number)
        above, below = _Edge(beside[0], 1 - whole), _Edge(beside[1], whole - 1)
        at = _Edge(number)
        match term.op:
            case Op.EQ:
                return _Numbers(at, at)
            case Op.GE | Op.GT:
                found = _Numbers(at if term.op is Op.GE else above, None)
            case Op.LE | Op.LT:
                found = _Numbers(None, at if term.op is Op.LE else below)
            case Op.NE:
                found = _Numbers(None, None, number)
            case _:
                return None
        declared = self.ranges.get(thing)
        return found if declared is None else _narrowed(found, declared)


def ranges(component: Component) -> Iterator[tuple[Term, IntSort]]:
    """Yield the whole numbers of a component, now and in the steps beside, with their ranges."""
    for variable in component.variables:
        if isinstance(variable.sort, IntSort):
            now = terms.var(variable.name, variable.sort)
            yield now, variable.sort
            for op in (Op.PRE, Op.NEXT):
                yield terms.make(op, now.sort, (now,)), variable.sort


def _narrowed(found: _Numbers, declared: IntSort) -> _Numbers:
    """Return those of some numbers that a range has, without a hole at one of its ends."""
    low, high, hole = found
    if declared.low is not None and (low is None or low.number < declared.low):
        low = _Edge(declared.low)
    if declared.high is not None and (high is None or high.number > declared.high):
        high = _Edge(declared.high)
    if hole is not None and low == _Edge(hole):
        low, hole = _Edge(hole + 1), None
    if hole is not None and high == _Edge(hole):
        high, hole = _Edge(hole - 1), None
    return _Numbers(low, high, hole)


def _plain(term: Term) -> Term:
    """Return a comparison with its number on the right and without a `not` before it."""
    if term.op is Op.NOT and term.args[0].op is not Op.NOT:
        opposite = negated(term.args[0])
        if opposite.op is not Op.NOT:
            return _plain(opposite)
    if len(term.args) == 2 and term.args[0].op is Op.CONST and term.args[1].op is not Op.CONST:
        op = SWAPPED.get(term.op, term.op if term.op in {Op.EQ, Op.NE} else None)
        if op is not None:
            return terms.make(op, sorts.BOOL, term.args[::-1])
    return term
