"""Random typed terms that NuSMV can write, and a module to write them in."""

from __future__ import annotations

from functools import cache
from unittest import mock

from hypothesis import strategies as st

from mutproof.base.text import SourceText
from mutproof.languages import nusmv
from mutproof.languages.nusmv import values
from mutproof.model import sorts, terms
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.sorts import ArraySort, SetSort, Sort, WordSort
from mutproof.model.terms import Term

WORD = WordSort(4)
SIGNED = WordSort(4, signed=True)
ROW = ArraySort(0, 2, sorts.INT)

DECLARATIONS = """\
MODULE part
VAR
  on : boolean;

MODULE main
VAR
  a : boolean;
  b-1 : boolean;
  x : 0..3;
  y : -2..2;
  s : {red, green, blue};
  u : word[4];
  v : signed word[4];
  row : array 0..2 of 0..3;
  p : part;
"""
VARIABLES: dict[Sort, tuple[str, ...]] = {
    sorts.BOOL: ("a", "b-1", "p.on"),
    sorts.INT: ("x", "y"),
    sorts.SYMBOL: ("s",),
    WORD: ("u",),
    SIGNED: ("v",),
    ROW: ("row",),
}
SCALARS: tuple[Sort, ...] = (sorts.BOOL, sorts.INT, sorts.SYMBOL, WORD, SIGNED)


ONE = terms.int_(1)
INDEXED = st.sampled_from([terms.var("y", sorts.INT), ONE]).map(
    lambda index: terms.make(Op.INDEX, sorts.INT, (terms.var("row", ROW), index))
)
"""Constant indices and shifts are within their bounds: others are errors of type."""


@cache
def leaves(sort: Sort) -> st.SearchStrategy[Term]:
    """Return variables and constants of a sort."""
    variables = st.sampled_from([terms.var(name, sort) for name in VARIABLES.get(sort, ("x",))])
    if isinstance(sort, ArraySort):
        return variables
    values: st.SearchStrategy[object]
    if sort == sorts.BOOL:
        values = st.booleans()
    elif sort == sorts.INT:
        values = st.integers(0, 9)
    elif sort == sorts.SYMBOL:
        values = st.sampled_from(["red", "green", "blue"])
    else:
        values = st.integers(0, 7) if sort == WORD else st.integers(-8, 7)
    return variables | values.map(lambda value: terms.const(value, sort))  # type: ignore[arg-type]


@cache
def typed_terms(sort: Sort, depth: int = 3) -> st.SearchStrategy[Term]:
    """Return terms of a sort, without time."""
    if depth == 0 or isinstance(sort, ArraySort):
        return leaves(sort)

    def of(other: Sort) -> st.SearchStrategy[Term]:
        return typed_terms(other, depth - 1)

    def made(op: Op, *args: Sort, result: Sort = sort) -> st.SearchStrategy[Term]:
        return st.tuples(*map(of, args)).map(lambda found: terms.make(op, result, found))

    choices = [
        leaves(sort),
        made(Op.ITE, sorts.BOOL, sort, sort),
        made(Op.CASE, sorts.BOOL, sort, sorts.BOOL, sort),
        made(Op.NEXT, sort) if depth == 1 else leaves(sort),
    ]
    if sort == sorts.BOOL:
        choices += [made(Op.NOT, sorts.BOOL)]
        choices += [
            made(op, sorts.BOOL, sorts.BOOL)
            for op in (Op.AND, Op.OR, Op.XOR, Op.XNOR, Op.IFF, Op.IMPLIES, Op.EQ, Op.NE)
        ]
        for operand in (sorts.INT, WORD, SIGNED):
            choices += [made(op, operand, operand) for op in (Op.LT, Op.GE, Op.EQ)]
        choices += [made(Op.EQ, sorts.SYMBOL, sorts.SYMBOL), made(Op.TO_BOOL, sorts.INT)]
        choices += [st.tuples(of(sorts.INT), sets(sorts.INT, depth - 1)).map(_membership)]
    elif sort == sorts.INT:
        choices += [
            made(op, sorts.INT, sorts.INT)
            for op in (Op.ADD, Op.SUB, Op.MUL, Op.TRUNC_DIV, Op.TRUNC_MOD)
        ]
        choices += [made(Op.NEG, sorts.INT), made(Op.TO_INT, WORD), INDEXED]
        choices += [made(Op.COUNT, sorts.BOOL, sorts.BOOL)]
    elif isinstance(sort, WordSort):
        choices += [made(op, sort, sort) for op in (Op.ADD, Op.SUB, Op.AND, Op.OR, Op.IMPLIES)]
        choices += [made(op, sort) for op in (Op.NOT, Op.NEG)]
        choices += [made(Op.UNSIGNED if sort == WORD else Op.SIGNED, WORD)]
        choices += [st.tuples(of(sort)).map(lambda a: terms.make(Op.SHIFT_LEFT, sort, (*a, ONE)))]
    return st.one_of(choices)


@cache
def sets(element: Sort, depth: int) -> st.SearchStrategy[Term]:
    """Return choices from values of a sort."""
    sort = SetSort(element)
    members = st.lists(typed_terms(element, min(depth, 1)), min_size=1, max_size=3)
    listed = members.map(lambda found: terms.make(Op.SET, sort, found))
    if depth <= 0:
        return listed
    union = st.tuples(listed, listed).map(lambda found: terms.make(Op.UNION, sort, found))
    return listed | union


@cache
def temporal_terms(ops: tuple[Op, ...], depth: int = 3) -> st.SearchStrategy[Term]:
    """Return formulas with unary and binary operators of one logic."""
    atoms = typed_terms(sorts.BOOL, 1).filter(lambda term: term.op is not Op.NEXT)
    if depth == 0:
        return leaves(sorts.BOOL)
    inner = temporal_terms(ops, depth - 1)
    binary = {Op.U, Op.V, Op.S, Op.T, Op.EU, Op.AU, Op.EBU, Op.ABU}
    bounded = {Op.EBF, Op.ABG, Op.EBU}
    choices = [atoms]
    for op in (*ops, Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.IFF):
        two = op in binary or op in {Op.AND, Op.OR, Op.IMPLIES, Op.IFF}
        payload = (0, 2) if op in bounded else None
        choices.append(
            st.tuples(*([inner] * (2 if two else 1))).map(
                lambda found, op=op, payload=payload: terms.make(op, sorts.BOOL, found, payload)
            )
        )
    return st.one_of(choices)


def _membership(parts: tuple[Term, Term]) -> Term:
    return terms.make(Op.IN, sorts.BOOL, parts)


def elaborated(text: str) -> Elaborated:
    """Return what a text means."""
    return nusmv.LANGUAGE.elaborate(nusmv.LANGUAGE.parse(SourceText("test.smv", text)))


def stated(text: str) -> list[Term]:
    """Return what the properties of a text state; whether that has a value does not matter."""
    with mock.patch.object(values, "check", return_value=values.ValueChecks()):
        found = elaborated(text)
    assert found.program is not None
    return [each.term for each in found.program.component("main").properties]


def define(text: str) -> tuple[str, Element]:
    """Return a text that defines `d`, and the element; its value checks do not matter."""
    whole = f"{DECLARATIONS}DEFINE\n  d := {text};\n"
    found = elaborated(whole)
    assert found.program is not None, found.diagnostics
    return whole, found.program.component("main").elements[0]
