"""Find mutants that are ill-typed: a value, an index or a divisor is not what it may be."""

from __future__ import annotations

from mutproof.model import constants, sorts, walk
from mutproof.model.narrow import Narrowing, inside
from mutproof.model.operators import Op
from mutproof.model.passes.definedness import Hazard
from mutproof.model.program import Element, Program, VariableKind
from mutproof.model.sorts import ArraySort, IntSort, RecordSort, Sort, TupleSort, Value
from mutproof.model.terms import Site, Term

_UNBOUNDED = IntSort()
_DIVISIONS = {Op.DIV, Op.MOD, Op.REAL_DIV}
_BOUNDED = {Op.CALL, Op.APPLY, Op.RECORD, Op.RECORD_UPDATE, Op.ARRAY_UPDATE}
_PARTIAL = {Op.INDEX, *_BOUNDED, *_DIVISIONS}


class Ranges:
    """Tell whether other bodies of one element stay in what is declared; mutable memos only.

    Source: JKind 4.6, TypeChecker: literals have their singleton range, `if` joins ranges,
    arithmetic gives int, what is updated keeps its sort; divisors and indexes that are constant
    are looked at.
    """

    def __init__(self, program: Program, narrowing: Narrowing, element: Element) -> None:
        self._program = program
        self._narrowing = narrowing
        self._declared = narrowing.records
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
        wanted = self._wanted(term, known)
        held = known[len(known) - len(wanted) :]
        if not all(inside(arg, sort) for arg, sort in zip(held, wanted, strict=True)):
            return Hazard.RANGE
        match term.op, term.sort:
            case Op.RECORD, RecordSort(name) if name in self._declared:
                return self._declared[name]
            case ((Op.RECORD_UPDATE | Op.ARRAY_UPDATE), _):
                return known[0]
            case Op.CONDACT, _:
                return known[1]
            case _:
                return self._narrowing.combine(self._component, term, known)

    def _wanted(self, term: Term, args: tuple[Sort, ...]) -> tuple[Sort, ...]:
        """Return the sorts that the last arguments of a term must be inside of."""
        match term.op, args[:1]:
            case Op.CALL, _ if isinstance(term.payload, Site):
                inputs = self._program.component(term.payload.component).of_kind(VariableKind.INPUT)
                return tuple(variable.sort for variable in inputs)
            case Op.APPLY, _ if isinstance(term.payload, tuple):
                found = (f for f in self._program.functions if f.name == term.payload[0])
                return next(found).inputs
            case Op.CONDACT, _:
                return args[1].elements if isinstance(args[1], TupleSort) else (args[1],)
            case Op.RECORD, _:
                bound = self._bound(term.sort)
                return tuple(s for _, s in bound.fields) if isinstance(bound, RecordSort) else ()
            case Op.RECORD_UPDATE, (record,):
                bound = self._bound(record)
                assert isinstance(bound, RecordSort)
                return (dict(bound.fields)[str(term.payload)],)
            case Op.ARRAY_UPDATE, (ArraySort(element=element),):
                return (self._bound(element),)
            case _:
                return ()

    def _bound(self, sort: Sort) -> Sort:
        """Return a sort with the declared ranges of its records; without any if not declared."""
        match sort:
            case RecordSort(name):
                return self._declared.get(name, sorts.widened(sort))
            case ArraySort(low, high, element):
                return ArraySort(low, high, self._bound(element))
            case _:
                return sort

    def _has_index(self, array: Term, index: Term) -> bool:
        """Tell whether an index is in the bounds of an array, or not constant."""
        assert isinstance(array.sort, ArraySort)
        # JKind checks the bounds of constant indices only, not of those with variables.
        value = None if walk.variables(index) else constants.evaluate(index, self._values)
        return not isinstance(value, int) or array.sort.low <= value <= array.sort.high


def _bounded(sort: Sort) -> bool:
    return any(isinstance(leaf, IntSort) and leaf != _UNBOUNDED for _, leaf in sorts.leaves(sort))
