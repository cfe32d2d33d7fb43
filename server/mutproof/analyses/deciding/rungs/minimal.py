"""Proofs of the model without what they do without, where many mutants are open.

Each element that no proof needs decides all of its mutants, and each lemma less makes every
question about a mutant smaller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mutproof.analyses.bench.minimal import MinimalProof
from mutproof.analyses.bench.patience import Patience
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, ModelProof, Rung
from mutproof.model.slice import Slicer
from mutproof.solving.verdict import Proved
from mutproof.solving.workshop import Workshop

MANY = 60
"""How many properties of mutants must be open for a look at what the proofs do without."""


def minimal(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    """Yield proofs of the model that rest on less than the known ones."""
    asked = Counter(name for claim in claims for name in claim.open)
    if asked.total() < MANY:
        return
    mutated = Counter(owner for claim in claims for owner in claim.variant.removed)
    first = [owner for owner, _ in mutated.most_common()]
    baseline, known = context.baseline, context.records.resting.minimal
    known.intersection_update(
        (h.certificate, baseline.cores[n]) for n, h in baseline.proofs.items()
    )
    workshop, slicer = Workshop(context.means.check_cancelled), Slicer(baseline.system)
    lemmas, elements = Patience(), Patience()
    for name in asked:
        holds, core = baseline.proofs[name], baseline.cores[name]
        certificate = holds.certificate
        if not certificate.k or (certificate, core) in known:
            continue
        context.means.check_cancelled()
        known.add((certificate, core))
        proof = MinimalProof(workshop, slicer, certificate, core)
        found = proof.found(first, lemmas, elements)
        context.calls += proof.calls
        if found is not None and found != (certificate, core):
            known.add(found)
            less, left = found
            yield ModelProof(name, Proved(less, left, holds.how, less.k))
        elif not (lemmas.left or elements.left):
            break  # nothing more is left out, and what is asked at once was in vain as well


MINIMAL = Rung(
    "minimal proofs of the model",
    Cost.QUESTION,
    lambda context: context,
    minimal,
    lambda _, claim: not claim.explored,
)
