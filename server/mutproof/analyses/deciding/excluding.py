"""States from which conditions can come to fail, in diagrams: which mutants get there, and how.

They are found once for each property and order of diagrams. Variants that are the same function are
decided once. Where diagrams decide nothing too often in a row, they are asked no more about that
property.
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
from mutproof.model.program import ElementId
from mutproof.model.system import ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.check import attempted
from mutproof.solving.bdd.excluded import Excluded, Steps
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.verdict import Holding, Violated

MODEL_SHARE = 0.1
"""The share of the seconds of a question in which the states of one property must be found."""

Key: TypeAlias = "tuple[str, str]"
"""A mutant and a property."""


_Answer: TypeAlias = Holding | Violated | None

_Function: TypeAlias = tuple[str, Diagram] | tuple[frozenset[ElementId], Steps] | str
"""A definition with where it is true, elements with their steps, or the name of a variant."""


class _Known(NamedTuple):
    """Hold what decides a property, and the states of that from which it can come to fail.

    `alike` are answers to variants that are the same function, or in how many seconds there was
    none.
    """

    part: TransitionSystem
    states: Excluded
    alike: dict[_Function, Holding | Violated | float]


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
        self._patience: dict[tuple[str, bool, float], Patience] = {}

    def answers(
        self,
        asked: Iterable[Key],
        variants: Mapping[str, Variant],
        seconds: float,
        *,
        is_turned: bool = False,
    ) -> dict[Key, Holding | Violated]:
        """Return what diagrams, with another order if it `is_turned`, tell of variants.

        Those of one mutant and property may take so many seconds of work.
        """
        found: dict[Key, Holding | Violated] = {}
        for name, goal in asked:
            self._means.check_cancelled()
            key = goal, is_turned
            patience = self._patience.setdefault((*key, seconds), Patience())
            known = self._found(key) if patience.left else None
            if known is None:
                continue
            answers = list[_Answer]()
            ask = partial(self._ask, known, variants[name], goal, seconds)
            with known.states.manager.in_fixed_order():
                attempted(partial(_append, answers, ask))
            if answers == [None]:
                continue  # in vain before, which says nothing new of these diagrams
            for told in answers:
                if isinstance(told, Violated) or (told is not None and told.vacuity is None):
                    found[name, goal] = told
            patience.note(useful=(name, goal) in found)
        return found

    def _ask(self, known: _Known, variant: Variant, goal: str, seconds: float) -> _Answer:
        """Return what diagrams tell; None if they told nothing in time of the same function."""
        known.states.manager.deadline = Deadline.after_work(seconds)
        one, alike = _function(known, variant), known.alike
        told = alike.get(one, 0.0)
        if not isinstance(told, float):
            return told
        if told >= seconds:
            return None
        alike[one] = seconds
        alike[one] = told = self._decided(known, variant, goal, one)
        return told

    def _decided(
        self, known: _Known, variant: Variant, goal: str, one: _Function
    ) -> Holding | Violated:
        part, states, _ = known
        may_avoid, function = True, None
        match one:
            case str(name), value if not isinstance(value, tuple):
                if (failed := states.fails_with(name, value)) is not None:
                    return failed
                function = name, value
                if states.are_avoided_with(name, value) or states.always_holds_with(name, value):
                    return Holding()
                may_avoid = False
            case _ if is_within(part, variant.constraints):
                if states.are_avoided(applied(part, variant)):
                    return Holding()
        whole = scope(applied(self._system, variant), (goal,))
        return states.verdict(whole, may_avoid=may_avoid, function=function)

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
                self._known[key] = _Known(part, states, {})

            attempted(find)
        return self._known[key]


def _function(known: _Known, variant: Variant) -> _Function:
    """Return what is the same for variants that are the same function, else the variant's name."""
    part, states, _ = known
    if not is_within(part, variant.constraints):
        return variant.name
    defined = _defined(part, variant)
    if defined is not None:
        value = states.function(*defined)
        return variant.name if value is None else (defined[0], value)
    before = (c for owner in variant.removed for c in part.by_owner.get(owner, ()))
    if any(c.kind is ConstraintKind.INVAR for c in (*before, *variant.constraints)):
        return variant.name
    return variant.removed, states.steps(variant.constraints)


def _defined(part: TransitionSystem, variant: Variant) -> tuple[str, Term] | None:
    """Return the definition that alone is another in a variant, with its body; None for others."""
    (one, *others), owners = variant.constraints or (None,), variant.removed
    if one is None or others or one.kind is not ConstraintKind.INVAR or one.defines is None:
        return None
    before = [c for owner in owners for c in part.by_owner.get(owner, ())]
    if [(c.kind, c.defines) for c in before] != [(one.kind, one.defines)]:
        return None
    return one.defines, one.term.args[1]


def _append(answers: list[_Answer], ask: Callable[[], _Answer]) -> None:
    answers.append(ask())
