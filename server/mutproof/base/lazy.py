"""Properties that are computed on first use without holding a lock.

Those of Python 3.11 hold a lock for all instances of a class. Work that gives way while it computes
one would block another thread for ever.
"""

from __future__ import annotations

import functools
from typing import Any, TypeVar, overload

ValueT_co = TypeVar("ValueT_co", covariant=True)


class cached_property(functools.cached_property[ValueT_co]):  # noqa: N801 - as Python's own
    """Compute a property once for each instance; two threads at once may both compute it."""

    @overload
    def __get__(
        self, instance: None, owner: type[Any] | None = None
    ) -> cached_property[ValueT_co]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> ValueT_co: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        """Compute the value, store it in the instance and return it."""
        if instance is None:
            return self
        assert self.attrname is not None
        value = instance.__dict__[self.attrname] = self.func(instance)
        return value
