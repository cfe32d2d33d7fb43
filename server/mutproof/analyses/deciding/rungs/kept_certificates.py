"""Certificates that proved a mutant in an earlier version of the file, tried on it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mutproof.analyses.bench.bench import BATCH
from mutproof.analyses.claims.claim import UNCHANGED, Claim
from mutproof.analyses.claims.evidence import UNCERTIFIED
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedCertificates, Rung
from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.solving.verdict import Certificate

OFTEN = 6
"""Proofs used for at least so many mutants are first checked for whether an edit broke them."""


class KeptCertificates:
    """Offer the certificates on record of mutants; caches only."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def applies(self, claim: Claim) -> bool:
        """Tell whether a mutant is on record that changes constraints and does not block."""
        context = self._context
        if claim.name not in context.records or not claim.variant.is_local:
            return False
        if context.relational and context.may_block(claim):
            return False
        return bool(self._of(claim))

    def _of(self, claim: Claim) -> list[Certificate]:
        """Return the recorded certificates of open properties whose variables still exist."""
        names = self._context.system.variables.keys()
        record = self._context.records[claim.name]
        certificates = dict.fromkeys(
            evidence.certificate
            for goal, evidence in record.proofs(self._context.mutants.stated)
            if goal in claim.open and evidence.certificate is not UNCERTIFIED
        )
        return [c for c in certificates if all(walk.variables(t) <= names for t in c.lemmas)]

    def again(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield a mutant's own certificates, or those of the model if an edit broke all its own."""
        for start in range(0, len(claims), BATCH):
            batch = claims[start : start + BATCH]
            proofs: dict[Certificate, list[Claim]] = {}
            for claim in batch:
                own = [c for c in self._of(claim) if c not in self._failing]
                for certificate in own or self._current:
                    proofs.setdefault(certificate, []).append(claim)
            yield OfferedCertificates(batch, [*proofs.items()])

    @property
    def _current(self) -> list[Certificate]:
        proofs = self._context.baseline.proofs
        return [holds.certificate for holds in proofs.values() if holds.certificate.k]

    @cached_property
    def _failing(self) -> frozenset[Certificate]:
        """Return the often used certificates that do not hold on the model itself.

        Where an edit breaks a proof, it breaks it on most mutants too.
        """
        wanted = [claim for claim in self._context.open_claims() if self.applies(claim)]
        uses = Counter(certificate for claim in wanted for certificate in self._of(claim))
        found: set[Certificate] = set()
        for certificate in (c for c, number in uses.items() if number >= OFTEN):
            whole = Claim(UNCHANGED, set(certificate.goals))
            self._context.checker().establish([whole], [(certificate, [whole])])
            if whole.open:
                found.add(certificate)
        return frozenset(found)


AGAIN = Rung(
    "kept certificates",
    Cost.QUESTION,
    KeptCertificates,
    KeptCertificates.again,
    KeptCertificates.applies,
    by_element=True,
)
