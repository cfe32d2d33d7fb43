"""What each operator means on values: the definition that everything else is tested against."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from operator import itemgetter
from typing import Any, Final

from mutproof.model.operators import Op
from mutproof.model.sorts import ArraySort, RecordSort, Sort, WordSort
from mutproof.model.terms import Term


class DivisionByZero(Exception):  # noqa: N818 - the caller decides what it means
    """Say that a divisor is zero: the value is left to an arbitrary function of the dividend."""


class NumberTooLarge(ArithmeticError):  # noqa: N818 - a limit, not a bug
    """Say that a number would have more than `MOST_BITS` bits: its value is not computed."""

    def __init__(self) -> None:
        super().__init__(f"a number has more than {MOST_BITS:,} bits".replace(",", " "))


MOST_BITS: Final = 100_000
"""The longest numbers, in bits; checked for products and quotients, which grow fast."""


def product(left: Any, right: Any) -> Any:
    """Return the product of two numbers.

    Raises:
        NumberTooLarge: it is too long.
    """
    return _bounded(left * right)


def quotient(dividend: Any, divisor: Any) -> Fraction:
    """Return the quotient of two numbers; the divisor is not zero.

    Raises:
        NumberTooLarge: it is too long.
    """
    return Fraction(_bounded(Fraction(dividend) / divisor))


def _bounded(number: Any) -> Any:
    if type(number) is int:
        bits = number.bit_length()
    else:
        bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    if bits > MOST_BITS:
        raise NumberTooLarge
    return number


def euclidean(dividend: int, divisor: int) -> tuple[int, int]:
    """Return quotient and remainder with 0 <= remainder < |divisor|.

    Raises:
        DivisionByZero: the divisor is zero.
    """
    if divisor == 0:
        raise DivisionByZero
    remainder = dividend % abs(divisor)
    return (dividend - remainder) // divisor, remainder


def truncated(dividend: int, divisor: int) -> tuple[int, int]:
    """Return quotient towards zero and remainder with the sign of the dividend.

    Raises:
        DivisionByZero: the divisor is zero.

    Source: NuSMV 2.6 user manual, section 2.2.3.
    """
    if divisor == 0:
        raise DivisionByZero
    quotient = abs(dividend) // abs(divisor)
    if (dividend < 0) != (divisor < 0):
        quotient = -quotient
    return quotient, dividend - quotient * divisor


def wrapped(value: int, sort: WordSort) -> int:
    """Return the word value congruent to `value` modulo 2^width."""
    value &= (1 << sort.width) - 1
    if sort.signed and value >> (sort.width - 1):
        value -= 1 << sort.width
    return value


def _bits(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


def _arithmetic(op: Op, sort: Sort, args: tuple[Any, ...]) -> Any:
    match op:
        case Op.ADD:
            result = args[0] + args[1]
        case Op.SUB:
            result = args[0] - args[1]
        case Op.MUL:
            result = product(args[0], args[1])
        case Op.NEG:
            result = -args[0]
        case Op.REAL_DIV:
            if args[1] == 0:
                raise DivisionByZero
            result = quotient(args[0], args[1])
        case Op.DIV:
            result = euclidean(args[0], args[1])[0]
        case Op.MOD:
            result = euclidean(args[0], args[1])[1]
        case Op.TRUNC_DIV:
            result = truncated(args[0], args[1])[0]
        case _:
            result = truncated(args[0], args[1])[1]
    return wrapped(result, sort) if isinstance(sort, WordSort) else result


ARITHMETIC = frozenset(
    {
        Op.ADD,
        Op.SUB,
        Op.MUL,
        Op.NEG,
        Op.REAL_DIV,
        Op.DIV,
        Op.MOD,
        Op.TRUNC_DIV,
        Op.TRUNC_MOD,
    }
)

_CONNECTIVES: dict[Op, Callable[[Any, Any], Any]] = {
    Op.AND: lambda a, b: a and b,
    Op.OR: lambda a, b: a or b,
    Op.XOR: lambda a, b: a != b,
    Op.XNOR: lambda a, b: a == b,
    Op.IFF: lambda a, b: a == b,
    Op.IMPLIES: lambda a, b: not a or b,
}

_WORD_CONNECTIVES: dict[Op, Callable[[int, int], int]] = {
    Op.AND: lambda a, b: a & b,
    Op.OR: lambda a, b: a | b,
    Op.XOR: lambda a, b: a ^ b,
    Op.XNOR: lambda a, b: ~(a ^ b),
    Op.IFF: lambda a, b: ~(a ^ b),
    Op.IMPLIES: lambda a, b: ~a | b,
}

_COMPARISONS: dict[Op, Callable[[Any, Any], bool]] = {
    Op.EQ: lambda a, b: a == b,
    Op.NE: lambda a, b: a != b,
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.GT: lambda a, b: a > b,
    Op.GE: lambda a, b: a >= b,
}


def apply(term: Term, args: tuple[Any, ...]) -> Any:
    """Return the value of a term whose arguments have these values.

    Covers every operator that has a meaning within one state. Sets are not values: `in` takes
    the set's elements as a tuple.

    Raises:
        DivisionByZero: a division whose divisor is zero.
        ValueError: a CASE none of whose conditions holds.
        NotImplementedError: the operator is one of time, calls or variables.
    """
    op, sort = term.op, term.sort
    if op in _COMPARISONS:
        return _COMPARISONS[op](*args)
    if op in _CONNECTIVES:
        if isinstance(sort, WordSort):
            return wrapped(_WORD_CONNECTIVES[op](*args), sort)
        return bool(_CONNECTIVES[op](*args))
    if op in ARITHMETIC:
        return _arithmetic(op, sort, args)
    match op:
        case Op.NOT:
            return wrapped(~args[0], sort) if isinstance(sort, WordSort) else not args[0]
        case Op.ITE:
            return args[1] if args[0] else args[2]
        case Op.CASE:
            for condition, value in zip(args[::2], args[1::2], strict=True):
                if condition:
                    return value
            message = "no condition of the case holds"
            raise ValueError(message)
        case Op.TO_REAL:
            return Fraction(args[0])
        case Op.FLOOR:
            return floor(args[0])
        case Op.COUNT:
            return sum(1 for arg in args if arg)
        case Op.TO_INT:
            return int(args[0])
        case Op.TO_BOOL:
            return args[0] != 0
        case Op.WORD1:
            return int(args[0])
        case Op.IN:
            wanted = args[0] if isinstance(args[0], tuple) else (args[0],)
            available = args[1] if isinstance(args[1], tuple) else (args[1],)
            return all(value in available for value in wanted)
        case Op.SET:
            return tuple(args)
        case Op.UNION:
            left, right = (arg if isinstance(arg, tuple) else (arg,) for arg in args)
            return tuple(dict.fromkeys((*left, *right)))
        case Op.RECORD | Op.ARRAY | Op.TUPLE:
            return tuple(args)
        case Op.CONST:
            if term.payload is None:
                message = "a constant without a value"
                raise ValueError(message)
            return term.payload
        case _:
            return _apply_parts_and_words(term, args)


_DIRECT: dict[Op, Callable[..., Any]] = {
    **_CONNECTIVES,
    **_COMPARISONS,
    Op.NOT: lambda a: not a,
    Op.ITE: lambda a, b, c: b if a else c,
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: product,
    Op.NEG: lambda a: -a,
}


def function(term: Term) -> Callable[..., Any]:
    """Return the operator of a term as a function of the values of its arguments.

    The function raises as `apply` does and agrees with it.
    """
    if term.op in _DIRECT and not isinstance(term.sort, WordSort):
        return _DIRECT[term.op]
    if term.op is Op.CONST:
        value = apply(term, ())
        return lambda: value
    if term.op in {Op.RECORD, Op.ARRAY, Op.TUPLE}:
        return lambda *args: args
    if term.op is Op.PROJECT:
        return itemgetter(term.payload)
    if term.op is Op.FIELD and isinstance(record := term.args[0].sort, RecordSort):
        return itemgetter(record.index(str(term.payload)))
    return lambda *args: apply(term, args)


def _apply_parts_and_words(term: Term, args: tuple[Any, ...]) -> Any:
    op, sort = term.op, term.sort
    match op:
        case Op.FIELD | Op.RECORD_UPDATE:
            record = term.args[0].sort
            if not isinstance(record, RecordSort):
                message = f"{op} of {record}"
                raise TypeError(message)
            index = record.index(str(term.payload))
            if op is Op.FIELD:
                return args[0][index]
            return (*args[0][:index], args[1], *args[0][index + 1 :])
        case Op.INDEX | Op.ARRAY_UPDATE:
            array = term.args[0].sort
            if not isinstance(array, ArraySort):
                message = f"{op} of {array}"
                raise TypeError(message)
            position = args[1] - array.low
            inside = 0 <= position < array.size
            if op is Op.INDEX:
                # An index out of bounds reads the last element, as in JKind.
                return args[0][position if inside else -1]
            if not inside:
                return args[0]
            return (*args[0][:position], args[2], *args[0][position + 1 :])
        case Op.PROJECT:
            return args[0][term.payload]
        case _:
            return _apply_word(term, args, sort)


def _apply_word(term: Term, args: tuple[Any, ...], sort: Sort) -> int:
    operand = term.args[0].sort if term.args else None
    if not isinstance(sort, WordSort) or not isinstance(operand, WordSort):
        message = f"{term.op} has no value within one state"
        raise NotImplementedError(message)
    match term.op:
        case Op.SHIFT_LEFT:
            return wrapped(args[0] << min(args[1], sort.width), sort)
        case Op.SHIFT_RIGHT:
            return wrapped(args[0] >> args[1], sort)
        case Op.CONCAT:
            right = term.args[1].sort
            width = right.width if isinstance(right, WordSort) else 0
            high = _bits(args[0], operand.width) << width
            return wrapped(high | _bits(args[1], width), sort)
        case Op.BIT_SELECTION:
            low = term.payload[1]  # type: ignore[index]
            return wrapped(_bits(args[0], operand.width) >> int(low), sort)  # type: ignore[arg-type]
        case Op.EXTEND | Op.SIGNED | Op.UNSIGNED:
            return wrapped(args[0], sort)
        case Op.RESIZE:
            if operand.signed and sort.width < operand.width:
                # Shrinking a signed word keeps its sign bit and the low bits.
                low = _bits(args[0], sort.width - 1)
                return wrapped(low | ((1 << (sort.width - 1)) if args[0] < 0 else 0), sort)
            return wrapped(args[0], sort)
        case _:
            message = f"{term.op} has no value within one state"
            raise NotImplementedError(message)
