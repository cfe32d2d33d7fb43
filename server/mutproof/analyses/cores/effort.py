"""The effort of engines that a search for cores may still spend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.base.budget import Budget
from mutproof.base.record import dataclass
from mutproof.solving.account import ACCOUNT

LEAST_UNITS = 60_000
"""With fewer solver units than this (some hundredths of a second) nothing is asked: set-up alone
takes most of them."""


@dataclass(slots=True)
class EngineEffort:
    """Hold how many solver units engines may still spend (None: no limit); mutable."""

    left: int | None = None

    def ask(
        self, budget: Budget, question: Callable[[Budget], Holds | Fails | None]
    ) -> Holds | Fails | None:
        """Return what engines find for the budget of one question; None if no effort is left."""
        if self.left is None:
            return question(budget)
        if self.left < LEAST_UNITS:
            return None
        before = ACCOUNT.spent
        found = question(replace(budget, rlimit=min(budget.rlimit or self.left, self.left)))
        self.left -= ACCOUNT.spent - before
        return found
