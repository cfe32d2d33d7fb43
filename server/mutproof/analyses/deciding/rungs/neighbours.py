"""Certificates found for single mutants, tried on the next ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedCertificates, Rung

STRANGERS = 4
"""How many proofs of mutants of other elements are tried on one mutant."""

HURRY = 0.05
"""The share of the effort for questions about them: a proof of its own is often found sooner."""


def _tried(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    """Yield certificates of other mutants: of the same element, then those that helped last.

    Mutants of an element need the same invariants; those of others rarely help, and each costs a
    question.
    """
    learned = context.learned
    for claim in claims:
        removed = claim.variant.removed
        asked = [c for c in reversed(learned) if not claim.open.isdisjoint(c.goals)]
        near = [c for c in asked if learned[c] == removed]
        far = [c for c in asked if learned[c] != removed]
        for certificate in [*near, *far[:STRANGERS]]:
            before = len(claim.open)
            if not claim.open.isdisjoint(certificate.goals):
                yield OfferedCertificates([claim], [(certificate, [claim])], share=HURRY)
            if len(claim.open) < before:
                del learned[certificate]
                learned[certificate] = removed


NEIGHBOURS = Rung(
    "certificates of other mutants",
    Cost.ENGINE,
    lambda context: context,
    _tried,
    lambda _, claim: claim.variant.is_local,
    at_once=1,
)
