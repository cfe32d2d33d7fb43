"""New proofs of an edited model, where the kept ones rest on much more than before.

A proof adapted to an edit may rest on more elements than one found from scratch, and so prove fewer
mutants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, ModelProof, Rung
from mutproof.model.program import ElementId
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved

MANY = 24
GROWTH = 1.5
"""How many mutants must be open before new proofs are sought, and by what factor the mutants that
the proofs concern must have grown since the version before."""


def renewed(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    """Yield new proofs of the model that rest on less than the known ones."""
    records, baseline = context.records, context.baseline
    every = context.mutants.claims.values()
    concerned, fewest = context.inherited.concerned(every), records.concerned
    if context.known and len(claims) >= MANY and concerned >= GROWTH * fewest:
        asked = {name for claim in claims for name in claim.open}
        goals = [name for name in portfolio.invariant_names(baseline.system) if name in asked]
        context.calls += 1
        outcome = portfolio.prove(
            baseline.system, context.means.middle, context.means.asking(), goals=goals
        )
        for name, found in outcome.verdicts.items():
            if isinstance(found, Proved) and _is_better(name, found, baseline.cores[name]):
                yield ModelProof(name, found)
    if context.baseline is not baseline:
        records.concerned = context.inherited.concerned(every)
    else:
        records.concerned = min(concerned, fewest or concerned)


def _is_better(name: str, found: Proved, core: frozenset[ElementId]) -> bool:
    """Tell whether a proof of one property alone claims to rest on fewer elements."""
    return (
        found.core is not None
        and len(found.core) < len(core)
        and found.certificate.goals == (name,)
    )


def _runs_forward(context: Context, _claim: Claim) -> bool:
    return not context.relational


RENEWED = Rung(
    "renewed proofs of the model", Cost.QUESTION, lambda context: context, renewed, _runs_forward
)
