"""What is asked of families of alternatives, and what becomes known of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from mutproof.base.record import dataclass
from mutproof.solving.bdd.verdict import BddVerdict


class Attempts(Enum):
    """Say which attempts are made: those that are quick first, then the others."""

    QUICK = "quick"  # near the system, and from a sample of initial states
    SLOW = "slow"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class FamilyOutcome:
    """Hold verdicts by alternative and property; what could not be decided is Undecided.

    `dead_ends` says for alternatives why executions end, or do not exist, where those of the system
    go on; of those not `followed` it is not known. `baseline` holds the known verdicts on the
    system itself. `reason` says why verdicts are missing, empty if none is.
    """

    verdicts: Mapping[str, Mapping[str, BddVerdict]]
    dead_ends: Mapping[str, str]
    baseline: Mapping[str, BddVerdict]
    reason: str = ""
    followed: frozenset[str] = frozenset()
