"""Formulas on lassos mean what their definitions say, however late their past repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.model import folding, linear, semantics, terms, walk
from mutproof.model.operators import LINEAR_TIME, Op
from mutproof.model.sorts import BOOL
from mutproof.model.terms import Term
from support.profiles import profile

P, Q = terms.var("p", BOOL), terms.var("q", BOOL)
UNARY = [Op.X, Op.F, Op.G, Op.Y, Op.Z, Op.O, Op.H]
BINARY = [Op.U, Op.V, Op.S, Op.T]
BOUNDED = [Op.F, Op.G, Op.O, Op.H, Op.ABU]
BOUNDS = [(0, 0), (0, 2), (1, 1), (1, 3), (2, 4)]


def _extended(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    def made(op: Op, left: Term, right: Term, bounds: tuple[int, int] | None) -> Term:
        two = op in {*BINARY, Op.ABU, Op.AND, Op.OR, Op.IFF, Op.XOR, Op.IMPLIES}
        return terms.make(op, BOOL, (left, right) if two else (left,), bounds)

    plain = st.sampled_from([*UNARY, *BINARY, Op.NOT, Op.AND, Op.OR, Op.IFF, Op.XOR, Op.IMPLIES])
    return st.one_of(
        st.builds(made, plain, inner, inner, st.none()),
        st.builds(made, st.sampled_from(BOUNDED), inner, inner, st.sampled_from(BOUNDS)),
    )


FORMULAS = st.recursive(st.sampled_from([P, Q, terms.TRUE]), _extended, max_leaves=6)
CONSTANT = st.recursive(st.sampled_from([P, terms.TRUE, terms.FALSE]), _extended, max_leaves=4)
STATES = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=5)


def by_definition(formula: Term, states: list[tuple[bool, bool]], loop: int) -> bool:
    """Evaluate a formula at step 0 by looking as far ahead as anything can be new."""
    period = len(states) - loop
    deep = walk.depth(formula)
    far = loop + (deep + 2) * (period + 4)

    @cache
    def at(term: Term, i: int) -> bool:
        args = term.args
        low, high = term.payload if isinstance(term.payload, tuple) else (0, far)
        ahead = range(i + low, i + high + 1)
        behind = range(i - low, max(i - high, 0) - 1, -1)
        match term.op:
            case Op.CONST:
                return bool(term.payload)
            case Op.VAR:
                state = states[i if i < loop else loop + (i - loop) % period]
                return state[0 if term is P else 1]
            case Op.X:
                return at(args[0], i + 1)
            case Op.Y | Op.Z:
                return at(args[0], i - 1) if i else term.op is Op.Z
            case Op.F:
                return any(at(args[0], k) for k in ahead)
            case Op.G:
                return all(at(args[0], k) for k in ahead)
            case Op.U | Op.ABU:
                return any(
                    at(args[1], k) and all(at(args[0], j) for j in range(i, k)) for k in ahead
                )
            case Op.V:
                return all(
                    at(args[1], k) or any(at(args[0], j) for j in range(i, k)) for k in ahead
                )
            case Op.O:
                return any(at(args[0], k) for k in behind)
            case Op.H:
                bounded = term.payload is not None
                return (not bounded or i >= high) and all(at(args[0], k) for k in behind)
            case Op.S:
                return any(
                    at(args[1], k) and all(at(args[0], j) for j in range(i, k, -1)) for k in behind
                )
            case Op.T:
                return all(
                    at(args[1], k) or any(at(args[0], j) for j in range(i, k, -1)) for k in behind
                )
            case Op.NOT:
                return not at(args[0], i)
            case Op.AND:
                return at(args[0], i) and at(args[1], i)
            case Op.OR:
                return at(args[0], i) or at(args[1], i)
            case Op.IMPLIES:
                return not at(args[0], i) or at(args[1], i)
            case Op.IFF:
                return at(args[0], i) == at(args[1], i)
            case _:
                return at(args[0], i) != at(args[1], i)

    return at(formula, 0)


def along(states: list[tuple[bool, bool]]) -> Callable[[Term], list[bool]]:
    def truth(term: Term) -> list[bool]:
        if term.op is Op.CONST:
            return [bool(term.payload)] * len(states)
        if term.op is Op.VAR:
            return [state[0 if term is P else 1] for state in states]
        values = [truth(arg) for arg in term.args]
        return [semantics.apply(term, row) for row in zip(*values, strict=True)]

    return truth


def holds(formula: Term, states: list[tuple[bool, bool]], loop: int) -> bool:
    return linear.holds(formula, along(states), loop)


@profile(400)
@given(FORMULAS, STATES, st.integers(0, 4))
def test_a_formula_is_true_where_its_definition_says(
    formula: Term, states: list[tuple[bool, bool]], start: int
) -> None:
    loop = start % len(states)

    assert by_definition(formula, states, loop) == holds(formula, states, loop)


@profile(400)
@given(CONSTANT, STATES, st.integers(0, 4))
def test_a_formula_without_constants_of_time_means_the_same(
    formula: Term, states: list[tuple[bool, bool]], start: int
) -> None:
    loop, folded = start % len(states), folding.along_paths(formula)

    assert by_definition(formula, states, loop) == by_definition(folded, states, loop)
    assert linear.is_refuted(formula, along(states)) == linear.is_refuted(folded, along(states))


def test_what_a_beginning_refutes_is_false_however_it_goes_on() -> None:
    refuted = Counter[bool]()

    @profile(400)
    @given(FORMULAS, STATES, STATES, st.integers(0, 9))
    def check(
        formula: Term, states: list[tuple[bool, bool]], more: list[tuple[bool, bool]], start: int
    ) -> None:
        found = linear.is_refuted(formula, along(states))
        refuted[found] += 1
        whole = states + more
        assert not (found and by_definition(formula, whole, start % len(whole)))

    check()
    assert min(refuted[True], refuted[False]) > 40


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (terms.make(Op.G, BOOL, (P,)), [False, False, True, True]),
        (terms.make(Op.AG, BOOL, (Q,)), [False, True, True, True]),
        (terms.make(Op.G, BOOL, (terms.implies(P, terms.make(Op.X, BOOL, (Q,))),)), [0, 1, 1, 1]),
        (terms.make(Op.F, BOOL, (P,)), [False] * 4),
        (terms.make(Op.F, BOOL, (Q,), (1, 3)), [False, False, False, True]),
        (terms.make(Op.IFF, BOOL, (P, terms.make(Op.X, BOOL, (Q,)))), [False, True, True, True]),
        (terms.make(Op.U, BOOL, (P, Q)), [False, False, True, True]),
        (terms.make(Op.G, BOOL, (terms.make(Op.O, BOOL, (Q,)),)), [True] * 4),
        (terms.make(Op.U, BOOL, (P, terms.FALSE)), [True] * 4),
        (
            terms.make(Op.G, BOOL, (terms.or_(P, terms.make(Op.F, BOOL, (terms.FALSE,))),)),
            [False, False, True, True],
        ),
    ],
)
def test_a_beginning_refutes_as_soon_as_it_can(stated: Term, expected: list[bool]) -> None:
    states = [(True, stated.op is Op.AG), (True, False), (False, False), (True, False)]
    found = [linear.is_refuted(stated, along(states[:length])) for length in range(1, 5)]
    assert expected == found


def formula(op: Op, *args: Term, bounds: tuple[int, int] | None = None) -> Term:
    return terms.make(op, BOOL, args, bounds)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (formula(Op.AG, formula(Op.AF, P)), True),
        (formula(Op.EF, P), False),
        (formula(Op.NOT, formula(Op.EG, formula(Op.EX, P))), True),
        (formula(Op.AG, terms.implies(P, formula(Op.EF, Q))), False),
        (formula(Op.AG, terms.implies(formula(Op.EF, Q), P)), True),
        (terms.eq(formula(Op.AX, P), Q), False),
        (formula(Op.XOR, formula(Op.F, P), Q), True),
        (formula(Op.AG, formula(Op.F, P)), False),
        (formula(Op.IFF, P, Q), True),
    ],
)
def test_one_path_refutes_formulas_about_all_paths(stated: Term, expected: bool) -> None:
    assert expected == linear.is_linear(stated)


def test_a_bound_may_be_large() -> None:
    states = [(True, False), (False, False), (False, True)]
    far = 10**9

    assert holds(formula(Op.F, Q, bounds=(far, far + 2)), states, 0)
    assert holds(formula(Op.G, terms.not_(P), bounds=(1, far)), states, 1)
    assert holds(formula(Op.F, formula(Op.O, P, bounds=(999, 1001))), states, 1)
    with pytest.raises(linear.TooFar):
        holds(formula(Op.O, P, bounds=(far, far)), states, 0)


def test_deep_formulas_are_evaluated_without_recursion() -> None:
    deep = P
    for _ in range(3000):
        deep = formula(Op.X, deep)

    assert {Op.X} == {term.op for term in walk.subterms(deep)} & LINEAR_TIME
    assert holds(deep, [(True, False)], 0)
