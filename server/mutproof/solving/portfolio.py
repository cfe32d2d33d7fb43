"""Prove the invariant properties of a system by letting engines take turns.

Every proof is checked again in a fresh solver before it is reported, and every counterexample is
smoothed: inputs change as rarely as its length allows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from typing import assert_never

from mutproof.base.budget import Budget, Deadline, Exhausted
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import certify, completion, smoothing
from mutproof.solving.account import ACCOUNT
from mutproof.solving.certify import Check
from mutproof.solving.engine import (
    Candidate,
    Each,
    Explored,
    Falsified,
    Finding,
    LearntLemmas,
    Stuck,
    Task,
    Worked,
)
from mutproof.solving.engines import ENGINES
from mutproof.solving.obligation import Obligation, obligation
from mutproof.solving.shares import Shares
from mutproof.solving.solver import SolvingError
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate, Outcome, Proof, Proved, Refuted, Unknown, Verdict
from mutproof.solving.watch import Watch
from mutproof.solving.workshop import Workshop

TURN_COST = 2_000
"""The least that is charged for a turn of an engine, in solver units."""

SOON_UNITS = 4_000_000
"""The least units within which a proof has to be checked where there is another way."""

AWAY_S = 0.1
"""How long to wait for Spacer, in seconds, before asking again whether the proof is wanted."""


@dataclass(frozen=True, slots=True)
class PortfolioOptions:
    """Choose how a portfolio works."""

    engines: tuple[str, ...] = ENGINES.names()
    advice: tuple[Term, ...] = ()  # invariants of earlier runs, tried first
    smooth: bool = True
    spacer: SpacerProcess | None = None  # None: a new one, closed at the end
    cores: bool = True  # report the elements that each proof rests on
    together: bool = False  # divide a proof of several goals only if it cannot be checked whole
    of_work: bool = False  # seconds of the budget are those of processors, not of a clock
    goes_on: bool = False  # a budget ends only where no goal is decided any more
    by_diagrams: frozenset[str] = frozenset()  # goals that diagrams decide without a certificate
    beside: bool = False  # others work while Spacer does: sooner, for more time of processors
    heed: Callable[[], None] | None = None  # raises when the answer is no longer wanted
    check: Check = certify.certify  # checks proofs again
    given_up: Callable[[int, float], str] | None = None  # why, after so many units and seconds


def prove(
    system: TransitionSystem,
    budget: Budget | None = None,
    options: PortfolioOptions | None = None,
    *,
    goals: Sequence[str] | None = None,
    on_verdict: Callable[[str, Verdict], None] | None = None,
) -> Outcome:
    """Return a verdict for every invariant property of the system, or for the given goals.

    `budget` is for the whole question. `on_verdict` is called with each verdict once it is known.
    """
    names = tuple(goals) if goals is not None else invariant_names(system)
    if not names:
        return Outcome({})
    limits = budget or Budget()
    chosen = options or PortfolioOptions()
    run = _Run(obligation(system, names), limits, chosen, on_verdict, whole=system)
    outcome = run.outcome()
    if run.unconfirmed:
        # Constraints outside the slice exclude these failures, so ask about the whole system.
        question = Obligation(system, tuple(run.unconfirmed))
        second = _Run(question, limits, chosen, on_verdict).outcome()
        verdicts = {name: second.verdicts.get(name) or outcome.verdicts[name] for name in names}
        return replace(outcome, verdicts=verdicts)
    return outcome


def invariant_names(system: TransitionSystem) -> tuple[str, ...]:
    """Return the names of the properties that speak of single states."""
    return tuple(p.name for p in system.properties if p.kind is PropertyKind.INVARIANT)


def prove_obligation(
    question: Obligation,
    budget: Budget | None = None,
    options: PortfolioOptions | None = None,
    *,
    on_verdict: Callable[[str, Verdict], None] | None = None,
) -> Outcome:
    """Return a verdict for every goal of an obligation."""
    limits = budget or Budget()
    run = _Run(question, limits, options or PortfolioOptions(), on_verdict)
    return run.outcome()


@dataclass(slots=True)
class _RunningEngine:
    """Follow one engine, which is imported when its first turn comes."""

    name: str
    cost: int = 0
    seconds: float = 0.0
    waiting: bool = False
    away: bool = False
    stuck: str = ""
    weight: int = 1
    proves: bool = False
    generator: Iterator[Finding] | None = None

    def begin(self, task: Task) -> bool:
        """Begin unless that was done; tell whether its turn is now, for others may be first."""
        if self.generator is not None:
            return True
        engine = ENGINES[self.name]
        self.generator, self.weight = engine.run(task), engine.weight
        self.cost = -engine.advance if task.advice and engine.advance else engine.handicap
        return self.cost <= 0


@dataclass(slots=True)
class _Run:
    question: Obligation
    budget: Budget
    options: PortfolioOptions
    on_verdict: Callable[[str, Verdict], None] | None
    whole: TransitionSystem | None = None  # if the question is about a slice of it
    unconfirmed: list[str] = field(default_factory=list)
    smoother: smoothing.Smoother | None = None
    shares: Shares | None = None
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    postponed: list[str] = field(default_factory=list)
    started_s: float = field(default_factory=time.monotonic)

    def outcome(self) -> Outcome:
        """Let the engines work until everything is decided or nobody can go on."""
        seconds = self.budget.timeout_s
        task = Task(
            self.question.system,
            dict(self.question.terms),
            self.budget,
            Deadline.after_work(seconds) if self.options.of_work else Deadline.after(seconds),
            advice=self.options.advice,
            spacer=self.options.spacer or SpacerProcess(),
            beside=self.options.beside,
            workshop=Workshop(self.options.heed),
        )

        def interrupt() -> None:
            task.workshop.interrupt()
            task.spacer.interrupt()

        heed = self.options.heed

        def go_on() -> None:
            if heed is not None:
                heed()
            if self._given_up(task):
                raise TimeoutError

        try:
            if heed is None:
                return self._work(task)
            with Watch(go_on, interrupt):
                return self._work(task)
        finally:
            if self.options.spacer is None or not task.spacer.is_idle:
                task.spacer.close()

    def _work(self, task: Task) -> Outcome:
        workers = [_RunningEngine(name) for name in self.options.engines]
        goes_on: _RunningEngine | None = None
        while task.goals and not task.deadline.passed() and not self._given_up(task):
            ready = [worker for worker in workers if not (worker.stuck or worker.waiting)]
            away = [worker for worker in ready if worker.away]
            here = [] if task.exhausted() else [worker for worker in ready if not worker.away]
            if not here and not away:
                break
            if away and task.spacer.has_answered(0 if here else AWAY_S):
                worker = away[0]
            elif here:
                # The engine with the least cost so far; ties in order of registration.
                worker = goes_on or min(here, key=lambda found: found.cost)
            else:
                continue
            if not worker.begin(task):
                continue
            left = len(task.goals)
            self._turn(worker, workers, task)
            if self.options.heed is not None:
                self.options.heed()
            # An engine that is proving goals one after the other goes on.
            proves = worker.proves or len(task.goals) < left
            proves = proves and not worker.stuck and not worker.waiting
            goes_on = worker if proves else None
        reasons = [f"{w.name}: {w.stuck}" for w in workers if w.stuck]
        exhausted = Exhausted.METHODS
        if task.exhausted():
            late = task.deadline.passed()
            exhausted = Exhausted.TIME if late else Exhausted.UNITS
            reasons.insert(0, "out of time" if late else "out of solver units")
            if late:
                ACCOUNT.note_late()
        elif given_up := self._given_up(task):
            reasons.insert(0, given_up)
            ACCOUNT.note_late()
        reason = "; ".join(reasons) or "no engine is left"
        for name in tuple(task.goals):
            self._decide(task, name, Unknown(reason, task.depth, exhausted))
        for worker in workers:
            if isinstance(worker.generator, Generator):
                worker.generator.close()
        spent = {worker.name: worker.seconds for worker in workers}
        ordered = {n: self.verdicts[n] for n in self.question.goals if n in self.verdicts}
        return Outcome(ordered, tuple(task.lemmas), spent, tuple(self.postponed))

    def _given_up(self, task: Task) -> str:
        if self.options.given_up is None:
            return ""
        return self.options.given_up(task.cost, time.monotonic() - self.started_s)

    def _turn(self, worker: _RunningEngine, workers: list[_RunningEngine], task: Task) -> None:
        """Let one engine work for one step and act on what it found."""
        begun, cost = time.monotonic(), task.cost
        try:
            assert worker.generator is not None
            finding = next(worker.generator, Stuck("nothing left to try"))
        except SolvingError as error:
            finding = Stuck(str(error))
        worker.seconds += time.monotonic() - begun
        worker.proves = worker.away = False
        # A turn that cost nothing counts too, or the others would never have a turn.
        worker.cost += max(TURN_COST, worker.weight * (task.cost - cost))
        news = True
        match finding:
            case Worked(waiting, proves, away):
                worker.waiting, worker.proves, worker.away = waiting, proves, away
                return
            case Stuck(reason):
                worker.stuck = reason
                return
            case Explored(depth):
                task.depth = max(task.depth, depth)
            case LearntLemmas(lemmas, k):
                news = task.learn(lemmas, k)
                worker.cost = max(worker.cost, 0)  # an advance is for advice only
            case Candidate(certificate, sure, drawn, part):
                if drawn:
                    self._leave_to_diagrams(task, certificate)
                news = self._accept_proof(task, worker, certificate, part)
                if not news and sure:
                    worker.stuck = "its proof could not be checked again"
            case Each(proofs):
                left = len(task.goals)
                for proof in proofs:
                    self._accept_share(task, worker, proof)
                news = len(task.goals) < left
            case Falsified():
                self._accept_failure(task, worker, finding)
            case _:
                assert_never(finding)
        if news:
            for other in workers:
                other.waiting = False

    def _accept_failure(self, task: Task, worker: _RunningEngine, found: Falsified) -> None:
        """Refute the goals of a counterexample, after smoothing it."""
        goals = tuple(name for name in found.goals if name in task.goals)
        if not goals:
            return
        choices = found.choices
        if self.options.smooth:
            if self.smoother is None:
                self.smoother = smoothing.Smoother(
                    self.question.system, task.deadline, task.workshop
                )
            choices = self.smoother.smoothed(goals, choices, found.step)
        if self.whole is not None and completion.restricts_more(self.whole, self.question.system):
            whole = self._completed(task, self.whole, Falsified(goals, choices, found.step))
            if whole is None and len(goals) > 1:
                # They may fail together in the slice only; the others are tried again later.
                goals = goals[:1]
                whole = self._completed(task, self.whole, Falsified(goals, choices, found.step))
            if whole is None:
                for name in goals:
                    self.unconfirmed.append(name)
                    del task.goals[name]
                return
            choices = whole
        for name in goals:
            self._decide(task, name, Refuted(choices, found.step, worker.name))

    def _completed(self, task: Task, whole: TransitionSystem, found: Falsified) -> Choices | None:
        return completion.completed(task.workshop, whole, found, self.budget)

    def _leave_to_diagrams(self, task: Task, certificate: Certificate) -> None:
        """Postpone goals that need no certificate where one was found that takes long to check."""
        left = [name for name in task.goals if name in self.options.by_diagrams]
        if not left:
            return
        units = max(SOON_UNITS, task.cost)
        budget = Budget(min(units, self.budget.rlimit or units), self.budget.timeout_s)
        check, system = self.options.check, self.question.system
        if not check(system, certificate, budget, workshop=task.workshop).ok:
            self.postponed += left
            for name in left:
                why = "the reachable states take long to check again"
                self._decide(task, name, Unknown(why, task.depth, Exhausted.METHODS))

    def _accept_proof(
        self,
        task: Task,
        worker: _RunningEngine,
        certificate: Certificate,
        part: TransitionSystem | None,
    ) -> bool:
        """Check a certificate again, in parts for each goal if it can be divided; add lemmas."""
        goals = tuple(name for name in certificate.goals if name in task.goals)
        whole = self.options.together and goals
        if whole and self._accept_whole(task, worker, certificate, goals, part=part):
            return True
        for proof in self._shares(task).divided(certificate, goals):
            self._proved(task, worker, proof.certificate, proof.owners, goals=(proof.goal,))
        left = tuple(name for name in goals if name in task.goals)
        return self._accept_whole(task, worker, certificate, left) if left else bool(goals)

    def _accept_share(self, task: Task, worker: _RunningEngine, found: Proof) -> None:
        """Check the proof of one goal again, on the elements that suffice for it."""
        if found.goal in task.goals and self._shares(task).checked(found):
            self._proved(task, worker, found.certificate, found.owners, goals=(found.goal,))

    def _shares(self, task: Task) -> Shares:
        if self.shares is None:
            self.shares = Shares(
                self.question.system, self.budget, task.workshop, self.options.check
            )
        return self.shares

    def _accept_whole(
        self,
        task: Task,
        worker: _RunningEngine,
        certificate: Certificate,
        goals: tuple[str, ...],
        *,
        part: TransitionSystem | None = None,
    ) -> bool:
        """Check a certificate again on the whole system; its goals become lemmas.

        What it needs is looked for in a `part` first, if there is one.
        """
        system, workshop = self.question.system, task.workshop
        find = partial(certify.support_of, system, certificate, self.budget, workshop=workshop)
        support = (None if part is None else find(part=part)) or find()
        reduced = certificate
        if support is not None:
            reduced = Certificate(certificate.k, support.lemmas, certificate.goals)
        is_told = self.options.cores or self.options.together
        core = support.owners if support is not None and is_told else None
        checked = self.options.check(system, reduced, self.budget, owners=core, workshop=workshop)
        if not checked.ok:
            return False
        self._proved(task, worker, reduced, core, goals=goals)
        return True

    def _proved(
        self,
        task: Task,
        worker: _RunningEngine,
        certificate: Certificate,
        core: frozenset[ElementId] | None,
        *,
        goals: tuple[str, ...],
    ) -> None:
        for name in goals:
            proved = Proved(certificate, core, worker.name, certificate.k)
            self._decide(task, name, proved)
        terms = [self.question.terms[name] for name in goals]
        task.learn((*certificate.lemmas, *terms), certificate.k)

    def _decide(self, task: Task, name: str, verdict: Verdict) -> None:
        task.goals.pop(name, None)
        if self.options.goes_on and not isinstance(verdict, Unknown):
            task.go_on()
        self.verdicts[name] = verdict
        if self.on_verdict is not None:
            self.on_verdict(name, verdict)
