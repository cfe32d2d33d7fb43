"""Bring integers and symbols to one sort, and integers and reals, where they meet.

NuSMV lets `{a, b, 1}` hold symbols and integers, and compares its values with integers; terms
after this pass compare and choose between terms of one sort only.
"""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.model import sorts, terms, walk
from mutproof.model.operators import COMPARISONS, Op
from mutproof.model.passes import definedness
from mutproof.model.sorts import (
    ArraySort,
    BoolSort,
    EnumSort,
    IntSort,
    RealSort,
    Sort,
    Value,
    WordSort,
)
from mutproof.model.terms import Term

LARGEST_DOMAIN = 1024

_CHOICES = frozenset({Op.ITE, Op.CASE, Op.SET, Op.UNION})


class NoCommonSort(Exception):  # noqa: N818 - a fact about the program
    """Say that an integer without bounds stands for a value of an enumeration."""


class Unifier:
    """Unify the sorts of terms over declared variables (scalars by their flat names).

    `bodies` say what macros stand for; their values are those of their bodies.
    """

    def __init__(self, declared: Mapping[str, Sort], bodies: Mapping[str, Term]) -> None:
        self._declared = declared
        self._bodies = bodies
        self._values: dict[Term, frozenset[Value] | None] = {}

    def unified(self, term: Term) -> Term:
        """Return an operation whose arguments are unified so that they fit together.

        Raises:
            NoCommonSort: an unbounded integer is used as a value of an enumeration.
        """
        args = term.args
        if not args:
            return term
        if term.op in {Op.EQ, Op.NE}:
            return self._equality(term, *args)
        if term.op in COMPARISONS:
            real = any(isinstance(arg.sort, RealSort) for arg in args)
            return terms.rebuilt(term, [_real(arg) for arg in args]) if real else term
        if term.op in _CHOICES:
            sort = term.sort.element if isinstance(term.sort, sorts.SetSort) else term.sort
            listed = isinstance(sort, EnumSort) and IntSort in {type(arg.sort) for arg in args}
            if not listed and not isinstance(sort, RealSort):
                return term
            picked = [
                arg if _is_condition(term, index) else self._coerced(arg, sort)
                for index, arg in enumerate(args)
            ]
            return terms.rebuilt(term, picked)
        if isinstance(term.sort, RealSort) and term.op is not Op.TO_REAL:
            return terms.rebuilt(term, [_real(arg) for arg in args])
        return term

    def _equality(self, term: Term, left: Term, right: Term) -> Term:
        if isinstance(left.sort, EnumSort) is not isinstance(right.sort, EnumSort):
            mixed, number = (left, right) if isinstance(left.sort, EnumSort) else (right, left)
            shared = [v for v in self.values(mixed) if isinstance(v, int)]
            same = terms.disjunction(
                terms.and_(
                    terms.eq(mixed, terms.const(value, sorts.SYMBOL)),
                    terms.eq(number, terms.int_(value)),
                )
                if number.op is not Op.CONST
                else terms.eq(mixed, terms.const(value, sorts.SYMBOL))
                for value in sorted(shared)
                if number.op is not Op.CONST or number.payload == value
            )
            return same if term.op is Op.EQ else terms.not_(same)
        if isinstance(left.sort, RealSort) or isinstance(right.sort, RealSort):
            return terms.rebuilt(term, [_real(left), _real(right)])
        return term

    def _coerced(self, term: Term, sort: Sort) -> Term:
        if isinstance(sort, RealSort):
            return _real(term)
        if not isinstance(sort, EnumSort) or not isinstance(term.sort, IntSort):
            return term
        if term.op is Op.CONST:
            assert isinstance(term.payload, int)
            return terms.const(term.payload, sorts.SYMBOL)
        # Where a term has no value, such as `x mod 0`, any will do: that is refused elsewhere.
        values = sorted(v for v in self.values(term) if isinstance(v, int)) or [0]
        result = terms.const(values[-1], sorts.SYMBOL)
        for value in reversed(values[:-1]):
            here = terms.eq(term, terms.int_(value))
            result = terms.ite(here, terms.const(value, sorts.SYMBOL), result)
        return result

    def values(self, root: Term) -> frozenset[Value]:
        """Return the values an enumerated or bounded integer term may have.

        Raises:
            NoCommonSort: they are not few and known.
        """
        stack = [root]
        while stack:
            # A macro has the values of its body, so compute those first.
            macros = [
                self._bodies[str(part.payload)]
                for part in walk.subterms(stack[-1])
                if part.op in {Op.VAR, Op.NEXT_VAR} and part.payload in self._bodies
            ]
            missing = [body for body in macros if body not in self._values]
            if missing:
                stack.extend(missing)
            else:
                walk.fold(stack.pop(), self._combine_values, self._values)
        found = self._values[root]
        if found is None:
            raise NoCommonSort
        return found

    def _combine_values(self, term: Term, args: _Args) -> frozenset[Value] | None:
        """Return a superset of the values of a term; None if it would be large."""
        match term.op:
            case Op.CONST:
                payload = term.payload
                return frozenset([payload])  # type: ignore[list-item]
            case Op.VAR | Op.NEXT_VAR if term.payload in self._bodies:
                return self._values[self._bodies[str(term.payload)]]
            case Op.VAR | Op.NEXT_VAR:
                return self._declared_values(str(term.payload), term.sort)
            case Op.NEXT | Op.INDEX:
                return args[0]
            case Op.SET | Op.UNION | Op.ARRAY:
                return _union(args)
            case Op.ITE:
                return _union(args[1:])
            case Op.CASE:
                return _union(args[1::2])
            case Op.COUNT:
                return frozenset(range(len(args) + 1))
            case Op.TO_INT:
                return _domain(_of_number(term.args[0].sort))
            case _ if isinstance(term.sort, IntSort):
                bounds = definedness.arithmetic(term.op, tuple(_ends(arg) for arg in args))
                return None if bounds is None else _domain(IntSort(*bounds))
            case _ if isinstance(term.sort, EnumSort):
                return None
            case _:
                return frozenset()

    def _declared_values(self, name: str, sort: Sort) -> frozenset[Value] | None:
        """Return the values of a scalar variable, or of any cell of an array."""
        while isinstance(sort, ArraySort):
            name, sort = f"{name}[{sort.low}]", sort.element
        return _domain(self._declared.get(name, sort))


_Args = tuple[frozenset[Value] | None, ...]


def _union(args: _Args) -> frozenset[Value] | None:
    known = [arg for arg in args if arg is not None]
    return frozenset().union(*known) if len(known) == len(args) else None


def _ends(values: frozenset[Value] | None) -> tuple[int, int] | None:
    numbers = [value for value in values or () if isinstance(value, int)]
    return (min(numbers), max(numbers)) if numbers else None


def _of_number(sort: Sort) -> Sort:
    """Return the integer sort to which values of a sort are converted."""
    if isinstance(sort, BoolSort):
        return IntSort(0, 1)
    if not isinstance(sort, WordSort):
        return sorts.INT
    half = 1 << (sort.width - 1)
    return IntSort(-half, half - 1) if sort.signed else IntSort(0, 2 * half - 1)


def _domain(sort: Sort) -> frozenset[Value] | None:
    """Return the values of a sort; None if these are many; empty if they do not matter here."""
    if isinstance(sort, IntSort) and (
        sort.low is None or sort.high is None or sort.high - sort.low >= LARGEST_DOMAIN
    ):
        return None
    return frozenset(sorts.domain(sort) or ())


def _is_condition(term: Term, index: int) -> bool:
    if term.op is Op.ITE:
        return index == 0
    return term.op is Op.CASE and index % 2 == 0


def _real(term: Term) -> Term:
    if not isinstance(term.sort, IntSort):
        return term
    if term.op is Op.CONST:
        assert isinstance(term.payload, int)
        return terms.const(term.payload, sorts.REAL)
    return terms.make(Op.TO_REAL, sorts.REAL, (term,))
