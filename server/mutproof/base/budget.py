"""How much work an answer may cost before it is given up as unknown."""

from __future__ import annotations

import time
from enum import Enum

from mutproof.base.record import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Limit one solver question: deterministic resource units first, seconds as a backstop.

    `rlimit` counts the solver's own resource units (0: no limit). `timeout_s` is wall clock
    in seconds. The same `rlimit` gives the same answer on every machine.
    """

    rlimit: int = 400_000_000
    timeout_s: float = 60.0

    def scaled(self, factor: float) -> Budget:
        """Return a budget with both limits multiplied by `factor`."""
        least = min(1, self.rlimit)  # 0 would be no limit
        return Budget(max(least, int(self.rlimit * factor)), self.timeout_s * factor)


class Exhausted(Enum):
    """Say what came to its end before there was an answer."""

    TIME = "time"
    UNITS = "units"
    METHODS = "methods"


ON_THE_CLOCK = 4
"""How many times its processor time work may take on the clock: other processes run too."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Hold a point in time, in seconds, after which work should stop.

    It is one of the monotonic clock or, with `of_work`, of the processor time of this thread: then
    other load on the machine does not change what is decided.
    """

    at_s: float
    of_work: bool = False

    @staticmethod
    def after(seconds: float) -> Deadline:
        """Return the deadline that many seconds from now."""
        return Deadline(time.monotonic() + seconds)

    @staticmethod
    def after_work(seconds: float) -> Deadline:
        """Return the deadline at which this thread has worked that many seconds from now on."""
        return Deadline(time.thread_time() + seconds, of_work=True)

    @staticmethod
    def never() -> Deadline:
        """Return a deadline that does not come."""
        return Deadline(float("inf"))

    def within(self, seconds: float) -> Deadline:
        """Return the deadline that many seconds from now, or this one if it comes earlier."""
        return Deadline(min(self.at_s, self._now_s() + seconds), self.of_work)

    def earlier(self, seconds: float) -> Deadline:
        """Return the deadline that comes so many seconds before this one."""
        return Deadline(self.at_s - seconds, self.of_work)

    def on_the_clock_s(self) -> float:
        """Return for how many seconds of the clock one may wait, never negative."""
        return self.remaining_s() * (ON_THE_CLOCK if self.of_work else 1)

    def remaining_s(self) -> float:
        """Return the seconds left, never negative."""
        return max(0.0, self.at_s - self._now_s())

    def passed(self) -> bool:
        """Tell whether the deadline has come."""
        return self._now_s() >= self.at_s

    def _now_s(self) -> float:
        return time.thread_time() if self.of_work else time.monotonic()
