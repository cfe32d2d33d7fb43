"""Until when values matter: those that decide what properties are at given steps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

NodeT = TypeVar("NodeT", bound=Hashable)


def last_steps(
    wanted: Mapping[NodeT, int],
    now: Callable[[NodeT], Iterable[NodeT]],
    before: Callable[[NodeT], Iterable[NodeT]],
    *,
    first: int = 0,
) -> dict[NodeT, int]:
    """Return the last 0-based step, from the `first` on, at which each value matters.

    Those `wanted` do up to a step on their own account. Each value is computed from others `now`,
    in the same step, and from those `before`, one step earlier; what never matters is missing.
    """
    found: dict[NodeT, int] = {}
    waiting: dict[int, list[NodeT]] = {}
    for node, step in wanted.items():
        waiting.setdefault(step, []).append(node)
    for step in range(max(waiting, default=first - 1), first - 1, -1):
        layer, earlier = waiting.pop(step, []), waiting.setdefault(step - 1, [])
        while layer:
            node = layer.pop()
            if node not in found:
                found[node] = step
                layer += now(node)
                earlier += before(node)
    return found
