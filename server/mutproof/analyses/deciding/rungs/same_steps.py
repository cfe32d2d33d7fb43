"""Mutants that take the same steps from the states that the model reaches, as diagrams show twice.

They have all properties of the model, for they have its executions. Of others that go on for ever,
only what they reach beyond those states is looked at: that kills some sooner than other diagrams.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.checking.baseline import SAME_STEPS
from mutproof.analyses.checking.notary import DIAGRAMS
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.variant import applied, as_a_whole, questions
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import (
    AnyRung,
    Candidate,
    Cost,
    KnownTogether,
    OfferedExecution,
    Rung,
)
from mutproof.analyses.proving.temporal_answer import turned
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.model.system import Constraint, ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.always import condition
from mutproof.solving.bdd.check import given_up
from mutproof.solving.bdd.departures import Departures
from mutproof.solving.bdd.same_steps import SameSteps
from mutproof.solving.bdd.verdict import Holding

BEGINNING_S = 1.0
"""Seconds of work to find the steps of the model, with each order of bits."""

EACH_S = 0.1
"""Seconds of work for a mutant."""

PATIENCE = 256
"""How many mutants more may differ, or stay open, than are decided until no other is tried."""

LEAST_NODES = 2_000
"""The nodes of the steps of the model from which on only what is beyond its states is looked at
first: with fewer nodes, other diagrams decide all properties as soon."""

BEYOND_S = 2.0
"""Seconds of work for mutants that leave the states of the model until no other is tried."""

SAVED_S = 0.3
"""Seconds that each one gives back that is killed: what it would take in other diagrams, or less.
"""

MOST_S = 20.0
"""The most seconds that are left then."""

AT_A_TIME = 64
"""How many mutants are decided before their verdicts are handed on."""


class Unmoved:
    """Compare the steps of mutants with those of the model; mutable."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._decided = self._balance = 0  # mutants, and how many more than were not
        self._left_s = BEYOND_S  # for those that leave the states of the model

    def applies(self, claim: Claim) -> bool:
        """Tell whether steps or DEFINEs are changed, and diagrams have proved properties."""
        context, variant = self._context, claim.variant
        if not context.relational or claim.fails or not variant.is_local:
            return False
        if self._balance < -PATIENCE or context.temporal.isdisjoint(claim.open):
            return False
        changed = (*self._removed(claim), *variant.constraints)
        return bool(changed) and all(map(_is_comparable, changed)) and self._are_known

    def decide(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield that all properties hold of mutants with the steps of the model."""
        context, (first, second) = self._context, self._compared
        if first is None or second is None:
            return
        asked = {claim.name: claim for claim in claims}
        found = {name: Holding() for name, one in asked.items() if self._is_same(first, one)}
        self._decided += len(found)
        self._balance += 2 * len(found) - len(asked)
        of = questions(context.system, {name: asked[name].variant for name in found})
        evidence = context.means.notary.twice(
            found,
            lambda: {n: Holding() for n in found if self._is_same(second, asked[n])},
            lambda name: of((name, "")),
            how=SAME_STEPS,
            resting=lambda system, _: as_a_whole(system),
        )
        for name, holds in evidence.items():
            claim = asked[name]
            claim.examined = claim.lasts = True
            if isinstance(holds, Holds):
                yield KnownTogether(claim, dict.fromkeys(claim.open, holds))

    def may_depart(self, claim: Claim) -> bool:
        """Tell whether a mutant goes on for ever, may fail what always holds, and trying pays."""
        context = self._context
        if self._left_s < 0 or claim.fails or not context.relational or not claim.variant.is_local:
            return False
        if context.temporal.isdisjoint(claim.open) or not self._are_known:
            return False
        is_asked = self._departures is not None and not self._conditions.keys().isdisjoint(
            claim.open
        )
        return is_asked and not context.may_block(claim)

    def depart(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield executions of mutants beyond the states of the model, to where properties fail."""
        system, departures = self._context.system, self._departures
        for claim in claims if departures is not None else ():
            assert departures is not None
            self._context.means.check_cancelled()
            begun_s = time.thread_time()
            changed = applied(system, claim.variant)
            found = departures.failing(changed, Deadline.after_work(EACH_S))
            if found is not None:
                choices = replace(found.choices, loop=found.loop)
                yield OfferedExecution(claim, choices, DIAGRAMS)
            self._left_s -= time.thread_time() - begun_s
            if claim.fails:
                self._left_s = min(self._left_s + SAVED_S, MOST_S)

    @cached_property
    def _conditions(self) -> Mapping[str, Term]:
        """Return what properties of the model say of each state, by name, if they say no more."""
        stated = self._context.system.properties
        found = {p.name: condition(p) for p in stated if p.name in self._context.baseline.proofs}
        return {name: one for name, one in found.items() if one is not None}

    @cached_property
    def _departures(self) -> Departures | None:
        known = self._compared[0]
        if known is None or known.model.manager.size(known.steps) < LEAST_NODES:
            return None
        return Departures(known, [*self._conditions.values()])

    def pays(self) -> bool:
        """Tell whether mutants were decided, more than others if those were many."""
        return self._decided > 0 and self._balance >= -PATIENCE

    def _is_same(self, one: SameSteps, claim: Claim) -> bool:
        self._context.means.check_cancelled()
        stated = claim.variant.constraints
        return one.are_kept(self._removed(claim), stated, Deadline.after_work(EACH_S))

    def _removed(self, claim: Claim) -> Sequence[Constraint]:
        by_owner = self._context.system.by_owner
        return [c for owner in sorted(claim.variant.removed) for c in by_owner.get(owner, ())]

    @cached_property
    def _are_known(self) -> bool:
        """Tell whether the steps of the model are known, and no property holds vacuously."""
        proofs: Mapping[str, Holds] = self._context.baseline.proofs
        return not any(one.vacuity for one in proofs.values()) and None not in self._compared

    @cached_property
    def _compared(self) -> tuple[SameSteps | None, SameSteps | None]:
        system = self._context.system
        first = _made(system)
        return first, None if first is None else _made(turned(system))


def _is_comparable(one: Constraint) -> bool:
    """Tell whether a constraint is of steps, or defines what may be the same where they begin."""
    is_definition = one.kind is ConstraintKind.INVAR and one.defines is not None
    return is_definition or one.kind is ConstraintKind.TRANS


def _made(system: TransitionSystem) -> SameSteps | None:
    """Return what compares variants with a system, None if that takes long."""
    made = list[SameSteps]()
    deadline = Deadline.after_work(BEGINNING_S)
    given_up(lambda: made.append(SameSteps(system, deadline)))
    return made[0] if made else None


SAME: AnyRung = Rung(
    "steps of the model",
    Cost.VISIT,
    Unmoved,
    Unmoved.decide,
    Unmoved.applies,
    at_once=AT_A_TIME,
    goes_ahead=Unmoved.pays,
)

DEPARTING: AnyRung = Rung(
    "steps beyond the states of the model",
    Cost.QUESTION,
    Unmoved,
    Unmoved.depart,
    Unmoved.may_depart,
    at_once=AT_A_TIME,
    goes_ahead=Unmoved.pays,
)
