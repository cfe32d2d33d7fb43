"""How far two sides are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from mutproof.analyses.checking.notary import Notary
from mutproof.base.budget import Budget
from mutproof.base.record import dataclass
from mutproof.solving.spacer_process import SpacerProcess

MOST_SHORTENED = 40
"""The longest execution that is shortened: beyond, the cost exceeds the use."""

LOOKED_FOR = 24
"""Up to which length a difference is sought where the known one is longer than MOST_SHORTENED."""

SHORTENING = 1_000_000
"""What may be spent at once on making differences shorter, in solver units."""

SHORTENING_IN_ALL = 20_000_000
"""What may be spent on that for one model: long differences show gaps too."""


class Shortening:
    """Hold what may still be spent on making differences of one model shorter; mutable."""

    def __init__(self) -> None:
        self._left = SHORTENING_IN_ALL

    @property
    def is_over(self) -> bool:
        """Tell whether nothing is left."""
        return self._left <= 0

    def share(self, budget: Budget) -> Budget:
        """Return the part of the budget of a question that may be spent at once."""
        most = min(SHORTENING, max(1, self._left))
        return Budget(min(most, budget.rlimit or most), budget.timeout_s)

    def charge(self, units: int) -> None:
        """Count units of a solver as spent."""
        self._left -= units


@dataclass(frozen=True)
class ComparisonLimits:
    """Bound the work on one question; `spacer` is a process to share, None: one of its own.

    `check_cancelled` raises when nobody wants the answer any more.
    """

    budget: Budget
    spacer: SpacerProcess | None = None
    check_cancelled: Callable[[], None] = lambda: None
    notary: Notary = field(default_factory=Notary)
    shortening: Shortening = field(default_factory=Shortening)
