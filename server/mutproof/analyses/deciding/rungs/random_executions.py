"""Random executions, the same for the same model: most mutants that fail do so at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedExecution, Rung

HOW = "simulation"

RUNS = (1, 8)
"""How many random executions there are before proofs are tried, and after a shallow search."""


def _runs(count: int, seed: int) -> Callable[[Context, Sequence[Claim]], Iterator[Candidate]]:
    def propose(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
        if context.executions is not None:
            for claim, choices in context.executions.random(claims, count, seed):
                yield OfferedExecution(claim, choices, HOW)

    return propose


def _is_unexplored(_context: Context, claim: Claim) -> bool:
    return not claim.explored


FEW = Rung(
    "random executions", Cost.VISIT, lambda context: context, _runs(RUNS[0], 0), _is_unexplored
)

MORE = Rung(
    "more random executions",
    Cost.VISIT,
    lambda context: context,
    _runs(RUNS[1], 1),
    _is_unexplored,
)
