"""Long work that lets others go first: its loops say so, the thread it runs on knows to whom.

Python runs one thread at a time, so work on one thread is waited for on all others. Where
nothing was arranged, giving way costs a look-up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

ItemT = TypeVar("ItemT")

STEPS: Final = 256
"""After how many items of a long run others may go first: to ask after each would cost time."""


class _Arranged(threading.local):
    """Hold for each thread what it does to give way."""

    pause: Callable[[], None] | None = None


_arranged = _Arranged()


def arrange(pause: Callable[[], None]) -> None:
    """Have `pause` called whenever work on this thread could wait; it returns to go on."""
    _arranged.pause = pause


@contextmanager
def arranged(pause: Callable[[], None]) -> Iterator[None]:
    """Have `pause` called whenever work on this thread could wait, for now."""
    before = _arranged.pause
    _arranged.pause = pause
    try:
        yield
    finally:
        _arranged.pause = before


def give_way() -> None:
    """Let others go first, if that was arranged: to be called in loops that may be long."""
    pause = _arranged.pause
    if pause is not None:
        pause()


def by_steps(items: Iterable[ItemT]) -> Iterator[ItemT]:
    """Yield items, and let others go first now and then."""
    for number, item in enumerate(items, 1):
        if not number % STEPS:
            give_way()
        yield item
