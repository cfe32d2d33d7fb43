"""Memos keyed by the identity of objects, where comparing them would cost too much."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

ValueT = TypeVar("ValueT")
ObjectT = TypeVar("ObjectT")


class ByIdentity(Generic[ValueT]):
    """Keep a value for each object, or tuple of objects; mutable, owned by one thread.

    The objects are kept as well, so that no other one with the same `id` takes their place.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, ...], tuple[tuple[object, ...], ValueT]] = {}

    def of(self, compute: Callable[[], ValueT], *objects: object) -> ValueT:
        """Return the value of these very objects, computing and keeping it on the first request."""
        key = tuple(map(id, objects))
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = objects, compute()
        return found[1]

    def get(self, *objects: object) -> ValueT | None:
        """Return the value of these very objects, None where there is none."""
        found = self._kept.get(tuple(map(id, objects)))
        return None if found is None else found[1]

    def each(self, objects: Iterable[object]) -> list[ValueT | None]:
        """Return the value of each of these objects, None where there is none."""
        found = map(self._kept.get, zip(map(id, objects), strict=True))
        return [None if one is None else one[1] for one in found]

    def put(self, value: ValueT, *objects: object) -> None:
        """Keep a value for these objects, in the place of the one before."""
        self._kept[tuple(map(id, objects))] = objects, value


def each_once(compute: Callable[[ObjectT], ValueT], objects: Sequence[ObjectT]) -> list[ValueT]:
    """Return the value of each object, which is computed once for those that are the very same."""
    values = {key: compute(one) for key, one in {id(one): one for one in objects}.items()}
    return [values[id(one)] for one in objects]


def distinct(objects: Iterable[ObjectT]) -> Iterator[ObjectT]:
    """Yield each object once; equal ones that are not the same are different."""
    return iter({id(one): one for one in objects}.values())
