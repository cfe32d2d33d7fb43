"""Run work on a thread of its own that its owner can abandon when time is up.

The thread never keeps a process alive. Abandoned, it ends at its next call of `give_way`.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mutproof.base import giving_way
from mutproof.base.budget import Deadline

if TYPE_CHECKING:
    import asyncio

ResultT = TypeVar("ResultT")

STACK_BYTES: Final = 256 * 1024 * 1024
"""The stack of the thread; only what is touched becomes memory."""

LOOK_S: Final = 0.1
"""How often `wait` looks whether its owner has stopped."""

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
    import asyncio  # slow to import, and not for `wait`

    loop = asyncio.get_running_loop()
    done: asyncio.Future[ResultT] = loop.create_future()

    def tell(result: ResultT | None, error: Exception | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def told(result: ResultT | None, error: Exception | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits
            loop.call_soon_threadsafe(tell, result, error)

    over = _begun(work, told)
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


def wait(work: Callable[[], ResultT], stopped: Callable[[], bool], deadline: Deadline) -> ResultT:
    """Return the result of work as `run` does, without an event loop; `stopped` is polled.

    Raises:
        OutOfTimeError: the deadline passed.
        GivenUpError: the owner `stopped` before it was done.
        Exception: the work raised it.
    """
    done = threading.Event()
    found: list[tuple[ResultT | None, Exception | None]] = []

    def told(result: ResultT | None, error: Exception | None) -> None:
        found.append((result, error))
        done.set()

    over = _begun(work, told)
    try:
        while not done.wait(min(LOOK_S, deadline.remaining_s())):
            if stopped():
                raise GivenUpError
            if deadline.passed():
                raise OutOfTimeError
    finally:
        over.set()
    ((result, error),) = found
    if error is not None:
        raise error
    return result  # type: ignore[return-value]


def _begun(
    work: Callable[[], ResultT], tell: Callable[[ResultT | None, Exception | None], None]
) -> threading.Event:
    """Begin work on a thread of its own; return what abandons it."""
    over = threading.Event()

    def pause() -> None:
        if over.is_set():
            raise _Abandoned

    def main() -> None:
        giving_way.arrange(pause)
        result, problem = None, None
        try:
            result = work()
        except _Abandoned:
            return
        except Exception as error:
            problem = error
        tell(result, problem)

    start(main, "aside", STACK_BYTES)
    return over


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
