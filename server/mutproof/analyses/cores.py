"""Inductive validity cores: which elements a proof needs.

Source: Ghassabani, Gacek and Whalen, FSE 2016 (algorithms IVC_UC and IVC_BF); MUST = elements
whose removal breaks the proof: the same authors, ASE 2017, and NFM 2020, corollary 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mutproof.analyses.all_cores import Limits, all_cores
from mutproof.analyses.deciding.evidence import UNCERTIFIED, Holds
from mutproof.analyses.finding import CoresFinding
from mutproof.analyses.means import Means
from mutproof.analyses.reductions import Evidence, Reductions, Removals
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem

__all__ = ["Core", "Cores", "Evidence", "Limits"]

UNCERTIFIED_SHARE = 0.25
"""The part of a question's seconds for the core of a property without a certificate."""


@dataclass(frozen=True, slots=True)
class Core:
    """Hold a minimal core of one property and its MUST set, in the order of the source.

    `minimal` is false where the budget left it open whether an element is needed; such an
    element is kept. Elements that are certainly in every core are in `must`.
    """

    elements: tuple[ElementId, ...]
    must: tuple[ElementId, ...]
    minimal: bool


class Cores:
    """Find cores of the properties of one program; mutable caches, one thread.

    `removals` is what mutants without one element have shown.
    """

    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        means: Means,
        evidence: Evidence,
        removals: Removals | None = None,
    ) -> None:
        self._means = means
        self._reductions = Reductions(meaning, system, means, evidence, removals or {})

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self._reductions.solver_calls

    def of_property(self, name: str, holds: Holds, rests_on: frozenset[ElementId]) -> Core:
        """Return a minimal core of a proved property, starting from elements that suffice."""
        seconds = self._means.budget.timeout_s
        if holds.certificate is UNCERTIFIED:
            # Every element left out is a question of its own to diagrams or a new product.
            seconds *= UNCERTIFIED_SHARE
        limits = Limits(cores=1, seconds=seconds)
        found = all_cores(self._reductions, name, holds, rests_on, limits)
        return Core(found.cores[0], found.must, found.minimal)

    def all_of_property(
        self,
        name: str,
        holds: Holds,
        rests_on: frozenset[ElementId],
        limits: Limits,
        on_core: Callable[[CoresFinding], None] = lambda _: None,
    ) -> CoresFinding:
        """Return the minimal cores of a proved property within limits, MUST and MAY.

        `on_core` hears of what is known whenever there is one core more.
        """
        return all_cores(self._reductions, name, holds, rests_on, limits, on_core)
