"""When mutants wait no longer for properties of the model that are still open.

Verdicts on mutants need properties that are proved. Where a file has little time, hard properties
could take all of it, so once some are proved the others have a share only, and stay UNKNOWN then.
"""

from __future__ import annotations

from collections.abc import Sized

from mutproof.base.budget import Budget, Deadline
from mutproof.base.record import dataclass

GIVEN_UP = "its share of the file's time is over, the rest is for mutants"


@dataclass(frozen=True, slots=True)
class Waiting:
    """Say until when mutants wait, and what is `proved` by now; nothing is given up before that.

    Each question to engines has `least` of a budget in any case.
    """

    until: Deadline
    proved: Sized
    least: Budget

    @property
    def ends(self) -> bool:
        """Tell whether mutants wait for a limited time."""
        return self.until.at_s < float("inf")

    @property
    def is_over(self) -> bool:
        """Tell whether mutants of what is proved should begin."""
        return self.until.passed() and len(self.proved) > 0

    def given_up(self, spent: int, seconds: float) -> str:
        """Return why a question that has taken solver units, and time, is given up; else empty."""
        begun = spent >= self.least.rlimit or seconds >= self.least.timeout_s
        return GIVEN_UP if begun and self.is_over else ""

    def limited(self, budget: Budget) -> Budget:
        """Return a budget with no more time than is left, or than the least, for one question."""
        if not len(self.proved):
            return budget
        seconds = max(self.least.timeout_s, self.until.remaining_s())
        return Budget(budget.rlimit, min(budget.timeout_s, seconds))
