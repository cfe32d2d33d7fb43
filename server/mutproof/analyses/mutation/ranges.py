"""Find mutants that are ill-typed because a value may leave the range that is declared for it."""

from __future__ import annotations

from typing import Any

from mutproof.model import semantics, sorts, walk
from mutproof.model.narrow import Narrowing, inside
from mutproof.model.operators import Op
from mutproof.model.program import Element, Program, VariableKind
from mutproof.model.sorts import IntSort, Sort, TupleSort
from mutproof.model.terms import Site, Term


def may_leave_range(program: Program, element: Element, body: Term) -> bool:
    """Tell whether the type rules no longer guarantee the ranges an element declares."""
    return Ranges(program, Narrowing(program), element).may_be_left(body)


_UNBOUNDED = IntSort()
_PARTIAL = {Op.CALL, Op.INDEX, Op.ARRAY_UPDATE, Op.DIV, Op.MOD, Op.REAL_DIV}


class Ranges:
    """Tell whether other bodies of one element stay in what is declared; immutable.

    Source: JKind 4.6, TypeChecker: literals have their singleton range, `if` joins ranges,
    arithmetic gives int.
    """

    def __init__(self, program: Program, narrowing: Narrowing, element: Element) -> None:
        self._program = program
        self._narrowing = narrowing
        self._element = element
        self._component = program.component(element.id.component)
        self._bounds = [self._component.variable(target).sort for target in element.targets]
        self._subterms = frozenset(walk.subterms(element.body))
        self._partial = any(term.op in _PARTIAL for term in self._subterms)
        self._bounded = any(_bounded(sort) for sort in self._bounds)
        self._known: dict[Term, Sort | None] = {}

    def may_be_left(self, body: Term) -> bool:
        """Tell whether the type rules no longer guarantee the ranges the element declares."""
        if not self._bounded and not self._partial and not self._gets_partial(body):
            return False
        if not self._known:
            walk.fold(self._element.body, self._combine, self._known)
        found = walk.refold(body, self._combine, self._known)
        if found is None:
            return True
        if not self._bounds:
            return False  # an assertion
        bounds = tuple(self._bounds)
        return not inside(found, bounds[0] if len(bounds) == 1 else TupleSort(bounds))

    def _gets_partial(self, body: Term) -> bool:
        """Tell whether a body has operators that the model's body has nothing of."""
        stack = [walk.difference(self._element.body, body)[1]]
        while stack:
            term = stack.pop()
            if term not in self._subterms:
                if term.op in _PARTIAL:
                    return True
                stack.extend(term.args)
        return False

    def _combine(self, term: Term, args: tuple[Sort | None, ...]) -> Sort | None:
        """Return the narrow sort of a term, None where it has a part that does not fit."""
        known = tuple(arg for arg in args if arg is not None)
        if len(known) < len(args) or not _fits(self._program, term, known):
            return None
        return self._narrowing.combine(self._component, term, known)


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
    except (semantics.DivisionByZero, semantics.NumberTooLarge):
        return None


def _bounded(sort: Sort) -> bool:
    return any(isinstance(leaf, IntSort) and leaf != _UNBOUNDED for _, leaf in sorts.leaves(sort))
