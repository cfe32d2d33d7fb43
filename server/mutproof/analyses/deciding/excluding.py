"""States from which conditions can come to fail, in diagrams: which mutants get there, and how.

They are found once for each property and order of diagrams. Where diagrams decide nothing too often
in a row, they are asked no more about that property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeAlias

from mutproof.analyses.bench.patience import Patience
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.scope import scope
from mutproof.analyses.claims.variant import applied, is_within
from mutproof.analyses.proving.temporal_answer import turned
from mutproof.base.budget import Deadline
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.check import attempted
from mutproof.solving.bdd.excluded import Excluded
from mutproof.solving.bdd.verdict import Holding, Violated

MODEL_SHARE = 0.1
"""The share of the seconds of a question in which the states of one property must be found."""

EACH_S = 0.1
"""Seconds of work that diagrams of one mutant may take."""

Key: TypeAlias = "tuple[str, str]"
"""A mutant and a property."""


class Excluding:
    """Tell which variants of one system get to where conditions fail; mutable, finds these once.

    `conditions` are those that always hold of the system, by properties.
    """

    def __init__(
        self, system: TransitionSystem, conditions: Mapping[str, Term], means: Means
    ) -> None:
        self._system = system
        self._conditions = conditions
        self._means = means
        self._known: dict[tuple[str, bool], Excluded | None] = {}
        self._patience: dict[tuple[str, bool], Patience] = {}

    def answers(
        self, asked: Iterable[Key], variants: Mapping[str, Variant], *, is_turned: bool = False
    ) -> dict[Key, Holding | Violated]:
        """Return what diagrams, with another order if it `is_turned`, tell of variants."""
        found: dict[Key, Holding | Violated] = {}
        for name, goal in asked:
            self._means.check_cancelled()
            key = goal, is_turned
            patience = self._patience.setdefault(key, Patience())
            states = self._states(key) if patience.left else None
            if states is not None:
                states.manager.deadline = Deadline.after_work(EACH_S)
                ask = partial(self._ask, states, self._part(key), variants[name], goal)
                with states.manager.in_fixed_order():
                    attempted(partial(_note, found, (name, goal), ask))
                patience.note(useful=(name, goal) in found)
        return found

    def _ask(
        self, states: Excluded, part: TransitionSystem, variant: Variant, goal: str
    ) -> Holding | Violated:
        if is_within(part, variant.constraints) and states.are_avoided(applied(part, variant)):
            return Holding()
        return states.verdict(scope(applied(self._system, variant), (goal,)))

    def _states(self, key: tuple[str, bool]) -> Excluded | None:
        """Return the states from which a property of the system can come to fail, if found soon."""
        if key not in self._known:
            self._known[key] = None
            deadline = Deadline.after_work(self._means.budget.timeout_s * MODEL_SHARE)
            always = self._conditions[key[0]]

            def find() -> None:
                self._known[key] = Excluded(deadline, self._part(key), always)

            attempted(find)
        return self._known[key]

    def _part(self, key: tuple[str, bool]) -> TransitionSystem:
        goal, is_turned = key
        part = scope(self._system, (goal,))
        return turned(part) if is_turned else part


def _note(
    found: dict[Key, Holding | Violated], key: Key, ask: Callable[[], Holding | Violated]
) -> None:
    """Note an answer, unless a property holds as there is no execution."""
    verdict = ask()
    if isinstance(verdict, Violated) or verdict.vacuity is None:
        found[key] = verdict
