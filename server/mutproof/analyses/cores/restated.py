"""Properties of paths that were proved as invariants, as invariants: cores of these cost less.

Where executions go on whatever elements are left out, the elements that the one needs are those
that the other needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.cores.all_cores import CoreProof
from mutproof.model.system import TransitionSystem
from mutproof.solving import liveness
from mutproof.solving.liveness import Way
from mutproof.solving.verdict import Proved


def restated(
    system: TransitionSystem, proofs: Sequence[CoreProof], means: Means
) -> tuple[TransitionSystem, Sequence[CoreProof]]:
    """Return a system that states as invariants what was proved so, with these proofs."""
    found = {
        one.name: one.holds.proof
        for one in proofs
        if one.holds.proof is not None and one.holds.proof.way is Way.INVARIANT
    }
    if not found or not system.goes_on:
        return system, proofs
    stated = liveness.as_invariants(system, found)
    checked = {}
    for name, proof in found.items():
        made = proof.certificate
        proved = Proved(made, proof.rests_on, proof.how, made.k)
        holds = means.notary.proved(stated, proved, means.budget)
        if holds is not None:
            checked[name] = holds
    if len(checked) < len(found):
        stated = liveness.as_invariants(system, checked)
    return stated, [
        replace(one, holds=checked[one.name]) if one.name in checked else one for one in proofs
    ]
