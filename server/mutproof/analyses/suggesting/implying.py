"""Which condition implies which other one by its form alone, without the model.

Comparisons of one term with numbers are sets of numbers within its declared range; other conditions
imply what is equal to them, or what they are composed of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Final, NamedTuple

from mutproof.analyses.suggesting.branches import Literals, negated, ways
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms
from mutproof.model.operators import SWAPPED, Op
from mutproof.model.program import Component, VariableKind
from mutproof.model.sorts import EnumSort, IntSort, RealSort
from mutproof.model.terms import Term

_WEAKER: Final = {
    Op.EQ: frozenset({Op.EQ, Op.LE, Op.GE}),
    Op.LT: frozenset({Op.LT, Op.LE, Op.NE}),
    Op.GT: frozenset({Op.GT, Op.GE, Op.NE}),
}
"""The comparisons that a comparison implies of the same two terms."""

_FREE: Final = frozenset({VariableKind.INPUT, VariableKind.STATE, VariableKind.FROZEN})


class _Edge(NamedTuple):
    """Hold the end of an interval: a number (`beside` 0), or just below or above it."""

    number: int | Fraction
    beside: int = 0


class _Numbers(NamedTuple):
    """Hold an interval (None: unbounded) minus `holes`: of integers if `whole`, else of reals."""

    whole: bool
    low: _Edge | None = None
    high: _Edge | None = None
    holes: frozenset[int | Fraction] = frozenset()

    def within(self, other: _Numbers) -> bool:
        """Tell whether all of these numbers are among others."""
        if other.low is not None and (self.low is None or self.low < other.low):
            return False
        if other.high is not None and (self.high is None or self.high > other.high):
            return False
        return all(hole in self.holes or self.lacks(hole) for hole in other.holes)

    @property
    def shown(self) -> _Numbers:
        """Return the same numbers in the form that all that are equal share."""
        inside = frozenset(hole for hole in self.holes if not self.lacks(hole))
        return self._replace(holes=inside)

    def lacks(self, number: int | Fraction) -> bool:
        """Tell whether a number lies outside the interval."""
        edge = _Edge(number)
        below = self.low is not None and edge < self.low
        return below or (self.high is not None and edge > self.high)

    def above(self, number: int | Fraction) -> _Edge:
        """Return the edge of what is greater than a number."""
        return _Edge(number + 1) if self.whole else _Edge(number, 1)

    def below(self, number: int | Fraction) -> _Edge:
        """Return the edge of what is less than a number."""
        return _Edge(number - 1) if self.whole else _Edge(number, -1)

    def also(self, other: _Numbers) -> _Numbers:
        """Return the numbers that are among others as well, without holes at their edges."""
        low = max((edge for edge in (self.low, other.low) if edge is not None), default=None)
        high = min((edge for edge in (self.high, other.high) if edge is not None), default=None)
        holes = self.holes | other.holes
        for hole in sorted(holes):
            low = self.above(hole) if low == _Edge(hole) else low
        for hole in sorted(holes, reverse=True):
            high = self.below(hole) if high == _Edge(hole) else high
        return _Numbers(self.whole, low, high, holes)


@dataclass(frozen=True, slots=True)
class Implying:
    """Tell what conditions imply, given ranges or lists of values of some terms; caches only."""

    ranges: Mapping[Term, IntSort] = field(default_factory=dict)
    lists: Mapping[Term, tuple[Term, ...]] = field(default_factory=dict)
    _known: dict[tuple[Term, Term], bool] = field(default_factory=dict)
    _ways: dict[Term, tuple[tuple[Literals, ...], tuple[Literals, ...]]] = field(
        default_factory=dict
    )
    _simplified: dict[Literals, Literals] = field(default_factory=dict)

    def any(self, conditions: Sequence[Term], other: Term) -> bool:
        """Tell whether one of several conditions, or their numbers together, imply another one."""
        if any(self.one(condition, other) for condition in conditions):
            return True
        wanted = _plain(other)
        numbers, values = self._numbers(wanted), self._values(wanted)
        if values is not None:
            thing = _thing(wanted)
            left = self._allowed(thing, [one for one in conditions if _thing(one) is thing])
            return frozenset(left) <= values
        if numbers is None or len(conditions) < 2:
            return False
        both = _Numbers(numbers.whole)
        for one in map(_plain, conditions):
            own = self._numbers(one) if one.args[:1] == wanted.args[:1] else None
            both = both if own is None else both.also(own)
        return both.within(numbers)

    def one(self, condition: Term, other: Term) -> bool:
        """Tell whether a condition implies another one."""
        if condition is other:
            return True
        key = condition, other
        if key not in self._known:
            self._known[key] = self._implies(_plain(condition), _plain(other))
        return self._known[key]

    def simplified(self, conditions: Literals) -> Literals:
        """Return simpler conditions of the same meaning: `x > 3` for `x >= 3` and `x != 3`."""
        if conditions not in self._simplified:
            self._simplified[conditions] = self._simpler(conditions)
        return self._simplified[conditions]

    def _simpler(self, conditions: Literals) -> Literals:
        left = list(dict.fromkeys(conditions))
        for one in conditions:
            if any(other is not one and self.one(other, one) for other in left):
                left.remove(one)
        for hole in [one for one in left if one.op is Op.NE]:
            for one in left:
                joined = self._without(one, hole)
                if joined is not None:
                    left[left.index(one)] = joined
                    left.remove(hole)
                    break
        for one in [one for one in left if one.op is Op.LE]:
            at_least = terms.compare(Op.GE, *one.args)
            if at_least in left:
                left[left.index(one)] = terms.eq(*one.args)
                left.remove(at_least)
        for thing in dict.fromkeys(map(_thing, left)):
            value = self._only(thing, left)
            if value is not None:
                about = [o for o in left if _thing(o) is thing and self._is_of_values(o)]
                left[left.index(about[0])] = terms.eq(thing, value)
                left = [one for one in left if one not in about or one is terms.eq(thing, value)]
        return tuple(left)

    def _only(self, thing: Term, conditions: Sequence[Term]) -> Term | None:
        """Return the one value that conditions leave a term, None if not exactly one is known."""
        if thing in self.lists:
            left = self._allowed(thing, [one for one in conditions if _thing(one) is thing])
            return left[0] if len(left) == 1 else None
        if thing not in self.ranges:
            return None
        both = _Numbers(whole=True)
        for one in conditions:
            numbers = self._numbers(one) if one.args[:1] == (thing,) else None
            both = both if numbers is None else both.also(numbers)
        if both.low is None or both.low != both.high:
            return None
        return terms.const(both.low.number, thing.sort)

    def _allowed(self, thing: Term, conditions: Sequence[Term]) -> list[Term]:
        """Return the values that conditions allow a term, in the order of its listed values."""
        known = [self._values(_plain(one)) for one in conditions]
        return [v for v in self.lists[thing] if all(own is None or v in own for own in known)]

    def _values(self, term: Term) -> frozenset[Term] | None:
        """Return the values that a comparison with constants allows its term, None for others."""
        asked = term.args[0] if term.op is Op.NOT else term
        if len(asked.args) != 2 or asked.args[0] not in self.lists:
            return None
        other = asked.args[1]
        some = other.args if asked.op is Op.IN and other.op is Op.SET else (other,)
        if asked.op not in {Op.EQ, Op.NE, Op.IN} or any(one.op is not Op.CONST for one in some):
            return None
        is_in = (asked.op is not Op.NE) == (asked is term)
        return frozenset(one for one in self.lists[asked.args[0]] if (one in some) == is_in)

    def _is_of_values(self, condition: Term) -> bool:
        """Tell whether a condition compares a term with constants only."""
        is_of_one = len(condition.args) == 2 and condition.args[1].op is Op.CONST
        return is_of_one or self._values(condition) is not None

    def _without(self, one: Term, hole: Term) -> Term | None:
        """Return a bound made strict by a condition `!=` its last number, None if not possible."""
        bound, other = self._numbers(one), self._numbers(hole)
        if bound is None or other is None or one.args[0] is not hole.args[0]:
            return None
        numbers = other.holes
        if one.op in {Op.GE, Op.GT} and bound.low is not None and bound.low.number in numbers:
            return terms.compare(Op.GT, *hole.args)
        if one.op in {Op.LE, Op.LT} and bound.high is not None and bound.high.number in numbers:
            return terms.compare(Op.LT, *hole.args)
        return None

    def distinct(self, conditions: Iterable[Term]) -> Iterator[Term]:
        """Yield conditions; of those that allow the same numbers, only the first."""
        seen: set[object] = set()
        for one in conditions:
            plain = _plain(one)
            numbers = self._numbers(plain)
            key = one if numbers is None else (plain.args[0], numbers.shown)
            if key not in seen:
                seen.add(key)
                yield one

    def contradictory(self, conditions: Literals) -> bool:
        """Tell whether two of some conditions exclude each other."""
        return any(
            self.any(conditions[:number], negated(one)) for number, one in enumerate(conditions)
        )

    def follows(self, claim: Term, known: Term) -> bool:
        """Tell whether a Boolean term follows from another one by its connectives alone."""
        holds, fails = self._met(known)[0], self._met(claim)[1]
        return all(self.contradictory((*one, *other)) for one in holds for other in fails)

    def _met(self, term: Term) -> tuple[tuple[Literals, ...], tuple[Literals, ...]]:
        if term not in self._ways:
            self._ways[term] = ways(term)
        return self._ways[term]

    def _implies(self, one: Term, other: Term) -> bool:
        if one is other:
            return True
        own, others = self._values(one), self._values(other)
        if own is not None and others is not None and _thing(one) is _thing(other):
            return own <= others
        if len(one.args) != 2 or len(other.args) != 2:
            return False
        if one.args == other.args and other.op in _WEAKER.get(one.op, ()):
            return True
        if one.args[0] is not other.args[0]:
            return False
        numbers, wanted = self._numbers(one), self._numbers(other)
        if numbers is not None and wanted is not None:
            return numbers.within(wanted)
        values = (one.args[1], other.args[1])
        return (
            (one.op, other.op) == (Op.EQ, Op.NE)
            and all(value.op is Op.CONST for value in values)
            and values[0].payload != values[1].payload
        )

    def _numbers(self, term: Term) -> _Numbers | None:
        """Return the numbers that a comparison allows its left side, None for other terms."""
        if len(term.args) != 2 or term.args[1].op is not Op.CONST:
            return None
        thing, bound = term.args
        number = bound.payload
        every = _Numbers(isinstance(thing.sort, IntSort))
        if not every.whole and not isinstance(thing.sort, RealSort):
            return None
        assert isinstance(number, int | Fraction)
        at = _Edge(number)
        match term.op:
            case Op.EQ:
                return _Numbers(every.whole, at, at)
            case Op.GE:
                found = _Numbers(every.whole, at)
            case Op.GT:
                found = _Numbers(every.whole, every.above(number))
            case Op.LE:
                found = _Numbers(every.whole, None, at)
            case Op.LT:
                found = _Numbers(every.whole, None, every.below(number))
            case Op.NE:
                found = _Numbers(every.whole, holes=frozenset({number}))
            case _:
                return None
        declared = self.ranges.get(thing, sorts.INT)
        low, high = (None if n is None else _Edge(n) for n in (declared.low, declared.high))
        return found.also(_Numbers(every.whole, low, high))


def ranges(component: Component) -> Iterator[tuple[Term, IntSort]]:
    """Yield integers without a definition, also under `pre` and `next`, with their declared ranges.

    Defined ones are left out: they may leave their range in a mutant.
    """
    for variable in component.variables:
        if isinstance(variable.sort, IntSort) and variable.kind in _FREE:
            now = terms.var(variable.name, variable.sort)
            yield from ((one, variable.sort) for one in (now, *_beside(now)))


def listed(component: Component) -> Iterator[tuple[Term, tuple[Term, ...]]]:
    """Yield enumerations without a definition, also under `pre` and `next`, with their values."""
    for variable in component.variables:
        sort = variable.sort
        if isinstance(sort, EnumSort) and variable.kind in _FREE:
            now = terms.var(variable.name, sort)
            values = tuple(terms.const(value, now.sort) for value in sort.values)
            yield from ((one, values) for one in (now, *_beside(now)))


def _beside(now: Term) -> Iterator[Term]:
    for op in (Op.PRE, Op.NEXT):
        yield terms.make(op, now.sort, (now,))


def _thing(term: Term) -> Term:
    """Return the term that a condition is about: the left side of a comparison, or a Boolean."""
    asked = term.args[0] if term.op is Op.NOT else term
    return asked.args[0] if len(asked.args) == 2 else asked


def _plain(term: Term) -> Term:
    """Return a comparison with its constant on the right, and without `not` if possible."""
    if term.op is Op.NOT and term.args[0].op is not Op.NOT:
        opposite = negated(term.args[0])
        if opposite.op is not Op.NOT:
            return _plain(opposite)
    if len(term.args) == 2 and term.args[0].op is Op.CONST and term.args[1].op is not Op.CONST:
        op = SWAPPED.get(term.op, term.op if term.op in {Op.EQ, Op.NE} else None)
        if op is not None:
            return terms.make(op, sorts.BOOL, term.args[::-1])
    return term
