"""Sums of variables with rational factors: what comparisons of numbers ask about."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from math import ceil, floor, gcd
from typing import Final, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model import sorts, terms
from mutproof.model.operators import SWAPPED, Op
from mutproof.model.sorts import IntSort, RealSort
from mutproof.model.terms import Term


@dataclass(frozen=True, slots=True)
class Sum:
    """Hold a sum of variables, or of opaque parts, and a constant."""

    parts: tuple[tuple[str, Fraction], ...] = ()
    constant: Fraction = Fraction(0)


Leaf: TypeAlias = "Sum | Term"
Cut: TypeAlias = tuple[Fraction, int]
"""A place between numbers: just below one (0), or just above it (1)."""


_NO_CASE: Final = "%no case"


@dataclass(frozen=True, slots=True)
class SumQuestion:
    """Ask whether a sum of variables lies between cuts; `negated`: whether it does not."""

    key: str
    above: Cut | None
    below: Cut | None
    negated: bool

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """Return the cuts that it asks about."""
        return tuple(cut for cut in (self.above, self.below) if cut is not None)

    def answer(self, everywhere: int, below: Callable[[str, Cut], int]) -> int:
        """Return the entries in which it is so; `below` gives those where a sum is below a cut."""
        rows = everywhere
        if self.below is not None:
            rows &= below(self.key, self.below)
        if self.above is not None:
            rows &= ~below(self.key, self.above)
        return everywhere & ~rows if self.negated else rows


def question(term: Term, one: Sum, other: Sum) -> SumQuestion:
    """Return a comparison of two sums, as a question about the difference of their variables."""
    whole = added(one, other, -1)
    is_integer = isinstance(term.args[0].sort, IntSort)
    factor = _factor(whole, is_integer=is_integer)
    left = times(whole, 1 / factor)
    bound, op = -left.constant, term.op
    if factor < 0:
        op = SWAPPED.get(op, op)
    key = _key(left, is_integer=is_integer) if left.parts else ""
    if op in {Op.EQ, Op.NE}:
        below = _cut(bound, 1, is_integer=is_integer)
        return SumQuestion(key, _cut(bound, 0, is_integer=is_integer), below, op is Op.NE)
    at = _cut(bound, 1 if op in {Op.LE, Op.GT} else 0, is_integer=is_integer)
    return SumQuestion(key, None, at, op in {Op.GT, Op.GE})


def _cut(bound: Fraction, side: int, *, is_integer: bool) -> Cut:
    """Return the cut just below (side 0) or above (1) a number; for integers, above an integer."""
    if not is_integer:
        return bound, side
    return Fraction(floor(bound) if side else ceil(bound) - 1), 1


def _factor(whole: Sum, *, is_integer: bool) -> Fraction:
    """Return the divisor that leaves a sum no common factor and a positive first coefficient."""
    if not whole.parts:
        return Fraction(1)
    first = whole.parts[0][1]
    if not is_integer:
        return first
    common = reduce(gcd, (abs(int(factor)) for _, factor in whole.parts))
    return Fraction(common if first > 0 else -common)


def _key(whole: Sum, *, is_integer: bool) -> str:
    shown = " + ".join(f"{factor} {name}" for name, factor in whole.parts)
    return f"{'int' if is_integer else 'real'} {shown}"


def is_number(term: Term) -> bool:
    """Tell whether the values of a term are numbers."""
    return isinstance(term.sort, IntSort | RealSort)


def is_sum(leaf: object) -> bool:
    """Tell whether a value is a sum."""
    return isinstance(leaf, Sum)


def name_of(term: Term) -> str:
    """Return a name that only this term has."""
    if term.op is Op.VAR:
        return f"var {term.payload}"
    if term.op is Op.NEXT_VAR:
        return f"next {term.payload}"
    return f"term {term.digest.hex()}"


def leaf_of(term: Term) -> Leaf:
    """Return an opaque part as a value."""
    if not is_number(term):
        return term
    if term.op is Op.CONST:
        assert isinstance(term.payload, int | Fraction)
        return Sum((), Fraction(term.payload))
    return Sum(((name_of(term), Fraction(1)),))


def no_case(term: Term) -> Leaf:
    """Return the value of a list of cases none of which applies."""
    if is_number(term):
        return Sum(((_NO_CASE, Fraction(1)),))
    return terms.const(_NO_CASE, sorts.SYMBOL)


def added(one: object, other: object, sign: int) -> Sum:
    """Return a sum with another one, times a sign."""
    assert isinstance(one, Sum)
    assert isinstance(other, Sum)
    parts = dict(one.parts)
    for name, factor in other.parts:
        parts[name] = parts.get(name, Fraction(0)) + sign * factor
    left = tuple(sorted((name, factor) for name, factor in parts.items() if factor))
    return Sum(left, one.constant + sign * other.constant)


def times(one: object, factor: Fraction) -> Sum:
    """Return a sum times a factor."""
    assert isinstance(one, Sum)
    if not factor:
        return Sum()
    return Sum(tuple((n, factor * f) for n, f in one.parts), factor * one.constant)


def product_of(one: object, other: object) -> Sum:
    """Return the product of two sums one of which is a constant."""
    assert isinstance(one, Sum)
    assert isinstance(other, Sum)
    return times(one, other.constant) if not other.parts else times(other, one.constant)


def scaled(*args: frozenset[Leaf]) -> frozenset[Leaf] | None:
    """Return the products of two values one of which is a constant; None where none is."""
    pairs = [(one, other) for one in args[0] for other in args[1]]
    for one, other in pairs:
        if not isinstance(one, Sum) or not isinstance(other, Sum) or (one.parts and other.parts):
            return None
    return frozenset(product_of(one, other) for one, other in pairs)
