"""What one condition is said to imply of another one is so for all values."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import pytest

from mutproof.analyses.suggesting.facts import value_of
from mutproof.analyses.suggesting.implying import Implying
from mutproof.model import sorts, terms
from mutproof.model.operators import COMPARISONS, Op
from mutproof.model.sorts import IntSort, Sort, Value
from mutproof.model.terms import Term

A, B, C = (terms.var(name, sorts.BOOL) for name in "abc")
ORDER = sorted((*COMPARISONS, Op.EQ, Op.NE), key=lambda op: op.value)
VALUES: dict[Sort, tuple[Value, ...]] = {
    sorts.INT: tuple(range(5)),
    sorts.REAL: tuple(Fraction(number, 2) for number in range(9)),
}
NUMBERS = (1, 2, 3)
"""What is compared with; of reals, there are values between them."""


def comparisons(x: Term) -> list[Term]:
    """Return comparisons with each number, from either side, and the opposite of each."""
    numbers = [terms.const(number, x.sort) for number in NUMBERS]
    pairs = [pair for number in numbers for pair in ((x, number), (number, x))]
    found = [terms.compare(op, *pair) for op, pair in product(ORDER, pairs)]
    return [*found, *map(terms.not_, found)]


def holds(term: Term, values: Iterable[Value]) -> list[Value]:
    return [value for value in values if value_of(term, {"x": value})]


@pytest.mark.parametrize(
    ("sort", "limits"),
    [
        pytest.param(sorts.INT, IntSort(0, 4), id="numbers of a range"),
        pytest.param(sorts.INT, None, id="whole numbers"),
        pytest.param(sorts.REAL, None, id="reals"),
    ],
)
def test_a_comparison_implies_what_holds_of_all_its_numbers(
    sort: Sort, limits: IntSort | None
) -> None:
    x = terms.var("x", sort)
    implying = Implying({} if limits is None else {x: limits})
    some = comparisons(x)
    found, so = set(), set()
    values = VALUES[sort]
    for one, other in product(some, some):
        if implying.one(one, other):
            found.add((one, other))
        if set(holds(one, values)) <= set(holds(other, values)):
            so.add((one, other))

    assert so == found


def test_conditions_on_an_enumeration_are_sets_of_its_values() -> None:
    x = terms.var("x", sorts.EnumSort())
    red, amber, green = values = tuple(terms.const(name, x.sort) for name in ("r", "a", "g"))
    implying = Implying({}, {x: values})

    def among(*some: Term) -> Term:
        chosen = terms.make(Op.SET, sorts.SetSort(x.sort), some)
        return terms.make(Op.IN, sorts.BOOL, (x, chosen))

    stopping = among(red, amber)
    assert implying.one(terms.eq(x, green), terms.not_(stopping))
    assert implying.one(terms.eq(x, red), stopping)
    assert implying.one(stopping, terms.ne(x, green))
    assert not implying.one(terms.ne(x, red), stopping)
    assert implying.any((terms.ne(x, red), stopping), terms.eq(x, amber))
    assert (terms.eq(x, green),) == implying.simplified((terms.not_(stopping),))
    assert (terms.eq(x, red),) == implying.simplified((stopping, terms.ne(x, amber)))


def test_comparisons_of_one_thing_imply_together_what_none_implies() -> None:
    x = terms.var("x", sorts.INT)
    implying = Implying({x: IntSort(0, 4)})
    some = comparisons(x)[::3]
    for one, another, other in product(some, some, some):
        both = [
            value
            for value in holds(one, VALUES[sorts.INT])
            if value in holds(another, VALUES[sorts.INT])
        ]
        so = set(both) <= set(holds(other, VALUES[sorts.INT]))
        assert so or not implying.any((one, another), other)
    zero, first, second = (terms.int_(number) for number in range(3))
    above = terms.compare(Op.GT, x, zero)
    assert implying.any((above, terms.ne(x, first)), terms.compare(Op.GE, x, second))


def test_conditions_on_one_thing_are_said_as_one() -> None:
    x = terms.var("x", sorts.INT)
    implying = Implying({x: IntSort(0, 4)})
    two, three = terms.int_(2), terms.int_(3)
    upward, not_two = terms.compare(Op.GE, x, two), terms.ne(x, two)
    above = terms.compare(Op.GT, x, two)

    assert (A, above) == implying.simplified((A, upward, not_two))
    assert (terms.eq(x, two),) == implying.simplified((terms.eq(x, two), terms.ne(x, three)))
    assert (above,) == implying.simplified((upward, above))
    assert (above, A) == tuple(implying.distinct((above, A, terms.compare(Op.GE, x, three), A)))
    for pair in product(comparisons(x)[::2], repeat=2):
        both = terms.conjunction(pair)
        said = terms.conjunction(implying.simplified(pair))
        assert holds(both, VALUES[sorts.INT]) == holds(said, VALUES[sorts.INT])


X, Y = (terms.var(name, sorts.INT) for name in "xy")


def test_comparisons_of_two_variables_imply_weaker_ones() -> None:
    implying = Implying({})

    assert implying.one(terms.compare(Op.LT, X, Y), terms.compare(Op.NE, X, Y))
    assert implying.one(terms.eq(X, Y), terms.compare(Op.GE, X, Y))
    assert not implying.one(terms.compare(Op.LE, X, Y), terms.compare(Op.LT, X, Y))
    assert not implying.one(A, B)


@pytest.mark.parametrize(
    ("claim", "follows"),
    [
        (terms.implies(terms.or_(A, B), C), True),
        (terms.implies(C, terms.or_(A, B)), True),
        (terms.implies(terms.and_(C, terms.not_(A)), B), True),
        (terms.implies(A, C), True),
        (terms.implies(C, A), False),
        (C, False),
    ],
)
def test_what_follows_from_a_definition_is_told_by_its_connectives(
    claim: Term, *, follows: bool
) -> None:
    either = terms.or_(A, B)
    definition = terms.or_(terms.and_(C, either), terms.and_(terms.not_(C), terms.not_(either)))

    assert follows == Implying({}).follows(claim, definition)
