"""What was learnt from alternatives of a system, for the next ones: orders of bits, hard places.

Alternatives that change the same place are hard alike.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.solving.bdd.orders import Orders

Place: TypeAlias = frozenset[ElementId]
"""The elements that an alternative replaces."""

LOST = 2
"""How many alternatives fail, and at least as many as do not, before a place is hard."""

LOST_IN_ALL = 12
"""The same for all places together."""


@dataclass(slots=True)
class Experience:
    """Count by place how many alternatives were decided and how many failed; mutable."""

    orders: Orders = field(default_factory=dict)
    decided: Counter[Place] = field(default_factory=Counter)
    failed: Counter[Place] = field(default_factory=Counter)
    hopeless: set[Place] = field(default_factory=set)

    def is_hard(self, place: Place) -> bool:
        """Tell whether others should have their turn first."""
        return self.failed[place] >= max(LOST, self.decided[place])

    @property
    def is_discouraging(self) -> bool:
        """Tell whether more failed than were decided, wherever they are."""
        return self.failed.total() >= max(LOST_IN_ALL, self.decided.total())
