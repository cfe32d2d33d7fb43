"""Mutants compared with the model by their steps from the states that it reaches, in diagrams.

Those that take the same steps, as diagrams show twice, have all properties of the model, for they
have its executions. Of others the states are visited that only they reach.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from mutproof.analyses.checking.baseline import SAME_STEPS
from mutproof.analyses.checking.notary import DIAGRAMS
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.analyses.claims.variant import as_a_whole, questions
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import (
    AnyRung,
    Candidate,
    Cost,
    KnownTogether,
    OfferedEvidence,
    OfferedExecution,
    Rung,
)
from mutproof.analyses.proving.temporal_answer import judged, turned
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.model.program import ElementId
from mutproof.model.system import Constraint, ConstraintKind, TransitionSystem
from mutproof.solving.bdd.check import OUT_OF_MEMORY, given_up
from mutproof.solving.bdd.departures import Departures, OtherSteps, Told
from mutproof.solving.bdd.same_steps import SameSteps
from mutproof.solving.bdd.verdict import BddVerdict, Computed, Holding, Violated

BEGINNING_S = 1.0
"""Seconds of work to find the steps of the model, with each order of bits."""

EACH_S = 0.1
"""Seconds of work for a mutant."""

PATIENCE = 256
"""How many mutants more may differ, or stay open, than are decided until no other is tried."""

AT_A_TIME = 64
"""How many mutants are decided before their verdicts are handed on."""

OTHER_S = 0.5
"""Seconds of work for a mutant with other steps."""

FIRST_VAIN, MOST_VAIN = 8, 32
"""How many mutants with other steps may stay open until no more are tried: at first, and where as
many more were decided."""

MOST_FAILURES = 4
"""After how many mutants of an element that stayed open no more are tried, if most did."""

_Pair: TypeAlias = "tuple[SameSteps | None, SameSteps | None]"
"""The steps of the model with two orders of bits."""


class Unmoved:
    """Compare the steps of mutants with those of the model; mutable."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._decided = self._balance = 0  # mutants, and how many more than were not
        self._hope = FIRST_VAIN
        self._failed: Counter[frozenset[ElementId]] = Counter()
        self._made: _Pair | None = None
        self._left: Sequence[Departures] | None = None

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
        yield from _known(asked, evidence)

    def may_leave(self, claim: Claim) -> bool:
        """Tell whether steps alone are changed, and comparing steps decided some mutants."""
        changed = (*self._removed(claim), *claim.variant.constraints)
        return (
            self._decided >= FIRST_VAIN
            and self._hope > 0
            and self._failed[claim.variant.removed] < MOST_FAILURES
            and self.applies(claim)
            and all(one.kind is ConstraintKind.TRANS for one in changed)
        )

    def decide_leaving(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what kills mutants with other steps, and what holds of the others.

        An execution shows what fails, or diagrams tell so twice.
        """
        context = self._context
        asked = {claim.name: claim for claim in claims}
        found: dict[tuple[str, str], BddVerdict] = {}
        for name, claim in asked.items():
            if not self.may_leave(claim):
                continue
            told = self._leaving(0, claim)
            self._note(claim, is_decided=told is not None)
            if told is None:
                continue
            verdict = told.verdict
            if told.goal:
                verdict = judged(context.system.property(told.goal).term, verdict)
            path = verdict.evidence if isinstance(verdict, Violated) else None
            if path is None:
                found[name, told.goal] = verdict
                continue
            claim.examined = claim.lasts = True
            choices = replace(path.choices, loop=path.loop)
            yield OfferedExecution(claim, choices, DIAGRAMS)

        def again() -> Mapping[tuple[str, str], BddVerdict]:
            second = ((name, self._leaving(1, asked[name], goal)) for name, goal in found)
            return {(name, one.goal): one.verdict for name, one in second if one is not None}

        evidence = context.means.notary.twice(
            found,
            again,
            questions(context.system, {name: asked[name].variant for name, _ in found}),
            resting=lambda system, _: as_a_whole(system),
        )
        held = {name: one for (name, _), one in evidence.items() if isinstance(one, Holds)}
        yield from _known(asked, held)
        for (name, goal), one in evidence.items():
            if isinstance(one, Fails):
                asked[name].examined = asked[name].lasts = True
                yield OfferedEvidence(asked[name], goal, one)

    def _note(self, claim: Claim, *, is_decided: bool) -> None:
        self._hope = min(MOST_VAIN, self._hope + (1 if is_decided else -1))
        place = claim.variant.removed
        self._failed[place] = max(0, self._failed[place] + (-1 if is_decided else 1))

    def _leaving(self, number: int, claim: Claim, goal: str = "") -> Told | None:
        """Return what one of two orders of bits tells of a mutant, or of a single property.

        Without memory, begin anew.
        """
        context = self._context
        context.means.check_cancelled()
        if self._left is None:
            self._left = _departures(self._compared)
        if not self._left:
            self._hope = 0
            return None
        names = {goal} if goal else claim.open
        goals = [one for one in context.system.properties if one.name in names]
        goes_on = not context.may_block(claim)
        change = OtherSteps(self._removed(claim), claim.variant.constraints, goes_on)
        deadline = Deadline.after_work(OTHER_S)
        told, reason = self._left[number].verdict(change, goals, deadline, shown=not number)
        if reason == OUT_OF_MEMORY:
            self._left = self._made = None
        return told

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

    @property
    def _compared(self) -> _Pair:
        if self._made is None:
            system = self._context.system
            first = _made(system)
            self._made = first, None if first is None else _made(turned(system))
        return self._made


def _known(
    asked: Mapping[str, Claim], evidence: Mapping[str, Holds | Fails | Computed]
) -> Iterator[Candidate]:
    """Yield that all open properties hold of claims, and note that their executions go on."""
    for name, holds in evidence.items():
        claim = asked[name]
        claim.examined = claim.lasts = True
        if isinstance(holds, Holds):
            yield KnownTogether(claim, dict.fromkeys(claim.open, holds))


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


def _departures(compared: _Pair) -> Sequence[Departures]:
    """Return what decides variants of a system whose executions go on, with two orders, or none."""
    found = list[Departures]()
    given_up(lambda: found.extend(Departures(one) for one in compared if one is not None))
    return found if len(found) == 2 and all(one.goes_on for one in found) else ()


SAME: AnyRung = Rung(
    "steps of the model",
    Cost.VISIT,
    Unmoved,
    Unmoved.decide,
    Unmoved.applies,
    at_once=AT_A_TIME,
    goes_ahead=Unmoved.pays,
)

LEAVING: AnyRung = Rung(
    "states beyond the model",
    Cost.VISIT,
    Unmoved,
    Unmoved.decide_leaving,
    Unmoved.may_leave,
    at_once=AT_A_TIME,
    tells=True,
)
