"""What is learnt from deciding alternatives of a system, for the next ones.

That is: orders of bits, hard places, and which states satisfy properties. Alternatives that change
the same place are about equally hard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.solving.bdd.beginnings import Bare, Beginnings
from mutproof.solving.bdd.orders import Order, Orders
from mutproof.solving.bdd.verdict import BddVerdict
from mutproof.solving.bdd.vicinity import Vicinity

Place: TypeAlias = frozenset[ElementId]
"""The elements that an alternative replaces."""

FamilyQuestion: TypeAlias = tuple[tuple[str, ...], Digest, tuple[str, ...]]
"""The variables of a system in order, its digest, and the names of properties."""

MOST_VICINITIES = 4
"""How many systems' diagrams are kept: of first and second answers, for two systems in turn."""

LOST = 2
"""A place is hard once this many alternatives failed there, and no fewer than were decided."""

LOST_IN_ALL = 12
"""The same for all places together."""


@dataclass(frozen=True, slots=True)
class Itself:
    """Hold how a system was decided: its verdicts, the seconds that took, and the order of bits."""

    verdicts: Mapping[str, BddVerdict]
    dead_end: str | None
    order: Order
    seconds: float


@dataclass(slots=True)
class Experience:
    """Count by place how many alternatives were decided and how many failed; mutable.

    `beginnings` and `vicinities` are None where they took too long, or disagreed on the system
    itself.
    """

    orders: Orders = field(default_factory=dict)
    itself: dict[FamilyQuestion, Itself] = field(default_factory=dict)
    decided: Counter[Place] = field(default_factory=Counter)
    failed: Counter[Place] = field(default_factory=Counter)
    hopeless: set[Place] = field(default_factory=set)
    beginnings: dict[Bare, Beginnings | None] = field(default_factory=dict)
    vicinities: dict[tuple[FamilyQuestion, bool], Vicinity | None] = field(default_factory=dict)

    def keep(self, question: tuple[FamilyQuestion, bool], made: Vicinity | None) -> None:
        """Keep the diagrams of a system, in place of older ones if these are many."""
        others = [key for key, one in self.vicinities.items() if one is not None]
        for key in others[: max(0, len(others) + 1 - MOST_VICINITIES)]:
            del self.vicinities[key]
        self.vicinities[question] = made

    def is_hard(self, place: Place) -> bool:
        """Tell whether alternatives of a place should wait until others have been tried."""
        return self.failed[place] >= max(LOST, self.decided[place])

    @property
    def is_discouraging(self) -> bool:
        """Tell whether many alternatives failed, no fewer than were decided, over all places."""
        return self.failed.total() >= max(LOST_IN_ALL, self.decided.total())
