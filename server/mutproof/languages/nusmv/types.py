"""The types of NuSMV expressions and the type of every operator.

There is no implicit conversion between Booleans, integers and words. Integers are below the
mixed enumerations, symbols too; every type but words and arrays has a counterpart of sets.
Source: NuSMV 2.6 user manual §2.2; the probes of the 2.6.0 binary where it differs.
"""

from __future__ import annotations

from enum import Enum

from mutproof.base.record import dataclass
from mutproof.languages.nusmv.syntax import Form
from mutproof.model import sorts
from mutproof.model.sorts import Sort


class TypeFamily(Enum):
    """Name a family of types; the value is its name in messages."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    REAL = "real"
    SYMBOLIC = "symbolic-enum"
    MIXED = "integer-and-symbolic-enum"
    UNSIGNED = "unsigned word"
    SIGNED = "signed word"
    ARRAY = "array"


@dataclass(frozen=True, slots=True)
class Type:
    """Hold the type of an expression; `width` of words, bounds and `element` of arrays."""

    kind: TypeFamily
    is_set: bool = False
    width: int = 0
    low: int = 0
    high: int = 0
    element: Type | None = None

    @property
    def is_word(self) -> bool:
        """Tell whether values are words."""
        return self.kind in {TypeFamily.UNSIGNED, TypeFamily.SIGNED}

    @property
    def is_number(self) -> bool:
        """Tell whether values are single integers or reals."""
        return self.kind in {TypeFamily.INTEGER, TypeFamily.REAL} and not self.is_set

    @property
    def single(self) -> Type:
        """Return the type of the members of a set, the type itself otherwise."""
        return Type(self.kind) if self.is_set else self

    def __str__(self) -> str:
        if self.is_word:
            return f"{self.kind.value}[{self.width}]"
        if self.kind is TypeFamily.ARRAY:
            return f"array {self.low}..{self.high} of {self.element}"
        return f"{self.kind.value}-set" if self.is_set else self.kind.value


BOOLEAN = Type(TypeFamily.BOOLEAN)
INTEGER = Type(TypeFamily.INTEGER)
REAL = Type(TypeFamily.REAL)
SYMBOLIC = Type(TypeFamily.SYMBOLIC)
MIXED = Type(TypeFamily.MIXED)


def word(width: int, *, signed: bool = False) -> Type:
    """Return the type of words of a width."""
    return Type(TypeFamily.SIGNED if signed else TypeFamily.UNSIGNED, width=width)


def of_sort(sort: Sort) -> Type:
    """Return the type of a variable declared with a sort."""
    match sort:
        case sorts.BoolSort():
            return BOOLEAN
        case sorts.IntSort():
            return INTEGER
        case sorts.RealSort():
            return REAL
        case sorts.EnumSort(_, values):
            if all(isinstance(value, str) for value in values):
                return SYMBOLIC
            return INTEGER if all(isinstance(value, int) for value in values) else MIXED
        case sorts.WordSort(width, signed):
            return word(width, signed=signed)
        case sorts.ArraySort(low, high, element):
            return Type(TypeFamily.ARRAY, low=low, high=high, element=of_sort(element))
        case _:
            message = f"NuSMV has no {sort}"
            raise TypeError(message)


def to_sort(type_: Type) -> Sort:
    """Return the sort of terms of a type."""
    if type_.is_set:
        return sorts.SetSort(to_sort(type_.single))
    match type_.kind:
        case TypeFamily.BOOLEAN:
            return sorts.BOOL
        case TypeFamily.INTEGER:
            return sorts.INT
        case TypeFamily.REAL:
            return sorts.REAL
        case TypeFamily.SYMBOLIC | TypeFamily.MIXED:
            return sorts.SYMBOL
        case TypeFamily.UNSIGNED | TypeFamily.SIGNED:
            return sorts.WordSort(type_.width, type_.kind is TypeFamily.SIGNED)
        case TypeFamily.ARRAY:
            assert type_.element is not None
            return sorts.ArraySort(type_.low, type_.high, to_sort(type_.element))


_ENUMERATED = frozenset({TypeFamily.INTEGER, TypeFamily.SYMBOLIC, TypeFamily.MIXED})


def common(left: Type, right: Type) -> Type | None:
    """Return the least type of branches of both types, None if there is none."""
    if left is right:
        return left
    is_set = left.is_set or right.is_set
    if left.kind is right.kind:
        if left.is_word or left.kind is TypeFamily.ARRAY:
            return left if left == right else None
        return Type(left.kind, is_set)
    kinds = {left.kind, right.kind}
    if kinds <= _ENUMERATED:
        return Type(TypeFamily.MIXED, is_set)
    if kinds == {TypeFamily.INTEGER, TypeFamily.REAL}:
        return Type(TypeFamily.REAL, is_set)
    return None


def as_set(type_: Type) -> Type | None:
    """Return the set type with these members, None where there are no such sets."""
    if type_.is_word or type_.kind is TypeFamily.ARRAY:
        return None
    return Type(type_.kind, is_set=True)


def _equality(left: Type, right: Type) -> Type | None:
    if left.is_set or right.is_set or TypeFamily.ARRAY in {left.kind, right.kind}:
        return None
    if {left.kind, right.kind} == {TypeFamily.INTEGER, TypeFamily.SYMBOLIC}:
        return None
    return BOOLEAN if common(left, right) is not None else None


def _order(left: Type, right: Type) -> Type | None:
    numbers = left.is_number and right.is_number
    return BOOLEAN if numbers or (left.is_word and left == right) else None


def _arithmetic(left: Type, right: Type) -> Type | None:
    if left.is_number and right.is_number:
        return common(left, right)
    return left if left.is_word and left == right else None


def _connective(left: Type, right: Type) -> Type | None:
    return left if left == right and (left == BOOLEAN or left.is_word) else None


def _shift(left: Type, right: Type) -> Type | None:
    by = right == INTEGER or right.kind is TypeFamily.UNSIGNED
    return left if left.is_word and by else None


def _concatenation(left: Type, right: Type) -> Type | None:
    return word(left.width + right.width) if left.is_word and right.is_word else None


def _membership(left: Type, right: Type) -> Type | None:
    if as_set(left) is None or as_set(right) is None:
        return None
    if {left.kind, right.kind} == {TypeFamily.INTEGER, TypeFamily.SYMBOLIC}:
        return None
    return BOOLEAN if common(left, right) is not None else None


def _union(left: Type, right: Type) -> Type | None:
    shared = common(left, right)
    return None if shared is None else as_set(shared)


_BINARY = {
    **dict.fromkeys((Form.EQUAL, Form.NOT_EQUAL), _equality),
    **dict.fromkeys((Form.LESS, Form.LESS_EQUAL, Form.GREATER, Form.GREATER_EQUAL), _order),
    **dict.fromkeys(
        (Form.ADD, Form.SUBTRACT, Form.MULTIPLY, Form.DIVIDE, Form.MODULO), _arithmetic
    ),
    **dict.fromkeys((Form.AND, Form.OR, Form.XOR, Form.XNOR, Form.IFF, Form.IMPLIES), _connective),
    **dict.fromkeys((Form.SHIFT_LEFT, Form.SHIFT_RIGHT), _shift),
    Form.CONCAT: _concatenation,
    Form.IN: _membership,
    Form.UNION: _union,
}


def binary(form: Form, left: Type, right: Type) -> Type | None:
    """Return the type of a binary operation, None if it has none."""
    return _BINARY[form](left, right)


def unary(form: Form, operand: Type) -> Type | None:
    """Return the type of `!e` or `-e`, None if it has none."""
    if form is Form.NOT:
        return operand if operand == BOOLEAN or operand.is_word else None
    return operand if operand.is_number or operand.is_word else None


def advice(form: Form, operands: tuple[Type, ...]) -> str:
    """Return what to write instead, for operands that an operator does not take."""
    kinds = {operand.kind for operand in operands}
    if form is Form.NOT and TypeFamily.INTEGER in kinds:
        return "`!` binds tighter than `=`: write `!(x = 0)`"
    if any(operand.is_set for operand in operands):
        return "compare with a set by `in`"
    if kinds == {TypeFamily.BOOLEAN, TypeFamily.INTEGER}:
        return "use `toint(b)`, `bool(i)`, TRUE or FALSE"
    if form in {Form.SET, Form.UNION, Form.IN} and any(operand.is_word for operand in operands):
        return "there are no sets of words: write `w = 0ud4_0 | w = 0ud4_1`"
    if kinds & {TypeFamily.UNSIGNED, TypeFamily.SIGNED}:
        return "words need the same width and sign: use `extend`, `resize`, `signed`, `0ud8_5`"
    return "the operands need types that this operator takes"


def assignable(variable: Type, value: Type) -> bool:
    """Tell whether a value, or a choice from a set of values, may be assigned to a variable."""
    if variable.is_word or TypeFamily.ARRAY in {variable.kind, value.kind}:
        return variable == value
    return _membership(variable, value) is not None


def advice_for_assignment(variable: Type, value: Type) -> str:
    """Return what to write instead of an assignment of the wrong type."""
    if {variable.kind, value.kind} == {TypeFamily.BOOLEAN, TypeFamily.INTEGER}:
        return "use `toint(b)`, `bool(i)`, TRUE or FALSE"
    return f"assign a value of type {variable}"
