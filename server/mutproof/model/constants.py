"""The values of terms that are constant: declared constants, divisors, indexes of Lustre.

Source: JKind, ConstantEvaluator; integer division is Euclidean.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any, cast

from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import ArraySort, RecordSort, Sort, TupleSort, Value
from mutproof.model.terms import Term

BITS_LIMIT = 13_000
"""How long the numbers of a constant computation may become, in bits: about 4000 digits."""


NOT_CONSTANT = frozenset({Op.ARROW, Op.CALL, Op.CONDACT, Op.APPLY})
"""Operators whose value is not that of their arguments alone."""


def evaluate(term: Term, memo: dict[Term, Value | None]) -> Value | None:
    """Return the value of a term, None if it is not constant or has no value."""
    return walk.fold(term, _combine, memo)


def as_term(value: Value, sort: Sort) -> Term:
    """Return the term that denotes a value; sorts are nested less deep than Python recurses."""
    match sort:
        case ArraySort():
            elements = [as_term(item, sort.element) for item in cast("tuple[Value, ...]", value)]
            return terms.make(Op.ARRAY, sorts.widened(sort), elements)
        case RecordSort(_, fields):
            items = cast("tuple[Value, ...]", value)
            parts = [as_term(item, part) for item, (_, part) in zip(items, fields, strict=True)]
            return terms.make(Op.RECORD, sorts.widened(sort), parts)
        case TupleSort(inner):
            items = cast("tuple[Value, ...]", value)
            parts = [as_term(item, part) for item, part in zip(items, inner, strict=True)]
            return terms.make(Op.TUPLE, sorts.widened(sort), parts)
        case _:
            return terms.const(value, sort)


def _combine(term: Term, args: tuple[Value | None, ...]) -> Value | None:
    if term.op is Op.CONST:
        return cast("Value", term.payload)
    if not args or term.op in NOT_CONSTANT:
        return None
    if term.op is Op.PRE:
        return args[0]  # also at the first step, as in JKind
    if term.op is Op.ITE and args[0] is not None:
        return args[1] if args[0] else args[2]
    if any(arg is None for arg in args):
        return None
    value = _apply(term, cast("Any", args))
    return None if _too_long(value) else value


def _too_long(value: Value | None) -> bool:
    if isinstance(value, int):
        return value.bit_length() > BITS_LIMIT
    if isinstance(value, Fraction):
        return max(value.numerator.bit_length(), value.denominator.bit_length()) > BITS_LIMIT
    return False


def _apply(term: Term, args: Any) -> Value | None:
    first = args[0]
    match term.op:
        case Op.NOT:
            return not first
        case Op.AND:
            return bool(first and args[1])
        case Op.OR:
            return bool(first or args[1])
        case Op.XOR:
            return bool(first != args[1])
        case Op.IMPLIES:
            return bool(not first or args[1])
        case Op.EQ:
            return bool(first == args[1])
        case Op.NE:
            return bool(first != args[1])
        case Op.LT:
            return bool(first < args[1])
        case Op.LE:
            return bool(first <= args[1])
        case Op.GT:
            return bool(first > args[1])
        case Op.GE:
            return bool(first >= args[1])
        case Op.ARRAY | Op.RECORD | Op.TUPLE:
            return cast("Value", args)
        case Op.FIELD:
            record = term.args[0].sort
            assert isinstance(record, RecordSort)
            return cast("Value", first[record.index(str(term.payload))])
        case Op.RECORD_UPDATE:
            assert isinstance(term.sort, RecordSort)
            position = term.sort.index(str(term.payload))
            return (*first[:position], args[1], *first[position + 1 :])
        case Op.INDEX:
            return cast("Value", first[args[1]]) if 0 <= args[1] < len(first) else None
        case Op.ARRAY_UPDATE:
            if not 0 <= args[1] < len(first):
                return None
            return (*first[: args[1]], args[2], *first[args[1] + 1 :])
        case _:
            return _arithmetic(term.op, args)


def _arithmetic(op: Op, args: Any) -> Value | None:
    first = args[0]
    result: Value | None = None
    match op:
        case Op.NEG:
            result = -first
        case Op.ADD:
            result = first + args[1]
        case Op.SUB:
            result = first - args[1]
        case Op.MUL:
            result = first * args[1]
        case Op.REAL_DIV if args[1]:
            result = Fraction(first) / args[1]
        case Op.DIV if args[1]:
            remainder = first % abs(args[1])
            result = (first - remainder) // args[1]
        case Op.MOD if args[1]:
            result = first % abs(args[1])
        case Op.TO_REAL:
            result = Fraction(first)
        case Op.FLOOR:
            result = floor(first)
        case _:
            pass
    return result
