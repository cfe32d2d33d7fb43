"""Inductive validity cores: which elements a proof needs.

Source: Ghassabani, Gacek and Whalen, FSE 2016 (algorithms IVC_UC and IVC_BF); MUST = elements
whose removal breaks the proof: the same authors, ASE 2017, and NFM 2020, corollary 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.evidence import UNCERTIFIED
from mutproof.analyses.claims.finding import CoresFinding
from mutproof.analyses.claims.reduction import KnownReductions
from mutproof.analyses.cores.all_cores import CoreLimits, CoreProof, Exploration
from mutproof.analyses.cores.cones import cones_of
from mutproof.analyses.cores.effort import EngineEffort
from mutproof.analyses.cores.lookalikes import Lookalikes
from mutproof.analyses.cores.reductions import Reductions
from mutproof.analyses.cores.removals import Removals
from mutproof.analyses.cores.removing import Removing
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import PropertyKind
from mutproof.model.system import TransitionSystem

__all__ = ["CoreLimits", "CoreProof", "Cores"]

UNCERTIFIED_SHARE = 0.25
"""The part of a question's seconds for the core of a property without a certificate."""


class Cores:
    """Find cores of the properties of one program; mutable caches, one thread.

    `removals` is what mutants without one element have shown.
    """

    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        means: Means,
        evidence: KnownReductions,
        *,
        removals: Removals | None = None,
    ) -> None:
        self._meaning = meaning
        self._cones = cones_of(meaning, system)
        self._means = means
        self._evidence = evidence
        self._removals = removals or Removals()
        self.solver_calls = 0

    def of(
        self,
        proofs: Iterable[CoreProof],
        limits: CoreLimits,
        on_core: Callable[[str, CoresFinding], None] | None = None,
    ) -> Iterator[tuple[str, CoresFinding]]:
        """Yield the cores of proved properties within limits, those of one cone in a row.

        `on_core` is called with what is known of a property after each new core.
        """
        known = {proof.name: proof for proof in proofs}
        effort, lookalikes = EngineEffort(limits.engine_units), Lookalikes()
        for cone in self._cones.of(known):
            removing = Removing(
                self._meaning,
                cone,
                self._means,
                runs=self._evidence.runs,
                effort=effort,
                lookalikes=lookalikes,
            )
            reductions = Reductions(cone, removing, self._evidence, self._removals)
            searches = {
                name: Exploration(reductions, known[name], self._limited(known[name], limits))
                for name in cone.names
            }
            invariants = {
                name: search
                for name, search in searches.items()
                if cone.system.property(name).kind is PropertyKind.INVARIANT
                and known[name].holds.certificate is not UNCERTIFIED
            }
            if limits.all_wanted:
                starts = {name: search.start for name, search in invariants.items()}
                reductions.try_single(starts, briefly=True)
                for search in invariants.values():
                    search.trim()
            starts = {name: search.start for name, search in invariants.items()}
            reductions.try_single(starts, proofs_first=limits.all_wanted)
            for name, search in searches.items():
                if not limits.all_wanted or name not in invariants:
                    search.trim()
                yield name, search.run() if on_core is None else search.run(partial(on_core, name))
            self.solver_calls += removing.solver_calls

    def _limited(self, proof: CoreProof, limits: CoreLimits) -> CoreLimits:
        """Limit the time for a single core to the budget, and more without a certificate.

        Without one, each element left out is a question of its own to diagrams or a new product.
        """
        if limits.cores != 1:
            return limits
        seconds = self._means.budget.timeout_s
        if proof.holds.certificate is UNCERTIFIED:
            seconds *= UNCERTIFIED_SHARE
        return replace(limits, seconds=min(seconds, limits.seconds))
