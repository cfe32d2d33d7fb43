"""Visit all states of products where there are few, with all inputs at once.

What is found is checked like any other proof, or replayed.
"""

from __future__ import annotations

from typing import Final

from mutproof.analyses.claims.verdict import Strengthening, Supposed
from mutproof.analyses.equivalence.product import GOAL, Product
from mutproof.model import terms
from mutproof.model.exploration import ExplorationLimits, Explorer
from mutproof.model.system import SystemVariable, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.verdict import Certificate

HOW: Final = "exploration"

MOST_FAILURES = 3
"""How many products may be too large before no more are tried, if they are the most."""

_Kind = tuple[tuple[SystemVariable, ...], Term]


class Pairs:
    """Explore products of one model; keep the compiled code for similar ones. Mutable."""

    def __init__(self) -> None:
        self._kind: _Kind | None = None
        self._explorer: Explorer | None = None
        self._tried = self._given_up = 0

    def visit(self, whole: Product) -> Supposed | Choices | None:
        """Return what proves that the sides are the same, or choices by which they are not.

        None where that is not found, as there are too many states or inputs.
        """
        if self._given_up > MOST_FAILURES and 2 * self._given_up > self._tried:
            return None
        system = whole.system
        explorer = self._of_its_kind(system, whole.goal)
        mine, its = frozenset(system.constraints), frozenset(explorer.system.constraints)
        found = explorer.explore(
            (GOAL,),
            ExplorationLimits(),
            [c for c in explorer.system.constraints if c not in mine],
            [c for c in system.constraints if c not in its],
        )
        self._tried += 1
        self._given_up += bool(found.reason)
        if GOAL in found.failing:
            return found.failing[GOAL]
        if found.invariant is None or GOAL not in found.holding:
            return None
        reached = () if found.invariant is terms.TRUE else (found.invariant,)
        needed = (Strengthening.INVARIANTS,) if reached else ()
        return Supposed(HOW, Certificate(1, reached, (GOAL,)), needed)

    def _of_its_kind(self, system: TransitionSystem, goal: Term) -> Explorer:
        """Return an explorer of products with these variables, the latest one if it fits."""
        kind = tuple(system.variables.values()), goal
        if self._explorer is None or self._kind != kind:
            self._kind, self._explorer = kind, Explorer(system)
        return self._explorer
