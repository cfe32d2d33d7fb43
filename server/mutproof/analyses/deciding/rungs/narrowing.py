"""Proofs of single properties by less, where many mutants wait for them.

A proof that rests on more than its property depends on is sought again without the rest; one by
deep induction is sought again with k = 1, with the lemmas of the other proofs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, ModelProof, Rung
from mutproof.model.program import ElementId
from mutproof.model.slice import Slicer
from mutproof.model.terms import Term
from mutproof.solving import portfolio
from mutproof.solving.verdict import Certificate, Proved

WORTHY = 200
"""For how many mutants a property must be open before another proof of it is sought."""

SHARE = 0.3
"""The share of the budget of a single mutant that such a search may take."""


class ConeProofs:
    """Look for proofs by what properties depend on; caches only."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._slicer = Slicer(context.baseline.system)

    def narrowed(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield other proofs of the properties that many claims have open."""
        asked = Counter(name for claim in claims for name in claim.open)
        proofs = self._context.baseline.proofs
        worthy = [n for n, number in asked.items() if number >= WORTHY and proofs[n].certificate.k]
        for name in worthy:
            cone = self._cone(name)
            outside = self._context.baseline.cores[name] - cone
            if sum(1 for c in claims if name in c.open and c.variant.removed & outside) >= WORTHY:
                yield from self._inside(name, cone)
        for name in worthy:
            holds = self._context.baseline.proofs[name]
            if holds.certificate.k > 1 and (lemmas := self._lemmas(name)):
                certificate = Certificate(1, lemmas, (name,))
                yield ModelProof(name, Proved(certificate, self._cone(name), holds.how, 1))

    def _inside(self, name: str, cone: frozenset[ElementId]) -> Iterator[Candidate]:
        """Yield a proof of a property by an invariant over its cone of influence."""
        context = self._context
        context.calls += 1
        options = context.means.asking("pdr", cores=False)
        budget = context.means.middle.scaled(SHARE)
        outcome = portfolio.prove(context.baseline.system, budget, options, goals=[name])
        match outcome.verdicts[name]:
            case Proved(certificate=certificate, engine=engine):
                yield ModelProof(name, Proved(certificate, cone, engine, certificate.k))
            case _:
                pass

    def _cone(self, name: str) -> frozenset[ElementId]:
        """Return the elements in the cone of influence of a property."""
        return self._slicer.owners([self._context.baseline.system.property(name).term])

    def _lemmas(self, name: str) -> tuple[Term, ...]:
        """Return the lemmas of all proofs about the cone of a property, properties excluded."""
        baseline, is_within = self._context.baseline, self._slicer.within(self._cone(name))
        stated = {found.term for found in baseline.system.properties}
        found = (c for evidence in baseline.proofs.values() for c in evidence.certificate.lemmas)
        return tuple(one for one in dict.fromkeys(found) if one not in stated and is_within(one))


NARROWED = Rung(
    "narrower proofs of the model",
    Cost.QUESTION,
    ConeProofs,
    ConeProofs.narrowed,
    lambda _, claim: not claim.explored,
)
