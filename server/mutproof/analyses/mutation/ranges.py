"""Find mutants that are ill-typed because a value may leave the range that is declared for it."""

from __future__ import annotations

from typing import Any

from mutproof.model import semantics, sorts, walk
from mutproof.model.narrow import Narrowing, inside
from mutproof.model.operators import Op
from mutproof.model.program import Element, Program, VariableKind
from mutproof.model.sorts import IntSort, Sort, TupleSort
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
    narrowing = Narrowing(program)
    left: list[Term] = []

    def combine(term: Term, args: tuple[Sort, ...]) -> Sort:
        if not _fits(program, term, args):
            left.append(term)
        return narrowing.combine(component, term, args)

    found = walk.fold(body, combine)
    if left:
        return True
    if not bounds:
        return False  # an assertion
    declared = bounds[0] if len(bounds) == 1 else TupleSort(tuple(bounds))
    return not inside(found, declared)


def _fits(program: Program, term: Term, args: tuple[Sort, ...]) -> bool:
    """Tell whether arguments of a call, constant indices and divisors are what they may be."""
    if term.op is Op.CALL and isinstance(term.payload, Site):
        inputs = program.component(term.payload.component).of_kind(VariableKind.INPUT)
        return all(inside(arg, v.sort) for v, arg in zip(inputs, args, strict=True))
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
