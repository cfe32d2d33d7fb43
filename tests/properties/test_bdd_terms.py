"""Diagrams of terms have the values that the definition of the operators gives them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from mutproof.base.budget import Deadline
from mutproof.model import semantics, sorts, terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL, INT, IntSort, Sort, Value, WordSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.bdd.coding import NotFinite
from mutproof.solving.bdd.encode import Encoded, Encoder
from mutproof.solving.bdd.manager import Manager, OutOfTime
from mutproof.solving.bdd.tables import Table
from mutproof.solving.bdd.words import Arithmetic, Word
from support.deadlines import UNHURRIED

UNSIGNED, SIGNED = WordSort(3), WordSort(3, signed=True)
NUMBERS = IntSort(-2, 3)
COMPARISONS = [Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE]
ARITHMETIC = [Op.ADD, Op.SUB, Op.MUL, Op.TRUNC_DIV, Op.TRUNC_MOD]
BITWISE = [Op.AND, Op.OR, Op.XOR, Op.XNOR, Op.IFF, Op.IMPLIES]


def values(sort: Sort) -> list[Value]:
    if isinstance(sort, WordSort):
        low = -(1 << (sort.width - 1)) if sort.signed else 0
        return list(range(low, low + (1 << sort.width)))
    found = sorts.domain(sort)
    assert found is not None
    return list(found)


def value_of(manager: Manager, encoded: Encoded, bits: dict[str, bool]) -> object:
    if isinstance(encoded, Table):
        held = [v for v, n in encoded.entries.items() if manager.fixed(bits, n) == manager.true]
        return held[0]
    if isinstance(encoded, Word):
        code = 0
        for bit in reversed(encoded.bits):
            code = code << 1 | (manager.fixed(bits, bit) == manager.true)
        return semantics.wrapped(code, WordSort(len(encoded.bits), encoded.signed))
    return manager.fixed(bits, encoded) == manager.true


def check_term(term: Term, *operands: Sort) -> None:
    """Compare an operator on variables x0, x1, ... with its definition, on all values."""
    variables = {
        f"x{i}": SystemVariable(f"x{i}", sort, SystemVariableKind.STATE)
        for i, sort in enumerate(operands)
    }
    encoder = Encoder(Manager(UNHURRIED), TransitionSystem(variables, (), ()))
    encoded = encoder.value(term)
    for chosen in product(*(values(sort) for sort in operands)):
        try:
            expected = semantics.apply(term, chosen)
        except semantics.DivisionByZero:
            continue
        bits: dict[str, bool] = {}
        for coding, value in zip(encoder.codings.values(), chosen, strict=True):
            code = coding.values.index(value) if coding.values else int(value)  # type: ignore[arg-type]
            width = len(coding.bits)
            bits |= {bit: bool(code >> (width - 1 - i) & 1) for i, bit in enumerate(coding.bits)}
        assert expected == value_of(encoder.manager, encoded, bits), (term, chosen)


def x(number: int, sort: Sort) -> Term:
    return terms.var(f"x{number}", sort)


@pytest.mark.parametrize("sort", [UNSIGNED, SIGNED, NUMBERS])
@pytest.mark.parametrize("op", [*COMPARISONS, *ARITHMETIC])
def test_numbers(op: Op, sort: Sort) -> None:
    result = BOOL if op in COMPARISONS else sorts.widened(sort)
    check_term(terms.make(op, result, (x(0, sort), x(1, sort))), sort, sort)


@pytest.mark.parametrize("sort", [UNSIGNED, SIGNED, BOOL])
@pytest.mark.parametrize("op", BITWISE)
def test_bits(op: Op, sort: Sort) -> None:
    check_term(terms.make(op, sort, (x(0, sort), x(1, sort))), sort, sort)


@pytest.mark.parametrize("op", [Op.DIV, Op.MOD])
def test_euclidean_division(op: Op) -> None:
    check_term(terms.make(op, INT, (x(0, NUMBERS), x(1, NUMBERS))), NUMBERS, NUMBERS)


@pytest.mark.parametrize("sort", [UNSIGNED, SIGNED])
@pytest.mark.parametrize(
    ("op", "result", "payload"),
    [
        (Op.NOT, None, None),
        (Op.NEG, None, None),
        (Op.SIGNED, SIGNED, None),
        (Op.UNSIGNED, UNSIGNED, None),
        (Op.BIT_SELECTION, WordSort(2), (2, 1)),
        (Op.TO_INT, INT, None),
    ],
)
def test_one_word(op: Op, result: Sort | None, payload: tuple[int, int] | None, sort: Sort) -> None:
    check_term(terms.make(op, result or sort, (x(0, sort),), payload), sort)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize(("op", "width"), [(Op.EXTEND, 5), (Op.RESIZE, 2), (Op.RESIZE, 5)])
def test_other_widths(op: Op, width: int, *, signed: bool) -> None:
    sort = WordSort(3, signed)
    check_term(terms.make(op, WordSort(width, signed), (x(0, sort),)), sort)


@pytest.mark.parametrize("sort", [UNSIGNED, SIGNED])
@pytest.mark.parametrize("amount", [WordSort(2), IntSort(0, 3)])
@pytest.mark.parametrize("op", [Op.SHIFT_LEFT, Op.SHIFT_RIGHT])
def test_shifts(op: Op, amount: Sort, sort: Sort) -> None:
    check_term(terms.make(op, sort, (x(0, sort), x(1, amount))), sort, amount)


def test_conversions() -> None:
    check_term(
        terms.make(Op.CONCAT, WordSort(5), (x(0, UNSIGNED), x(1, WordSort(2)))),
        UNSIGNED,
        WordSort(2),
    )
    check_term(terms.make(Op.WORD1, WordSort(1), (x(0, BOOL),)), BOOL)
    check_term(terms.make(Op.TO_BOOL, BOOL, (x(0, NUMBERS),)), NUMBERS)
    check_term(terms.make(Op.TO_BOOL, BOOL, (x(0, WordSort(1)),)), WordSort(1))
    check_term(terms.make(Op.TO_INT, INT, (x(0, BOOL),)), BOOL)
    check_term(terms.make(Op.COUNT, INT, (x(0, BOOL), x(1, BOOL))), BOOL, BOOL)
    check_term(terms.make(Op.NEG, INT, (x(0, NUMBERS),)), NUMBERS)
    check_term(terms.ite(x(0, BOOL), x(1, SIGNED), x(2, SIGNED)), BOOL, SIGNED, SIGNED)


@pytest.mark.parametrize("last", [0, 2, 4])
def test_the_first_true_condition_chooses(last: int) -> None:
    """Each choice may be a choice itself, or equal to another; `last` is false, true or open."""
    numbers = IntSort(0, 3)
    variables = {
        f"x{i}": SystemVariable(f"x{i}", numbers, SystemVariableKind.STATE) for i in range(2)
    }
    at = [terms.compare(Op.EQ, x(0, numbers), terms.int_(i)) for i in range(4)]
    conditions = [at[1], at[1], terms.make(Op.OR, BOOL, (at[2], at[last % 4]))]
    inner = terms.ite(at[3], terms.int_(7), x(1, numbers))
    term = inner if last else x(1, numbers)
    for condition, value in zip(conditions, (inner, terms.int_(9), terms.int_(7)), strict=True):
        term = terms.ite(condition, value, term)
    encoder = Encoder(Manager(UNHURRIED), TransitionSystem(variables, (), ()))
    encoded = encoder.value(term)
    for chosen in product(range(4), repeat=2):
        bits = {
            bit: bool(value >> (1 - i) & 1)
            for coding, value in zip(encoder.codings.values(), chosen, strict=True)
            for i, bit in enumerate(coding.bits)
        }
        row = dict(zip(("x0", "x1"), chosen, strict=True))
        assert evaluated(term, row) == value_of(encoder.manager, encoded, bits), row


def test_cells_of_a_table_cost_no_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    def look(_: Manager) -> None:
        nonlocal looks
        looks += 1

    monkeypatch.setattr(Manager, "tick", look)
    cells = [terms.var(f"cell{i}", INT) for i in range(64)]
    equations = [terms.eq(cell, terms.int_(i % 5)) for i, cell in enumerate(cells)]
    place = SystemVariable("x0", IntSort(0, 63), SystemVariableKind.STATE)
    defined = [SystemVariable(str(c.payload), INT, SystemVariableKind.DEFINED) for c in cells]
    system = TransitionSystem(
        {variable.name: variable for variable in (place, *defined)},
        tuple(
            Constraint(ConstraintKind.INVAR, equation, defines=str(equation.args[0].payload))
            for equation in equations
        ),
        (),
    )
    read = cells[-1]
    for i in reversed(range(63)):
        read = terms.ite(terms.eq(x(0, place.sort), terms.int_(i)), cells[i], read)
    encoder = Encoder(Manager(UNHURRIED), system)
    encoder.value(terms.compare(Op.LE, read, terms.int_(3)))
    conditions = 63

    assert looks < conditions + 4


@pytest.mark.parametrize("compute", [Arithmetic.equal, Arithmetic.less, Arithmetic.sum])
def test_the_deadline_is_looked_at_between_bits(
    compute: Callable[[Arithmetic, Word, Word], object],
) -> None:
    """Two words far apart in the order of bits can double a diagram with each bit."""
    manager = Manager(UNHURRIED)
    left, right = (Word(tuple(manager.single(f"{w}{i}") for i in range(40))) for w in "ab")
    manager.deadline = Deadline.after(-1)
    with pytest.raises(OutOfTime):
        compute(Arithmetic(manager), left, right)


def evaluated(term: Term, row: dict[str, int]) -> Value:
    if term.op is Op.VAR:
        return row[str(term.payload)]
    if term.op is Op.ITE:
        return evaluated(term.args[1 if evaluated(term.args[0], row) else 2], row)
    return semantics.apply(term, tuple(evaluated(arg, row) for arg in term.args))


@pytest.mark.parametrize("sort", [BOOL, NUMBERS, UNSIGNED])
def test_a_function_of_which_nothing_is_known_has_no_diagram(sort: Sort) -> None:
    system = TransitionSystem({"x": SystemVariable("x", sort, SystemVariableKind.STATE)}, (), ())
    applied = terms.make(Op.APPLY, sort, (terms.var("x", sort),), ("f", 0))
    encoder = Encoder(Manager(UNHURRIED), system)
    with pytest.raises(NotFinite, match="function"):
        encoder.value(applied)
