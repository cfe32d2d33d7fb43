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

MARGIN = 40
"""How many steps longer they are than it takes until a change can violate all open properties."""

MOST_LONG = 24
"""The most of these: they differ in which inputs change, and when."""

AT_ONCE = 256
"""How many mutants they are run on before verdicts are reported."""

KILLED_AT_ONCE = 24
"""The same of mutants that were killed before: they show whether that is worth going on with."""


def _runs(turn: int) -> Callable[[Context, Sequence[Claim]], Iterator[Candidate]]:
    def propose(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
        if context.executions is None:
            return
        system = context.baseline.system
        if turn < len(RUNS):
            count, steps = RUNS[turn], STEPS
        else:
            count, steps = MOST_LONG, max(LONG_STEPS, long_executions.timer_steps(system))
            least = max(context.executions.least_steps(claim, claim.open) for claim in claims)
            while steps < min(least + MARGIN, long_executions.MOST_STEPS):
                steps *= 2  # few lengths, so that most claims share their executions
        for claim, choices, violates in context.executions.random(claims, count, steps, turn):
            yield OfferedExecution(claim, choices, HOW, violates=violates)

    return propose


class Killed:
    """Offer random executions to mutants that an earlier version killed; mutable.

    Where an edit spoiled the execution on record, another one mostly kills in its place: it is
    cheaper than trying all that could prove the mutant. Where many are not killed so, none of them
    is tried with long ones any more.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._long = True

    def applies(self, claim: Claim) -> bool:
        """Tell whether an earlier version killed a mutant by a property that is open now."""
        record = self._context.records.get(claim.name)
        return (
            record is not None
            and not claim.explored
            and any(not claim.open.isdisjoint(version.fails) for version in record.versions())
        )

    def propose(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield random executions, long ones where short ones violate nothing."""
        yield from _runs(1)(self._context, claims)
        left = [claim for claim in claims if claim.open]
        if left and self._long:
            yield from _runs(len(RUNS))(self._context, left)
            self._long = sum(not claim.open for claim in left) * 2 >= len(left)


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

AGAIN = Rung(
    "random executions on mutants killed before",
    Cost.VISIT,
    Killed,
    Killed.propose,
    Killed.applies,
    at_once=KILLED_AT_ONCE,
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
