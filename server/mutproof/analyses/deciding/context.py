"""What the rungs of one run have in common: the model, its mutants, solvers, what is kept."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import NamedTuple

from mutproof.analyses.bench.bench import Bench
from mutproof.analyses.bench.executions import Executions, Witnesses
from mutproof.analyses.bench.paths import Paths
from mutproof.analyses.checking.baseline import Baseline, Inherited
from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import UNCERTIFIED
from mutproof.analyses.claims.records import LeftOpen, Records
from mutproof.analyses.deciding.assumptions import Assumptions
from mutproof.analyses.deciding.following import Following
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.deciding.replay import Replayer
from mutproof.analyses.proving import always_proved
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.solving.account import ACCOUNT
from mutproof.solving.verdict import Certificate


class Counts(NamedTuple):
    """Hold counters at the beginning of a run: questions to benches, and work that a clock ended.

    `spent` are the units that its bench had spent on executions, perhaps for earlier versions.
    """

    asked: int
    late: int
    spent: int = 0


@dataclass(frozen=True, slots=True)
class LearnedProof:
    """Hold of a proof of a mutant which elements that lacks, and which suffice, None: not known."""

    removed: frozenset[ElementId]
    owners: frozenset[ElementId] | None


class Context:
    """Hold what rungs share; mutable, used for one run.

    `baseline` are the proofs of the model that claims may inherit. `known` are the mutants that
    an earlier version of the file decided. `learned` are certificates that engines found, with
    the elements they were found for. `calls` counts questions that were not put to the benches
    of `means`. `open_claims` returns the claims with an open property; `found` is called with each
    claim that an execution refuted, so that the execution is tried on other claims.
    """

    def __init__(
        self, baseline: Baseline, mutants: Mutants, records: Records, means: Means
    ) -> None:
        self.baseline = baseline
        self.mutants = mutants
        self.records = records
        self.means = means
        self.replayer = Replayer(means.notary, baseline.meaning, mutants.bodies)
        kept = ((name, records.get(name)) for name in mutants.by_name)
        self.known = {name for name, record in kept if record and not record.is_begun}
        self.learned: dict[Certificate, LearnedProof] = {}
        self.calls = 0
        self.open_claims: Callable[[], list[Claim]] = list
        self.found: Callable[[Claim], None] = lambda _: None
        self._bench: Bench | None = None
        self.begun = Counts(means.benches.calls, ACCOUNT.late)

    @property
    def system(self) -> TransitionSystem:
        """Return the system of all mutants, once all of them have arrived."""
        return self.mutants.system

    @property
    def relational(self) -> bool:
        """Tell whether constraints relate states, so that executions may end."""
        return self.baseline.system.relational

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self.calls + self.means.benches.calls - self.begun.asked

    @cached_property
    def question(self) -> Digest:
        """Return a digest of everything on which an attempt to decide a mutant depends."""
        limits = repr(self.means.budget)
        return digest_parts(self.system.attributed, *sorted(self.baseline.proofs), limits)

    def bench(self) -> Bench:
        """Return the bench; a separate `checker` confirms its proofs."""
        if self._bench is None:
            budget, heed = self.means.small, self.means.check_cancelled
            about = self.system, budget, self.replayer.confirm
            self._bench = self.means.benches.get(*about, heed)
            self.begun = self.begun._replace(spent=self._bench.questions.spent)
        return self._bench

    def checker(self) -> Checker:
        """Return the checker, whose solvers do nothing but check proofs."""
        self.bench()
        return self.means.benches.checker

    @cached_property
    def content(self) -> Digest:
        """Return a digest of all that executions of mutants and what they violate depend on."""
        system, proofs = self.baseline.system, sorted(self.baseline.proofs)
        return digest_parts(system.attributed, *(system.property(n).digest for n in proofs))

    @cached_property
    def executions(self) -> Executions | None:
        """Return the runner of executions on mutants; None for relational models."""
        return None if self.relational else Executions(self.system)

    @cached_property
    def paths(self) -> Paths | None:
        """Return the paths that broke certificates; None for relational models."""
        return None if self.executions is None else Paths(self.executions)

    @cached_property
    def temporal(self) -> frozenset[str]:
        """Return the properties that are not invariants, or that only diagrams prove."""
        stated, proofs = self.baseline.system.properties, self.baseline.proofs
        by_diagrams = {name for name, held in proofs.items() if held.certificate is UNCERTIFIED}
        others = (p.name for p in stated if p.kind is not PropertyKind.INVARIANT)
        return frozenset(by_diagrams.union(others))

    @cached_property
    def assumptions(self) -> Assumptions:
        """Return the analysis of whether mutants contradict the assertions of the model."""
        records, base, context = self.records, self.baseline.system, weakref.proxy(self)

        def witnesses() -> Witnesses | None:
            if context.executions is None:
                return None
            return Witnesses(context.executions, records.witnesses, records.living)

        def checker() -> Checker:
            found: Checker = context.checker()
            return found

        return Assumptions(
            base, records.dead_ends, records.ends, checker, witnesses=witnesses, means=self.means
        )

    @cached_property
    def following(self) -> Following:
        """Return the analysis of whether executions of mutants go on."""
        return Following(self.baseline, self.assumptions, self.replayer, self.means)

    def may_block(self, claim: Claim) -> bool:
        """Tell whether a mutant may make executions end: it changes what a constraint reads."""
        may = self.assumptions.may_contradict(claim)
        return may and not (self.relational and self.following.restricting.lasts(claim))

    @property
    def inherited(self) -> Inherited:
        """Return which proofs of the model hold on mutants as they are."""
        return self.baseline.inherited


def left_open(context: Context, name: str, reason: str, depth: int) -> LeftOpen:
    """Return why a mutant is left open, by this run or by an earlier one of the same question."""
    record = context.records.get(name)
    if record and record.undecided and record.undecided.question == context.question:
        return record.undecided
    late = ACCOUNT.late > context.begun.late
    return LeftOpen(context.question, reason, depth, by_clock=late)


def open_in(context: Context, claim: Claim) -> list[str]:
    """Return the open properties of a claim in the order of the system."""
    return [p.name for p in context.system.properties if p.name in claim.open]


def suits_executions(context: Context, claim: Claim) -> bool:
    """Tell whether invariants are open of a mutant of which assignments say what follows states."""
    return not claim.open <= context.temporal and _lasts_anyhow(context, claim)


def suits_engines(context: Context, claim: Claim) -> bool:
    """Tell whether these alone are open: then engines come before diagrams."""
    return context.temporal.isdisjoint(claim.open) and _lasts_anyhow(context, claim)


def _lasts_anyhow(context: Context, claim: Claim) -> bool:
    """Tell whether all executions of a mutant of a large system go on, whatever it changes."""
    return always_proved.is_large(context.baseline.system) and not context.may_block(claim)
