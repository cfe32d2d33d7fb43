"""Decide the mutants of small systems by all their reachable states.

Where the model has few states and inputs with few values, so have most of its mutants. All that
kills one is found at once, by shortest executions; what holds is proved by the reachable states,
as an invariant that is checked like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mutproof.analyses.bench import Bench, Confirm
from mutproof.analyses.deciding.notary import Checker
from mutproof.analyses.variant import Case
from mutproof.base.budget import Budget
from mutproof.model import terms
from mutproof.model.exploration import Explorer, Limits
from mutproof.model.system import TransitionSystem
from mutproof.solving.verdict import Certificate

GROWTH = 4
"""How many times larger than the model a mutant may be."""

SMALLEST = Limits(1 << 10, 16)
"""How large a mutant may be however small the model is."""

MOST_FAILURES = 16
"""How many mutants may be too large before no more are tried, if they are the most."""

MOST_CERTIFICATES = 256
"""How many a bench is asked to check: it keeps the terms of all of them."""

HOW = "exploration"


class Exploration:
    """Explore the mutants of one system; keeps what it compiled and found. Mutable."""

    def __init__(self, system: TransitionSystem, confirm: Confirm) -> None:
        self._system = system
        self._explorer = Explorer(system)
        self._confirm = confirm
        self._proofs: dict[str, Certificate] = {}
        self._limits = SMALLEST
        self._tried = self._given_up = 0
        self._checker: Checker | None = None
        self._checked = 0
        self._calls = 0

    def fits(self, goals: Iterable[str]) -> bool:
        """Tell whether the system is small enough, as far as it decides these properties."""
        whole = self._explorer.explore(goals, Limits())
        self._limits = Limits(
            max(SMALLEST.rows, GROWTH * whole.rows), max(SMALLEST.steps, GROWTH * whole.depth)
        )
        return not whole.reason

    def decide(self, case: Case) -> bool:
        """Note which open properties fail on a case, and keep what proves the others.

        Return whether nothing but a check of these proofs is left to do.
        """
        if self._given_up > MOST_FAILURES and 2 * self._given_up > self._tried:
            return False
        variant = case.variant
        removed = [c for owner in variant.removed for c in self._system.by_owner.get(owner, ())]
        found = self._explorer.explore(case.open, self._limits, removed, variant.constraints)
        for name, choices in sorted(found.failing.items(), key=lambda one: len(one[1].steps)):
            if name in case.open:
                violated = self._confirm(variant, choices, HOW)
                if violated is not None:
                    case.refute(violated)
        doubtful = [len(c.steps) - 1 for name, c in found.failing.items() if name in case.open]
        case.depth = max(case.depth, min([found.depth, *doubtful]))
        if found.invariant is not None:
            lemmas = () if found.invariant is terms.TRUE else (found.invariant,)
            self._proofs[variant.name] = Certificate(1, lemmas, found.holding)
        self._tried += 1
        self._given_up += bool(found.reason)
        return not found.reason and not doubtful

    @property
    def calls(self) -> int:
        """Return the number of questions that were asked about proofs."""
        return self._calls + (0 if self._checker is None else self._checker.calls)

    def in_turn(self, cases: Iterable[Case]) -> list[Case]:
        """Return the cases of which there is a proof, those with the same proof together."""
        alike: dict[Certificate, list[Case]] = {}
        for case in cases:
            if case.variant.name in self._proofs:
                alike.setdefault(self._proofs[case.variant.name], []).append(case)
        return [case for own in alike.values() for case in own]

    def certify(self, cases: Sequence[Case], budget: Budget) -> None:
        """Check what proves the open properties of cases.

        That is done in a bench of its own: a solver gives values to all it was ever asked about.
        """
        proofs: dict[Certificate, list[Case]] = {}
        for case in cases:
            if case.open and case.variant.name in self._proofs:
                proofs.setdefault(self._proofs[case.variant.name], []).append(case)
        if not proofs:
            return
        if self._checker is None or self._checked > MOST_CERTIFICATES:
            self._calls, self._checked = self.calls, 0
            self._checker = Checker(Bench(self._system, budget, self._confirm))
        self._checked += len(proofs)
        asked = [case for own in proofs.values() for case in own]
        self._checker.establish(asked, [*proofs.items()])
