"""Mutants of constraints on single states that known executions of the model show to be no models.

The assignments of the model imply its constraints, so that none of its executions ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, NoModel, Rung
from mutproof.solving.bdd.crowd import DEADLOCK


def _ending(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    for claim in claims:
        if context.following.restricting.ends(claim):
            yield NoModel(claim, DEADLOCK)


def _applies(context: Context, claim: Claim) -> bool:
    return context.relational and context.baseline.lasts is True and context.may_block(claim)


ENDING = Rung(
    "states that a constraint forbids", Cost.LOOKUP, lambda c: c, _ending, _applies, at_once=1
)
