"""The order of work: elements a user looks at, then edited ones, then the rest in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeAlias, TypeVar

from mutproof.model.program import ElementId

Attention: TypeAlias = Callable[[], frozenset[ElementId]]
"""Returns the elements that somebody looks at just now."""

ItemT = TypeVar("ItemT")


def nowhere() -> frozenset[ElementId]:
    """Return no elements: the attention of nobody."""
    return frozenset()


def in_turn(
    items: Iterable[ItemT],
    elements: Callable[[ItemT], Collection[ElementId]],
    attention: Attention,
    edited: frozenset[ElementId] = frozenset(),
) -> Iterator[ItemT]:
    """Yield items: those of elements looked at, of edited ones, the others; each in their order.

    Attention may move at any time, and what has not been yielded yet follows it.
    """
    waiting, looked_at = deque(items), attention()

    def turn(item: ItemT) -> int:
        own = elements(item)
        return 0 if not looked_at.isdisjoint(own) else 1 if not edited.isdisjoint(own) else 2

    if looked_at or edited:
        waiting = deque(sorted(waiting, key=turn))
    while waiting:
        now = attention()
        if now != looked_at:
            looked_at = now
            waiting = deque(sorted(waiting, key=turn))
        yield waiting.popleft()
