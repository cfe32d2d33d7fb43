"""Temporal properties of mutants one by one: by diagrams and solvers, or by solvers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from mutproof.analyses.checking.notary import DIAGRAMS
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.context import Context, open_in, suits_engines
from mutproof.analyses.deciding.rung import (
    AnyRung,
    Candidate,
    Cost,
    NoModel,
    OfferedEvidence,
    OfferedProof,
    Rung,
)
from mutproof.analyses.proving import extent, temporal
from mutproof.analyses.proving.temporal_answer import TemporalAnswer
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.verdict import Vacuity
from mutproof.solving.verdict import Certificate, Proved

AT_A_TIME = 32
"""How many mutants are decided before their verdicts are handed on."""

PATIENCE = 4
"""How many mutants more than are decided solvers may leave open before they are asked no more."""


class WideNumbers:
    """Ask solvers first where diagrams suffer, about temporal properties they proved; mutable.

    Only mutants of which executions go on are asked about: others may be no models.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        is_wide = context.relational and extent.has_wide_numbers(context.system)
        proofs = context.baseline.proofs if is_wide else {}
        self._solved = context.temporal & {n for n, p in proofs.items() if p.how != DIAGRAMS}
        self._failures = 0

    def applies(self, claim: Claim) -> bool:
        """Tell whether trying a claim pays."""
        is_asked = self._failures < PATIENCE and not self._solved.isdisjoint(claim.open)
        return is_asked and claim.variant.is_local and not self._context.may_block(claim)

    def decide(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what solvers find soon."""
        context = self._context
        means = replace(context.means, budget=context.means.small)
        for claim in claims:
            names = [name for name in open_in(context, claim) if name in self._solved]
            system, found = applied(context.system, claim.variant), list[Candidate]()
            run = partial(context.replayer.confirm_part, claim.variant)
            take = _taker(context, claim, system, found)
            proofs = context.baseline.proofs
            left = temporal.decide_by_solver(system, names, means, run, take=take, proofs=proofs)
            yield from found
            self._failures = max(0, self._failures + (1 if left else -1))


def _decide_alone(
    context: Context, claims: Sequence[Claim], *, returns: bool = True
) -> Iterator[Candidate]:
    """Yield what diagrams of its own, then solvers, find of each claim.

    If a claim `returns` once it is killed, solvers are then asked what else kills it, for less.
    """
    means = context.means
    for claim in claims:
        names = open_in(context, claim)
        system, found = applied(context.system, claim.variant), list[Candidate]()
        if not names:
            continue
        temporal.decide(
            system,
            names,
            replace(means, budget=means.small if claim.fails else means.middle),
            partial(context.replayer.confirm_part, claim.variant),
            take=_taker(context, claim, system, found),
            enough=partial(_kills, found) if returns and not claim.fails else None,
        )
        for candidate in found:
            yield candidate
            if isinstance(candidate, NoModel):
                break


def _kills(found: Sequence[Candidate]) -> bool:
    offered = (one.evidence for one in found if isinstance(one, OfferedEvidence))
    return any(isinstance(evidence, Fails) for evidence in offered)


def _taker(
    context: Context, claim: Claim, system: TransitionSystem, found: list[Candidate]
) -> Callable[[str, TemporalAnswer], None]:
    """Return a function that appends candidates made of answers about a claim to `found`."""

    def take(goal: str, answer: TemporalAnswer) -> None:
        if answer.vacuity == Vacuity.NO_INITIAL_STATE.value:
            found.append(NoModel(claim, answer.vacuity))
        elif answer.invariant is not None:
            certificate = Certificate(1, (answer.invariant,), (goal,))
            proved = Proved(certificate, None, DIAGRAMS, 1)
            found.append(OfferedProof(claim, system, goal, proved))
        elif isinstance(answer.evidence, Fails) or (
            isinstance(answer.evidence, Holds) and goal in context.temporal
        ):
            found.append(OfferedEvidence(claim, goal, answer.evidence, answer.shown))
        elif answer.evidence is None:
            claim.reason = answer.reason

    return take


def _is_temporal(context: Context, claim: Claim) -> bool:
    return context.relational and not claim.open.isdisjoint(context.temporal)


WIDE: AnyRung = Rung(
    "temporal properties of wide numbers",
    Cost.QUESTION,
    WideNumbers,
    WideNumbers.decide,
    WideNumbers.applies,
    at_once=AT_A_TIME,
)

ALONE = Rung(
    "diagrams and liveness of one mutant",
    Cost.ENGINE,
    lambda context: context,
    _decide_alone,
    lambda context, claim: context.relational and not suits_engines(context, claim),
    at_once=1,
)

LATE = Rung(
    "diagrams of one mutant, after engines",
    Cost.ENGINE,
    lambda context: context,
    _decide_alone,
    lambda context, claim: context.relational and suits_engines(context, claim),
    at_once=1,
)

TEMPORAL = Rung(
    "temporal properties of one mutant",
    Cost.QUESTION,
    lambda context: context,
    partial(_decide_alone, returns=False),
    _is_temporal,
    at_once=1,
)
