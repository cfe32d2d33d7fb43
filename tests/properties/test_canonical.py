"""Terms with one canonical form have the same value in every state."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.model import sorts, terms
from mutproof.model.canonical import canonical
from mutproof.model.compile import compiler
from mutproof.model.operators import Op
from mutproof.model.sorts import EnumSort, IntSort, Sort
from mutproof.model.system import SystemVariable, SystemVariableKind
from mutproof.model.terms import Term

COLOUR = EnumSort("colour", ("red", "green", "blue"))
STATE, DEFINED = SystemVariableKind.STATE, SystemVariableKind.DEFINED
SORTS: dict[str, tuple[Sort, SystemVariableKind]] = {
    "a": (sorts.BOOL, STATE),
    "b": (sorts.BOOL, DEFINED),
    "x": (IntSort(0, 3), STATE),
    "y": (sorts.INT, STATE),
    "z": (IntSort(0, 3), DEFINED),  # not kept in its bounds
    "r": (sorts.REAL, STATE),
    "c": (COLOUR, STATE),
}
VARIABLES = {name: SystemVariable(name, sort, kind) for name, (sort, kind) in SORTS.items()}
VALUES = {
    "a": (False, True),
    "b": (False, True),
    "x": (0, 1, 2, 3),
    "y": (-2, -1, 0, 1, 2),
    "z": (-1, 0, 3, 4),
    "r": (Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(1)),
    "c": COLOUR.values,
}
A, B, X, Y, Z, R, C = (terms.var(name, sort) for name, (sort, _) in SORTS.items())
ROWS = [list(row) for row in product(*VALUES.values())]

_comparisons = st.sampled_from([Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE])
_logic = st.sampled_from([Op.AND, Op.OR, Op.XOR, Op.IMPLIES, Op.IFF, Op.EQ, Op.NE])
_small = st.integers(-1, 3).map(terms.int_)
_halves = st.sampled_from(list(map(terms.real_, (Fraction(0), Fraction(1), Fraction(1, 2)))))


def _negated(term: Term) -> Term:
    return terms.arithmetic(Op.NEG, term)


def _integers(depth: int) -> st.SearchStrategy[Term]:
    leaf = st.one_of(_small, st.sampled_from([X, Y, Z]))
    if not depth:
        return leaf
    inner = _integers(depth - 1)
    return st.one_of(
        leaf,
        st.builds(terms.arithmetic, _ops, inner, inner),
        st.builds(_negated, inner),
        st.builds(lambda p, q: terms.arithmetic(Op.MUL, p, q), _small, inner),
        st.builds(terms.ite, _conditions(depth - 1), inner, inner),
    )


_ops = st.sampled_from([Op.ADD, Op.SUB])


def _conditions(depth: int) -> st.SearchStrategy[Term]:
    reals = st.one_of(
        _halves, st.just(R), st.builds(lambda p: terms.arithmetic(Op.NEG, p), _halves)
    )
    colours = st.sampled_from([C, *(terms.const(v, COLOUR) for v in COLOUR.values)])
    numbers = _integers(max(0, depth - 1))
    leaf = st.one_of(
        st.sampled_from([A, B, terms.TRUE, terms.FALSE]),
        st.builds(terms.compare, _comparisons, numbers, numbers),
        st.builds(terms.compare, _comparisons, st.just(R), reals),
        st.builds(terms.compare, st.sampled_from([Op.EQ, Op.NE]), colours, colours),
    )
    if not depth:
        return leaf
    inner = _conditions(depth - 1)
    return st.one_of(
        leaf,
        st.builds(lambda op, p, q: terms.make(op, sorts.BOOL, (p, q)), _logic, inner, inner),
        st.builds(terms.not_, inner),
        st.builds(terms.ite, inner, inner, inner),
        st.builds(
            lambda p, q, r: terms.make(Op.CASE, sorts.BOOL, (p, q, terms.TRUE, r)),
            inner,
            inner,
            inner,
        ),
    )


@given(st.lists(st.one_of(_conditions(2), _integers(2)), min_size=2, max_size=24))
def test_terms_of_one_form_are_equal_in_every_state(found: list[Term]) -> None:
    alike: dict[bytes, list[Term]] = {}
    for term in found:
        alike.setdefault(canonical(term, VARIABLES), []).append(term)
    compiled = compiler(tuple(VARIABLES))
    for group in alike.values():
        functions = compiled.compile_all(group)
        for row in ROWS[::7]:
            assert 1 == len({function(row, row, {}) for function in functions}), (group, row)


NOUGHT, UNIT = terms.real_(Fraction(0)), terms.real_(Fraction(1))
ZERO, ONE, TWO, THREE = map(terms.int_, range(4))


def _compared(op: Op, left: Term, right: Term) -> Term:
    return terms.compare(op, left, right)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_compared(Op.GT, Y, ZERO), _compared(Op.GE, Y, ONE)),
        (_compared(Op.GT, Y, ZERO), terms.not_(_compared(Op.LE, Y, ZERO))),
        (_compared(Op.LT, X, Y), _compared(Op.GE, Y, terms.arithmetic(Op.ADD, X, ONE))),
        (_compared(Op.GE, X, THREE), _compared(Op.EQ, X, THREE)),  # it is at most 3
        (_compared(Op.LE, X, THREE), terms.TRUE),
        (terms.or_(A, terms.and_(A, B)), A),
        (terms.ite(A, X, X), X),
        (_compared(Op.GT, terms.ite(A, ONE, Y), ZERO), terms.or_(A, _compared(Op.GT, Y, ZERO))),
        (
            terms.or_(_compared(Op.LT, Y, ONE), _compared(Op.EQ, Y, ONE)),
            _compared(Op.LE, Y, ONE),
        ),
        (
            _compared(Op.NE, C, terms.const("red", COLOUR)),
            terms.or_(
                _compared(Op.EQ, C, terms.const("green", COLOUR)),
                _compared(Op.EQ, C, terms.const("blue", COLOUR)),
            ),
        ),
        (terms.arithmetic(Op.SUB, terms.arithmetic(Op.ADD, X, Y), X), Y),
    ],
)
def test_what_says_the_same_has_one_form(one: Term, other: Term) -> None:
    assert canonical(one, VARIABLES) == canonical(other, VARIABLES)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_compared(Op.GE, Z, THREE), _compared(Op.EQ, Z, THREE)),  # nothing keeps it in its bounds
        (
            _compared(Op.GT, R, terms.real_(Fraction(0))),
            _compared(Op.GE, R, terms.real_(Fraction(1))),
        ),
        (_compared(Op.GT, Y, ZERO), _compared(Op.GE, Y, ZERO)),
        (A, B),
        (X, Y),
    ],
)
def test_what_may_differ_has_two_forms(one: Term, other: Term) -> None:
    assert canonical(one, VARIABLES) != canonical(other, VARIABLES)
