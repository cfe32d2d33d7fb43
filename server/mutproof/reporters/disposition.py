"""Dispositions of gaps: what was decided to be done about one, and how it was closed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum

from mutproof.base.record import dataclass


class Disposition(Enum):
    """Name the planned or actual way out of a gap."""

    PROPERTY = "property"
    MODEL = "model"
    REMOVE = "remove"
    JUSTIFY = "justify"

    @property
    def words(self) -> str:
        """Return it as a phrase: what is to be done."""
        return _WORDS[self]


_WORDS = {
    Disposition.PROPERTY: "add a property",
    Disposition.MODEL: "fix the model",
    Disposition.REMOVE: "remove what is not needed",
    Disposition.JUSTIFY: "justify",
}
_TAKEN = {
    Disposition.PROPERTY: "killed by a property",
    Disposition.MODEL: "whose element changed",
    Disposition.REMOVE: "whose element is gone",
    Disposition.JUSTIFY: "suppressed",
    None: "otherwise",
}


@dataclass(frozen=True, slots=True)
class ClosedGap:
    """Hold a gap that was accepted and is no longer one.

    `mutant` is its id as reports show it, `how` what became of it in a phrase, `way` the way out
    that it took, None where that cannot be told.
    """

    mutant: str
    operator: str
    element: str
    change: str
    how: str
    way: Disposition | None

    def encoded(self) -> dict[str, str]:
        """Return it for JSON; `way` is empty where it cannot be told."""
        return {
            "mutant": self.mutant,
            "operator": self.operator,
            "element": self.element,
            "change": self.change,
            "how": self.how,
            "way": "" if self.way is None else self.way.value,
        }


def sums(closed: Iterable[ClosedGap]) -> str:
    """Return how many gaps were closed how: "2 killed by a property, 1 whose element is gone"."""
    found = Counter(one.way for one in closed)
    return ", ".join(f"{found[way]} {words}" for way, words in _TAKEN.items() if found[way])
