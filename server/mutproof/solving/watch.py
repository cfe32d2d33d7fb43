"""A thread that interrupts a busy solver once its answer is no longer wanted.

A solver checks nothing else while it works, perhaps for a minute. The watch checks at intervals
whether the answer is still wanted, and interrupts the solver if not.
"""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable
from typing import Self

INTERVAL_S = 0.05
"""The interval of checks, and of repeated interrupts until the worker stops."""


def within_cpu(seconds: float) -> Callable[[], None]:
    """Return a check for `heed` that limits work to some seconds of this process's CPU time.

    It raises TimeoutError once that much has passed since now.
    """
    ends = time.process_time() + seconds

    def heed() -> None:
        if time.process_time() > ends:
            raise TimeoutError

    return heed


class Watch:
    """Interrupt work inside the `with` block as soon as `heed` raises; mutable, used once.

    `heed` and `interrupt` are called in a thread of the watch: what `heed` raises is dropped,
    so the worker has to ask again when it was interrupted.
    """

    def __init__(self, heed: Callable[[], None], interrupt: Callable[[], None]) -> None:
        self._heed = heed
        self._interrupt = interrupt
        self._over = threading.Event()

    def __enter__(self) -> Self:
        # `threading` waits until the thread runs, which takes as long as a small proof.
        _thread.start_new_thread(self._run, ())
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(INTERVAL_S):
            try:
                self._heed()
            except Exception:
                if not self._over.is_set():
                    self._interrupt()
