"""The value of `pre` before the first step, for each scalar part of its operand.

A part that reads variables only has its value for arbitrary values of these within their sorts. A
part with state of its own (`pre` or `->` in it, outside of arguments of calls) is kept in an
unbounded variable: before the first step it is any integer, or even none of the constants of an
enumeration, and a separate one for each occurrence of the same text. Under a clock every part is
like that.

Source: JKind 4.6, FlattenPres, TypeReconstructor and RemoveCondacts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from mutproof.base.memo import Memo
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import ArraySort, EnumSort, IntSort, RecordSort, Sort, TupleSort
from mutproof.model.terms import Term

NONE_OF_THESE = "?"
"""Stands for a value that is no constant of an enumeration; nobody can type it."""

Parts: TypeAlias = "bool | tuple[Parts, ...]"
"""Whether there is state in a scalar value, or in each part of a compound one."""

MOST_KEPT = 10_000
_kept: Memo[Parts] = Memo(MOST_KEPT)


def stateful(operand: Term) -> Parts:
    """Return which scalar parts of an operand of `pre` have state of their own."""
    if operand.op is Op.VAR:
        return _uniform(operand.sort, value=False)
    return _kept.get(operand, lambda: _stateful(operand))


def occurrence(operand: Term, met: dict[Term, int]) -> Term:
    """Return the `pre` of an operand as a new occurrence; `met` counts those with state."""
    number = 0
    if any_part(stateful(operand)):
        number = met.get(operand, 0)
        met[operand] = number + 1
    return terms.make(Op.PRE, operand.sort, (operand,), number or None)


@lru_cache(maxsize=1 << 12)
def remembers(term: Term) -> bool:
    """Tell whether there is a `pre` in a term."""
    return Op.PRE in walk.operators(term)


def written_again(term: Term, met: dict[Term, int]) -> Term:
    """Return a copy of the term of a name, with a new occurrence for each `pre` in it."""
    if term.op is Op.VAR or term.op is Op.CONST or not remembers(term):
        return term

    def combine(part: Term, args: tuple[Term, ...]) -> Term:
        return occurrence(args[0], met) if part.op is Op.PRE else terms.rebuilt(part, args)

    return walk.fold(term, combine)


def any_part(parts: Parts) -> bool:
    """Tell whether there is state in some part."""
    return any(leaves(parts))


def leaves(parts: Parts) -> Iterator[bool]:
    """Yield the flags of the scalar parts in order."""
    if isinstance(parts, bool):
        yield parts
    else:
        for part in parts:
            yield from leaves(part)


def unbounded(sort: Sort) -> Sort:
    """Return the unbounded scalar sort of a variable that keeps values of a sort."""
    match sort:
        case IntSort():
            return sorts.INT
        case EnumSort(name, values) if values and NONE_OF_THESE not in values:
            return EnumSort(name, (*values, NONE_OF_THESE))
        case _:
            return sort


def is_bounded(sort: Sort) -> bool:
    """Tell whether some scalar part of a sort has bounds that a value could leave."""
    return any(unbounded(leaf) != leaf for _, leaf in sorts.leaves(sort))


def may_leave(body: Term, *, clocked: bool) -> bool:
    """Tell whether values may be outside of the narrow sort of a body in a first step."""
    return any(
        term.op is Op.PRE and (clocked or any_part(stateful(term.args[0])))
        for term in walk.subterms(body)
    )


def within(variable: Term, sort: Sort) -> Term | None:
    """Return the condition that a variable has a value of its sort; None if it always has."""
    match sort:
        case IntSort(low, high):
            bounds = [] if low is None else [terms.compare(Op.GE, variable, terms.int_(low))]
            bounds += [] if high is None else [terms.compare(Op.LE, variable, terms.int_(high))]
            return terms.conjunction(bounds) if bounds else None
        case EnumSort(_, values) if values:
            return terms.disjunction(
                [terms.eq(variable, terms.const(value, sort)) for value in values]
            )
        case _:
            return None


_ENDS = frozenset({Op.VAR, Op.CONST, Op.CALL, Op.CONDACT, Op.PRE, Op.ARROW})


def _stateful(root: Term) -> Parts:
    found: dict[Term, Parts] = {}
    stack = [root]
    while stack:
        term = stack[-1]
        if term in found:
            stack.pop()
        elif term.op in _ENDS:
            found[term] = _uniform(term.sort, value=term.op in {Op.PRE, Op.ARROW})
        elif missing := [arg for arg in term.args if arg not in found]:
            stack.extend(missing)
        else:
            found[term] = _combined(term, [found[arg] for arg in term.args])
    return found[root]


def _combined(term: Term, args: list[Parts]) -> Parts:
    match term.op, args:
        case ((Op.RECORD | Op.ARRAY | Op.TUPLE), _):
            return tuple(args)
        case Op.PROJECT, [tuple(parts)] if isinstance(term.payload, int):
            return parts[term.payload]
        case Op.FIELD, [tuple(parts)]:
            return parts[_field(term)]
        case Op.RECORD_UPDATE, [tuple(parts), new]:
            at = _field(term)
            return (*parts[:at], new, *parts[at + 1 :])
        case Op.INDEX, [tuple(parts), index]:
            position = _position(term)
            if position is not None and position < len(parts):
                return parts[position]
            return _joined(any_part(index), *parts)
        case Op.ARRAY_UPDATE, [tuple(parts), index, new]:
            position = _position(term)
            moving = any_part(index)
            return tuple(
                _joined(moving, old, new) if position is None else new if at == position else old
                for at, old in enumerate(parts)
            )
        case Op.ITE, [condition, then, otherwise]:
            return _joined(any_part(condition), then, otherwise)
        case _:
            return _uniform(term.sort, value=any(any_part(arg) for arg in args))


def _field(term: Term) -> int:
    record = term.args[0].sort
    assert isinstance(record, RecordSort)
    return record.index(str(term.payload))


def _position(term: Term) -> int | None:
    """Return the constant 0-based position that is read or written; None if it is not constant."""
    array, index = term.args[0].sort, term.args[1]
    assert isinstance(array, ArraySort)
    if index.op is Op.CONST and isinstance(index.payload, int) and index.payload >= array.low:
        return index.payload - array.low
    return None


def _joined(everywhere: bool, *parts: Parts) -> Parts:
    first = parts[0]
    if isinstance(first, bool):
        return everywhere or any(any_part(part) for part in parts)
    rows = [part for part in parts if isinstance(part, tuple)]
    return tuple(_joined(everywhere, *column) for column in zip(*rows, strict=True))


def _uniform(sort: Sort, *, value: bool) -> Parts:
    match sort:
        case ArraySort(element=element):
            return (_uniform(element, value=value),) * sort.size
        case RecordSort(fields=fields):
            return tuple(_uniform(field, value=value) for _, field in fields)
        case TupleSort(elements):
            return tuple(_uniform(element, value=value) for element in elements)
        case _:
            return value
