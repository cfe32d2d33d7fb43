"""Put a replacement into the body of an element, so that the whole stays well-sorted."""

from __future__ import annotations

from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.sorts import IntSort, RealSort, SetSort, Sort
from mutproof.model.terms import Path, Term


def common_sort(values: tuple[Term, ...]) -> Sort | None:
    """Return the sort of a choice between terms; None where they have none in common."""
    single = {t.sort.element if isinstance(t.sort, SetSort) else t.sort for t in values}
    result: Sort
    if len(single) == 1:
        result = next(iter(single))
    elif single == {sorts.INT, sorts.SYMBOL}:
        result = sorts.SYMBOL
    elif all(isinstance(sort, IntSort | RealSort) for sort in single):
        result = sorts.REAL
    else:
        return None
    return SetSort(result) if any(isinstance(t.sort, SetSort) for t in values) else result


def replaced(body: Term, path: Path, replacement: Term, *, keeps_sort: bool) -> Term:
    """Return the body with a subterm replaced; choices above it get the sort they then have.

    A case expression whose only set is replaced is no set any more. With `keeps_sort` the body
    keeps its sort, as the sort of a macro is declared.
    """
    spine = [body]
    for index in path:
        spine.append(spine[-1].args[index])
    result = replacement
    for depth in range(len(path) - 1, -1, -1):
        parent = spine[depth]
        arguments = list(parent.args)
        arguments[path[depth]] = result
        sort = parent.sort
        if result.sort is not spine[depth + 1].sort and result.sort != spine[depth + 1].sort:
            sort = _choice_sort(parent, tuple(arguments))
        result = terms.make(parent.op, sort, arguments, parent.payload)
    if keeps_sort and result.sort != body.sort:
        return terms.make(result.op, body.sort, result.args, result.payload)
    return result


def _choice_sort(parent: Term, arguments: tuple[Term, ...]) -> Sort:
    """Return the sort of a term with other arguments."""
    match parent.op:
        case Op.ITE:
            return common_sort(arguments[1:]) or parent.sort
        case Op.CASE:
            return common_sort(arguments[1::2]) or parent.sort
        case _:
            return parent.sort
