"""Prove the properties of a program, keeping what an earlier version of the file proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import DIAGRAMS, bounded
from mutproof.analyses.claims.edits import NO_SUGGESTIONS, Suggestions
from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.analyses.claims.finding import IDLE, LEFT, PropertyFinding
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.claims.scope import core_of, scope
from mutproof.analyses.proving import extent, premise_runs, premises, temporal
from mutproof.analyses.proving.kept_proofs import KeptProofs
from mutproof.analyses.proving.property_verdicts import PropertyVerdicts
from mutproof.analyses.proving.temporal_answer import TemporalAnswer
from mutproof.analyses.proving.waiting import LeftError, Vain, Waiting
from mutproof.base import giving_way
from mutproof.base.budget import Budget, Deadline
from mutproof.base.record import dataclass
from mutproof.model import slice as slicing
from mutproof.model import terms, walk
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import implied, liveness, portfolio
from mutproof.solving.account import ACCOUNT
from mutproof.solving.shares import Shares
from mutproof.solving.verdict import Certificate, Proof, Proved, Refuted, Unknown, Verdict
from mutproof.solving.workshop import Workshop

BRIEF = Budget(200_000, 2.0)
"""How much engines spend on invariants before diagrams, where one reads few states; and diagrams
before engines, where paths may end."""

INITIATION = "initiation"
"""The engine named for proofs that hold because there is no first state."""


@dataclass(frozen=True)
class Proofs:
    """Hold the outcome: findings of all properties, and the proofs with what they rest on."""

    findings: Mapping[str, PropertyFinding]
    holds: Mapping[str, Holds]
    cores: Mapping[str, frozenset[ElementId]]
    solver_calls: int


class Early(Protocol):
    """What to do before all properties are decided."""

    def first(self) -> frozenset[str]:
        """Return which properties to prove before all others; empty: there is no such order."""

    def tell(self, proofs: Proofs) -> None:
        """Tell what is sure, given what is known once these are tried."""

    def tell_meanwhile(self, proofs: Proofs) -> None:
        """Tell what costs little, given what is known while hard properties are left."""


def prove(
    meaning: Interpretation,
    system: TransitionSystem,
    memory: ProofMemory,
    means: Means,
    *,
    emit: Callable[[PropertyFinding], None],
    only: tuple[str, ...] = (),
    empty: str = "",
    suggestions: Suggestions = NO_SUGGESTIONS,
    early: Early | None = None,
    waiting_until: Deadline | None = None,
    leaves: bool = False,
) -> Proofs:
    """Decide the properties of a program; emit each verdict, again if it is found to be vacuous.

    `only` names the properties to decide, by their name in the system or as declared; none
    means all. `empty` says why nothing could fail, if so. `suggestions` are tried first.
    `early` says what to do before all are decided. After `waiting_until`, open properties are given
    up once others are proved, if mutants wait for that. One that `leaves` properties to others ends
    where no more are proved.
    """
    until = waiting_until or Deadline.never()
    vain = Vain() if leaves else None
    run = _Run(meaning, system, memory, means, emit=emit, empty=empty, until=until, vain=vain)
    return run.run(only, suggestions, early)


class _Run:
    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        memory: ProofMemory,
        means: Means,
        *,
        emit: Callable[[PropertyFinding], None],
        empty: str,
        until: Deadline,
        vain: Vain | None,
    ) -> None:
        self._meaning = meaning
        self._system = system
        self._memory = memory
        if vain is not None:
            emit, means = vain.noting(emit), vain.heeded(means)
        self._means = means
        self._notary = means.notary
        self._slicer = slicing.Slicer(system)
        self._divider = _Divider(system, means)
        self._alike: dict[Term, list[str]] = {}  # invariants that diagrams prove
        self._postponed: dict[str, str] = {}  # by engines, and why diagrams do not decide them
        self._asked: set[str] = set()  # names; diagrams reached a state with the premise
        self._verdicts = PropertyVerdicts(meaning, system, memory, emit, vacuity=empty)
        self._waiting = Waiting(until, self._verdicts.holds, means.small, vain)

    def run(self, only: tuple[str, ...], suggestions: Suggestions, early: Early | None) -> Proofs:
        verdicts, before = self._verdicts, ACCOUNT.spent
        goals = verdicts.named(only)
        kept = KeptProofs(self._meaning, self._system, self._means, self._memory, verdicts=verdicts)
        for name in goals:
            kept.reuse(name)
        asked = len(left := verdicts.left(goals))
        for name in left:
            kept.try_earlier(name, suggestions, self._divider.alone)
        if verdicts.vacuity:
            self._without_a_beginning(verdicts.left(goals))
        try:
            with self._waiting.leaving(), giving_way.stoppable(self._means.check_cancelled):
                self._decide(goals, early, asked)
        except LeftError:
            for name in verdicts.left(goals):
                verdicts.undecided(name, LEFT, 0)
        self._check_premises(ACCOUNT.spent - before)
        ordered = {name: verdicts.findings[name] for name in goals}
        return Proofs(ordered, verdicts.holds, verdicts.cores, asked)

    def _decide(self, goals: Sequence[str], early: Early | None, asked: int) -> None:
        """Decide what is open of some properties."""
        verdicts = self._verdicts
        left = verdicts.left(goals)
        soon: list[str] = []
        if early is not None and left and len(left) > len(first := early.first()) > 0:
            soon = [name for name in left if name in first]
            self._by_engines(soon, self._means.middle, _unless_open(self._take))
            early.tell(self._known(asked))
        left = verdicts.left(goals)
        if self._system.relational:
            self._decide_relational(left)
        elif left:
            if early is not None and len(goals) > 1 and not self._waiting.ends:
                if untried := [name for name in left if name not in soon]:
                    self._by_engines(untried, self._means.middle, _unless_open(self._take))
                left = verdicts.left(goals)
                if left and verdicts.holds:
                    early.tell_meanwhile(self._known(asked))
            if left:
                self._by_engines(left, self._means.budget, self._take)

    def _known(self, asked: int) -> Proofs:
        """Return what is known by now."""
        found = self._verdicts
        return Proofs(dict(found.findings), dict(found.holds), dict(found.cores), asked)

    def _check_premises(self, proved_for: int) -> None:
        """Mark proved implications whose premise never holds as vacuous."""
        memory = self._memory
        known = premises.KnownPremises(memory.idle, memory.idle_on, memory.asking)
        holds, means = self._verdicts.holds, self._means
        met = partial(premise_runs.met, self._meaning, self._system)
        for name in premises.idle(
            self._slicer, holds, known, means, reached=self._asked, met=met, proved_for=proved_for
        ):
            self._verdicts.tell(replace(self._verdicts.findings[name], vacuity=IDLE))

    def _without_a_beginning(self, goals: Sequence[str]) -> None:
        """Prove invariants from `false` where no state is initial: engines take long to see it."""
        for name in goals:
            if not self._is_invariant(name):
                continue
            certificate = Certificate(1, (terms.FALSE,), (name,))
            if not self._notary.check(self._system, certificate, self._means.middle).ok:
                return
            seconds = self._verdicts.elapsed()
            self._take_proof(name, Proved(certificate, None, INITIATION, 1), seconds)

    def _decide_relational(self, goals: list[str]) -> None:
        """Try engines on the invariants, then diagrams on all that is left, then engines again.

        Where no path needs to be fair, `always p` is tried as an invariant too. Unless paths never
        end, its proof may be vacuous, and an execution that leaves it part of no infinite one; then
        diagrams come first, for a short time.
        """
        system = implied.freed(self._system)
        if not (system.fairness or system.compassion):
            system = liveness.as_invariants(system)
        by_diagrams = partial(
            temporal.decide,
            self._system,
            means=self._means,
            run=partial(self._notary.replay_part, self._meaning),
            take=self._take_answer,
            waiting=self._waiting,
        )
        take = partial(self._take_conclusive, system)
        if not system.never_blocks:
            paths = [n for n in goals if self._system.property(n) is not system.property(n)]
            brief = replace(self._means, budget=BRIEF)
            by_diagrams(paths, means=brief, take=_of_evidence(self._take_answer), locally=False)
            goals = self._verdicts.left(goals)
        tried = [n for n in goals if system.property(n).kind is PropertyKind.INVARIANT]
        if tried and not extent.is_table(scope(self._system, goals)):
            few = extent.of_few_states(self._system, tried)
            # Of a large system, diagrams are asked soon if about some in any case.
            is_mixed = len(tried) < len(goals) and len(self._system.by_owner) >= temporal.LARGE
            if few or is_mixed:
                self._by_engines(tried, BRIEF, take, system=system)
                by_diagrams(self._verdicts.left(few), locally=False)
                if is_mixed:
                    brief = replace(self._means, budget=BRIEF)
                    soon, found = self._verdicts.left(goals), _of_evidence(self._take_answer)
                    by_diagrams(soon, means=brief, take=found, locally=True)
                self._take_alike()
                tried = self._verdicts.left(tried)
            if tried:
                self._by_engines(tried, self._means.middle, take, system=system)
        by_diagrams(self._verdicts.left(goals), locally=True)
        self._take_alike()
        if again := self._verdicts.left(self._postponed):
            self._by_engines(again, self._means.middle, take, system=system)
            for name in self._verdicts.left(again):
                self._verdicts.undecided(name, self._postponed[name], 0)
        left = self._verdicts.left(list(filter(self._is_invariant, goals)))
        if left:
            self._by_engines(left, self._means.budget, self._take)

    def _is_invariant(self, name: str) -> bool:
        return self._system.property(name).kind is PropertyKind.INVARIANT

    def _by_engines(
        self,
        goals: Sequence[str],
        budget: Budget,
        take: Callable[[str, Verdict], None],
        *,
        system: TransitionSystem | None = None,
    ) -> None:
        lemmas = dict.fromkeys(
            lemma for holds, _ in self._memory.proofs.values() for lemma in holds.certificate.lemmas
        )
        names = self._system.variables.keys()
        advice = tuple(lemma for lemma in lemmas if walk.variables(lemma) <= names)
        options = portfolio.PortfolioOptions(
            advice=advice,
            spacer=self._means.spacer,
            heed=self._means.check_cancelled,
            check=self._notary.check,
            given_up=self._waiting.given_up if self._waiting.ends else None,
            of_work=budget.timeout_s
            < self._means.budget.timeout_s,  # others come afterwards anyway
            goes_on=self._system.relational and budget != BRIEF,
            by_diagrams=frozenset(
                n for n in goals if not self._is_invariant(n) and n not in self._postponed
            ),
            beside=True,
        )
        outcome = portfolio.prove(
            system or self._system, budget, options, goals=goals, on_verdict=take
        )
        self._postponed.update(dict.fromkeys(outcome.postponed, ""))

    def _take_conclusive(self, system: TransitionSystem, name: str, verdict: Verdict) -> None:
        """Record a verdict on an invariant, or what decides an `always p` tried as one."""
        if self._is_invariant(name):
            if isinstance(verdict, Proved):
                goals = tuple(filter(self._is_invariant, verdict.certificate.goals))
                certificate = liveness.with_goals(system, verdict.certificate, goals)
                alone = liveness.within(self._system, certificate)
                core = verdict.core
                if alone is not certificate:
                    if not self._notary.check(self._system, alone).ok:
                        return  # it rests on what holds of steps: another proof is sought later
                    core = None
                verdict = replace(verdict, certificate=alone, core=core)
            if not isinstance(verdict, Unknown):
                self._take(name, verdict)
        elif isinstance(verdict, Proved):
            found = liveness.always_proved(system, name, verdict)
            vacuity = temporal.vacuity_by_solvers(self._system, name, self._means)
            evidence = self._notary.linear(self._system, name, found, vacuity)
            if evidence is not None:
                self._take_answer(name, TemporalAnswer(evidence, vacuity=vacuity))
        elif isinstance(verdict, Refuted) and system.never_blocks:
            run = partial(self._notary.replay_part, part=self._system, begun=name)
            replayed = run(self._meaning, verdict.choices, verdict.engine)
            if replayed is not None and name in replayed.violated:
                self._verdicts.failed(name, replayed, self._verdicts.elapsed())

    def _take(self, name: str, verdict: Verdict) -> None:
        seconds = self._verdicts.elapsed()
        match verdict:
            case Proved():
                self._take_proof(name, verdict, seconds)
            case Refuted():
                replayed = self._notary.replay(self._meaning, verdict.choices, verdict.engine)
                if replayed is not None and name in replayed.violated:
                    self._verdicts.failed(name, replayed, seconds)
                else:
                    self._verdicts.undecided(name, "the counterexample could not be replayed", 0)
            case _:
                self._verdicts.undecided(name, verdict.reason, verdict.depth)

    def _take_answer(self, name: str, answer: TemporalAnswer) -> None:
        """Record an answer of diagrams; invariants that they leave open are left to engines."""
        seconds = self._verdicts.elapsed()
        if answer.asked:
            self._asked.add(name)
        if answer.invariant is not None:
            self._alike.setdefault(answer.invariant, []).append(name)
            return
        self._take_alike()
        match answer.evidence:
            case Holds() as holds:
                self._take_fixed_point(name, holds, answer, seconds)
            case Fails() as fails:
                # The trace may lack variables that the property does not depend on.
                self._memory.failures[name] = bounded(fails, self._system, name)
                self._memory.shown[name] = answer.shown
                self._verdicts.shown_to_fail(name, fails, answer.shown, seconds)
            case None if answer.number is not None:
                self._verdicts.computed(name, answer.number, seconds)
            case None if name in self._postponed:
                self._postponed[name] = answer.reason
            case None if not self._is_invariant(name):
                self._verdicts.undecided(name, answer.reason, 0)

    def _take_alike(self) -> None:
        """Record the proofs of invariants by the same set of states, divided at once."""
        alike, self._alike = self._alike, {}
        for invariant, names in alike.items():
            # Diagrams decided it only once: without a checked certificate it is left to engines.
            whole = Certificate(1, (invariant,), tuple(names))
            if not self._notary.check(self._system, whole, self._means.budget).ok:
                continue
            shares = {proof.goal: proof for proof in self._divider.divided(whole, names)}
            for name in names:
                own, core = replace(whole, goals=(name,)), None
                if name in shares:
                    own, core = shares[name].certificate, shares[name].owners
                seconds = self._verdicts.elapsed()
                self._take_proof(name, Proved(own, core, DIAGRAMS, 1), seconds)

    def _take_fixed_point(
        self, name: str, holds: Holds, answer: TemporalAnswer, seconds: float
    ) -> None:
        core = core_of(self._system, name, holds.support, holds.proof)
        self._memory.shown[name] = answer.shown
        how, shown = holds.how, answer.shown
        self._verdicts.proved(
            name, holds, core, how, seconds=seconds, witness=shown, vacuity=answer.vacuity
        )

    def _take_proof(self, name: str, verdict: Proved, seconds: float) -> None:
        certificate, core = verdict.certificate, verdict.core
        if core is None or len(certificate.goals) > 1:
            certificate, core = self._divider.alone(name, certificate) or (certificate, core)
        holds = self._notary.proved(
            self._system, replace(verdict, certificate=certificate, core=core), self._means.budget
        )
        if holds is None:
            self._verdicts.undecided(name, "the proof could not be checked again", 0)
            return
        if core is None:
            core = frozenset(o for o in self._system.by_owner if o is not None)
        self._verdicts.proved(name, holds, core, verdict.engine, seconds=seconds)


def _unless_open(take: Callable[[str, Verdict], None]) -> Callable[[str, Verdict], None]:
    """Return what takes verdicts of engines unless they leave a property open."""

    def taken(name: str, verdict: Verdict) -> None:
        if not isinstance(verdict, Unknown):
            take(name, verdict)

    return taken


def _of_evidence(
    take: Callable[[str, TemporalAnswer], None],
) -> Callable[[str, TemporalAnswer], None]:
    """Return what takes answers of diagrams unless they leave a property open."""

    def taken(name: str, answer: TemporalAnswer) -> None:
        if answer.evidence is not None or answer.invariant is not None:
            take(name, answer)

    return taken


class _Divider:
    """Divide proofs of the properties of a system; mutable: made when first used."""

    def __init__(self, system: TransitionSystem, means: Means) -> None:
        self._system = system
        self._means = means
        self._shares: Shares | None = None

    def divided(self, certificate: Certificate, names: Sequence[str]) -> Iterator[Proof]:
        """Yield the checked part of a proof that each property needs, with its core."""
        means = self._means
        if self._shares is None:
            workshop = Workshop(means.check_cancelled)
            self._shares = Shares(self._system, means.budget, workshop, means.notary.check)
        return self._shares.divided(certificate, names)

    def alone(
        self, name: str, certificate: Certificate
    ) -> tuple[Certificate, frozenset[ElementId]] | None:
        """Return the checked part of a proof that a property needs, and its core, or None."""
        for proof in self.divided(certificate, (name,)):
            return proof.certificate, proof.owners
        return None
