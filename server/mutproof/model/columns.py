"""Scalar terms over many states at once: a bit of an integer for each state.

A Boolean column is the set of rows, as bits, in which the term is true. Any other column maps each
value to the rows in which the term has it. So one operation on integers computes a term in
thousands of states. The text of the functions is generated and compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from mutproof.model import semantics, sorts, walk
from mutproof.model.compile import built
from mutproof.model.operators import Op
from mutproof.model.sorts import BoolSort, Value
from mutproof.model.terms import Term

Column: TypeAlias = "int | dict[Value, int]"
"""The rows in which a Boolean is true, or those in which a variable has each of its values."""

ColumnFunction = Callable[[list[Any], int], Any]
"""A term as a function of the columns of all variables, by index, and of the set of all rows."""

MOST_VALUES = 256
"""How many values a column may have."""

_Linked: TypeAlias = "tuple[_Linked, Value] | None"

_BOOLEAN = {
    Op.AND: "{0} & {1}",
    Op.OR: "{0} | {1}",
    Op.XOR: "{0} ^ {1}",
    Op.NE: "{0} ^ {1}",
    Op.XNOR: "A ^ {0} ^ {1}",
    Op.IFF: "A ^ {0} ^ {1}",
    Op.EQ: "A ^ {0} ^ {1}",
    Op.IMPLIES: "A ^ {0} | {1}",
    Op.NOT: "A ^ {0}",
    Op.ITE: "{2} ^ {0} & ({1} ^ {2})",
}

_UNTABLED = frozenset({Op.APPLY, Op.NEXT_VAR, Op.CALL, Op.CONDACT, Op.PRE, Op.ARROW})


class TooWide(Exception):  # noqa: N818 - a fact about the system
    """Say that a term has no column: it has too many values, or an unknown one."""


class ColumnCompiler:
    """Compile scalar terms over an indexed set of variables; keeps what it compiled."""

    def __init__(self, index: Mapping[str, int]) -> None:
        self._index = index
        self._constants: list[Any] = []
        self._compiled: dict[Term, ColumnFunction] = {}

    def compile_all(self, terms: Iterable[Term]) -> list[ColumnFunction]:
        """Return the functions of many terms, compiled in one go; calling them raises TooWide.

        Raises:
            TooWide: a term calls an uninterpreted function.
        """
        wanted = list(terms)
        fresh = list(dict.fromkeys(term for term in wanted if term not in self._compiled))
        if fresh:
            functions = built(
                {"K": self._constants, "choose": _choose, "same": _same, "each": _each},
                "v, A",
                [self._body(term) for term in fresh],
            )
            self._compiled.update(zip(fresh, functions, strict=True))
        return [self._compiled[term] for term in wanted]

    def _body(self, root: Term) -> list[str]:
        lines: list[str] = []

        def combine(term: Term, args: tuple[str, ...]) -> str:
            if term.op is Op.VAR:
                return f"v[{self._index[str(term.payload)]}]"
            lines.append(f"t{len(lines)} = {self._text(term, args)}")
            return f"t{len(lines) - 1}"

        result = walk.fold(root, combine)
        return [*lines, f"return {result}"]

    def _text(self, term: Term, args: tuple[str, ...]) -> str:
        op = term.op
        if op in _UNTABLED:
            raise TooWide(op.value)
        if op is Op.CONST:
            if isinstance(term.sort, BoolSort):
                return "A" if term.payload else "0"
            self._constants.append(term.payload)
            return f"{{K[{len(self._constants) - 1}]: A}}"
        if op in _BOOLEAN and all(isinstance(arg.sort, BoolSort) for arg in term.args):
            return _BOOLEAN[op].format(*args)
        if op is Op.ITE:
            return f"choose({', '.join(args)}, A)"
        if op is Op.EQ:
            return f"same({', '.join(args)})"
        if op is Op.NE:
            return f"A ^ same({', '.join(args)})"
        self._constants.append((term, semantics.function(term)))
        return f"each(K[{len(self._constants) - 1}], ({', '.join(args)},), A)"


def values(column: Column, rows: int) -> dict[Value, int]:
    """Return in which of the rows a column has each value."""
    if isinstance(column, dict):
        return column
    return {True: column, False: rows ^ column}


def parted(columns: Iterable[Column], rows: int, most: int) -> list[tuple[int, tuple[Value, ...]]]:
    """Return in which of the rows columns have which values together.

    Raises:
        TooWide: there are more than so many.
    """
    # Each with the values of the last columns, linked: few of these divide any rows.
    parts: list[tuple[int, _Linked]] = [(rows, None)] if rows else []
    for column in columns:
        parts = [
            (where, (before, value))
            for mask, before in parts
            for value, own in values(column, mask).items()
            if (where := mask & own)
        ]
        if len(parts) > most:
            raise TooWide("too many states")
    return [(mask, _listed(last)) for mask, last in parts]


def _listed(last: _Linked) -> tuple[Value, ...]:
    found: list[Value] = []
    while last is not None:
        last, value = last
        found.append(value)
    found.reverse()
    return tuple(found)


def _choose(
    condition: int, then: dict[Value, int], otherwise: dict[Value, int], rows: int
) -> dict[Value, int]:
    if condition == rows:
        return then
    if not condition:
        return otherwise
    found = {value: where for value, mask in then.items() if (where := mask & condition)}
    rest = rows ^ condition
    for value, mask in otherwise.items():
        where = mask & rest
        if where:
            found[value] = found.get(value, 0) | where
    if len(found) > MOST_VALUES:
        raise TooWide
    return found


def _same(left: dict[Value, int], right: dict[Value, int]) -> int:
    found = 0
    for value, mask in left.items():
        other = right.get(value)
        if other is not None:
            found |= mask & other
    return found


def _each(operator: tuple[Term, Callable[..., Any]], args: tuple[Column, ...], rows: int) -> Column:
    """Return the column of an operator, applied once to each combination of values in the rows."""
    term, function = operator
    found: dict[Any, int] = {}
    combinations: list[tuple[int, tuple[Value, ...]]] = [(rows, ())]
    for column in args:
        combinations = [
            (where, (*before, value))
            for mask, before in combinations
            for value, own in values(column, rows).items()
            if (where := mask & own)
        ]
        if len(combinations) > MOST_VALUES * 16:
            raise TooWide
    for mask, operands in combinations:
        try:
            value = function(*operands)
        except (semantics.DivisionByZero, ValueError):
            # A division is computed also where its guard is false; the value is then not used.
            value = sorts.default_value(term.sort)
        except semantics.NumberTooLarge as error:
            raise TooWide(str(error)) from None
        found[value] = found.get(value, 0) | mask
    if isinstance(term.sort, BoolSort):
        return found.get(True, 0)
    if len(found) > MOST_VALUES:
        raise TooWide
    return found
