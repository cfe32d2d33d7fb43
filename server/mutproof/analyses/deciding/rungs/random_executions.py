"""Random executions, the same for the same model: most mutants that fail do so at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedExecution, Rung
from mutproof.model import long_executions

HOW = "simulation"

RUNS = (1, 8)
"""How many random executions are run before proofs, and after a shallow search."""

STEPS = 12

LONG_STEPS = 160
"""The least steps of executions that are run before mutants are proved alone: timers run out."""

MOST_LONG = 24
"""The most of these: they differ in which inputs change, and when."""

AT_ONCE = 256
"""How many mutants they are run on before verdicts are reported."""


def _runs(turn: int) -> Callable[[Context, Sequence[Claim]], Iterator[Candidate]]:
    def propose(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
        if context.executions is None:
            return
        system = context.baseline.system
        if turn < len(RUNS):
            count, steps = RUNS[turn], STEPS
        else:
            count, steps = MOST_LONG, max(LONG_STEPS, long_executions.timer_steps(system))
        for claim, choices in context.executions.random(claims, count, steps, turn):
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
    _runs(len(RUNS)),
    _is_unexplored,
    at_once=AT_ONCE,
)
