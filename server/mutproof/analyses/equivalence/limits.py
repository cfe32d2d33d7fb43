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


@dataclass(frozen=True)
class ComparisonLimits:
    """Bound the work on one question; `spacer` is a process to share, None: one of its own.

    `check_cancelled` raises when nobody wants the answer any more.
    """

    budget: Budget
    spacer: SpacerProcess | None = None
    check_cancelled: Callable[[], None] = lambda: None
    notary: Notary = field(default_factory=Notary)
