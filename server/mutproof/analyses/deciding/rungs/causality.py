"""Mutants in which something depends on itself within one step: they are no models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, NoModel, Rung


def _circular(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    executions = context.executions
    for claim in claims if executions is not None else ():
        assert executions is not None
        context.means.check_cancelled()
        if name := executions.circular(claim):
            yield NoModel(claim, f"`{name}` depends on itself within one step")


CAUSALITY = Rung("circular definitions", Cost.VISIT, lambda context: context, _circular)
