"""Find mutants that are ill-typed: a value, an index or a divisor is not what it may be."""

from __future__ import annotations

from mutproof.model import constants, sorts, walk
from mutproof.model.narrow import Narrowing, inside
from mutproof.model.operators import Op
from mutproof.model.passes.definedness import Hazard
from mutproof.model.program import Element, Program, VariableKind
from mutproof.model.sorts import ArraySort, IntSort, Sort, TupleSort, Value
from mutproof.model.terms import Site, Term

_UNBOUNDED = IntSort()
_DIVISIONS = {Op.DIV, Op.MOD, Op.REAL_DIV}
_PARTIAL = {Op.CALL, Op.INDEX, Op.ARRAY_UPDATE, *_DIVISIONS}


class Ranges:
    """Tell whether other bodies of one element stay in what is declared; mutable memos only.

    Source: JKind 4.6, TypeChecker: literals have their singleton range, `if` joins ranges,
    arithmetic gives int; divisors and indexes that are constant are looked at.
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
        self._known: dict[Term, Sort | Hazard] = {}
        self._values: dict[Term, Value | None] = {}

    def hazard(self, body: Term) -> Hazard | None:
        """Return what the type rules refuse in a body, None if nothing."""
        if not self._bounded and not self._partial and not self._gets_partial(body):
            return None
        if not self._known:
            walk.fold(self._element.body, self._combine, self._known)
        found = walk.refold(body, self._combine, self._known)
        if isinstance(found, Hazard):
            return found
        if not self._bounds:
            return None  # an assertion defines no variable
        bounds = tuple(self._bounds)
        fits = inside(found, bounds[0] if len(bounds) == 1 else TupleSort(bounds))
        return None if fits else Hazard.RANGE

    def _gets_partial(self, body: Term) -> bool:
        """Tell whether a body has a new subterm with a partial operator."""
        stack = [walk.difference(self._element.body, body)[1]]
        while stack:
            term = stack.pop()
            if term not in self._subterms:
                if term.op in _PARTIAL:
                    return True
                stack.extend(term.args)
        return False

    def _combine(self, term: Term, args: tuple[Sort | Hazard, ...]) -> Sort | Hazard:
        """Return the narrow sort of a term, or the hazard of its first faulty part or of itself."""
        known = tuple(arg for arg in args if not isinstance(arg, Hazard))
        if len(known) < len(args):
            return next(arg for arg in args if isinstance(arg, Hazard))
        if term.op in {Op.INDEX, Op.ARRAY_UPDATE} and not self._has_index(*term.args[:2]):
            return Hazard.INDEX
        if term.op in _DIVISIONS and constants.evaluate(term.args[1], self._values) == 0:
            return Hazard.DIVISION
        if not _fits(self._program, term, known):
            return Hazard.RANGE
        return self._narrowing.combine(self._component, term, known)

    def _has_index(self, array: Term, index: Term) -> bool:
        """Tell whether an index is in the bounds of an array, or not constant."""
        assert isinstance(array.sort, ArraySort)
        # JKind checks the bounds of constant indices only, not of those with variables.
        value = None if walk.variables(index) else constants.evaluate(index, self._values)
        return not isinstance(value, int) or array.sort.low <= value <= array.sort.high


def _fits(program: Program, term: Term, args: tuple[Sort, ...]) -> bool:
    """Tell whether the arguments of a call are in the ranges of the callee's inputs."""
    if term.op is Op.CALL and isinstance(term.payload, Site):
        inputs = program.component(term.payload.component).of_kind(VariableKind.INPUT)
        return all(inside(arg, v.sort) for v, arg in zip(inputs, args, strict=True))
    return True


def _bounded(sort: Sort) -> bool:
    return any(isinstance(leaf, IntSort) and leaf != _UNBOUNDED for _, leaf in sorts.leaves(sort))
