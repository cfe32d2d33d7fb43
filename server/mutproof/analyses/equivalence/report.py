"""From verdicts with terms to findings without: what reports and editors are told."""

from __future__ import annotations

from mutproof.analyses.equivalence.finding import Equivalence, EquivalenceStatus
from mutproof.analyses.equivalence.observation import Observation
from mutproof.analyses.equivalence.replay import Difference
from mutproof.analyses.equivalence.verdict import Equivalent, Gap, Undetermined, Verdict


def to_finding(
    verdict: Verdict, found: Difference | None, looked_at: Observation, seconds: float
) -> Equivalence:
    """Return a verdict as a finding; `found` is the difference of a gap."""
    scope = looked_at.scope.value
    match verdict:
        case Equivalent():
            return Equivalence(
                EquivalenceStatus.EQUIVALENT,
                scope,
                how=verdict.how,
                strengthening=tuple(kind.value for kind in verdict.strengthening),
                k=verdict.k,
                seconds=seconds,
            )
        case Gap() if found is not None:
            return Equivalence(
                EquivalenceStatus.GAP,
                scope,
                how=verdict.how,
                step=found.step,
                shortest=verdict.shortest,
                differing=found.names,
                allowed=found.allowed,
                model=found.model,
                mutant=found.mutant,
                seconds=seconds,
            )
        case Gap():
            reason, depth = "the difference could not be replayed", 0
        case Undetermined(reason, depth):
            pass
    return Equivalence(
        EquivalenceStatus.UNDETERMINED, scope, reason=reason, depth=depth, seconds=seconds
    )
