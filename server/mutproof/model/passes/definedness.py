"""When a NuSMV term has a value: conditions over all values of variables, not reachable ones.

NuSMV reports a case without a true condition, a division by zero, an index or a shift out of
bounds, and an assigned value outside its type when it builds the model, unless the value does
not matter: `y = 0 | x / y > 1` is fine. Terms here have no NEXT and no copied macros.
Source: NuSMV 2.6 user manual §2.3.8; probes of the 2.6.0 binary (FAILURE leaves of its ADDs).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from mutproof.model import sorts, terms, walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.passes.division import is_nonzero
from mutproof.model.sorts import ArraySort, EnumSort, IntSort, SetSort, Sort, WordSort
from mutproof.model.terms import Term

_TEMPORAL = BRANCHING_TIME | LINEAR_TIME
_DIVISIONS = frozenset({Op.TRUNC_DIV, Op.TRUNC_MOD, Op.REAL_DIV, Op.DIV, Op.MOD})
_SHIFTS = frozenset({Op.SHIFT_LEFT, Op.SHIFT_RIGHT})


class Hazard(Enum):
    """Name a way in which a term may have no value, or an assignment no legal one."""

    CASE = "case"
    DIVISION = "division"
    INDEX = "index"
    SHIFT = "shift"
    RANGE = "range"


def has(term: Term, hazard: Hazard) -> bool:
    """Tell whether a term has no value for some values of its operands, because of a hazard."""
    return _hazard(term) is hazard


def hazards(root: Term, memo: dict[Term, int] | None = None) -> Iterator[Hazard]:
    """Yield the hazards whose operators occur in a term, each once, RANGE never.

    A given `memo` is read and extended, so that many terms share their parts.
    """
    found = walk.fold(root, _hazard_bits, memo)
    for hazard, bit in _BITS.items():
        if found & bit:
            yield hazard


_BITS = {hazard: 1 << number for number, hazard in enumerate(Hazard)}


def _hazard_bits(term: Term, args: tuple[int, ...]) -> int:
    own = _hazard(term)
    found = 0 if own is None else _BITS[own]
    for bits in args:
        found |= bits
    return found


def _hazard(term: Term) -> Hazard | None:
    if term.op is Op.CASE and term.args[-2] is not terms.TRUE:
        return Hazard.CASE
    if term.op in _DIVISIONS and not is_nonzero(term.args[1]):
        return Hazard.DIVISION
    if term.op is Op.INDEX:
        return Hazard.INDEX
    return Hazard.SHIFT if term.op in _SHIFTS else None


class Definedness:
    """Build conditions for one hazard, or one operator `only`; remembers those of subterms."""

    def __init__(self, hazard: Hazard, only: Term | None = None) -> None:
        self._hazard = hazard
        self._only = only
        self._memo: dict[Term, tuple[Term, bool]] = {}

    def condition(self, root: Term) -> Term:
        """Return a term that holds where the root has a value as far as the hazard goes."""
        return walk.fold(root, self._combine, self._memo)[0]

    def _combine(self, term: Term, args: tuple[tuple[Term, bool], ...]) -> tuple[Term, bool]:
        temporal = term.op in _TEMPORAL or any(flag for _, flag in args)
        own = self._own(term)
        defined = [condition for condition, _ in args]
        if all(condition is terms.TRUE for condition in defined) and term.op is not Op.CASE:
            return own, temporal
        if temporal:
            return terms.conjunction([*defined, own]), temporal
        match term.op:
            case Op.AND | Op.OR | Op.IMPLIES if not isinstance(term.sort, WordSort):
                left, right = term.args
                masks = (
                    left if term.op is Op.OR else terms.not_(left),
                    terms.not_(right) if term.op is Op.AND else right,
                )
                # If one side always has a value, the other's mask is covered by `_and(*defined)`.
                masked = [
                    _and(condition, mask)
                    for condition, mask, other in zip(
                        defined, masks, reversed(defined), strict=True
                    )
                    if other is not terms.TRUE
                ]
                return terms.disjunction([_and(*defined), *masked]), temporal
            case Op.ITE:
                return _and(defined[0], _ite(term.args[0], defined[1], defined[2])), temporal
            case Op.CASE:
                return self._case(term, defined), temporal
            case _:
                return terms.conjunction([*defined, own]), temporal

    def _case(self, term: Term, defined: list[Term]) -> Term:
        is_asked = self._hazard is Hazard.CASE and self._only in {None, term}
        result = terms.FALSE if is_asked else terms.TRUE
        for index in range(len(defined) - 2, -1, -2):
            branch = _ite(term.args[index], defined[index + 1], result)
            result = _and(defined[index], branch)
        return result

    def _own(self, term: Term) -> Term:
        if _hazard(term) is not self._hazard or self._only not in {None, term}:
            return terms.TRUE
        if self._hazard is Hazard.DIVISION:
            divisor = term.args[1]
            return terms.ne(divisor, terms.const(0, divisor.sort))
        if self._hazard is Hazard.INDEX:
            array = term.args[0].sort
            assert isinstance(array, ArraySort)
            return _between(term.args[1], array.low, array.high)
        if self._hazard is Hazard.SHIFT:
            assert isinstance(term.sort, WordSort)
            return _between(term.args[1], 0, term.sort.width)
        if self._hazard is Hazard.CASE:
            return terms.disjunction(dict.fromkeys(term.args[::2]))
        return terms.TRUE


def in_range(
    root: Term, sort: Sort, bounds: Intervals, memo: dict[Term, Term] | None = None
) -> Term:
    """Return a term that holds where a value, or every member of a choice, is in a sort.

    A given `memo`, of this sort, is read and extended.
    """

    def combine(term: Term, found: tuple[Term, ...]) -> Term:
        if not found:
            return _in_sort(term, sort, bounds)
        if term.op is Op.ITE:
            return _ite(term.args[0], found[0], found[1])
        if term.op is not Op.CASE or {*found} == {terms.TRUE}:
            return terms.conjunction(dict.fromkeys(found))
        result = terms.TRUE
        for condition, value in zip(reversed(term.args[::2]), reversed(found), strict=True):
            result = _ite(condition, value, result)
        return result

    return walk.fold_parts(root, _values, combine, memo)


def _values(term: Term) -> tuple[Term, ...]:
    match term.op:
        case Op.ITE:
            return term.args[1:]
        case Op.CASE:
            return term.args[1::2]
        case Op.SET | Op.UNION if isinstance(term.sort, SetSort):
            return term.args
        case _:
            return ()


def _in_sort(term: Term, sort: Sort, bounds: Intervals) -> Term:
    match sort:
        case IntSort(low, high):
            if low is None or high is None:
                return terms.TRUE
            known = bounds.of(term)
            if known is not None and low <= known[0] and known[1] <= high:
                return terms.TRUE
            return _between(term, low, high)
        case EnumSort(_, values):
            if term.op is Op.CONST:
                return terms.bool_(term.payload in values)
            declared = bounds.declared(term)
            if declared is not None and set(declared) <= set(values):
                return terms.TRUE
            return terms.disjunction(_equals(term, value) for value in values)
        case _:
            return terms.TRUE


def _equals(term: Term, value: str | int) -> Term:
    sort = sorts.INT if isinstance(value, int) else sorts.SYMBOL
    if isinstance(term.sort, IntSort) and isinstance(value, str):
        return terms.FALSE
    return terms.eq(term, terms.const(value, sort))


class Intervals:
    """Bound integer terms by interval arithmetic over declared sorts."""

    def __init__(self, sorts_of: Mapping[str, Sort]) -> None:
        self._sorts = sorts_of
        self._memo: dict[Term, tuple[int, int] | None] = {}

    def of(self, term: Term) -> tuple[int, int] | None:
        """Return the least and greatest value a term can have, None where unknown."""
        return walk.fold(term, self._combine, self._memo)

    def declared(self, term: Term) -> tuple[sorts.Value, ...] | None:
        """Return the values of a variable, or of an element of an array, with a listed sort."""
        sort = self._sorts.get(first_name(term))
        return sort.values if isinstance(sort, EnumSort) and sort.values else None

    def _combine(
        self, term: Term, args: tuple[tuple[int, int] | None, ...]
    ) -> tuple[int, int] | None:
        if not isinstance(term.sort, IntSort | SetSort):
            return None
        match term.op:
            case Op.CONST:
                assert isinstance(term.payload, int)
                return term.payload, term.payload
            case Op.VAR | Op.NEXT_VAR | Op.INDEX:
                return self._variable(first_name(term))
            case Op.ITE:
                return _joined(args[1:])
            case Op.CASE:
                return _joined(args[1::2])
            case Op.SET | Op.UNION:
                return _joined(args)
            case Op.COUNT:
                return 0, len(args)
            case Op.TO_INT if isinstance(term.args[0].sort, sorts.BoolSort):
                return 0, 1
            case _:
                divisor = args[1] if term.op is Op.TRUNC_DIV else None
                if divisor is not None and divisor[0] <= 0 <= divisor[1]:
                    return None  # division by zero gives any value
                return arithmetic(term.op, args)

    def _variable(self, name: str) -> tuple[int, int] | None:
        sort = self._sorts.get(name)
        if isinstance(sort, IntSort) and sort.low is not None and sort.high is not None:
            return sort.low, sort.high
        if isinstance(sort, EnumSort) and isinstance(sorts.widened(sort), IntSort):
            numbers = [value for value in sort.values if isinstance(value, int)]
            return min(numbers), max(numbers)
        return None


def first_name(term: Term) -> str:
    """Return the name of a variable, or of a first element for one of an array; else nothing.

    All elements of an array have the same sort.
    """
    indices = ""
    while term.op is Op.INDEX:
        term = term.args[0]
        assert isinstance(term.sort, ArraySort)
        indices += f"[{term.sort.low}]"
    return f"{term.payload}{indices}" if term.op in {Op.VAR, Op.NEXT_VAR} else ""


def _joined(args: tuple[tuple[int, int] | None, ...]) -> tuple[int, int] | None:
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def arithmetic(op: Op, args: tuple[tuple[int, int] | None, ...]) -> tuple[int, int] | None:
    """Return bounds of an operation by those of its operands, None where unknown."""
    known = [arg for arg in args if arg is not None]
    if not known or len(known) < len(args):
        return None
    low, high = known[0]
    if op is Op.NEG:
        return -high, -low
    if len(known) != 2:
        return None
    other_low, other_high = known[1]
    match op:
        case Op.ADD:
            return low + other_low, high + other_high
        case Op.SUB:
            return low - other_high, high - other_low
        case Op.MUL:
            corners = [a * b for a in (low, high) for b in (other_low, other_high)]
            return min(corners), max(corners)
        case Op.TRUNC_MOD:
            largest = max(abs(other_low), abs(other_high)) - 1
            return max(low, -largest) if low < 0 else 0, min(high, largest) if high > 0 else 0
        case Op.TRUNC_DIV if (other_low, other_high) != (0, 0):
            divisors = {b for b in (other_low, -1, 1, other_high) if other_low <= b <= other_high}
            ends = [_quotient(a, b) for a in (low, high) for b in divisors - {0}]
            return min(ends), max(ends)
        case _:
            return None


def _quotient(dividend: int, divisor: int) -> int:
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend >= 0) is (divisor > 0) else -quotient


def _between(term: Term, low: int, high: int) -> Term:
    """Return `low <= term <= high`; omit what the sort of the term ensures."""
    conditions = []
    if isinstance(term.sort, WordSort):
        if not term.sort.signed and low <= 0 and high >= (1 << term.sort.width) - 1:
            return terms.TRUE
        term = terms.make(Op.TO_INT, sorts.INT, (term,))
    if term.op is Op.CONST and isinstance(term.payload, int):
        return terms.bool_(low <= term.payload <= high)
    conditions.append(terms.compare(Op.LE, terms.int_(low), term))
    conditions.append(terms.compare(Op.LE, term, terms.int_(high)))
    return terms.conjunction(conditions)


def _and(left: Term, right: Term) -> Term:
    if terms.FALSE in {left, right}:
        return terms.FALSE
    return terms.conjunction((left, right))


def _ite(condition: Term, then: Term, otherwise: Term) -> Term:
    if condition is terms.TRUE or then is otherwise:
        return then
    if condition is terms.FALSE:
        return otherwise
    if otherwise is terms.TRUE:
        return then if condition is terms.TRUE else terms.implies(condition, then)
    return terms.ite(condition, then, otherwise)
