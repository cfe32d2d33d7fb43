"""Small non-deterministic systems, with deadlocks, inputs and fairness, and formulas on them."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL, EnumSort, IntSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term

INPUT, STATE, DEFINED = SystemVariableKind
INIT, INVAR, TRANS = ConstraintKind
COLOURS = EnumSort("", ("red", "green"))
NUMBERS = IntSort(0, 2)
A = terms.var("a", BOOL)
N = terms.var("n", NUMBERS)
C = terms.var("c", COLOURS)
D = terms.var("d", BOOL)
I = terms.var("i", BOOL)  # noqa: E741 - the input

_ATOMS = (
    A,
    D,
    terms.eq(N, terms.int_(1)),
    terms.compare(Op.LT, N, terms.int_(2)),
    terms.eq(C, terms.const("red", COLOURS)),
)
_STEPS = (
    terms.next_var("a", BOOL),
    terms.eq(terms.next_var("n", NUMBERS), N),
    terms.eq(terms.next_var("n", NUMBERS), terms.arithmetic(Op.ADD, N, terms.int_(1))),
    terms.compare(Op.GT, terms.next_var("n", NUMBERS), N),
    terms.ne(terms.next_var("c", COLOURS), C),
)


@cache  # making a strategy takes much longer than drawing from it
def combined(atoms: tuple[Term, ...], most: int = 4) -> st.SearchStrategy[Term]:
    leaf = st.sampled_from(atoms)
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds(terms.and_, inner, inner),
            st.builds(terms.or_, inner, inner),
            st.builds(terms.not_, inner),
        ),
        max_leaves=most,
    )


_PAIRS = st.tuples(combined(_ATOMS), combined(_ATOMS))


@cache
def _some(parts: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(parts, max_size=most)


@st.composite
def systems(draw: st.DrawFn, *, inputs: bool = True) -> TransitionSystem:
    read = (*_ATOMS, I) if inputs else _ATOMS
    constraints = [
        Constraint(INVAR, terms.eq(D, terms.or_(A, terms.eq(N, terms.int_(2)))), None, "d")
    ]
    constraints.append(Constraint(INIT, draw(combined(_ATOMS))))
    if draw(st.booleans()):
        constraints.append(Constraint(INVAR, terms.or_(A, draw(combined(_ATOMS)))))
    constraints.extend(
        Constraint(TRANS, terms.or_(draw(combined(read)), draw(combined(_STEPS))))
        for _ in range(draw(st.integers(1, 3)))
    )
    variables = {
        "a": SystemVariable("a", BOOL, STATE),
        "n": SystemVariable("n", NUMBERS, STATE),
        "c": SystemVariable("c", COLOURS, STATE),
        "d": SystemVariable("d", BOOL, DEFINED),
    }
    if inputs:
        variables["i"] = SystemVariable("i", BOOL, INPUT)
    fairness = tuple(draw(_some(combined(read), 2)))
    compassion = tuple(draw(_some(_PAIRS, 1)))
    return TransitionSystem(variables, tuple(constraints), (), fairness, compassion)


def _operator(op: Op, *args: Term, payload: tuple[int, int] | None = None) -> Term:
    return terms.make(op, BOOL, args, payload)


_LIMITS = st.tuples(st.integers(0, 2), st.integers(0, 2)).map(lambda p: (p[0], p[0] + p[1]))


def _formulas(
    unary: list[Op], binary: list[Op], bounded: list[Op], bounded_two: list[Op]
) -> st.SearchStrategy[Term]:
    def grown(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        return st.one_of(
            st.builds(_operator, st.sampled_from(unary), inner),
            st.builds(_operator, st.sampled_from(binary), inner, inner),
            st.builds(
                lambda o, t, p: _operator(o, t, payload=p), st.sampled_from(bounded), inner, _LIMITS
            ),
            *(
                [
                    st.builds(
                        lambda o, t, u, p: _operator(o, t, u, payload=p),
                        st.sampled_from(bounded_two),
                        inner,
                        inner,
                        _LIMITS,
                    )
                ]
                if bounded_two
                else []
            ),
            st.builds(terms.not_, inner),
            st.builds(terms.and_, inner, inner),
            st.builds(terms.implies, inner, inner),
        )

    return st.recursive(st.sampled_from(_ATOMS), grown, max_leaves=4)


BRANCHING = _formulas(
    [Op.EX, Op.AX, Op.EF, Op.AF, Op.EG, Op.AG],
    [Op.EU, Op.AU],
    [Op.EBF, Op.ABF, Op.EBG, Op.ABG],
    [Op.EBU, Op.ABU],
)
LINEAR = _formulas(
    [Op.X, Op.F, Op.G, Op.Y, Op.Z, Op.O, Op.H],
    [Op.U, Op.V, Op.S, Op.T],
    [Op.F, Op.G, Op.O, Op.H],
    [],
)
STATES = combined(_ATOMS)
_NOW = (*_ATOMS, I)
_THEN = tuple(_operator(Op.X, atom) for atom in _NOW)
OF_STEPS = st.builds(_operator, st.just(Op.G), combined((*_NOW, *_THEN, *_STEPS)))


def stating(system: TransitionSystem, kind: PropertyKind, *stated: Term) -> TransitionSystem:
    """Return the system with properties p0, p1, ... of one kind."""
    properties = tuple(SystemProperty(f"p{i}", term, kind) for i, term in enumerate(stated))
    return TransitionSystem(
        system.variables, system.constraints, properties, system.fairness, system.compassion
    )
