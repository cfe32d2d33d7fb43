"""Small transition systems, written down and generated."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.program import ElementId
from mutproof.model.sorts import BOOL, INT, EnumSort, IntSort, Sort
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
MODES = EnumSort("mode", ("off", "on", "broken"))


def owner(name: str) -> ElementId:
    return ElementId("m", "equation", name)


def define(kind: ConstraintKind, name: str, value: Term) -> Constraint:
    make = terms.next_var if kind is TRANS else terms.var
    suffix = {INIT: "0", INVAR: "", TRANS: "'"}[kind]
    return Constraint(kind, terms.eq(make(name, value.sort), value), owner(name + suffix), name)


def system(
    variables: dict[str, tuple[Sort, SystemVariableKind]],
    constraints: list[Constraint],
    properties: dict[str, Term],
) -> TransitionSystem:
    return TransitionSystem(
        {name: SystemVariable(name, sort, kind) for name, (sort, kind) in variables.items()},
        tuple(constraints),
        tuple(SystemProperty(name, term) for name, term in properties.items()),
    )


def add(left: Term, right: Term | int) -> Term:
    return terms.arithmetic(Op.ADD, left, right if isinstance(right, Term) else terms.int_(right))


def le(left: Term, right: int) -> Term:
    return terms.compare(Op.LE, left, terms.int_(right))


def ge(left: Term, right: int) -> Term:
    return terms.compare(Op.GE, left, terms.int_(right))


def integer(name: str) -> Term:
    return terms.var(name, INT)


def boolean(name: str) -> Term:
    return terms.var(name, BOOL)


def counter(limit: int, bound: int) -> TransitionSystem:
    """Count up to `limit` while asked to, then start again; claim `n <= bound`."""
    n = integer("n")
    up = terms.ite(terms.compare(Op.LT, n, terms.int_(limit)), add(n, 1), terms.int_(0))
    return system(
        {"tick": (BOOL, INPUT), "n": (INT, STATE)},
        [
            define(INIT, "n", terms.int_(0)),
            define(TRANS, "n", terms.ite(boolean("tick"), up, n)),
        ],
        {"bounded": le(n, bound), "natural": ge(n, 0)},
    )


# --- generated ------------------------------------------------------------------------------------

_SORTS: dict[str, Sort] = {
    "a": IntSort(0, 3),
    "b": BOOL,
    "m": MODES,
    "f": IntSort(-1, 1),  # a STATE that nothing defines after the first state
    "i": BOOL,
    "j": IntSort(0, 2),
    "d": INT,
    "e": BOOL,
}


def _leaf(sort: Sort, readable: tuple[str, ...]) -> st.SearchStrategy[Term]:
    wide = sorts.widened(sort)
    names = [n for n in readable if sorts.widened(_SORTS[n]) == wide]
    variables = [st.sampled_from([terms.var(n, wide) for n in names])] if names else []
    if wide == BOOL:
        return st.one_of(*variables, st.sampled_from([terms.TRUE, terms.FALSE]))
    if wide == INT:
        return st.one_of(*variables, st.integers(-1, 4).map(terms.int_))
    return st.one_of(*variables, st.sampled_from([terms.const(v, MODES) for v in MODES.values]))


@cache  # making a strategy takes much longer than drawing from it
def expressions(sort: Sort, readable: tuple[str, ...], depth: int = 2) -> st.SearchStrategy[Term]:
    wide = sorts.widened(sort)
    leaf = _leaf(wide, readable)
    if depth == 0:
        return leaf

    def sub(inner: Sort) -> st.SearchStrategy[Term]:
        return expressions(inner, readable, depth - 1)

    choice = st.builds(terms.ite, sub(BOOL), sub(wide), sub(wide))
    if wide == INT:
        modulo = st.builds(
            lambda t, n: terms.arithmetic(Op.MOD, t, terms.int_(n)), sub(INT), st.integers(2, 4)
        )
        sums = st.builds(
            terms.arithmetic,
            st.sampled_from([Op.ADD, Op.SUB]),
            sub(INT),
            sub(INT),
        )
        return st.one_of(leaf, choice, modulo, sums)
    if wide == BOOL:
        numbers = st.builds(
            terms.compare,
            st.sampled_from([Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE]),
            sub(INT),
            sub(INT),
        )
        connectives = st.builds(
            lambda op, x, y: terms.make(op, BOOL, (x, y)),
            st.sampled_from([Op.AND, Op.OR, Op.XOR, Op.IMPLIES, Op.IFF]),
            sub(BOOL),
            sub(BOOL),
        )
        modes = st.builds(terms.eq, sub(MODES), sub(MODES))
        return st.one_of(leaf, choice, numbers, connectives, modes, sub(BOOL).map(terms.not_))
    return st.one_of(leaf, choice)


@st.composite
def systems(draw: st.DrawFn) -> TransitionSystem:
    """Generate a system with few states: all its numbers stay small."""
    now = ("a", "b", "m", "f", "i", "j")
    everything = (*now, "d", "e")

    def kept_small(term: Term) -> Term:
        return terms.arithmetic(Op.MOD, term, terms.int_(4))

    constraints = [
        define(INVAR, "d", draw(expressions(INT, now))),
        define(INVAR, "e", draw(expressions(BOOL, (*now, "d")))),
        define(TRANS, "a", kept_small(draw(expressions(INT, everything)))),
        define(TRANS, "b", draw(expressions(BOOL, everything))),
        define(TRANS, "m", draw(expressions(MODES, everything))),
    ]
    if draw(st.booleans()):
        constraints.append(define(INIT, "a", terms.int_(draw(st.integers(0, 3)))))
    if draw(st.booleans()):
        constraints.append(define(INIT, "b", terms.bool_(draw(st.booleans()))))
    if draw(st.booleans()):
        constraints.append(
            define(INIT, "m", terms.const(draw(st.sampled_from(MODES.values)), MODES))
        )
    if draw(st.integers(0, 2)) == 0:
        constraints.append(Constraint(INVAR, draw(expressions(BOOL, everything)), owner("assert")))
    if draw(st.integers(0, 2)) == 0:
        moved = terms.compare(Op.GE, terms.next_var("f", INT), draw(expressions(INT, now, 1)))
        constraints.append(Constraint(TRANS, moved, owner("moved")))
    properties = {
        f"p{number}": draw(expressions(BOOL, everything))
        for number in range(draw(st.integers(1, 3)))
    }
    kinds = {"i": INPUT, "j": INPUT, "d": DEFINED, "e": DEFINED}
    return system(
        {name: (sort, kinds.get(name, STATE)) for name, sort in _SORTS.items()},
        constraints,
        properties,
    )
