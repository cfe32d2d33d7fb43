"""Elements in no core: where a proof does not rest on an element, it proves its mutants too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, KnownTogether, Rung


def _inherited(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    for claim in claims:
        proofs, names = context.inherited.outside(claim.variant.removed)
        known = claim.open & proofs.keys() & context.temporal if context.relational else ()
        if known and not context.following.fair_paths.exist(claim):
            proofs = {name: holds for name, holds in proofs.items() if name not in known}
            names = frozenset(proofs)
        yield KnownTogether(claim, proofs, names)


def _applies(context: Context, claim: Claim) -> bool:
    """Tell whether a claim changes constraints only, and its executions are known to go on.

    A change that may block executions of a relational model may be no model: diagrams examine it
    first.
    """
    if not claim.variant.is_local:
        return False
    return not context.relational or claim.examined or not context.may_block(claim)


CORES = Rung(
    "elements in no core", Cost.LOOKUP, lambda context: context, _inherited, _applies, at_once=1
)
