"""Certificates found for single mutants, tried on the next ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil

from mutproof.analyses.bench.bench import Bench
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context, suits_executions
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedCertificates, Rung
from mutproof.solving.verdict import Certificate, Owners

STRANGERS = 4
"""How many proofs of mutants of other elements are tried on one mutant."""

HURRY = 0.05
"""The share of the effort for questions about them: a proof of its own is often found sooner."""

MOST_TRIED = 16
"""After how many there are new solvers: these assign values to all terms they were ever given."""


class Neighbours:
    """Offer what engines proved of other mutants; mutable, has solvers of its own."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._checker: Checker | None = None
        self._tried = 0

    def tried(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield certificates of other mutants: of the same element, then those that helped last.

        Mutants of an element need the same invariants; those of others rarely help. Those that are
        tried together are asked about together, and a model tells which of them it breaks.
        """
        learned = self._context.learned
        for claim in claims:
            removed = claim.variant.removed
            asked = [c for c in reversed(learned) if not claim.open.isdisjoint(c.goals)]
            near = [c for c in asked if learned[c].removed == removed]
            far = [c for c in asked if learned[c].removed != removed]
            for some in (near, far[:STRANGERS]):
                wanted = [c for c in some if not claim.open.isdisjoint(c.goals)]
                if not wanted:
                    continue
                checker, open_before = self._next_checker(len(wanted)), frozenset(claim.open)
                asked_before = checker.calls
                proofs = [(certificate, [claim]) for certificate in wanted]
                owners = self._owners(wanted) if suits_executions(self._context, claim) else None
                yield OfferedCertificates([claim], proofs, checker=checker, owners=owners)
                self._context.calls += checker.calls - asked_before
                proved = open_before - claim.open
                for certificate in reversed(wanted):
                    if not proved.isdisjoint(certificate.goals):
                        learned[certificate] = replace(learned.pop(certificate), removed=removed)

    def _owners(self, wanted: Sequence[Certificate]) -> Owners:
        """Return which elements suffice for certificates, as far as that is known."""
        resting = {certificate: self._context.learned[certificate].owners for certificate in wanted}
        return {c: owners for c, owners in resting.items() if owners is not None}

    def _next_checker(self, certificates: int) -> Checker:
        """Return the checker, replaced by a new one after many certificates."""
        if self._checker is None or self._tried >= MOST_TRIED:
            context, small = self._context, self._context.means.small
            budget = replace(small, rlimit=ceil(small.rlimit * HURRY))
            self._checker = Checker(Bench(context.system, budget, context.replayer.confirm))
            self._tried = 0
        self._tried += certificates
        return self._checker


NEIGHBOURS = Rung(
    "certificates of other mutants",
    Cost.ENGINE,
    Neighbours,
    Neighbours.tried,
    lambda _, claim: claim.variant.is_local,
    at_once=1,
)
