"""Cooperative yielding: loops of long work call `give_way`, each thread arranges what that does.

Python runs one thread at a time, so long work on one delays all others. Without an arrangement,
giving way costs a look-up. Work that may be given up calls `may_stop` where nothing is half done.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

ItemT = TypeVar("ItemT")

STEPS: Final = 256
"""After how many items of a long loop it gives way: after each would cost time."""


class _Arranged(threading.local):
    """Hold for each thread what `give_way` and `may_stop` call."""

    pause: Callable[[], None] | None = None
    stop: Callable[[], None] | None = None


_arranged = _Arranged()


def arrange(pause: Callable[[], None]) -> None:
    """Have `pause` called whenever work on this thread gives way; its return resumes the work."""
    _arranged.pause = pause


@contextmanager
def arranged(pause: Callable[[], None]) -> Iterator[None]:
    """Have `pause` called whenever work on this thread gives way, inside the `with` block."""
    before = _arranged.pause
    _arranged.pause = pause
    try:
        yield
    finally:
        _arranged.pause = before


def give_way() -> None:
    """Let other threads go first, if that was arranged; to be called in long loops."""
    pause = _arranged.pause
    if pause is not None:
        pause()


@contextmanager
def stoppable(stop: Callable[[], None]) -> Iterator[None]:
    """Have `stop` called wherever work on this thread may stop, inside the `with` block.

    It raises if nobody wants that work any more.
    """
    before = _arranged.stop
    _arranged.stop = stop
    try:
        yield
    finally:
        _arranged.stop = before


def may_stop() -> None:
    """Stop here, if that was arranged and is wanted; only where nothing is half done that stays.

    Solvers and benches are such things, so what builds their formulas must not call this.
    """
    stop = _arranged.stop
    if stop is not None:
        stop()


def by_steps(items: Iterable[ItemT]) -> Iterator[ItemT]:
    """Yield items, giving way after every few of them."""
    for number, item in enumerate(items, 1):
        if not number % STEPS:
            give_way()
        yield item
