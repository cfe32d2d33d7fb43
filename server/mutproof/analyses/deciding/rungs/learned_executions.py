"""Executions that killed a mutant, run on all the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedExecution, Rung
from mutproof.base.identity import ByIdentity

HOW = "replay"

SPREAD = frozenset({HOW, "simulation", "exploration"})
"""Values of `how` of executions that were already tried on other mutants."""


class Learned:
    """Offer executions of one claim to the others, each once; mutable."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tried: ByIdentity[bool] = ByIdentity()

    def of(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield the open claims of which an execution of the given claims violates a property."""
        for claim in claims:
            yield from self._of(claim)

    def _of(self, claim: Claim) -> Iterator[Candidate]:
        executions = self._context.executions
        for failure in list(claim.fails.values()) if executions is not None else ():
            assert executions is not None
            choices = failure.choices
            if failure.how in SPREAD or self._tried.get(choices):
                continue
            self._tried.put(True, choices)
            for other, exact, steps in executions.tried(self._context.open_claims(), choices):
                yield OfferedExecution(other, exact, HOW, violates=steps)


LEARNED = Rung("executions of other mutants", Cost.REACTION, Learned, Learned.of)
