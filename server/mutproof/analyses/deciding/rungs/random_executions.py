"""Random executions, the same for the same model: most mutants that fail do so at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedExecution, Rung

HOW = "simulation"

RUNS = (1, 8, 3)
"""How many random executions are run before proofs, after a shallow search, and before mutants are
proved alone."""

STEPS = (12, 12, 160)
"""How many steps each of these has."""

AT_ONCE = 256
"""How many mutants they are run on before verdicts are reported."""


def _runs(turn: int) -> Callable[[Context, Sequence[Claim]], Iterator[Candidate]]:
    def propose(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
        if context.executions is not None:
            random = context.executions.random(claims, RUNS[turn], STEPS[turn], turn)
            for claim, choices in random:
                yield OfferedExecution(claim, choices, HOW)

    return propose


def _is_unexplored(_context: Context, claim: Claim) -> bool:
    return not claim.explored


FEW = Rung(
    "random executions",
    Cost.VISIT,
    lambda context: context,
    _runs(0),
    _is_unexplored,
    at_once=AT_ONCE,
)

MORE = Rung(
    "more random executions",
    Cost.VISIT,
    lambda context: context,
    _runs(1),
    _is_unexplored,
    at_once=AT_ONCE,
)

LONG = Rung(
    "long random executions",
    Cost.SEARCH,
    lambda context: context,
    _runs(2),
    _is_unexplored,
    at_once=AT_ONCE,
)
