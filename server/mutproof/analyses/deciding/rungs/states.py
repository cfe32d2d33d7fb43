"""All reachable states of mutants, where the model has few.

Where the model has few states and inputs with few values, so have most of its mutants. All that
kills one is found at once, by shortest executions; what holds is proved by the reachable states,
as an invariant that is checked like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.bench.bench import BATCH, Bench
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import (
    Candidate,
    Cost,
    OfferedCertificates,
    OfferedExecution,
    Rung,
)
from mutproof.model import terms
from mutproof.model.exploration import ExplorationLimits, Explorer
from mutproof.solving.verdict import Certificate

GROWTH = 4
"""By what factor a mutant may have more states than the model."""

SMALLEST = ExplorationLimits(1 << 10, 16)
"""How many states a mutant may have however small the model is."""

MOST_FAILURES = 16
"""After how many mutants that were too large no more are tried, if they are the majority."""

MOST_CERTIFICATES = 256
"""How many certificates a bench is asked to check: it keeps the terms of all of them."""

HOW = "exploration"


class States:
    """Visit the reachable states of mutants; keep the compiled code and the results. Mutable."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._explorer: Explorer | None = None
        self._proofs: dict[str, Certificate] = {}
        self._limits = SMALLEST
        self._tried = self._given_up = 0
        self._checker: Checker | None = None
        self._checked = 0

    def visit(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield executions that kill claims, if the model is small; keep what proves the rest."""
        if self._context.relational or not self._fits({n for claim in claims for n in claim.open}):
            return
        for claim in claims:
            self._context.means.check_cancelled()
            if self._given_up <= MOST_FAILURES or 2 * self._given_up <= self._tried:
                yield from self._visit(claim)

    def _fits(self, goals: set[str]) -> bool:
        """Tell whether the cone of these properties is small, and set the limits for mutants."""
        self._explorer = Explorer(self._context.system)
        whole = self._explorer.explore(sorted(goals), ExplorationLimits())
        self._limits = ExplorationLimits(
            max(SMALLEST.rows, GROWTH * whole.rows), max(SMALLEST.steps, GROWTH * whole.depth)
        )
        return not whole.reason

    def _visit(self, claim: Claim) -> Iterator[Candidate]:
        assert self._explorer is not None
        variant, by_owner = claim.variant, self._context.system.by_owner
        removed = [c for owner in variant.removed for c in by_owner.get(owner, ())]
        goals = sorted(claim.open)
        found = self._explorer.explore(goals, self._limits, removed, variant.constraints)
        for name, choices in sorted(found.failing.items(), key=lambda one: len(one[1].steps)):
            if name in claim.open:
                yield OfferedExecution(claim, choices, HOW)
        doubtful = [len(c.steps) - 1 for name, c in found.failing.items() if name in claim.open]
        claim.depth = max(claim.depth, min([found.depth, *doubtful]))
        if found.invariant is not None:
            lemmas = () if found.invariant is terms.TRUE else (found.invariant,)
            self._proofs[variant.name] = Certificate(1, lemmas, found.holding)
        self._tried += 1
        self._given_up += bool(found.reason)
        claim.explored = not found.reason and not doubtful

    def has_proof(self, claim: Claim) -> bool:
        """Tell whether the states of a claim may prove what is open of it."""
        return claim.name in self._proofs

    def prove(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what proves the open properties of claims, those with the same proof together.

        Each is checked in new solvers: old ones assign values to all terms they were ever given.
        """
        alike: dict[Certificate, list[Claim]] = {}
        for claim in claims:
            alike.setdefault(self._proofs[claim.name], []).append(claim)
        turns = [claim for own in alike.values() for claim in own]
        for start in range(0, len(turns), BATCH):
            self._context.means.check_cancelled()
            proofs: dict[Certificate, list[Claim]] = {}
            for claim in turns[start : start + BATCH]:
                if claim.open:
                    proofs.setdefault(self._proofs[claim.name], []).append(claim)
            if proofs:
                asked = [claim for own in proofs.values() for claim in own]
                checker = self._next_checker(len(proofs))
                before = checker.calls
                yield OfferedCertificates(asked, [*proofs.items()], checker=checker)
                self._context.calls += checker.calls - before

    def _next_checker(self, certificates: int) -> Checker:
        """Return the checker, replaced by a new one after many certificates."""
        if self._checker is None or self._checked > MOST_CERTIFICATES:
            context = self._context
            bench = Bench(context.system, context.means.small, context.replayer.confirm)
            self._checker, self._checked = Checker(bench), 0
        self._checked += certificates
        return self._checker


VISITED = Rung("all states", Cost.VISIT, States, States.visit)

PROVED = Rung("proofs by all states", Cost.QUESTION, States, States.prove, States.has_proof)
