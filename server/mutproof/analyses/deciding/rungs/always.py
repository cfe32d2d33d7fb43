"""Properties that say `always p`, asked about as invariants where no path needs to be fair.

A proof that p is true in all reachable states is one of the property, those of the model are tried
first; an execution that ends in a state where p is false is made an infinite path; where none is
found, it suffices if solvers show that it goes on. Only mutants of which executions are known to go
on are asked about: others may be no models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.scope import scope
from mutproof.analyses.claims.variant import applied, questions
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.excluding import Excluding
from mutproof.analyses.deciding.rung import (
    AnyRung,
    Candidate,
    Cost,
    OfferedEvidence,
    OfferedExecution,
    Rung,
)
from mutproof.base.budget import Budget
from mutproof.base.lazy import cached_property
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import continuation, implied, liveness, portfolio
from mutproof.solving.bdd import always
from mutproof.solving.bdd.verdict import Holding, Violated
from mutproof.solving.engines import backward, bmc
from mutproof.solving.liveness.shortest import lengthened
from mutproof.solving.liveness.verdict import Way
from mutproof.solving.portfolio import PortfolioOptions
from mutproof.solving.verdict import Proved, Refuted

HOW = "lasso"

PATIENCE = 4
"""How many mutants more may stay open than are decided before engines try no others."""

SEARCHES = 12
"""The same for short executions, which cost less."""

BLOCKING = 64
"""How many mutants in a row may have executions that end, for all that is known, until no other is
tried."""

SHORT = Budget(600_000, 2.0)
"""How much is spent on short executions of a mutant, and on making one an infinite path."""

LONGER = 16
"""How many states may follow the one that breaks a property until the path returns."""

SOON_S, LATER_S = 0.02, 0.1
"""Seconds of work that diagrams may take backwards, for each mutant and property: at first, so that
none waits for those that take long, and once all others were tried."""

AT_A_TIME = 8
"""How many mutants are decided before their verdicts are handed on."""

MORE_AT_A_TIME = 32
"""The same where that takes less."""


class Always:
    """Decide properties of mutants as invariants, until that fails too often; mutable."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lemmas: dict[Term, None] = {}
        self._failures: Counter[int] = Counter()  # by the patience with them
        self._blocking = 0  # in a row
        self._tried: set[tuple[str, str]] = set()  # mutants and properties proved of the model
        self._paths: dict[tuple[str, Term], Choices | None] = {}  # by mutant and invariant

    @cached_property
    def _names(self) -> frozenset[str]:
        """Return the properties that can be asked about as invariants."""
        system, temporal = self._context.system, self._context.temporal
        if not self._context.relational or system.fairness or system.compassion:
            return frozenset()
        stated = liveness.as_invariants(system).properties
        return frozenset(p.name for p in stated if p.kind is PropertyKind.INVARIANT) & temporal

    @cached_property
    def _can_tell(self) -> bool:
        """Tell whether solvers show soon of the model itself that its executions go on."""
        return continuation.goes_on(self._context.system, SHORT.rlimit)

    def applies(self, claim: Claim, patience: int) -> bool:
        """Tell whether all temporal properties that are open are such, and trying pays."""
        timed = claim.open & self._context.temporal
        may_pay = self._failures[patience] < patience and self._blocking < BLOCKING
        return may_pay and claim.variant.is_local and bool(timed) and timed <= self._names

    def search(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield infinite paths made of short executions."""
        options = self._context.means.asking(bmc.ENGINE.name, cores=False)
        return self._ask(claims, SHORT, options, SEARCHES)

    def prove(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what all engines find, advised by the lemmas of what they proved before."""
        means = self._context.means
        for claim in claims:
            options = means.asking(advice=tuple(self._lemmas), cores=False)
            yield from self._ask((claim,), means.small, options, PATIENCE)

    def _ask(
        self, claims: Sequence[Claim], budget: Budget, options: PortfolioOptions, patience: int
    ) -> Iterator[Candidate]:
        context = self._context
        for claim in claims:
            if not self.applies(claim, patience):
                return
            system = applied(context.system, claim.variant)
            if not self._goes_on(claim, system):
                self._blocking += 1
                continue
            self._blocking = 0
            stated = liveness.as_invariants(system)
            yield from self._as_in_model(claim, system, stated)
            if not (asked := claim.open & self._names):
                continue
            goals = [p.name for p in stated.properties if p.name in asked]
            context.calls += 1
            outcome = portfolio.prove(stated, budget, options, goals=goals)
            for name, verdict in outcome.verdicts.items():
                if isinstance(verdict, Proved):
                    yield from self._proof(claim, system, name, verdict, stated=stated)
                elif isinstance(verdict, Refuted):
                    yield from self._refuted(claim, system, stated.property(name), verdict)
            is_left = not claim.open.isdisjoint(asked)
            failures = self._failures[patience]
            self._failures[patience] = failures + 1 if is_left else max(0, failures - 1)

    def _as_in_model(
        self, claim: Claim, system: TransitionSystem, stated: TransitionSystem
    ) -> Iterator[Candidate]:
        """Yield what the proofs of the model prove of a mutant too; each is tried once."""
        proofs = self._context.baseline.proofs
        for name in sorted(claim.open & self._names):
            proof = proofs[name].proof if name in proofs else None
            if proof is None or proof.way is not Way.INVARIANT or (claim.name, name) in self._tried:
                continue
            self._tried.add((claim.name, name))
            certificate = liveness.within(stated, proof.certificate)
            proof = replace(proof, system=stated, certificate=certificate)
            holds = self._context.means.notary.linear(system, name, proof)
            if holds is not None:
                yield OfferedEvidence(claim, name, holds)

    def _proof(
        self,
        claim: Claim,
        system: TransitionSystem,
        name: str,
        verdict: Proved,
        *,
        stated: TransitionSystem,
    ) -> Iterator[Candidate]:
        found = liveness.always_proved(stated, name, verdict)
        holds = self._context.means.notary.linear(system, name, found)
        if holds is not None:
            self._lemmas |= dict.fromkeys(found.certificate.lemmas)
            yield OfferedEvidence(claim, name, holds)

    def _refuted(
        self, claim: Claim, system: TransitionSystem, invariant: SystemProperty, found: Refuted
    ) -> Iterator[Candidate]:
        """Yield an infinite path that leaves an invariant, or the execution if all go on.

        A path is searched once for equal invariants, unless assignments alone say what follows.
        """
        name, key = invariant.name, (claim.name, invariant.term)
        part = scope(system, (name,))
        if key not in self._paths and not system.goes_on:
            longest = found.step + LONGER
            self._paths[key] = lengthened(part, name, SHORT, step=found.step, longest=longest)
        choices = self._paths.get(key)
        if choices is not None:
            yield OfferedExecution(claim, choices, HOW, part=part, goal=name)
        elif system.goes_on or (self._can_tell and continuation.goes_on(part, SHORT.rlimit)):
            yield OfferedExecution(
                claim, found.choices, found.engine, part=part, goal=name, is_begun=True
            )

    def _goes_on(self, claim: Claim, system: TransitionSystem) -> bool:
        """Tell whether it is known that all executions of a mutant go on, and that it has some."""
        context, lasts = self._context, self._context.baseline.lasts
        if lasts and (not context.may_block(claim) or context.following.lasts(claim)):
            return True
        return context.following.stays(claim, system)


class Backwards(Always):
    """Decide such properties in diagrams, by the states from which they can come to fail."""

    @cached_property
    def _conditions(self) -> dict[str, Term]:
        """Return what holds of all states by an invariant of the model, by property."""
        baseline, found = self._context.baseline, dict[str, Term]()
        for name in sorted(self._names & baseline.proofs.keys()):
            proof = baseline.proofs[name].proof
            said = always.condition(baseline.system.property(name))
            if proof is not None and proof.way is Way.INVARIANT and said is not None:
                found[name] = said
        return found

    @cached_property
    def _freed(self) -> TransitionSystem:
        """Return the system without what its assignments imply, also in mutants that cannot end."""
        return implied.freed(self._context.system)

    @cached_property
    def _excluding(self) -> Excluding:
        return Excluding(self._freed, self._conditions, self._context.means)

    def may_exclude(self, claim: Claim) -> bool:
        """Tell whether such a property is open, and the mutant goes on where the model does."""
        if not claim.variant.is_local or self._conditions.keys().isdisjoint(claim.open):
            return False
        if not self._context.may_block(claim):
            return True
        return claim.examined and self._freed is self._context.system

    def asks(self) -> bool:
        """Tell whether there are such properties of the model."""
        return bool(self._conditions)

    def exclude(self, claims: Sequence[Claim], seconds: float) -> Iterator[Candidate]:
        """Yield what diagrams find backwards from where properties of the model fail.

        Those of one mutant and property take so many seconds of work at most.
        """
        asked = {claim.name: claim for claim in claims}
        variants = {claim.name: claim.variant for claim in claims}
        keys = [(c.name, goal) for c in claims for goal in self._conditions if goal in c.open]
        found = self._excluding.answers(keys, variants, seconds)
        of = questions(self._context.system, variants)
        holding = {key: one for key, one in found.items() if isinstance(one, Holding)}
        evidence = self._context.means.notary.twice(
            holding, lambda: self._excluding.answers(holding, variants, seconds, is_turned=True), of
        )
        for (name, goal), holds in evidence.items():
            if isinstance(holds, Holds):
                yield OfferedEvidence(asked[name], goal, holds)
        for (name, goal), failed in found.items():
            if isinstance(failed, Violated) and failed.trace is not None:
                yield from self._reached(asked[name], of((name, goal))[0], goal, failed)

    def _reached(
        self, claim: Claim, system: TransitionSystem, goal: str, failed: Violated
    ) -> Iterator[Candidate]:
        """Yield an execution of a mutant to where a condition fails, if known an infinite one."""
        lasso, shown = failed.evidence, failed.trace
        assert shown is not None
        if lasso is not None:
            choices = replace(lasso.choices, loop=lasso.loop)
            yield OfferedExecution(claim, choices, HOW, part=scope(system, (goal,)), goal=goal)
        if goal in claim.open:
            stated = SystemProperty(goal, self._conditions[goal], PropertyKind.INVARIANT)
            last, how = shown.length - 1, backward.ENGINE.name
            yield from self._refuted(claim, system, stated, Refuted(shown.choices, last, how))


EXCLUDED: AnyRung = Rung(
    "failures of what always holds, backwards",
    Cost.VISIT,
    Backwards,
    lambda state, claims: state.exclude(claims, SOON_S),
    Backwards.may_exclude,
    at_once=MORE_AT_A_TIME,
    goes_ahead=Backwards.asks,
)

EXCLUDED_LATER: AnyRung = Rung(
    "failures of what always holds, farther backwards",
    Cost.VISIT,
    Backwards,
    lambda state, claims: state.exclude(claims, LATER_S),
    Backwards.may_exclude,
    at_once=MORE_AT_A_TIME,
)

SEARCHED: AnyRung = Rung(
    "short executions of what always holds",
    Cost.QUESTION,
    Always,
    Always.search,
    lambda state, claim: state.applies(claim, SEARCHES),
    at_once=AT_A_TIME,
)

PROVED: AnyRung = Rung(
    "invariants of what always holds",
    Cost.QUESTION,
    Always,
    Always.prove,
    lambda state, claim: state.applies(claim, PATIENCE),
    at_once=AT_A_TIME,
)
