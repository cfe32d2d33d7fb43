"""Run work on a thread of its own that its owner can abandon when time is up.

The thread never keeps a process alive. Abandoned, it ends at its next call of `give_way`.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

from mutproof.base import giving_way

ResultT = TypeVar("ResultT")

STACK_BYTES: Final = 256 * 1024 * 1024
"""The stack of the thread; only what is touched becomes memory."""

_STARTING: Final = threading.Lock()


class OutOfTimeError(Exception):
    """Say that work took longer than it may."""


class GivenUpError(Exception):
    """Say that the result of some work is no longer wanted."""


class _Abandoned(BaseException):
    """End a thread whose work was given up; no work catches it."""


async def run(work: Callable[[], ResultT], stop: asyncio.Event, seconds: float) -> ResultT:
    """Return the result of work that is done on a thread of its own.

    Raises:
        OutOfTimeError: it took longer than so many seconds; none for infinity.
        GivenUpError: `stop` was set before it was done.
        Exception: the work raised it.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[ResultT] = loop.create_future()
    over = threading.Event()

    def pause() -> None:
        if over.is_set():
            raise _Abandoned

    def tell(result: ResultT | None, error: Exception | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def main() -> None:
        giving_way.arrange(pause)
        result, problem = None, None
        try:
            result = work()
        except _Abandoned:
            return
        except Exception as error:
            problem = error
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits
            loop.call_soon_threadsafe(tell, result, problem)

    start(main, "aside", STACK_BYTES)
    stopped = asyncio.ensure_future(stop.wait())
    waited_for: set[asyncio.Future[Any]] = {done, stopped}
    try:
        await asyncio.wait(
            waited_for,
            timeout=max(0.0, seconds) if math.isfinite(seconds) else None,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if done.done():
            return done.result()
        raise GivenUpError if stop.is_set() else OutOfTimeError
    finally:
        stopped.cancel()
        over.set()
        done.cancel()


def start(main: Callable[[], None], name: str, stack_bytes: int) -> None:
    """Start a thread that keeps no process alive; `stack_bytes` is the most its stack may take."""
    with _STARTING:  # the stack size is set for the whole process
        before = 0
        with contextlib.suppress(ValueError):
            before = threading.stack_size(stack_bytes)
        try:
            threading.Thread(target=main, name=name, daemon=True).start()
        finally:
            threading.stack_size(before)
