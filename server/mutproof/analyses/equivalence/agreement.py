"""Prove of many mutants at once, on the model alone, that what they change keeps its values.

Where all definitions that a mutant changes have the model's values in every reachable state of the
model, no execution tells them apart. One question about the model decides hundreds of mutants.

Source: van Eijk, Sequential equivalence checking without state space traversal, DATE 1998.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.observation import Interface, Scope
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence.onward import Onward
from mutproof.analyses.equivalence.product import asserted, depending_on_change
from mutproof.analyses.equivalence.report import withdrawn
from mutproof.analyses.equivalence.sides import ModelAndMutants
from mutproof.analyses.equivalence.survivor_questions import SurvivorQuestions
from mutproof.analyses.equivalence.unchanged import Unchanged, unchanged
from mutproof.base.budget import Budget
from mutproof.base.record import dataclass
from mutproof.model.terms import Term
from mutproof.model.trace import Choices


@dataclass(frozen=True, slots=True)
class Settled:
    """Hold verdicts on mutants, and executions of the model that their changes alter, by name."""

    verdicts: Mapping[str, Equivalence]
    altering: Mapping[str, Choices]


class Agreement:
    """Ask about mutants of a model whose equations run forward; mutable.

    The mutants must be causal: then their definitions have one solution in each state.
    """

    def __init__(
        self, baseline: Baseline, mutants: Mutants, means: Means, interface: Interface
    ) -> None:
        self._mutants = mutants
        self._sides = ModelAndMutants(
            baseline, mutants, means, scope=Scope.OUTPUTS, interface=interface
        )
        system = mutants.system
        known = SurvivorQuestions(system, baseline.proofs, self._sides.observation, means.budget)
        self._unchanged = Unchanged(system, known.invariants, means)
        self._asserted = asserted(system)
        self._means = means
        self.onward = Onward(mutants, self._sides, means)

    def settle(self, mutants: Sequence[str], budget: Budget) -> Settled:
        """Return which mutants are equivalent, and executions of others; `budget` is for all."""
        stated = {name: term for name in mutants if (term := self._statement(name)) is not None}
        holding, altering = self._unchanged.settle(stated, budget)
        verdicts: dict[str, Equivalence] = {}
        scope = self._sides.observation
        for name, holds in holding.items():
            self._means.check_cancelled()
            how, k = f"{holds.how} on the model", holds.certificate.k
            verdicts[name] = Equivalence(
                EquivalenceStatus.EQUIVALENT, scope.scope.value, how=how, k=k
            )
            contradicted = self._sides.contradiction(name)
            if contradicted is not None:
                verdicts[name] = withdrawn(contradicted, scope, 0.0)
        return Settled(verdicts, altering)

    def _statement(self, mutant: str) -> Term | None:
        """Return the statement that a mutant's definitions keep their values.

        None if that does not imply equivalence: assertions that depend on them may allow more.
        """
        system, changed = self._mutants.system, self._sides.changed(mutant)
        if self._asserted and not self._asserted.isdisjoint(depending_on_change(system, changed)):
            return None
        return unchanged(system, changed)
