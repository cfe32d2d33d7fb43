"""Have candidates checked by the notary, and record the outcome on claims.

This is where a claim learns that a property fails or holds. The bench has the notary replay and
check what it finds while it searches, and notes it the same way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.analyses.deciding.context import Context, LearnedProof
from mutproof.analyses.deciding.rung import (
    KnownTogether,
    ModelProof,
    OfferedCertificates,
    OfferedEvidence,
    OfferedExecution,
    OfferedProof,
)

Checkable: TypeAlias = (
    OfferedExecution
    | OfferedCertificates
    | OfferedProof
    | ModelProof
    | OfferedEvidence
    | KnownTogether
)


def check(context: Context, candidate: Checkable) -> None:
    """Record on claims what the notary confirms of a candidate."""
    match candidate:
        case KnownTogether(claim, proofs, names):
            claim.settle(proofs, names)
        case OfferedEvidence(claim, goal, Holds() as holds):
            claim.prove((goal,), holds)
        case OfferedEvidence(claim, goal, Fails() as fails, shown):
            claim.refute({goal: fails})
            if shown is not None:
                context.replayer.keep(claim.variant, fails.choices, shown)
        case OfferedExecution():
            _replay(context, candidate)
        case OfferedCertificates():
            _establish(context, candidate)
        case OfferedProof():
            _prove(context, candidate)
        case ModelProof():
            _renew(context, candidate)


def _replay(context: Context, offered: OfferedExecution) -> None:
    claim, replayer = offered.claim, context.replayer
    if offered.part is None:
        goals, by = claim.open & offered.violates.keys() or claim.open, offered.violates or None
        violated = replayer.confirm(
            claim.variant, offered.choices, offered.how, goals, before=offered.before, by=by
        )
    else:
        part, goal = offered.part, offered.goal
        begun = goal if offered.is_begun else ""
        found = replayer.confirm_part(
            claim.variant, offered.choices, offered.how, part=part, begun=begun
        )
        fails = None if found is None else found.violated.get(goal)
        violated = None if fails is None else {goal: fails}
    if violated is not None:
        claim.refute(violated)
    elif offered.reason:
        claim.reason = offered.reason


def _establish(context: Context, offered: OfferedCertificates) -> None:
    found = context.found if offered.executions else None
    checker, paths = offered.checker, None
    if checker is None:
        checker, paths = context.checker(), context.paths
    checker.establish(offered.claims, offered.proofs, paths, found, owners=offered.owners)


def _prove(context: Context, offered: OfferedProof) -> None:
    claim, means = offered.claim, context.means
    holds = means.notary.proved(offered.system, offered.found, means.middle)
    if holds is None:
        claim.reason = "the proof could not be checked again"
    else:
        claim.prove((offered.goal,), holds)
        found = offered.found
        context.learned[found.certificate] = LearnedProof(claim.variant.removed, found.core)


def _renew(context: Context, offered: ModelProof) -> None:
    baseline, found = context.baseline, offered.found
    holds = context.means.notary.proved(baseline.system, found, context.means.small)
    if holds is not None and found.core is not None:
        context.baseline = replace(
            baseline,
            proofs={**baseline.proofs, offered.goal: holds},
            cores={**baseline.cores, offered.goal: found.core},
        )
