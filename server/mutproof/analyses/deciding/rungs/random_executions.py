"""Random executions, the same for the same model: most mutants that fail do so at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mutproof.analyses.bench.patience import Patience
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.near_proofs import NearProofs
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

FEW_LONG = 3
"""How many of these are run on a mutant before any proof."""

AT_ONCE = 256
"""How many mutants they are run on before verdicts are reported."""

KILLED_AT_ONCE = 24
"""The same of mutants that were killed before: they show whether that is worth going on with."""


def _runs(turn: int) -> Callable[[Context, Sequence[Claim]], Iterator[Candidate]]:
    def propose(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
        if context.executions is None:
            return
        if turn < len(RUNS):
            count, steps = RUNS[turn], STEPS
        else:
            count, steps = MOST_LONG, _long(context, claims)
        for claim, choices, violates in context.executions.random(claims, count, steps, turn):
            yield OfferedExecution(claim, choices, HOW, violates=violates)

    return propose


def _long(context: Context, claims: Sequence[Claim]) -> int:
    """Return of how many steps long executions are in which claims can violate all open goals."""
    assert context.executions is not None
    least = max(context.executions.least_steps(claim, claim.open) for claim in claims)
    steps = max(LONG_STEPS, long_executions.timer_steps(context.baseline.system))
    while steps < min(least + MARGIN, long_executions.MOST_STEPS):
        steps *= 2  # few lengths, so that most claims share their executions
    return steps


class Deep:
    """Offer long executions to mutants that no short one can kill, before any proof; mutable.

    What nothing defines any more mostly violates all that rests on it, but only after as many steps
    as there are memories on the way. Certificates and bounded search would be tried on it in vain.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._patience = Patience()
        self._is_useful = False

    def applies(self, claim: Claim) -> bool:
        """Tell whether a mutant frees something that is far from an open property."""
        executions = self._context.executions
        if executions is None or not self._frees(claim):
            return False
        return executions.least_steps(claim, claim.open) > STEPS

    def applies_too(self, claim: Claim) -> bool:
        """Tell whether a mutant frees something, where long executions killed others that do."""
        return self._is_useful and self._frees(claim)

    def _frees(self, claim: Claim) -> bool:
        executions = self._context.executions
        if executions is None or claim.explored or not self._patience.left:
            return False
        variation = executions.variation_of(claim)
        return variation is not None and bool(variation.freed)

    def propose(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what a few executions violate, as long as that is worth going on with."""
        steps = _long(self._context, claims)
        yield from self._worthwhile(claims, steps, FEW_LONG, long_executions.variety)

    def _worthwhile(
        self, claims: Sequence[Claim], steps: int, most: int, habits: long_executions.Drawing
    ) -> Iterator[Candidate]:
        executions, drawn = self._context.executions, (MOST_LONG, steps, len(RUNS))
        assert executions is not None
        executions.compile(claims)
        for claim in claims:
            if self._patience.left:
                before, about = len(claim.open), (claim,)
                for _, choices, violates in executions.random(
                    about, *drawn, most=most, habits=habits
                ):
                    yield OfferedExecution(claim, choices, HOW, violates=violates)
                is_useful = len(claim.open) < before
                self._patience.note(useful=is_useful)
                self._is_useful |= is_useful


class Far(Deep):
    """Offer long executions to mutants on which a proof that rests on little failed; mutable.

    What violates the property depends on much more, and mostly comes late: short executions and
    bounded search would be tried in vain.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._near_proofs = NearProofs(context)

    def applies(self, claim: Claim) -> bool:
        """Tell whether few elements prove an open property that many more decide."""
        is_tried = claim.explored or not self._patience.left
        return not is_tried and bool(self._near_proofs.of(claim.open))


class Pulsed(Far):
    """Offer executions of few pulses to mutants that no other way decided; mutable.

    Without timers it is only those on which a proof that rests on little failed: engines find what
    violates the others soon, and search longer for what comes late.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._has_timers = long_executions.timer_steps(context.baseline.system) > 0

    def applies(self, claim: Claim) -> bool:
        """Tell whether what violates an open property may come late."""
        if not self._has_timers:
            return super().applies(claim)
        is_tried = claim.explored or not self._patience.left
        return self._context.executions is not None and not is_tried

    def propose(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what they violate, as long as that is worth going on with."""
        steps = min(_long(self._context, claims), 2 * LONG_STEPS)
        yield from self._worthwhile(claims, steps, MOST_LONG, long_executions.pulsing)


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

DEEP = Rung(
    "long random executions before proofs",
    Cost.VISIT,
    Deep,
    Deep.propose,
    Deep.applies,
    at_once=AT_ONCE,
)

DEEP_TOO = Rung(
    "long random executions where they killed others",
    Cost.VISIT,
    Deep,
    Deep.propose,
    Deep.applies_too,
    at_once=AT_ONCE,
)

FAR = Rung(
    "long random executions where a proof nearby failed",
    Cost.VISIT,
    Far,
    Far.propose,
    Far.applies,
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

PULSES = Rung(
    "long executions of few pulses",
    Cost.SEARCH,
    Pulsed,
    Pulsed.propose,
    Pulsed.applies,
    at_once=AT_ONCE,
)
