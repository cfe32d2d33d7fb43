"""A watch for the wish to stop, kept by a thread while a solver is busy.

A solver looks at nothing but its question, for a minute if it may. The watch asks now and then
whether the answer is still wanted, and interrupts whoever works if it is not.
"""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable
from typing import Self

INTERVAL_S = 0.05
"""How often is asked, and a worker interrupted until it stops."""


def within_cpu(seconds: float) -> Callable[[], None]:
    """Return what to heed so that work takes no more than some seconds of this process's own time.

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
        # `threading` would wait until the thread runs, as long as a small proof takes.
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
