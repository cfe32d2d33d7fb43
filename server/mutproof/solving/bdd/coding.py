"""Finite variables as bits: which there are, and which value each code stands for."""

from __future__ import annotations

from mutproof.base.record import dataclass
from mutproof.model import semantics, sorts
from mutproof.model.sorts import BoolSort, IntSort, Sort, Value, WordSort
from mutproof.solving.bdd import tables


class NotFinite(Exception):  # noqa: N818 - the caller reports it as a reason
    """Say in words why a system has no diagrams."""


@dataclass(frozen=True, slots=True)
class Coding:
    """Hold the bits of a variable, highest first, and its values in the order of their codes.

    `values` is empty for words, whose bits are their own.
    """

    name: str
    sort: Sort
    bits: tuple[str, ...]
    values: tuple[Value, ...]

    def value(self, assignment: dict[str, bool]) -> Value:
        """Return the value that the current bits of an assignment stand for."""
        code = 0
        for bit in self.bits:
            code = code << 1 | assignment[bit]
        if isinstance(self.sort, WordSort):
            return semantics.wrapped(code, self.sort)
        return self.values[code]

    def assignment(self, code: int) -> dict[str, bool]:
        """Return the current bits of the value with this 0-based code."""
        last = len(self.bits) - 1
        return {bit: bool(code >> (last - index) & 1) for index, bit in enumerate(self.bits)}


def coding_of(name: str, sort: Sort) -> Coding:
    """Return the coding of a variable.

    Raises:
        NotFinite: its sort has no bounds, or too many values.
    """
    if isinstance(sort, BoolSort):
        return Coding(name, sort, (name,), (False, True))
    if isinstance(sort, WordSort):
        bits = tuple(f"{name}^{index}" for index in range(sort.width - 1, -1, -1))
        return Coding(name, sort, bits, ())
    if isinstance(sort, IntSort) and sort.low is not None and sort.high is not None:
        if sort.high - sort.low >= tables.MOST_VALUES:
            message = f"{name} has more than {tables.MOST_VALUES} values"
            raise NotFinite(message)
    elif not sorts.is_finite(sort):
        message = f"{name} is {sorts.describe(sort)}, which has no bounds"
        raise NotFinite(message)
    values = sorts.domain(sort)
    assert values is not None
    width = (len(values) - 1).bit_length()
    bits = tuple(f"{name}^{index}" for index in range(width - 1, -1, -1))
    return Coding(name, sort, bits, values)


def following(bit: str) -> str:
    """Return the name of the bit in the next state."""
    return f"{bit}'"
