"""Tell whether mutants make the steps of their model from every state that it reaches.

Then they reach the same states, and have the same verdicts on properties of any logic. That the
model reaches no other states is proved as an invariant; that no step differs, the oracle says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mutproof.analyses.checking.notary import Notary
from mutproof.base.budget import Budget
from mutproof.base.lazy import cached_property
from mutproof.model import terms
from mutproof.model.interpretation import Bodies, Interpretation
from mutproof.model.sorts import Value
from mutproof.model.system import SystemVariableKind, TransitionSystem
from mutproof.solving.verdict import Certificate


class SameSteps:
    """Compare mutants with a model that is said to reach some `states` only; caches only."""

    def __init__(
        self,
        notary: Notary,
        meaning: Interpretation,
        system: TransitionSystem,
        states: Iterable[Mapping[str, Value]],
        *,
        budget: Budget,
    ) -> None:
        self._notary = notary
        self._meaning = meaning
        self._system = system
        self._states = tuple(states)
        self._budget = budget

    def of(self, bodies: Bodies) -> bool:
        """Tell whether it is certain that other bodies change no step from a reachable state."""
        return self._meaning.assigns_alike(bodies, self._states) and self._are_all

    @cached_property
    def _are_all(self) -> bool:
        """Tell whether a fresh solver confirms that no other states are reached."""
        variables = self._system.variables
        stored = [n for n, v in variables.items() if v.kind is SystemVariableKind.STATE]
        reached = terms.disjunction(
            terms.conjunction(
                terms.eq(
                    terms.var(name, variables[name].sort),
                    terms.const(state[name], variables[name].sort),
                )
                for name in stored
            )
            for state in self._states
        )
        certificate = Certificate(1, (reached,), ())
        return self._notary.check(self._system, certificate, self._budget).ok
