"""Threads that read texts beside the event loop, one at a time, taking turns.

Each reading has a thread, but only one of them runs; it hands over at points of its own choosing
(`giving_way`), to the one that has run least. So a short text is read as soon as a long one gives
way, whichever came first, and shared data is never changed by two at once. At the same points a
reading ends if it is no longer wanted, or has taken too long.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable
from dataclasses import field
from typing import Any, Final, TypeVar

from mutproof.base import giving_way
from mutproof.base.record import dataclass
from mutproof.runtime.aside import STACK_BYTES, GivenUpError, OutOfTimeError, start

ResultT = TypeVar("ResultT")

TURN_S: Final = 0.02
"""The shortest turn: handing over takes time."""

MORE: Final = 2.0
"""By what factor a reading must have run longer than another one to hand over."""


class _GivenUp(BaseException):
    """End a reading that is given up; no other code catches this."""


@dataclass(eq=False, slots=True)
class _Piece:
    """Hold one reading; `spent_s` is the time of its turns before the current one."""

    wanted: Callable[[float], bool]
    most_s: float
    turn: threading.Event = field(default_factory=threading.Event)
    spent_s: float = 0.0
    since_s: float = 0.0

    def total_s(self) -> float:
        """Return the time of all its turns, the current one included."""
        return self.spent_s + time.monotonic() - self.since_s


class Lane:
    """Do work on threads that take turns; `pause` is called now and then by whose turn it is."""

    def __init__(self, pause: Callable[[], None] = lambda: None) -> None:
        self._pause = pause
        self._lock = threading.Lock()
        self._waiting: list[_Piece] = []  # in order of arrival
        self._holder: _Piece | None = None
        self.is_shut = False

    async def run(
        self,
        work: Callable[[], ResultT],
        *,
        wanted: Callable[[float], bool] = lambda _: True,
        most_s: float = math.inf,
    ) -> ResultT:
        """Return the result of work, done when its turn comes.

        `wanted` is told the seconds it has taken, on the thread of the work.

        Raises:
            OutOfTimeError: it took longer than `most_s`.
            GivenUpError: it was not wanted any more.
            Exception: the work raised it.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[ResultT] = loop.create_future()
        piece = _Piece(wanted, most_s)

        def tell(result: Any, error: Exception | None) -> None:
            if done.cancelled():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)

        def main() -> None:
            result: ResultT | None = None
            problem: Exception | None = None
            piece.turn.wait()
            piece.since_s = time.monotonic()
            giving_way.arrange(lambda: self._give_way(piece))
            try:
                self._check(piece)
                result = work()
            except _GivenUp:
                late = piece.total_s() > piece.most_s
                problem = OutOfTimeError() if late else GivenUpError()
            except Exception as error:
                problem = error
            finally:
                self._leave()
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(tell, result, problem)

        self._enter(piece)
        start(main, "reading", STACK_BYTES)
        return await done

    def shut(self) -> None:
        """End the current work when it next gives way, and begin no more."""
        self.is_shut = True

    # --- private ------------------------------------------------------------------------------

    def _enter(self, piece: _Piece) -> None:
        with self._lock:
            if self._holder is None:
                self._pass_to(piece)
            else:
                self._waiting.append(piece)

    def _leave(self) -> None:
        with self._lock:
            self._holder = None
            if self._waiting:
                self._pass_to(self._next())

    def _next(self) -> _Piece:
        return min(self._waiting, key=lambda piece: piece.spent_s)

    def _pass_to(self, piece: _Piece) -> None:
        if piece in self._waiting:
            self._waiting.remove(piece)
        self._holder = piece
        piece.turn.set()

    def _check(self, piece: _Piece) -> None:
        spent_s = piece.total_s()
        if self.is_shut or spent_s > piece.most_s or not piece.wanted(spent_s):
            raise _GivenUp

    def _give_way(self, piece: _Piece) -> None:
        """Pass the turn to another reading, if it is time; return with the turn."""
        self._check(piece)
        self._pause()
        if not self._waiting or time.monotonic() - piece.since_s < TURN_S:
            return
        with self._lock:
            spent_s = piece.total_s()
            if not self._waiting or spent_s < MORE * self._next().spent_s:
                return
            piece.spent_s = spent_s
            piece.turn.clear()
            self._pass_to(self._next())
            self._waiting.append(piece)
        piece.turn.wait()
        piece.since_s = time.monotonic()
        self._check(piece)
