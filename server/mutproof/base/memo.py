"""A bounded content-keyed memo: same key, same value, nothing to invalidate."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

ValueT = TypeVar("ValueT")


class Memo(Generic[ValueT]):
    """Keep the values of the most recently used keys; mutable, owned by one thread."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._values: OrderedDict[Hashable, ValueT] = OrderedDict()
        self.hits = 0

    def get(self, key: Hashable, compute: Callable[[], ValueT]) -> ValueT:
        """Return the value of `key`, computing and keeping it on the first request."""
        try:
            value = self._values[key]
        except KeyError:
            value = compute()
            self._values[key] = value
            if len(self._values) > self._capacity:
                self._values.popitem(last=False)
            return value
        self.hits += 1
        self._values.move_to_end(key)
        return value

    def items(self) -> Iterator[tuple[Hashable, ValueT]]:
        """Iterate over keys and values, those used last first."""
        return reversed(self._values.items())

    def clear(self) -> None:
        """Forget all values."""
        self._values.clear()

    def __len__(self) -> int:
        return len(self._values)
