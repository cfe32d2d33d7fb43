"""Mutants of what a proof by a small part around a property rests on, in diagrams of that part.

The mutant has more paths without what the proof of the model does without; if the property holds on
these too, it holds on the mutant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import UNCERTIFIED, Holds
from mutproof.analyses.claims.scope import scope
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedEvidence, Rung
from mutproof.analyses.proving.localised import MOST, by_part
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.model import localisation
from mutproof.model.program import PropertyKind

WORK_S = 1.0
"""Seconds of work that diagrams of one part may take."""


class Localised:
    """Decide mutants on the parts that proofs of the model rest on; caches only."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @cached_property
    def _small(self) -> frozenset[str]:
        """Return the properties that small parts of the model have."""
        baseline = self._context.baseline
        return frozenset(
            name
            for name, holds in baseline.proofs.items()
            if holds.certificate is UNCERTIFIED
            and holds.proof is None
            and baseline.system.property(name).kind is not PropertyKind.INVARIANT
            and localisation.is_universal(baseline.system.property(name))
            and len(baseline.cores[name])
            <= MOST * len(localisation.owners_of(scope(baseline.system, (name,))))
        )

    def applies(self, claim: Claim) -> bool:
        """Tell whether a claim is open on a property that a small part of the model has."""
        context = self._context
        if not (context.relational and claim.variant.is_local) or self._small.isdisjoint(
            claim.open
        ):
            return False
        return claim.examined or not context.may_block(claim)

    def decide(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what parts of mutants show."""
        context = self._context
        for claim in claims:
            names = sorted(self._small & claim.open)
            if not context.following.fair_paths.exist(claim):
                continue
            system = applied(context.system, claim.variant)
            for name in names:
                context.means.check_cancelled()
                part = localisation.around(system, name, context.baseline.cores[name])
                deadline = Deadline.after_work(WORK_S)
                notary = context.means.notary
                found = by_part(system, part, name, notary, deadline=deadline)
                if found is not None and isinstance(found.evidence, Holds):
                    yield OfferedEvidence(claim, name, found.evidence)


LOCALISED = Rung(
    "diagrams of small parts",
    Cost.VISIT,
    Localised,
    Localised.decide,
    Localised.applies,
    at_once=32,
)
