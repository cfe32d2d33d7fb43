"""How much work an answer may cost before it is given up as unknown."""

from __future__ import annotations

import time

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
        return Budget(int(self.rlimit * factor), self.timeout_s * factor)


@dataclass(frozen=True, slots=True)
class Deadline:
    """Hold a point of the monotonic clock, in seconds, after which work should stop."""

    at_s: float

    @staticmethod
    def after(seconds: float) -> Deadline:
        """Return the deadline that many seconds from now."""
        return Deadline(time.monotonic() + seconds)

    @staticmethod
    def never() -> Deadline:
        """Return a deadline that does not come."""
        return Deadline(float("inf"))

    def remaining_s(self) -> float:
        """Return the seconds left, never negative."""
        return max(0.0, self.at_s - time.monotonic())

    def passed(self) -> bool:
        """Tell whether the deadline has come."""
        return time.monotonic() >= self.at_s
