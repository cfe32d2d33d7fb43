"""Properties of any logic in decision diagrams: of many mutants at once, then of one alone.

A selector that no step changes picks the mutant, so one fixed point tells of every mutant
whether it has the property.
Source: Classen, Cordy, Heymans, Legay and Schobbens, FTS and SNIP, TSE 2013, for families of
systems; Devroey et al., Featured Model-Based Mutation Analysis, ICSE 2016, for mutants.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.checking.notary import DIAGRAMS
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.scope import scope
from mutproof.analyses.claims.variant import is_within, questions
from mutproof.analyses.deciding.context import Context, open_in, suits_engines
from mutproof.analyses.deciding.rung import (
    AnyRung,
    Candidate,
    Cost,
    NoModel,
    OfferedEvidence,
    OfferedExecution,
    Rung,
)
from mutproof.analyses.proving import temporal
from mutproof.analyses.proving.temporal_answer import judged, stands_alone, turned
from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.beginnings import begins_elsewhere
from mutproof.solving.bdd.experience import Experience
from mutproof.solving.bdd.family import LARGEST_FAMILY, check_family
from mutproof.solving.bdd.family_outcome import Attempts, FamilyOutcome
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import BddVerdict, Computed, Holding, Vacuity, Violated
from mutproof.solving.engines import reachability

SHARE = 0.5
"""The part of the budget that a family of mutants may use."""

AT_A_TIME = 32
"""How many mutants are decided before their verdicts are handed on."""

SHORT_S = 10.0
"""Seconds of work that a family may take where engines can decide its properties too, or where all
its mutants are killed, and only what else kills them is open."""

BRIEF_S = 2.0
"""The same where engines have proved those properties of the model; where some are temporal, what
the model itself may take before engines are asked about its mutants."""

HURRIED_S = 4.0
"""Seconds of work that a family may take before engines, where these proved all that is open."""

EACH_S = 0.04
"""Seconds of work for each mutant from which on engines come first, where they suit."""

NOT_REPLAYED = "the counterexample could not be replayed"

_Evidence = Mapping[tuple[str, str], Holds | Fails | Computed]


@dataclass(frozen=True, slots=True)
class _Trial:
    """Hold what may be spent on a family, the model itself in it, and what was learnt so.

    `is_hurried`: engines are asked anyway, so that one failure is enough.
    """

    attempts: Attempts
    experience: Experience
    seconds: float
    beginning_s: float = math.inf
    is_hurried: bool = False


class Families:
    """Decide properties of families of at most `largest` mutants at once; mutable.

    Invariants can be refuted here as well; proving them is left to solvers.
    """

    def __init__(self, context: Context, largest: int) -> None:
        self._context = context
        self._largest = largest
        self._is_quick = True  # even for properties that suit engines
        # Failures in little time say nothing of more time.
        self._of_invariants = Experience()
        orders = self._of_invariants.orders
        self._begun, self._patient, self._of_killed = (Experience(orders) for _ in range(3))
        self.are_for_relations = context.relational

    def begins_elsewhere(self, claim: Claim) -> bool:
        """Tell whether a claim changes nothing but which states are initial."""
        changed = _alternative(self._context, claim)
        return changed is not None and begins_elsewhere(changed, self._context.system)

    def suit_late(self, claim: Claim) -> bool:
        """Tell whether engines proved all that is open, and executions are known to go on."""
        return suits_engines(self._context, claim) and self._is_for_engines([*claim.open])

    def is_postponed(self, claim: Claim) -> bool:
        """Tell whether engines come first, as diagrams of the model itself were not made soon."""
        is_open = not self._context.temporal.isdisjoint(claim.open)
        return is_open and self._is_for_engines([*claim.open]) and not self._begun.itself

    def decide(
        self, claims: Sequence[Claim], attempts: Attempts, *, patient: bool = False
    ) -> Iterator[Candidate]:
        """Yield what diagrams show of claims; stop for good once most attempts fail.

        Those of the model itself must be made soon where engines proved all that is open; unless
        `patient`.
        """
        for claim in claims:
            claim.examined = True  # even if diagrams fail
        alternatives = _alternatives(self._context, claims)
        asked = {claim.name: claim for claim in claims if claim.name in alternatives}
        open_ = {name for claim in asked.values() for name in claim.open}
        names = [p.name for p in self._context.system.properties if p.name in open_]
        are_killed = all(claim.fails for claim in asked.values())
        trial = self._trial(names, attempts, patient=patient, are_killed=are_killed)
        is_hopeless = trial.is_hurried and not self._is_quick
        if not asked or is_hopeless or trial.experience.is_discouraging:
            return
        part = scope(self._context.system, names)
        within = {n for n, one in alternatives.items() if is_within(part, one.constraints)}
        inside = {n: claim for n, claim in asked.items() if n in within}
        outside = {n: claim for n, claim in asked.items() if n not in within}
        for system, members in ((part, inside), (self._context.system, outside)):
            if members:
                yield from self._together(system, members, names, trial)

    def _together(
        self,
        part: TransitionSystem,
        asked: Mapping[str, Claim],
        names: Sequence[str],
        trial: _Trial,
    ) -> Iterator[Candidate]:
        """Yield what diagrams show of claims on a part that decides their properties."""
        begun_s = time.thread_time()
        outcome = self._family(part, asked, names, trial)
        for name, reason in outcome.dead_ends.items():
            yield NoModel(asked[name], reason)
        evidence = self._twice(part, asked, names, outcome, trial=trial)
        is_slow = time.thread_time() - begun_s > EACH_S * len(asked)
        self._is_quick = not (trial.is_hurried and (outcome.reason or is_slow))
        for name, claim in asked.items():
            self._context.means.check_cancelled()
            claim.lasts |= name in outcome.followed and name not in outcome.dead_ends
            if name not in outcome.dead_ends:
                yield from self._of_claim(claim, part, outcome, evidence)

    def _trial(
        self, names: Sequence[str], attempts: Attempts, *, patient: bool, are_killed: bool
    ) -> _Trial:
        """Return what may be spent on properties, and what is known from spending as much."""
        seconds = self._context.means.budget.timeout_s * SHARE
        for_engines = self._is_for_engines(names)
        if self._context.temporal.isdisjoint(names):
            seconds = min(seconds, BRIEF_S if for_engines else SHORT_S)
            return _Trial(attempts, self._of_invariants, seconds, is_hurried=for_engines)
        if for_engines and not patient:
            if is_hurried := attempts is Attempts.QUICK:
                seconds = min(seconds, HURRIED_S)
            return _Trial(attempts, self._begun, seconds, BRIEF_S, is_hurried=is_hurried)
        if are_killed:
            return _Trial(attempts, self._of_killed, min(seconds, SHORT_S))
        return _Trial(attempts, self._patient, seconds)

    def _of_claim(
        self, claim: Claim, part: TransitionSystem, outcome: FamilyOutcome, evidence: _Evidence
    ) -> Iterator[Candidate]:
        verdicts = outcome.verdicts.get(claim.name, {})
        for goal in open_in(self._context, claim):
            verdict, known = verdicts.get(goal), evidence.get((claim.name, goal))
            if verdict is None or (known is None and self._stands_alone(goal, verdict)):
                claim.reason = outcome.reason or temporal.NOT_TWICE
                continue
            match verdict:
                case Holding(vacuity=Vacuity.NO_INITIAL_STATE as why):
                    yield NoModel(claim, why.value)
                    break
                case Holding() if isinstance(known, Holds):
                    yield OfferedEvidence(claim, goal, known)
                case Holding():
                    continue  # an invariant: solvers prove it, with a certificate
                case Violated(evidence=path) if path is not None:
                    choices = replace(path.choices, loop=path.loop)
                    yield OfferedExecution(claim, choices, DIAGRAMS, NOT_REPLAYED, part, goal)
                case Violated(trace=shown) if isinstance(known, Fails):
                    yield OfferedEvidence(claim, goal, known, shown)
                case _:
                    claim.reason = outcome.reason or "the diagrams decide nothing"

    def _family(
        self,
        part: TransitionSystem,
        asked: Mapping[str, Claim],
        names: Sequence[str],
        trial: _Trial,
        *,
        shown: bool = True,
    ) -> FamilyOutcome:
        # What is decided must not depend on the load of the machine.
        deadline = Deadline.after_work(trial.seconds)
        found = check_family(
            part,
            _alternatives(self._context, asked.values()),
            names,
            deadline,
            largest=self._largest,
            experience=trial.experience,
            shown=shown,
            attempts=trial.attempts,
            beginning_s=trial.beginning_s,
        )
        stated = {name: part.property(name).term for name in names}
        verdicts = {
            name: {goal: judged(stated[goal], v) for goal, v in verdicts.items()}
            for name, verdicts in found.verdicts.items()
        }
        return replace(found, verdicts=verdicts)

    def _is_for_engines(self, names: Sequence[str]) -> bool:
        """Tell whether solvers proved these properties of the model, so likely of mutants too.

        Proofs by the set of reachable states do not count: such sets are small, and suit diagrams
        too.
        """
        proofs = self._context.baseline.proofs
        return all(
            name in proofs
            and (proofs[name].certificate is not UNCERTIFIED or proofs[name].proof is not None)
            and proofs[name].how != reachability.ENGINE.name
            for name in names
        )

    def _twice(
        self,
        part: TransitionSystem,
        asked: Mapping[str, Claim],
        names: Sequence[str],
        outcome: FamilyOutcome,
        *,
        trial: _Trial,
    ) -> _Evidence:
        """Return evidence, by mutant and property, for verdicts that diagrams alone support."""
        alone = {
            (name, goal): verdict
            for name, claim in asked.items()
            if name not in outcome.dead_ends
            for goal, verdict in outcome.verdicts.get(name, {}).items()
            if goal in claim.open and self._stands_alone(goal, verdict)
        }

        def again() -> Mapping[tuple[str, str], BddVerdict]:
            left = {name: asked[name] for name in dict.fromkeys(name for name, _ in alone)}
            found = self._family(turned(part), left, names, trial, shown=False).verdicts
            return {(n, goal): v for n, verdicts in found.items() for goal, v in verdicts.items()}

        variants = {name: claim.variant for name, claim in asked.items()}
        return self._context.means.notary.twice(
            alone, again, questions(self._context.system, variants)
        )

    def _stands_alone(self, goal: str, verdict: BddVerdict) -> bool:
        is_invariant = goal not in self._context.temporal
        return stands_alone(verdict, is_invariant=is_invariant)


def _alternatives(context: Context, claims: Iterable[Claim]) -> dict[str, Alternative]:
    """Return claims, by name, as changes of constraints, those that change no more than these."""
    found = {claim.name: _alternative(context, claim) for claim in claims}
    return {name: one for name, one in found.items() if one is not None}


def _alternative(context: Context, claim: Claim) -> Alternative | None:
    """Return a claim as a change of constraints; None if it changes more than these."""
    variant, system, whole = claim.variant, context.system, claim.variant.system
    if whole is None:
        return Alternative(variant.removed, variant.constraints)
    if _frame(whole) != _frame(system):
        return None
    before, after = set(system.constraints), set(whole.constraints)
    stated = [c for c in whole.constraints if c not in before or c.owner in variant.removed]
    return Alternative(variant.removed, tuple(stated), lost=frozenset(before - after))


def _frame(system: TransitionSystem) -> tuple[object, ...]:
    """Return all of a system but its constraints."""
    return system.variables, system.properties, system.fairness, system.compassion


def _largest(context: Context) -> Families:
    return Families(context, LARGEST_FAMILY)


def _attempt(name: str, attempts: Attempts, *, elsewhere: bool) -> AnyRung:
    """Return a rung for claims that begin `elsewhere`, or for those that do not."""
    return Rung(
        name,
        Cost.VISIT,
        _largest,
        lambda families, claims: families.decide(claims, attempts),
        lambda families, claim: (
            families.are_for_relations
            and not families.suit_late(claim)
            and families.begins_elsewhere(claim) is elsewhere
        ),
        at_once=AT_A_TIME,
    )


NEAR = _attempt("diagrams of the model", Attempts.QUICK, elsewhere=False)

SAMPLES = _attempt("diagrams from some initial states", Attempts.QUICK, elsewhere=True)

TOGETHER = _attempt("families in diagrams", Attempts.SLOW, elsewhere=False)

ELSEWHERE = _attempt("diagrams from all initial states", Attempts.SLOW, elsewhere=True)

POSTPONED = Rung(
    "families in diagrams, after engines",
    Cost.VISIT,
    _largest,
    lambda families, claims: families.decide(claims, Attempts.ALL, patient=True),
    lambda families, claim: families.are_for_relations and families.is_postponed(claim),
    at_once=AT_A_TIME,
)

EACH = Rung(
    "diagrams of each mutant",
    Cost.VISIT,
    lambda context: Families(context, 1),
    lambda families, claims: families.decide(claims, Attempts.ALL),
    lambda families, _: families.are_for_relations,
    at_once=AT_A_TIME,
)
