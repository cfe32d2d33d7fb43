"""Find mutants that are ill-typed because a value may leave the range that is declared for it."""

from __future__ import annotations

from typing import Any

from mutproof.model import semantics, sorts, walk
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, Program, VariableKind
from mutproof.model.sorts import IntSort, Sort
from mutproof.model.terms import Site, Term

_UNBOUNDED = IntSort()
_PARTIAL = {Op.CALL, Op.INDEX, Op.ARRAY_UPDATE, Op.DIV, Op.MOD, Op.REAL_DIV}


def may_leave_range(program: Program, element: Element, body: Term) -> bool:
    """Tell whether the type rules no longer guarantee the ranges an element declares.

    Source: JKind 4.6, TypeChecker: literals have their singleton range, `if` joins ranges,
    arithmetic gives int.
    """
    component = program.component(element.id.component)
    bounds = [component.variable(target).sort for target in element.targets]
    if not any(_bounded(sort) for sort in bounds) and not any(
        term.op in _PARTIAL for term in walk.subterms(body)
    ):
        return False
    left: list[Term] = []

    def combine(term: Term, args: tuple[Ranges, ...]) -> Ranges:
        if not _fits(program, term, args):
            left.append(term)
        return _range(program, component, term, args)

    ranges = walk.fold(body, combine)
    if left:
        return True
    if len(bounds) == 1:
        return not _inside(ranges, bounds[0])
    if not isinstance(ranges, tuple):
        return False  # an assertion
    return any(not _inside(one, sort) for one, sort in zip(ranges, bounds, strict=True))


def _fits(program: Program, term: Term, args: tuple[Ranges, ...]) -> bool:
    """Tell whether arguments of a call, constant indices and divisors are what they may be."""
    if term.op is Op.CALL and isinstance(term.payload, Site):
        inputs = program.component(term.payload.component).of_kind(VariableKind.INPUT)
        return all(_inside(arg, v.sort) for v, arg in zip(inputs, args, strict=True))
    if term.op in {Op.INDEX, Op.ARRAY_UPDATE}:
        index, of = _constant(term.args[1]), term.args[0].sort
        assert isinstance(of, sorts.ArraySort)
        return index is None or bool(of.low <= index <= of.high)
    if term.op in {Op.DIV, Op.MOD, Op.REAL_DIV}:
        return bool(_constant(term.args[1]) != 0)
    return True


_TIMELESS = {Op.CONST, Op.ITE, Op.NEG, Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MOD, Op.REAL_DIV}
_TIMELESS |= {Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.NOT, Op.AND, Op.OR, Op.XOR, Op.IMPLIES}


def _constant(term: Term) -> Any:
    """Return the value of a term made of constants only, None for others."""
    if any(part.op not in _TIMELESS for part in walk.subterms(term)):
        return None
    try:
        return walk.fold(term, semantics.apply)
    except semantics.DivisionByZero:
        return None


def _bounded(sort: Sort) -> bool:
    return any(isinstance(leaf, IntSort) and leaf != _UNBOUNDED for _, leaf in sorts.leaves(sort))


Ranges = IntSort | tuple[IntSort, ...] | None


def _range(program: Program, component: Component, term: Term, args: tuple[Ranges, ...]) -> Ranges:
    if term.op is Op.CALL and isinstance(term.payload, Site):
        callee = program.component(term.payload.component)
        outputs = tuple(_of_sort(callee.variable(name).sort) for name in term.payload.outputs)
        return outputs[0] if len(outputs) == 1 else outputs
    if term.op is Op.CONDACT:
        held = args[1] if isinstance(args[1], tuple) else (args[1],)
        joined = tuple(_join(a, b) for a, b in zip(held, args[2:], strict=True))
        return joined[0] if len(joined) == 1 else joined
    if term.op is Op.TUPLE:
        return tuple(arg if isinstance(arg, IntSort) else _UNBOUNDED for arg in args)
    if not isinstance(term.sort, IntSort):
        return None
    match term.op:
        case Op.CONST if isinstance(term.payload, int):
            return IntSort(term.payload, term.payload)
        case Op.VAR:
            return _of_sort(component.variable(str(term.payload)).sort)
        case Op.ITE:
            return _join(args[1], args[2])
        case Op.ARROW:
            return _join(args[0], args[1])
        case Op.PRE:
            return args[0]
        case Op.NEG if isinstance(args[0], IntSort):
            low, high = args[0].low, args[0].high
            return IntSort(None if high is None else -high, None if low is None else -low)
        case _:
            return _UNBOUNDED


def _of_sort(sort: Sort) -> IntSort:
    return sort if isinstance(sort, IntSort) else _UNBOUNDED


def _join(left: Ranges, right: Ranges) -> IntSort:
    if not isinstance(left, IntSort) or not isinstance(right, IntSort):
        return _UNBOUNDED
    low = None if left.low is None or right.low is None else min(left.low, right.low)
    high = None if left.high is None or right.high is None else max(left.high, right.high)
    return IntSort(low, high)


def _inside(value: Ranges, sort: Sort) -> bool:
    if not isinstance(sort, IntSort) or sort == _UNBOUNDED:
        # Parts of records and arrays keep their ranges: operators build them from whole values.
        return True
    if not isinstance(value, IntSort):
        return False
    low = sort.low is None or (value.low is not None and value.low >= sort.low)
    high = sort.high is None or (value.high is not None and value.high <= sort.high)
    return low and high
