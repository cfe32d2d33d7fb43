"""Sorts of terms and of declarations, and the values they contain.

Values are plain Python: bool, int (unbounded, also for words), Fraction for real, str for a
symbolic constant, tuple for arrays, records and tuples (in order of the fields).
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from typing import TypeAlias, assert_never

from mutproof.base.record import dataclass

Value: TypeAlias = "bool | int | Fraction | str | tuple[Value, ...]"


@dataclass(frozen=True, slots=True)
class BoolSort:
    """Contain true and false."""


@dataclass(frozen=True, slots=True)
class IntSort:
    """Contain the integers from `low` to `high`, both inclusive; None is unbounded."""

    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class RealSort:
    """Contain the exact rationals (and, in theory, the other reals)."""


@dataclass(frozen=True, slots=True)
class EnumSort:
    """Contain listed constants: names (str) and, in NuSMV, integers among them.

    An empty `values` is the sort of any symbolic constant; `name` is the declared name of the
    type, empty where it has none.
    """

    name: str = ""
    values: tuple[str | int, ...] = ()
    known_hash: int = field(init=False, repr=False, compare=False)
    """The cached hash: sorts with thousands of values are looked up once for each value."""

    def __post_init__(self) -> None:
        """Compute the hash once."""
        object.__setattr__(self, "known_hash", hash((self.name, self.values)))

    def __hash__(self) -> int:
        """Return the hash computed at construction."""
        return self.known_hash


@dataclass(frozen=True, slots=True)
class WordSort:
    """Contain the words of `width` bits; values are ints in the signed or unsigned range."""

    width: int
    signed: bool = False


@dataclass(frozen=True, slots=True)
class ArraySort:
    """Contain arrays with elements at `low` .. `high`, both inclusive."""

    low: int
    high: int
    element: Sort

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return self.high - self.low + 1


@dataclass(frozen=True, slots=True)
class RecordSort:
    """Contain records of a declared type: fields in declaration order."""

    name: str
    fields: tuple[tuple[str, Sort], ...]

    def index(self, field: str) -> int:
        """Return the 0-based position of a field.

        Raises:
            KeyError: the record has no such field.
        """
        for index, (name, _) in enumerate(self.fields):
            if name == field:
                return index
        raise KeyError(field)


@dataclass(frozen=True, slots=True)
class TupleSort:
    """Contain tuples, as nodes with several outputs return them."""

    elements: tuple[Sort, ...]


@dataclass(frozen=True, slots=True)
class SetSort:
    """Contain non-empty finite sets of values of `element`, as NuSMV's choices are."""

    element: Sort


Sort: TypeAlias = (
    BoolSort
    | IntSort
    | RealSort
    | EnumSort
    | WordSort
    | ArraySort
    | RecordSort
    | TupleSort
    | SetSort
)

BOOL = BoolSort()
INT = IntSort()
REAL = RealSort()
SYMBOL = EnumSort()


def widened(sort: Sort) -> Sort:
    """Return the sort without its bounds and lists: the sort that operators see."""
    match sort:
        case IntSort():
            return INT
        case EnumSort(name, values):
            if values and all(isinstance(value, int) for value in values):
                return INT
            return EnumSort(name)
        case ArraySort(low, high, element):
            return ArraySort(low, high, widened(element))
        case RecordSort(name, fields):
            return RecordSort(name, tuple((n, widened(s)) for n, s in fields))
        case TupleSort(elements):
            return TupleSort(tuple(widened(element) for element in elements))
        case SetSort(element):
            return SetSort(widened(element))
        case BoolSort() | RealSort() | WordSort():
            return sort
        case _:
            assert_never(sort)


def is_scalar(sort: Sort) -> bool:
    """Tell whether the values of the sort have no parts."""
    return isinstance(sort, BoolSort | IntSort | RealSort | EnumSort | WordSort)


def is_finite(sort: Sort) -> bool:
    """Tell whether the sort has finitely many values."""
    match sort:
        case BoolSort() | WordSort():
            return True
        case IntSort(low, high):
            return low is not None and high is not None
        case EnumSort(_, values):
            return bool(values)
        case ArraySort(_, _, element) | SetSort(element):
            return is_finite(element)
        case RecordSort(_, fields):
            return all(is_finite(field) for _, field in fields)
        case TupleSort(elements):
            return all(is_finite(element) for element in elements)
        case RealSort():
            return False
        case _:
            assert_never(sort)


def leaves(sort: Sort) -> tuple[tuple[str, Sort], ...]:
    """Return the scalar parts in order, each with its path suffix (`.x`, `[0]`, nothing)."""
    match sort:
        case ArraySort(low, high, element):
            inner = leaves(element)
            return tuple(
                (f"[{index}]{path}", leaf) for index in range(low, high + 1) for path, leaf in inner
            )
        case RecordSort(_, fields):
            return tuple(
                (f".{name}{path}", leaf) for name, field in fields for path, leaf in leaves(field)
            )
        case TupleSort(elements):
            return tuple(
                (f".{index}{path}", leaf)
                for index, element in enumerate(elements)
                for path, leaf in leaves(element)
            )
        case _:
            return (("", sort),)


def contains(sort: Sort, value: Value) -> bool:
    """Tell whether a value belongs to a sort, its bounds included."""
    match sort:
        case BoolSort():
            return isinstance(value, bool)
        case IntSort(low, high):
            return (
                isinstance(value, int)
                and not isinstance(value, bool)
                and (low is None or low <= value)
                and (high is None or value <= high)
            )
        case RealSort():
            return isinstance(value, int | Fraction) and not isinstance(value, bool)
        case EnumSort(_, values):
            return value in values if values else isinstance(value, str)
        case WordSort(width, signed):
            low_word = -(1 << (width - 1)) if signed else 0
            high_word = (1 << (width - 1 if signed else width)) - 1
            return isinstance(value, int) and low_word <= value <= high_word
        case ArraySort():
            return (
                isinstance(value, tuple)
                and len(value) == sort.size
                and all(contains(sort.element, item) for item in value)
            )
        case RecordSort(_, fields):
            return (
                isinstance(value, tuple)
                and len(value) == len(fields)
                and all(contains(s, item) for (_, s), item in zip(fields, value, strict=True))
            )
        case TupleSort(elements):
            return (
                isinstance(value, tuple)
                and len(value) == len(elements)
                and all(contains(s, item) for s, item in zip(elements, value, strict=True))
            )
        case SetSort():
            return False
        case _:
            assert_never(sort)


def only_value(sort: Sort) -> Value | None:
    """Return the value of an integer or enumerated sort, or of arrays of them, that has one."""
    match sort:
        case IntSort(low, high) if low is not None and low == high:
            return low
        case EnumSort(_, values) if len(values) == 1:
            return values[0]
        case ArraySort():
            element = only_value(sort.element)
            return None if element is None else (element,) * sort.size
        case _:
            return None


def default_value(sort: Sort) -> Value:
    """Return a value of the sort: the one nearest to zero, the first of a list."""
    match sort:
        case BoolSort():
            return False
        case IntSort(low, high):
            if low is not None and low > 0:
                return low
            if high is not None and high < 0:
                return high
            return 0
        case RealSort():
            return Fraction(0)
        case EnumSort(_, values):
            return values[0] if values else ""
        case WordSort():
            return 0
        case ArraySort():
            return (default_value(sort.element),) * sort.size
        case RecordSort(_, fields):
            return tuple(default_value(field) for _, field in fields)
        case TupleSort(elements):
            return tuple(default_value(element) for element in elements)
        case SetSort(element):
            return default_value(element)
        case _:
            assert_never(sort)


def domain(sort: Sort) -> tuple[Value, ...] | None:
    """Return all values of a finite scalar sort in order; None for any other sort."""
    match sort:
        case BoolSort():
            return (False, True)
        case IntSort(low, high) if low is not None and high is not None:
            return tuple(range(low, high + 1))
        case EnumSort(_, values) if values:
            return values
        case _:
            return None


def describe(sort: Sort) -> str:
    """Return a description of the sort for users."""
    match sort:
        case BoolSort():
            return "bool"
        case IntSort(low, high):
            if low is None or high is None:
                return "int"
            return f"subrange [{low}, {high}] of int"
        case RealSort():
            return "real"
        case EnumSort(name, values):
            if name:
                return name
            return "{" + ", ".join(str(value) for value in values) + "}" if values else "symbol"
        case WordSort(width, signed):
            return f"{'signed' if signed else 'unsigned'} word[{width}]"
        case ArraySort():
            return f"{describe(sort.element)}[{sort.size}]"
        case RecordSort(name, _):
            return name
        case TupleSort(elements):
            return "(" + ", ".join(describe(element) for element in elements) + ")"
        case SetSort(element):
            return f"set of {describe(element)}"
        case _:
            assert_never(sort)
