"""Turn verdicts, which have terms, into findings without terms for reports and editors."""

from __future__ import annotations

from mutproof.analyses.checking.replay import Difference
from mutproof.analyses.claims.defect import Defect
from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.observation import Observation, Scope
from mutproof.analyses.claims.verdict import Equivalent, Gap, Undetermined, Verdict
from mutproof.analyses.equivalence.killing import Killability, Killing
from mutproof.model.trace import Choices, Trace


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
            verdict = Undetermined("the difference could not be replayed", 0)
        case Undetermined():
            pass
    return Equivalence(
        EquivalenceStatus.UNDETERMINED,
        scope,
        reason=verdict.reason,
        depth=verdict.depth,
        seconds=seconds,
        exhausted=verdict.exhausted,
    )


def withdrawn(found: Difference, looked_at: Observation, seconds: float) -> Equivalence:
    """Report a defect: an execution contradicts a proof of equivalence."""
    names = ", ".join(found.names)
    what = f"{names} differ" if names else f"only the {found.allowed} goes on"
    return _contradicted(looked_at.scope, what, found.step, seconds)


def not_included(names: str, step: int, seconds: float) -> Equivalence:
    """Report a defect: a mutant shows what its model cannot, although a proof excluded that."""
    return _contradicted(Scope.OUTPUTS, f"the model cannot show {names}", step, seconds)


def _contradicted(scope: Scope, what: str, step: int, seconds: float) -> Equivalence:
    return Equivalence(
        EquivalenceStatus.UNDETERMINED,
        scope.value,
        reason=Defect.EQUIVALENCE.reason(what, step),
        depth=step,
        seconds=seconds,
        defect=Defect.EQUIVALENCE,
    )


def killed(found: Killing, seconds: float) -> Equivalence:
    """Return as a finding how a mutant can be killed; the test is the mutant's execution."""
    scope = Scope.OUTPUTS.value
    match found.killability:
        case Killability.NOT:
            how = "it shows nothing that the model cannot show"
            return Equivalence(EquivalenceStatus.EQUIVALENT, scope, how=how, seconds=seconds)
        case Killability.POTENTIALLY | Killability.DEFINITELY:
            return Equivalence(
                EquivalenceStatus.GAP,
                scope,
                how=found.killability.value,
                step=len(found.test) - 1,
                shortest=True,
                mutant=Trace(Choices(found.test), found.test),
                seconds=seconds,
            )
        case Killability.UNKNOWN:
            return Equivalence(
                EquivalenceStatus.UNDETERMINED,
                scope,
                reason=found.reason,
                depth=0,
                seconds=seconds,
            )
