"""Decide whether a model and a changed one can be told apart, cheapest argument first.

The steps: nothing observed depends on the change; a supposed proof passes its check; random
executions; induction up to a small depth, alone, with intervals, with signal equalities, with both,
with invariants of the model; last, all engines. A difference found is then shortened.

Every proof is checked again on the product in fresh solvers, every difference is replayed.

Source: DESIGN.md, section 5; Donaldson, He, Kroening and Rümmer, FMICS 2011, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mutproof.analyses.checking.notary import shortest, untouched
from mutproof.analyses.claims.verdict import (
    Equivalent,
    Gap,
    Supposed,
    Undetermined,
    Verdict,
)
from mutproof.analyses.equivalence.candidates import Candidates
from mutproof.analyses.equivalence.induction import Lemmas, Search, Step
from mutproof.analyses.equivalence.limits import LOOKED_FOR, MOST_SHORTENED, ComparisonLimits
from mutproof.analyses.equivalence.product import GOAL, Product, unprimed
from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.model import slice as slicing
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import certify, completion, portfolio
from mutproof.solving.engine import Falsified, Task
from mutproof.solving.verdict import Certificate, Proved, Refuted
from mutproof.solving.workshop import Workshop

DEPTH = 4
"""How far induction goes before it is strengthened."""

FAR = 12
"""How many states of relational systems are searched before all engines are asked."""

Confirm = Callable[[Choices, str], "Gap | None"]
"""Replay choices, given how they were found, on both sides; None if they show no difference."""


def _nothing() -> None:
    """Return None: by default no long executions are tried."""


@dataclass(frozen=True)
class Comparison:
    """Ask whether the sides of a product can be told apart.

    `invariants` are terms over the model that may hold on both sides; they are candidates.
    `sighted` is an execution that shows a difference, if one is known.
    `supposed` is an equivalence whose certificate is still to be checked.
    `look_far` looks for a difference in long executions. `renamed`: variables of the two sides
    may correspond under other names. `executed` makes the execution to replay of one of the
    product, `lag` steps longer. It is known that the first `explored` states show no difference.
    """

    product: Product
    confirm: Confirm
    invariants: tuple[Term, ...] = ()
    sighted: Gap | None = None
    supposed: Supposed | None = None
    look_far: Callable[[], Gap | None] = _nothing
    renamed: bool = False
    executed: Callable[[Choices], Choices] = unprimed
    lag: int = 0
    explored: int = 0


def decide(question: Comparison, limits: ComparisonLimits) -> Verdict:
    """Return whether the sides can be told apart."""
    same = untouched(question.product.system, GOAL)
    if same is not None:
        return same
    seen = question.sighted
    if seen is not None and len(seen.choices.steps) - question.lag <= question.explored + 1:
        return shortest(seen)
    return _Decision(question, limits).run()


class _Decision:
    def __init__(self, question: Comparison, limits: ComparisonLimits) -> None:
        self._question = question
        self._limits = limits
        self._whole = question.product.system
        self._goal = question.product.goal
        # A replay of a relational system needs the values of all variables.
        relational = self._whole.relational
        self._system = self._whole if relational else slicing.cone(self._whole, (GOAL,))
        deadline = Deadline.after(limits.budget.timeout_s)
        self._workshop = Workshop()
        self._task = Task(
            self._system, {GOAL: self._goal}, limits.budget, deadline, workshop=self._workshop
        )
        self._search = Search(
            self._task, self._goal, limits.check_cancelled, depth=question.explored
        )
        self._step = Step(self._task, self._goal)
        self._candidates = Candidates(
            self._task, question.product, question.invariants, renamed=question.renamed
        )
        self._reason = ""

    def run(self) -> Verdict:
        question = self._question
        if question.supposed is not None:
            same = self._supposed(question.supposed)
            if same is not None:
                return same
        if question.sighted is not None:
            return self._shortest(question.sighted)
        for lemmas in self._candidates.strengthenings():
            for k in range(max(1, lemmas.k), DEPTH + 1):
                self._limits.check_cancelled()
                found = self._search.explore(k)
                if found is not None:
                    gap = self._confirmed(found, "bmc")
                    if gap is not None:
                        return gap
                    return self._at_last()
                if self._search.depth < k:
                    break
                if self._step.holds(k, lemmas.terms):
                    verdict = self._checked(lemmas, k)
                    if verdict is not None:
                        return verdict
        return self._at_last()

    def _supposed(self, supposed: Supposed) -> Equivalent | None:
        """Return an equivalence after its certificate was checked; None if that fails.

        Other parts of the product, and lemmas about them, are needed only if these restrict the
        part asked about, so the check is first tried without them.
        """
        given = supposed.certificate
        readable = replace(given, lemmas=tuple(self._candidates.readable(given.lemmas)))
        attempts = [(self._system, readable)]
        if readable != given or completion.restricts_more(self._whole, self._system):
            attempts.append((self._whole, given))
        for system, certificate in attempts:
            tried = replace(supposed, certificate=certificate)
            same = self._limits.notary.equivalent(system, tried, self._limits.budget)
            if same is not None:
                return same
        return None

    def _checked(self, lemmas: Lemmas, k: int) -> Verdict | None:
        """Return the equivalence that lemmas prove, re-checked; None if that fails."""
        certificate = self._reduced(Certificate(max(k, lemmas.k), lemmas.terms, (GOAL,)))
        if certificate is None:
            return None
        certificate = self._of_one_kind(certificate)
        supposed = Supposed("k-induction", certificate, self._candidates.needed(certificate.lemmas))
        return self._limits.notary.equivalent(self._system, supposed, self._limits.budget)

    def _reduced(self, certificate: Certificate) -> Certificate | None:
        """Return a certificate without unneeded lemmas, re-checked; None if that fails."""
        if certificate.lemmas:
            support = certify.support_of(
                self._system, certificate, self._limits.budget, workshop=self._workshop
            )
            if support is not None:
                certificate = replace(certificate, lemmas=support.lemmas)
        checked = self._check(certificate)
        if not checked.ok:
            self._reason = f"a proof could not be checked again: {checked.reason}"
            return None
        return certificate

    def _check(self, certificate: Certificate) -> certify.Checked:
        return self._limits.notary.check(
            self._system, certificate, self._limits.budget, workshop=self._workshop
        )

    def _of_one_kind(self, certificate: Certificate) -> Certificate:
        """Return a proof with lemmas of one kind only, if there is one; else the given one."""
        kinds = self._candidates.needed(certificate.lemmas)
        for kind in kinds if len(kinds) > 1 else ():
            lemmas = tuple(t for t in certificate.lemmas if self._candidates.kind(t) is kind)
            for k in range(certificate.k, max(certificate.k, 2) + 1):
                simpler = Certificate(k, lemmas, certificate.goals)
                if self._check(simpler).ok:
                    return simpler
        return certificate

    def _at_last(self) -> Verdict:
        """Return what long executions show, else what all engines together find out."""
        self._limits.check_cancelled()
        if self._whole.relational:
            found = self._search.explore(FAR)
            gap = None if found is None else self._confirmed(found, "bmc")
            if gap is not None:
                return gap
        seen = self._question.look_far()
        if seen is not None:
            return self._shortest(seen)
        options = portfolio.PortfolioOptions(
            advice=self._candidates.all,
            smooth=False,
            cores=False,
            spacer=self._limits.spacer,
            heed=self._limits.check_cancelled,
            check=self._limits.notary.check,
        )
        outcome = portfolio.prove(self._whole, self._limits.budget, options, goals=[GOAL])
        match outcome.verdicts[GOAL]:
            case Proved(certificate=certificate, engine=engine):
                supposed = Supposed(
                    engine, certificate, self._candidates.needed(certificate.lemmas)
                )
                same = self._limits.notary.equivalent(self._whole, supposed, self._limits.budget)
                return same or self._undetermined("the proof could not be checked again")
            case Refuted(choices=choices, engine=engine):
                confirmed = self._replayed(choices, engine)
                if confirmed is None:
                    return self._undetermined("the difference could not be replayed")
                return self._shortest(confirmed)
            case unknown:
                depth = max(unknown.depth, self._search.depth)
                if reason := self._reason or self._search.reason:
                    return Undetermined(reason, depth)
                return Undetermined(unknown.reason, depth, exhausted=unknown.exhausted)

    def _undetermined(self, reason: str) -> Undetermined:
        return Undetermined(reason, self._search.depth)

    def _confirmed(self, found: Choices, how: str) -> Gap | None:
        """Return the difference that a search found if the evaluator confirms it, else None."""
        step = len(found.steps) - 1
        whole: Choices | None = found
        if completion.restricts_more(self._whole, self._system):
            failure = Falsified((GOAL,), found, step)
            budget = self._limits.budget
            whole = completion.completed(Workshop(), self._whole, failure, budget)
        confirmed = None if whole is None else self._replayed(whole, how)
        if confirmed is None:
            return None
        length = len(confirmed.choices.steps) - self._question.lag
        return shortest(confirmed) if length <= self._search.depth + 1 else confirmed

    def _replayed(self, choices: Choices, how: str) -> Gap | None:
        return self._question.confirm(self._question.executed(choices), how)

    def _shorter(self, most: int) -> Choices | None:
        """Return a shortest execution of at most so many states, None if none is found."""
        shortening = self._limits.shortening
        if shortening.is_over:
            return None
        self._task.cost, self._task.budget = 0, shortening.share(self._limits.budget)
        found = self._search.explore(most)
        shortening.charge(self._task.cost)
        return found

    def _shortest(self, gap: Gap) -> Gap:
        """Return a shortest difference, or the given one if none shorter is found."""
        last = len(gap.choices.steps) - 1 - self._question.lag
        found = self._shorter(last if last <= MOST_SHORTENED else LOOKED_FOR)
        if found is not None:
            shorter = self._confirmed(found, "bmc")
            return gap if shorter is None else shorter
        return shortest(gap) if self._search.depth >= last else gap
