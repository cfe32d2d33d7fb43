"""What a way of deciding mutants is: a name, and the rungs that claims climb."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from mutproof.analyses.deciding.rung import AnyRung
from mutproof.base.record import dataclass


@dataclass(frozen=True, slots=True)
class Strategy:
    """Describe a way of deciding mutants.

    Where two strategies both come to a verdict, it is the same; they differ in what it costs
    and in how many mutants stay unknown.
    """

    name: str
    summary: str
    source: str
    rungs: tuple[AnyRung, ...]

    def without(self, name: str) -> Self:
        """Return the strategy without the rung of some name."""
        return replace(self, rungs=tuple(rung for rung in self.rungs if rung.name != name))
