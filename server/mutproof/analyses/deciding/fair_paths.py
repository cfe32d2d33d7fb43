"""Tell mutants that have an infinite fair path from those that may have none.

Without one, what holds could not fail. A proof that does not rest on what makes paths fair says
nothing of that, so an execution shows it: one of the model, or of another mutant, replayed.
"""

from __future__ import annotations

import time
from dataclasses import replace

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import UNCHANGED, Claim, Variant
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.replay import Replayer
from mutproof.analyses.proving import temporal
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.model import slice as slicing
from mutproof.model.localisation import owners_of
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.bdd.fair_walk import fair_walk

_HOW = "lasso"

WALK_S = 2.0
"""Seconds of work for a walk in decision diagrams, where solvers find no path."""

VAIN_S = 6.0
"""Seconds of work on mutants of which no fair path was found, after which none is sought."""


class FairPaths:
    """Find out whether mutants of a relational model have fair paths; caches answers."""

    def __init__(self, baseline: Baseline, replayer: Replayer, means: Means) -> None:
        self._baseline = baseline
        self._replayer = replayer
        self._means = means
        self._known: dict[str, bool] = {}
        self._vain_s = 0.0

    def exist(self, claim: Claim) -> bool:
        """Tell whether a mutant is known to have a fair path if the model has one."""
        if claim.name not in self._known:
            self._known[claim.name] = self._found(claim)
        return self._known[claim.name]

    @cached_property
    def _deciding(self) -> frozenset[ElementId]:
        """Return the elements that decide which paths are fair; empty if all are."""
        system = self._baseline.system
        if not (system.fairness or system.compassion):
            return frozenset()
        return frozenset(owners_of(slicing.Slicer(system, chosen=True).cone((), fair=True)))

    @cached_property
    def _paths(self) -> list[Choices]:
        """Return the known fair paths, the one that was found or used last at the end."""
        found = self._sought(UNCHANGED, self._baseline.system)
        return [] if found is None else [found]

    def _found(self, claim: Claim) -> bool:
        variant = claim.variant
        if variant.is_local and variant.removed.isdisjoint(self._deciding):
            return True
        for choices in reversed(self._paths):
            if self._is_fair(variant, choices):
                self._paths.remove(choices)
                self._paths.append(choices)
                return True
        if self._vain_s >= VAIN_S:
            return False
        begun = time.thread_time()
        found = self._sought(variant, applied(self._baseline.system, variant))
        if found is None:
            self._vain_s += time.thread_time() - begun
            return False
        self._paths.append(found)
        return True

    def _sought(self, variant: Variant, system: TransitionSystem) -> Choices | None:
        """Return a fair path of a variant, found by solvers or a walk, that the oracle confirms."""
        for sought in (temporal.sought_fair_path, _walked):
            self._means.check_cancelled()
            found = sought(system, self._means)
            if found is not None and self._is_fair(variant, found):
                return found
        return None

    def _is_fair(self, variant: Variant, choices: Choices) -> bool:
        found = self._replayer.run(variant, choices, _HOW)
        return found is not None and found.execution.is_fair()


def _walked(system: TransitionSystem, _means: Means) -> Choices | None:
    found = fair_walk(system, Deadline.after_work(WALK_S))
    return None if found is None else replace(found.choices, loop=found.loop)
