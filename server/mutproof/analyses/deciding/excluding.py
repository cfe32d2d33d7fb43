"""States from which conditions can come to fail, in diagrams: which mutants get there, and how.

They are found once for each property and order of diagrams. Where diagrams decide nothing too often
in a row, they are asked no more about that property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple, TypeAlias

from mutproof.analyses.bench.patience import Patience
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.scope import scope
from mutproof.analyses.claims.variant import applied, is_within
from mutproof.analyses.proving.temporal_answer import turned
from mutproof.base.budget import Deadline
from mutproof.model.system import ConstraintKind, TransitionSystem
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


class _Known(NamedTuple):
    """Hold what decides a property, and the states of that from which it can come to fail."""

    part: TransitionSystem
    states: Excluded


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
        self._known: dict[tuple[str, bool], _Known | None] = {}
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
            known = self._found(key) if patience.left else None
            if known is not None:
                manager = known.states.manager
                manager.deadline = Deadline.after_work(EACH_S)
                ask = partial(self._ask, known, variants[name], goal)
                with manager.in_fixed_order():
                    attempted(partial(_note, found, (name, goal), ask))
                patience.note(useful=(name, goal) in found)
        return found

    def _ask(self, known: _Known, variant: Variant, goal: str) -> Holding | Violated:
        part, states = known
        if is_within(part, variant.constraints):
            changed = _defined(part, variant)
            avoided = None if changed is None else states.are_avoided_with(*changed)
            if avoided is None:
                avoided = states.are_avoided(applied(part, variant))
            if avoided:
                return Holding()
        return states.verdict(scope(applied(self._system, variant), (goal,)))

    def _found(self, key: tuple[str, bool]) -> _Known | None:
        """Return the states from which a property of the system can come to fail, if found soon."""
        if key not in self._known:
            self._known[key] = None
            goal, is_turned = key
            part = scope(self._system, (goal,))
            part = turned(part) if is_turned else part
            deadline = Deadline.after_work(self._means.budget.timeout_s * MODEL_SHARE)

            def find() -> None:
                states = Excluded(deadline, part, self._conditions[goal])
                self._known[key] = _Known(part, states)

            attempted(find)
        return self._known[key]


def _defined(part: TransitionSystem, variant: Variant) -> tuple[str, Term] | None:
    """Return the definition that alone is another in a variant, with its body; None for others."""
    (one, *others), owners = variant.constraints or (None,), variant.removed
    if one is None or others or one.kind is not ConstraintKind.INVAR or one.defines is None:
        return None
    before = [c for owner in owners for c in part.by_owner.get(owner, ())]
    if [(c.kind, c.defines) for c in before] != [(one.kind, one.defines)]:
        return None
    return one.defines, one.term.args[1]


def _note(
    found: dict[Key, Holding | Violated], key: Key, ask: Callable[[], Holding | Violated]
) -> None:
    """Note an answer, unless a property holds as there is no execution."""
    verdict = ask()
    if isinstance(verdict, Violated) or verdict.vacuity is None:
        found[key] = verdict
