"""Tell survivors whose executions go on from those that come to a state without successor.

Only constraints can end executions, so nothing is asked of mutants that change none.
"""

from __future__ import annotations

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.assumptions import Assumptions
from mutproof.analyses.deciding.fair_paths import FairPaths
from mutproof.analyses.deciding.replay import Replayer
from mutproof.analyses.deciding.restricting import Restricting
from mutproof.analyses.proving import successors
from mutproof.analyses.proving.successors import Successors
from mutproof.base.budget import Deadline
from mutproof.base.digest import Digest, digest_parts
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.relational import speaks_of_steps
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.crowd import DEADLOCK

WORK_S = 2.0
"""Seconds of work that diagrams of one mutant may take."""

MOST_FAILURES = 4
"""Once diagrams were too hard for so many mutants one after the other, only solvers are asked."""

MAY_END = "it is not known whether its executions go on"


class Following:
    """Find out whether executions of survivors of a NuSMV model go on; caches answers.

    `fair_paths` tells whether some do fairly, `restricting` whether they do where the assignments
    of the model imply its constraints.
    """

    def __init__(
        self, baseline: Baseline, assumptions: Assumptions, replayer: Replayer, means: Means
    ) -> None:
        self.fair_paths = FairPaths(baseline, replayer, means)
        self.restricting = Restricting(baseline.system, baseline.meaning, means)
        self._baseline = baseline
        self._assumptions = assumptions
        self._means = means
        self._short: set[str] = set()
        self._stays: dict[str, bool] = {}
        self._failures = 0

    @property
    def short(self) -> frozenset[str]:
        """Return the survivors that were not followed far, as the model could not be either."""
        return self._assumptions.short | self._short

    def end(self, claim: Claim) -> str:
        """Return why a decided mutant is no model, empty if that is not known.

        A survivor stays open where its executions may end, but those of the model do not.
        """
        if claim.open:
            return ""
        found = self._of(claim)
        if found is Successors.UNKNOWN and not claim.fails:
            claim.open, claim.holds, claim.reason = {*claim.holds}, {}, MAY_END
        return DEADLOCK if found is Successors.MISSING else ""

    def lasts(self, claim: Claim) -> bool:
        """Tell whether executions of a mutant are known to go on where those of the model do."""
        return claim.lasts or self._key(claim) in self._assumptions.known

    def stays(self, claim: Claim, system: TransitionSystem) -> bool:
        """Tell whether each state of a mutant goes on to one alike but in what a change reads next.

        `system` is the mutant. A solver is asked once; the answer is about some initial state too.
        """
        if claim.name not in self._stays:
            changed = (part for c in claim.variant.constraints for part in walk.subterms(c.term))
            names = frozenset(str(part.payload) for part in changed if part.op is Op.NEXT_VAR)
            self._stays[claim.name] = successors.stays(system, self._means, names)
        claim.lasts |= self._stays[claim.name]
        return self._stays[claim.name]

    def _key(self, claim: Claim) -> Digest:
        return digest_parts("lasts", self._assumptions.key(claim))

    def _of(self, claim: Claim) -> Successors:
        lasts, known = self._baseline.lasts, self._assumptions.known
        if lasts is False:
            return Successors.ALWAYS  # as far as those of the model
        key = self._key(claim)
        if self.lasts(claim):
            known[key] = None
            return Successors.ALWAYS
        if lasts is None:
            self._short.add(claim.name)
            return Successors.ALWAYS
        failed = digest_parts("perhaps", key, repr(self._means.budget))
        if failed in known:
            return Successors.UNKNOWN
        self._means.check_cancelled()
        found = self._found(claim)
        if found is not Successors.MISSING:
            known[key if found is Successors.ALWAYS else failed] = None
        return found

    def _found(self, claim: Claim) -> Successors:
        system = applied(self._baseline.system, claim.variant)
        work_s = WORK_S if self._failures < MOST_FAILURES else 0.0
        stated = [system.property(name) for name in claim.holds]
        known = [
            one.term
            for one in stated
            if one.kind is PropertyKind.INVARIANT and not speaks_of_steps(one)
        ]
        found = successors.of(system, self._means, Deadline.after_work(work_s), known)
        self._failures = self._failures + 1 if found is Successors.UNKNOWN else 0
        return found
