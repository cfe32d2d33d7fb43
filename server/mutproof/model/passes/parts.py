"""Remove records, arrays and tuples: a compound value becomes the tree of its scalar parts.

A flat value is a scalar term, or a tuple of flat values in the order of `sorts.leaves`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import ArraySort, RecordSort, Sort, TupleSort
from mutproof.model.terms import Term

Flat: TypeAlias = "Term | tuple[Flat, ...]"

STRUCTURAL = frozenset(
    {
        Op.RECORD,
        Op.ARRAY,
        Op.TUPLE,
        Op.FIELD,
        Op.RECORD_UPDATE,
        Op.INDEX,
        Op.ARRAY_UPDATE,
        Op.PROJECT,
    }
)


def flat_leaves(value: Flat) -> Iterator[Term]:
    """Yield the scalar terms of a flat value in order."""
    stack: list[Flat] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Term):
            yield item
        else:
            stack.extend(reversed(item))


def build(sort: Sort, leaf: Callable[[str, Sort], Term], path: str = "") -> Flat:
    """Return the flat value of a sort whose scalar parts are `leaf(path suffix, sort)`."""
    match sort:
        case RecordSort(_, fields):
            return tuple(build(field, leaf, f"{path}.{name}") for name, field in fields)
        case ArraySort(low, high, element):
            return tuple(build(element, leaf, f"{path}[{i}]") for i in range(low, high + 1))
        case TupleSort(elements):
            return tuple(build(element, leaf, f"{path}.{i}") for i, element in enumerate(elements))
        case _:
            return leaf(path, sort)


def pointwise(function: Callable[..., Term], *values: Flat) -> Flat:
    """Return the flat value whose leaves are `function` of the leaves of the given ones."""
    first = values[0]
    if isinstance(first, Term):
        return function(*values)
    rows = zip(*(value for value in values if isinstance(value, tuple)), strict=True)
    return tuple(pointwise(function, *row) for row in rows)


def choose(condition: Term, then: Flat, otherwise: Flat) -> Flat:
    """Return `if condition then then else otherwise`, part by part."""
    if condition is terms.TRUE:
        return then
    if condition is terms.FALSE:
        return otherwise
    if isinstance(then, Term) and isinstance(otherwise, Term):
        return then if then is otherwise else terms.ite(condition, then, otherwise)
    return pointwise(
        lambda left, right: left if left is right else terms.ite(condition, left, right),
        then,
        otherwise,
    )


def equal(left: Flat, right: Flat) -> Term:
    """Return the equality of two flat values."""
    pairs = zip(flat_leaves(left), flat_leaves(right), strict=True)
    return terms.conjunction(terms.eq(a, b) for a, b in pairs)


def remove(term: Term, args: tuple[Flat, ...]) -> Flat | None:
    """Return the flat value of a structural term; None where the operator is not structural."""
    match term.op:
        case Op.RECORD | Op.ARRAY | Op.TUPLE:
            return tuple(args)
        case Op.FIELD:
            return _part(args[0], _field_index(term))
        case Op.PROJECT:
            return _part(args[0], int(term.payload))  # type: ignore[arg-type]
        case Op.RECORD_UPDATE:
            index = _field_index(term)
            record = args[0]
            assert isinstance(record, tuple)
            return (*record[:index], args[1], *record[index + 1 :])
        case Op.INDEX:
            return _read(term, args[0], args[1])
        case Op.ARRAY_UPDATE:
            return _write(term, args)
        case _:
            return None


def _part(value: Flat, index: int) -> Flat:
    assert isinstance(value, tuple)
    return value[index]


def _field_index(term: Term) -> int:
    record = term.args[0].sort
    assert isinstance(record, RecordSort)
    return record.index(str(term.payload))


def _array(term: Term, value: Flat) -> tuple[ArraySort, tuple[Flat, ...]]:
    array = term.args[0].sort
    assert isinstance(array, ArraySort)
    assert isinstance(value, tuple)
    return array, value


def _read(term: Term, value: Flat, index: Flat) -> Flat:
    array, elements = _array(term, value)
    assert isinstance(index, Term)
    if index.op is Op.CONST and isinstance(index.payload, int):
        position = index.payload - array.low
        return elements[position if 0 <= position < array.size else -1]
    # An index out of bounds reads the last element, as in JKind.
    result = elements[-1]
    for position in range(array.size - 2, -1, -1):
        here = terms.eq(index, terms.const(position + array.low, index.sort))
        result = choose(here, elements[position], result)
    return result


def _write(term: Term, args: tuple[Flat, ...]) -> Flat:
    array, elements = _array(term, args[0])
    index, new = args[1], args[2]
    assert isinstance(index, Term)
    if index.op is Op.CONST and isinstance(index.payload, int):
        position = index.payload - array.low
        if not 0 <= position < array.size:
            return elements
        return (*elements[:position], new, *elements[position + 1 :])
    return tuple(
        choose(terms.eq(index, terms.const(position + array.low, index.sort)), new, old)
        for position, old in enumerate(elements)
    )
