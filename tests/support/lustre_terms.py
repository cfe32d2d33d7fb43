"""Random typed terms that Lustre can write, and a node to write them in."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from mutproof.base.text import SourceText
from mutproof.languages import lustre
from mutproof.model import sorts, terms
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.sorts import ArraySort, EnumSort, RecordSort, Sort, TupleSort
from mutproof.model.terms import Site, Term

POINT = RecordSort("point", (("x", sorts.INT), ("y", sorts.REAL)))
ROW = ArraySort(0, 2, sorts.INT)
COLOR = EnumSort("color")
PAIR = TupleSort((sorts.INT, sorts.BOOL))

DECLARATIONS = """\
type point = struct {x: int; y: real};
type color = enum {RED, GREEN};
function f(x: int; r: real) returns (y: real);
function g(x: int) returns (y: int; z: bool);
node one(x: int; p: point) returns (y: int);
let
  y = x;
tel;
node two(b: bool) returns (y: int; z: bool);
let
  y = 1; z = b;
tel;
"""

VARIABLES: dict[Sort, tuple[str, ...]] = {
    sorts.BOOL: ("a", "b"),
    sorts.INT: ("i", "j"),
    sorts.REAL: ("r",),
    POINT: ("p", "q"),
    ROW: ("row",),
    COLOR: ("c",),
}
_INPUTS = "a, b: bool; i, j: int; r: real; p, q: point; row: int[3]; c: color"
_TYPES = {
    sorts.BOOL: "bool",
    sorts.INT: "int",
    sorts.REAL: "real",
    POINT: "point",
    ROW: "int[3]",
    COLOR: "color",
}


def program_text(sort: Sort, body: str, *, is_assert: bool = False) -> str:
    """Return a file whose last node has one equation or assertion with that body."""
    if is_assert:
        return f"{DECLARATIONS}node n({_INPUTS}) returns ();\nlet\n  assert {body};\ntel;\n"
    outputs = "t0: int; t1: bool" if sort == PAIR else f"t0: {_TYPES[sort]}"
    targets = "t0, t1" if sort == PAIR else "t0"
    return (
        f"{DECLARATIONS}node n({_INPUTS}) returns ({outputs});\nlet\n  {targets} = {body};\ntel;\n"
    )


def elaborated(text: str) -> Elaborated:
    """Return what a text means; it must have no errors."""
    found = lustre.LANGUAGE.elaborate(lustre.LANGUAGE.parse(SourceText("test", text)))
    assert found.program is not None, (text, found.diagnostics)
    return found


def numbered(root: Term) -> Term:
    """Return a term whose calls are numbered in the order of the text."""
    count = 0

    def visit(term: Term) -> Term:
        nonlocal count
        payload = term.payload
        if isinstance(payload, Site):
            payload = Site(payload.component, count, payload.outputs)
            count += 1
        if term.op is Op.TUPLE and term.args[0].op is Op.APPLY and term.args[1].op is Op.APPLY:
            shared = [visit(arg) for arg in term.args[0].args]  # one call, two outputs
            parts = [terms.make(a.op, a.sort, shared, a.payload) for a in term.args]
            return terms.make(term.op, term.sort, parts)
        return terms.make(term.op, term.sort, [visit(arg) for arg in term.args], payload)

    return visit(root)


@st.composite
def typed_terms(draw: st.DrawFn, sort: Sort, depth: int = 4) -> Term:
    """Draw a term of a sort, with calls numbered as the front end numbers them."""
    return numbered(_term(draw, sort, depth))


def _leaf(draw: st.DrawFn, sort: Sort) -> Term:
    if isinstance(sort, TupleSort):
        return terms.make(Op.TUPLE, sort, [_leaf(draw, part) for part in sort.elements])
    choices = [terms.var(name, sort) for name in VARIABLES[sort]]
    match sort:
        case sorts.BoolSort():
            choices += [terms.TRUE, terms.FALSE]
        case sorts.IntSort():
            choices.append(terms.int_(draw(st.integers(0, 20))))
        case sorts.RealSort():
            choices.append(terms.real_(Fraction(draw(st.integers(0, 4000)), 1000)))
        case EnumSort():
            choices += [terms.const(name, COLOR) for name in ("RED", "GREEN")]
        case _:
            pass
    return draw(st.sampled_from(choices))


Rule = tuple[Op, tuple[Sort, ...], object]
_B, _I, _R = sorts.BOOL, sorts.INT, sorts.REAL
_ONE = Site("one", 0, ("y",))
_RULES: dict[Sort, list[Rule]] = {
    _B: [
        (Op.NOT, (_B,), None),
        *((op, (_B, _B), None) for op in (Op.AND, Op.OR, Op.XOR, Op.IMPLIES)),
        *((op, (s, s), None) for op in (Op.EQ, Op.NE) for s in (_B, _I, POINT, COLOR)),
        *((op, (s, s), None) for op in (Op.LT, Op.LE, Op.GT, Op.GE) for s in (_I, _R)),
    ],
    _I: [
        (Op.NEG, (_I,), None),
        *((op, (_I, _I), None) for op in (Op.ADD, Op.SUB, Op.MUL)),
        (Op.DIV, (_I,), None),
        (Op.MOD, (_I,), None),
        (Op.FLOOR, (_R,), None),
        (Op.FIELD, (POINT,), "x"),
        (Op.INDEX, (ROW,), None),
        (Op.CALL, (_I, POINT), _ONE),
        (Op.CONDACT, (_B, _I, POINT, _I), None),
    ],
    _R: [
        (Op.NEG, (_R,), None),
        *((op, (_R, _R), None) for op in (Op.ADD, Op.SUB, Op.MUL)),
        (Op.TO_REAL, (_I,), None),
        (Op.FIELD, (POINT,), "y"),
        (Op.APPLY, (_I, _R), ("f", 0)),
    ],
    POINT: [(Op.RECORD, (_I, _R), None), (Op.RECORD_UPDATE, (POINT, _I), "x")],
    ROW: [(Op.ARRAY, (_I, _I, _I), None), (Op.ARRAY_UPDATE, (ROW, _I), None)],
    COLOR: [],
    PAIR: [
        (Op.TUPLE, (_I, _B), None),
        (Op.CALL, (_B,), Site("two", 0, ("y", "z"))),
        (Op.APPLY, (_I,), None),
    ],
}


def _term(draw: st.DrawFn, sort: Sort, depth: int) -> Term:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return _leaf(draw, sort)
    general: list[Rule] = [
        (Op.ITE, (sorts.BOOL, sort, sort), None),
        (Op.ARROW, (sort, sort), None),
        (Op.PRE, (sort,), None),
    ]
    op, parts, payload = draw(st.sampled_from(general + _RULES[sort]))
    args = [_term(draw, part, depth - 1) for part in parts]
    match op:
        case Op.DIV | Op.MOD:
            args.append(draw(st.sampled_from([terms.var("j", _I), terms.int_(3)])))
        case Op.INDEX:
            args.append(draw(st.sampled_from([terms.var("i", _I), terms.int_(2)])))
        case Op.ARRAY_UPDATE:
            args.insert(1, draw(st.sampled_from([terms.var("i", _I), terms.int_(0)])))
        case Op.CONDACT:
            args[1:3] = [terms.make(Op.CALL, _I, args[1:3], _ONE)]
        case Op.APPLY if isinstance(sort, TupleSort):
            applied = [
                terms.make(Op.APPLY, part, args, ("g", position))
                for position, part in enumerate(sort.elements)
            ]
            return terms.make(Op.TUPLE, sort, applied)
        case _:
            pass
    return terms.make(op, sort, args, payload)  # type: ignore[arg-type]
