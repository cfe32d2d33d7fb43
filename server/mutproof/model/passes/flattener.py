"""Bring terms without `next` to scalars: arrays become their elements, cases conditionals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.passes import macros, parts
from mutproof.model.passes.enumerated import Unifier
from mutproof.model.passes.parts import Flat
from mutproof.model.program import Component, ElementKind
from mutproof.model.sorts import ArraySort, Sort, Value
from mutproof.model.terms import Term


class Flattener:
    """Bring terms without NEXT to scalars: no arrays, no cases, sets under assignments only."""

    def __init__(self, component: Component) -> None:
        self._sorts: dict[str, Sort] = {v.name: v.sort for v in component.variables}
        scalars: dict[str, Sort] = {}
        for variable in component.variables:
            for suffix, sort in sorts.leaves(variable.sort):
                scalars[variable.name + suffix] = sort
        self.scalars: Mapping[str, Sort] = scalars
        bodies = [
            (element.targets[0], element.body)
            for element in component.elements
            if element.kind is ElementKind.DEFINE
        ]
        cells = [found for name, body in bodies for found in _cells(name, body)]
        self._unifier = Unifier(scalars, dict([*bodies, *cells]))
        self._values: dict[Term, Flat] = {}
        self._members: dict[Term, dict[Term, Term]] = {}  # variable -> value -> membership
        self._below: dict[Term, Term] = {}
        self._latest: tuple[tuple[Term, ...], Sort | None, list[Term]] = (), None, []

    def sort_of(self, target: str) -> Sort:
        """Return the declared sort of a variable or of an array element `a[0]`."""
        return self._sorts[target] if target in self._sorts else self.scalars[target]

    def values(self, term: Term) -> frozenset[Value]:
        """Return values of which a term has no other ones, where these are few and known.

        Raises:
            NoCommonSort: they are not.
        """
        return self._unifier.values(term)

    def chosen(self, variable: Term, value: Term) -> Term:
        """Return the condition that a variable has a value, or one of a set of values."""
        if not isinstance(value.sort, sorts.SetSort):
            return self._unifier.unified(terms.eq(variable, value))
        found = macros.member(variable, value, self._members.setdefault(variable, {}))
        return self._unified_below(found)

    def _unified_below(self, root: Term) -> Term:
        """Unify the equalities that membership has made; the rest is unified already."""

        def parts(term: Term) -> Sequence[Term]:
            inner = term.args if term.op in {Op.OR, Op.AND} else ()
            return term.args[1:] if term.op is Op.ITE else inner

        def combine(term: Term, found: tuple[Term, ...]) -> Term:
            if not found:
                return self._unifier.unified(term)
            conditions = term.args[:1] if term.op is Op.ITE else ()
            return terms.rebuilt(term, (*conditions, *found))

        return walk.fold_parts(root, parts, combine, self._below)

    def flat(self, root: Term) -> Flat:
        """Return the flat value of a term."""
        return walk.fold(root, self._combine, self._values)

    def _combine(self, term: Term, args: tuple[Flat, ...]) -> Flat:
        match term.op:
            case Op.VAR | Op.NEXT_VAR:
                make = terms.var if term.op is Op.VAR else terms.next_var
                name = str(term.payload)
                if not isinstance(term.sort, ArraySort):
                    return term
                return parts.build(term.sort, lambda suffix, sort: make(name + suffix, sort))
            case Op.ARRAY:
                return tuple(args)
            case Op.INDEX:
                return _read(term, args[0], args[1])
            case _:
                scalars = tuple([arg for arg in args if isinstance(arg, Term)])
                return self._scalar(term, scalars)

    def _scalar(self, term: Term, args: tuple[Term, ...]) -> Term:
        match term.op:
            case Op.CASE:
                unified = self._unifier.unified(terms.rebuilt(term, args)).args
                return self._conditional(unified, term.sort)
            case Op.IN:
                return self._unified_below(macros.subset(args[0], args[1]))
            case _:
                return self._unifier.unified(terms.rebuilt(term, args))

    def _conditional(self, args: tuple[Term, ...], sort: Sort) -> Term:
        """Return a case as nested conditionals; the last condition is assumed to be true.

        Those of the last branches that the latest case has as well are kept.
        """
        before, latest, chain = self._latest
        count = int(latest == sort and before[-1] is args[-1])
        common = min(len(before), len(args)) if count else 0
        while (
            2 * count < common
            and before[-2 * count - 2 : -2 * count] == args[-2 * count - 2 : -2 * count]
        ):
            count += 1
        chain = chain[:count] or [args[-1]]
        for index in range(len(args) - 2 * len(chain) - 2, -1, -2):
            chain.append(terms.make(Op.ITE, sort, (args[index], args[index + 1], chain[-1])))
        self._latest = args, sort, chain
        return chain[-1]


def _cells(name: str, body: Term) -> Iterator[tuple[str, Term]]:
    """Yield the cells of an array that a DEFINE names, each with its value."""
    stack = [(name, body)]
    while stack:
        found, value = stack.pop()
        if not isinstance(value.sort, ArraySort):
            yield found, value
            continue
        array = value.sort
        for place in range(array.low, array.high + 1):
            if value.op is Op.ARRAY:
                cell = value.args[place - array.low]
            else:
                cell = terms.make(Op.INDEX, array.element, (value, terms.int_(place)))
            stack.append((f"{found}[{place}]", cell))


def _read(term: Term, value: Flat, index: Flat) -> Flat:
    array = term.args[0].sort
    assert isinstance(array, ArraySort)
    assert isinstance(value, tuple)
    assert isinstance(index, Term)
    if index.op is Op.CONST and isinstance(index.payload, int):
        position = index.payload - array.low
        return value[min(max(position, 0), array.size - 1)]
    result = value[-1]
    for position in range(array.size - 2, -1, -1):
        here = position + array.low
        if not sorts.contains(index.sort, here):
            continue
        result = parts.choose(
            terms.eq(index, terms.const(here, index.sort)), value[position], result
        )
    return result
