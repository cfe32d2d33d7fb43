"""Formulas mean what the operators mean; tables and invariants come back as they went."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mutproof.model import semantics, sorts, tables, terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL, INT, REAL, IntSort, Sort, WordSort
from mutproof.model.terms import Term
from mutproof.solving.solver import Answer, UnsupportedTermError
from mutproof.solving.z3_solver import new_solver
from support import systems
from support.profiles import profile

U4, S4, U7, S1 = WordSort(4), WordSort(4, True), WordSort(7), WordSort(1, True)
U1 = WordSort(1)
MODES = systems.MODES


def values(sort: Sort) -> st.SearchStrategy[Any]:
    match sort:
        case sorts.BoolSort():
            return st.booleans()
        case sorts.IntSort():
            return st.integers(-9, 9) | st.integers(-(2**70), 2**70)
        case sorts.RealSort():
            return st.fractions(-9, 9, max_denominator=12)
        case sorts.WordSort(width, signed):
            low = -(1 << (width - 1)) if signed else 0
            return st.integers(low, low + (1 << width) - 1)
        case sorts.EnumSort():
            return st.sampled_from(MODES.values)
        case _:
            raise AssertionError(sort)


def case(op: Op, result: Sort, *arguments: Sort, payload: Any = None) -> tuple[Any, ...]:
    return op, result, arguments, payload


CONNECTIVES = (Op.AND, Op.OR, Op.XOR, Op.IMPLIES, Op.IFF, Op.XNOR)
DIVISIONS = (Op.DIV, Op.MOD, Op.TRUNC_DIV, Op.TRUNC_MOD)
COMPARED = (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE)
CASES = [
    *(case(op, s, s, s) for op in CONNECTIVES for s in (BOOL, U4, S4)),
    *(case(Op.NOT, s, s) for s in (BOOL, U4, S4)),
    *(case(op, BOOL, s, s) for op in COMPARED for s in (INT, REAL, U4, S4)),
    *(case(op, BOOL, s, s) for op in (Op.EQ, Op.NE) for s in (BOOL, MODES)),
    *(case(op, s, s, s) for op in (Op.ADD, Op.SUB, Op.MUL) for s in (INT, REAL, U4, S4)),
    *(case(Op.NEG, s, s) for s in (INT, REAL, U4, S4)),
    *(case(op, s, s, s) for op in DIVISIONS for s in (INT, U4, S4)),
    case(Op.REAL_DIV, REAL, REAL, REAL),
    *(case(Op.ITE, s, BOOL, s, s) for s in (BOOL, INT, REAL, MODES, U4)),
    case(Op.CASE, INT, BOOL, INT, BOOL, INT),
    case(Op.TO_REAL, REAL, INT),
    case(Op.FLOOR, INT, REAL),
    case(Op.COUNT, INT, BOOL, BOOL, BOOL),
    *(case(Op.TO_INT, INT, s) for s in (BOOL, U4, S4, INT)),
    *(case(Op.TO_BOOL, BOOL, s) for s in (U1, INT)),
    *(
        case(op, s, s, by)
        for op in (Op.SHIFT_LEFT, Op.SHIFT_RIGHT)
        for s in (U4, S4)
        for by in (U4, U7, IntSort(0, 6))
    ),
    case(Op.CONCAT, WordSort(11), U4, U7),
    case(Op.BIT_SELECTION, WordSort(2), U4, payload=(2, 1)),
    case(Op.BIT_SELECTION, WordSort(2), S4, payload=(2, 1)),
    case(Op.EXTEND, U7, U4),
    case(Op.EXTEND, WordSort(7, True), S4),
    case(Op.RESIZE, U4, U7),
    case(Op.RESIZE, WordSort(2, True), S4),
    case(Op.RESIZE, S1, S4),
    case(Op.SIGNED, S4, U4),
    case(Op.UNSIGNED, U4, S4),
    case(Op.WORD1, U1, BOOL),
    case(Op.IN, BOOL, INT, INT),
]


def solved(term: Term, assignment: dict[str, tuple[Sort, Any]]) -> Any:
    """Return what the solver says the term is worth under an assignment."""
    solver = new_solver()
    formula = solver.translate(term, lambda leaf: solver.constant(str(leaf.payload), leaf.sort), {})
    for name, (sort, value) in assignment.items():
        solver.add(solver.equal(solver.constant(name, sort), solver.literal_value(value, sort)))
    result = solver.constant("result", term.sort)
    solver.add(solver.equal(result, formula))
    assert Answer.SAT is solver.check()
    return solver.value(result, term.sort)


@pytest.mark.parametrize(
    ("op", "result", "arguments", "payload"), CASES, ids=lambda part: getattr(part, "name", None)
)
@profile(15)
@given(data=st.data())
def test_an_operator_means_the_same_to_the_solver(
    op: Op, result: Sort, arguments: tuple[Sort, ...], payload: Any, data: st.DataObject
) -> None:
    names = [f"x{index}" for index in range(len(arguments))]
    chosen = [
        data.draw(st.integers(s.low, s.high) if s == IntSort(0, 6) else values(s))
        for s in arguments
    ]
    if op is Op.MUL and result in {INT, REAL}:
        chosen[0] = chosen[0] % 9
    variables = [terms.var(n, s) for n, s in zip(names, arguments, strict=True)]
    term = terms.make(op, result, variables, payload)
    if op in DIVISIONS:
        # Nonlinear division is slow: the divisor is a constant, as in nearly all programs.
        assume(chosen[1] != 0)
        constant = terms.const(chosen[1], arguments[1])
        term = terms.make(op, result, (variables[0], constant), payload)
    if op is Op.REAL_DIV:
        assume(chosen[1] != 0)
    if op is Op.CASE:
        chosen[2] = True
    expected = semantics.apply(term, tuple(chosen))
    assignment = {n: (s, v) for n, s, v in zip(names, arguments, chosen, strict=True)}
    assert expected == solved(term, assignment)


def test_membership_reads_lists_and_unions() -> None:
    x = terms.var("x", INT)
    pair = terms.make(Op.SET, sorts.SetSort(INT), (terms.int_(1), terms.int_(2)))
    both = terms.make(Op.UNION, sorts.SetSort(INT), (pair, terms.int_(7)))
    member = terms.make(Op.IN, BOOL, (x, both))
    for value, expected in ((1, True), (2, True), (7, True), (3, False)):
        assert expected == solved(member, {"x": (INT, value)})


def test_an_integer_among_symbols_is_none_of_them() -> None:
    mixed = sorts.EnumSort("", ("a", 0, 1))
    x = terms.var("x", mixed)
    assert solved(terms.eq(x, terms.const(0, mixed)), {"x": (mixed, 0)}) is True
    assert solved(terms.eq(x, terms.const("a", mixed)), {"x": (mixed, 0)}) is False
    assert solved(x, {"x": (mixed, "a")}) == "a"


def test_functions_come_back_as_tables() -> None:
    solver = new_solver()
    x = terms.var("x", INT)
    call = terms.make(Op.APPLY, BOOL, (x,), ("f", 0))
    claim = terms.conjunction(
        [
            terms.eq(x, terms.int_(3)),
            call,
            terms.not_(terms.make(Op.APPLY, BOOL, (terms.int_(4),), ("f", 0))),
        ]
    )
    solver.add(solver.translate(claim, lambda leaf: solver.constant("x", leaf.sort), {}))
    assert Answer.SAT is solver.check()
    table = solver.function_tables()["f", 0]
    assert table((3,)) is True
    assert table((4,)) is False


@pytest.mark.parametrize("op", [Op.PRE, Op.ARROW, Op.NEXT, Op.X, Op.EF, Op.TUPLE])
def test_an_operator_systems_do_not_have_is_refused(op: Op) -> None:
    term = terms.make(op, BOOL, (terms.TRUE,))
    with pytest.raises(UnsupportedTermError):
        new_solver().translate(term, lambda _: pytest.fail("no variable"), {})


def test_terms_of_any_depth_are_translated_and_written() -> None:
    term: Term = terms.var("x", INT)
    for number in range(20_000):
        term = terms.arithmetic(Op.ADD, term, terms.int_(number % 3))
    solver = new_solver()
    solver.translate(term, lambda leaf: solver.constant("x", leaf.sort), {})
    (back,) = tables.terms_from_plain(json.loads(json.dumps(tables.terms_to_plain([term]))))
    assert term is back


@profile(15)
@given(systems.systems())
def test_a_system_is_read_as_it_was_written(system: Any) -> None:
    plain = json.loads(json.dumps(tables.system_to_plain(system)))
    back = tables.system_from_plain(plain)
    assert system.constraints == back.constraints
    assert system.properties == back.properties
    assert dict(system.variables) == dict(back.variables)


@pytest.mark.parametrize(
    "value", [0, -1, 2**53, -(2**90), Fraction(1, 3), "a", True, (1, (False, "x")), None]
)
def test_a_value_is_read_as_it_was_written(value: Any) -> None:
    back = tables.value_from_plain(json.loads(json.dumps(tables.value_to_plain(value))))
    assert value == back
    assert type(value) is type(back)
    assert (
        terms.real_(Fraction(2**80, 3))
        is tables.terms_from_plain(tables.terms_to_plain([terms.real_(Fraction(2**80, 3))]))[0]
    )
