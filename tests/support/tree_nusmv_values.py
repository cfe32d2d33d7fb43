"""The values of NuSMV's expressions and what its operators make of them, read off the manual.

Shares nothing with the product but the names of the forms. Source: NuSMV 2.6 user manual §2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mutproof.languages.nusmv.syntax import Form


@dataclass(frozen=True, slots=True)
class Word:
    """Hold a word by its bits."""

    bits: int
    width: int
    signed: bool

    @property
    def number(self) -> int:
        """Return the integer it stands for."""
        negative = self.signed and self.bits >> (self.width - 1)
        return self.bits - (1 << self.width) if negative else self.bits

    def like(self, number: int) -> Word:
        """Return the word of the same type with the low bits of a number."""
        return Word(number % (1 << self.width), self.width, self.signed)


@dataclass(frozen=True, slots=True)
class Array:
    """Hold an array: its elements are asked for one by one, since some may have no value."""

    low: int
    elements: tuple[Callable[[], Any], ...]

    def at(self, index: int) -> Any:
        """Return an element.

        Raises:
            UndefinedError: there is none of that index.
        """
        if not 0 <= index - self.low < len(self.elements):
            raise UndefinedError
        return self.elements[index - self.low]()


class UndefinedError(Exception):
    """Say that an expression has no value: no condition of a case is true, and the like."""


def number(value: Any) -> int:
    """Return the integer that a number or a word stands for."""
    return value.number if isinstance(value, Word) else int(value)


def key(value: Any) -> tuple[type, Any]:
    """Return a value so that TRUE is not 1."""
    return type(value), value


def members(value: Any) -> frozenset[Any]:
    """Return the keys of the values that an expression may have."""
    return value if isinstance(value, frozenset) else frozenset({key(value)})


def includes(value: Any, one: Any) -> bool:
    """Tell whether one of the values of an expression is this one."""
    return key(one) in members(value)


def arithmetic(operation: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    """Return an operation on integers as one on words too."""

    def apply(left: Any, right: Any) -> Any:
        found = operation(number(left), number(right))
        return left.like(found) if isinstance(left, Word) else found

    return apply


def quotient(left: int, right: int) -> int:
    """Return what is left of a quotient after its decimal point.

    Raises:
        UndefinedError: the divisor is 0.
    """
    if right == 0:
        raise UndefinedError
    found = abs(left) // abs(right)
    return found if (left < 0) == (right < 0) else -found


def _logic(operation: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    def apply(left: Any, right: Any) -> Any:
        if isinstance(left, Word):
            return left.like(operation(left.bits, right.bits))
        return bool(operation(left, right) & 1)

    return apply


def _not(value: Any) -> Any:
    return value.like(~value.bits) if isinstance(value, Word) else not value


def _negated(value: Any) -> Any:
    return value.like(-value.number) if isinstance(value, Word) else -value


def _concatenated(left: Word, right: Word) -> Word:
    return Word(left.bits << right.width | right.bits, left.width + right.width, signed=False)


def _shifted(sign: int) -> Callable[[Word, Any], Word]:
    def apply(word: Word, amount: Any) -> Word:
        steps = number(amount)
        if not 0 <= steps <= word.width:
            raise UndefinedError
        return word.like(word.number << steps if sign > 0 else word.number >> steps)

    return apply


def _resized(word: Word, width: int) -> Word:
    if word.signed and width < word.width:  # the sign stays
        sign = word.bits >> (word.width - 1) << (width - 1)
        return Word(sign | word.bits & ((1 << (width - 1)) - 1), width, signed=True)
    return Word(word.number % (1 << width), width, word.signed)


OPERATIONS: dict[Form, Callable[..., Any]] = {
    Form.NOT: _not,
    Form.NEGATE: _negated,
    Form.ADD: arithmetic(lambda a, b: a + b),
    Form.SUBTRACT: arithmetic(lambda a, b: a - b),
    Form.MULTIPLY: arithmetic(lambda a, b: a * b),
    Form.DIVIDE: arithmetic(quotient),
    Form.MODULO: arithmetic(lambda a, b: a - b * quotient(a, b)),
    Form.AND: _logic(lambda a, b: a & b),
    Form.OR: _logic(lambda a, b: a | b),
    Form.XOR: _logic(lambda a, b: a ^ b),
    Form.XNOR: _logic(lambda a, b: ~(a ^ b)),
    Form.IFF: _logic(lambda a, b: ~(a ^ b)),
    Form.IMPLIES: _logic(lambda a, b: ~a | b),
    Form.EQUAL: lambda a, b: key(a) == key(b),
    Form.NOT_EQUAL: lambda a, b: key(a) != key(b),
    Form.LESS: lambda a, b: number(a) < number(b),
    Form.LESS_EQUAL: lambda a, b: number(a) <= number(b),
    Form.GREATER: lambda a, b: number(a) > number(b),
    Form.GREATER_EQUAL: lambda a, b: number(a) >= number(b),
    Form.SET: lambda *a: frozenset().union(*(members(one) for one in a)),
    Form.UNION: lambda a, b: members(a) | members(b),
    Form.IN: lambda a, b: members(a) <= members(b),
    Form.RANGE: lambda a, b: frozenset(key(n) for n in range(a, b + 1)),
    Form.CONCAT: _concatenated,
    Form.SHIFT_LEFT: _shifted(1),
    Form.SHIFT_RIGHT: _shifted(-1),
    Form.SLICE: lambda a, b, c: Word(a.bits >> c & ((2 << (b - c)) - 1), b - c + 1, signed=False),
}
CALLS: dict[str, Callable[..., Any]] = {
    "toint": number,
    "word1": lambda a: Word(int(a), 1, signed=False),
    "bool": lambda a: number(a) != 0,
    "count": lambda *a: sum(a),
    "min": lambda a, b: min(a, b, key=number),
    "max": lambda a, b: max(a, b, key=number),
    "abs": abs,
    "unsigned": lambda a: Word(a.bits, a.width, signed=False),
    "signed": lambda a: Word(a.bits, a.width, signed=True),
    "extend": lambda a, n: _resized(a, a.width + n),
    "resize": _resized,
    "sizeof": lambda a: a.width,
    "uwconst": lambda a, n: Word(a % (1 << n), n, signed=False),
    "swconst": lambda a, n: Word(a % (1 << n), n, signed=True),
}
