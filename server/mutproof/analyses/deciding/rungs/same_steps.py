"""Mutants that take the same steps from the states that the model reaches, as diagrams show twice.

They have all properties of the model, for they have its executions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mutproof.analyses.checking.baseline import SAME_STEPS
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.variant import as_a_whole, questions
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import AnyRung, Candidate, Cost, KnownTogether, Rung
from mutproof.analyses.proving.temporal_answer import turned
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.model.system import Constraint, ConstraintKind, TransitionSystem
from mutproof.solving.bdd.check import given_up
from mutproof.solving.bdd.same_steps import SameSteps
from mutproof.solving.bdd.verdict import Holding

BEGINNING_S = 1.0
"""Seconds of work to find the steps of the model, with each order of bits."""

EACH_S = 0.1
"""Seconds of work for a mutant."""

PATIENCE = 256
"""How many mutants more may differ, or stay open, than are decided until no other is tried."""

AT_A_TIME = 64
"""How many mutants are decided before their verdicts are handed on."""


class Unmoved:
    """Compare the steps of mutants with those of the model; mutable."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._decided = self._balance = 0  # mutants, and how many more than were not

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
