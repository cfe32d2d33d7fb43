"""Take compound values apart and put them together: tuples in the order of the sort's parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mutproof.model import sorts
from mutproof.model.sorts import Sort, Value


def leaves_of(sort: Sort, value: Any) -> Iterator[tuple[str, Value]]:
    """Yield the scalar parts of a value, each with its path suffix, as `sorts.leaves` does."""
    match sort:
        case sorts.RecordSort(_, fields):
            for (name, field), item in zip(fields, value, strict=True):
                for path, leaf in leaves_of(field, item):
                    yield f".{name}{path}", leaf
        case sorts.ArraySort(low, high, element):
            for index, item in zip(range(low, high + 1), value, strict=True):
                for path, leaf in leaves_of(element, item):
                    yield f"[{index}]{path}", leaf
        case sorts.TupleSort(elements):
            for index, (element, item) in enumerate(zip(elements, value, strict=True)):
                for path, leaf in leaves_of(element, item):
                    yield f".{index}{path}", leaf
        case _:
            yield "", value


def built(sort: Sort, leaf: Callable[[str, Sort], Value], path: str = "") -> Any:
    """Return the value of a sort whose scalar parts are `leaf(path suffix, sort)`."""
    match sort:
        case sorts.RecordSort(_, fields):
            return tuple(built(field, leaf, f"{path}.{name}") for name, field in fields)
        case sorts.ArraySort(low, high, element):
            return tuple(built(element, leaf, f"{path}[{i}]") for i in range(low, high + 1))
        case sorts.TupleSort(elements):
            return tuple(built(element, leaf, f"{path}.{i}") for i, element in enumerate(elements))
        case _:
            return leaf(path, sort)
