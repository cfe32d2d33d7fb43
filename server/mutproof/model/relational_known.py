"""States of a NuSMV program that its oracle has judged: executions of mutants share most of them.

Which rules of the program fail in a state, or between two, is found once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mutproof.model import relational_states, sorts
from mutproof.model.relational_rules import Rule, Rules, Values
from mutproof.model.relational_values import NOWHERE, RelationalCode, State
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Term

MOST_KEPT = 20_000
"""How many states, and how many pairs of them, are kept."""


class KnownStates:
    """Number states with a value for each of some scalars; caches only.

    `whole` gives the values of all that is defined in such a state; the `rules` are those of the
    program as it is.
    """

    def __init__(
        self,
        scalars: Sequence[tuple[str, Sort]],
        rules: Rules,
        whole: Callable[[Mapping[str, Value]], Values],
    ) -> None:
        self._scalars = scalars
        self._rules = rules
        self._whole = whole
        self._numbers: dict[tuple[Value, ...], int] = {}
        self.values: list[Values] = []
        self._declared: dict[int, bool] = {}
        self._terms: dict[Term, dict[int, Any]] = {}
        self._failing: dict[int, frozenset[int]] = {}
        self._failing_steps: dict[tuple[int, int], frozenset[int]] = {}

    @property
    def is_full(self) -> bool:
        """Tell whether so much is kept that it is time to begin anew."""
        return len(self.values) > MOST_KEPT or len(self._failing_steps) > MOST_KEPT

    def number(self, chosen: Mapping[str, Value]) -> int | None:
        """Return the number of a state; None if a value is missing.

        Values of one variable must be equal only if they are the same: not 1 and TRUE.
        """
        try:
            key = tuple([chosen[name] for name, _ in self._scalars])
        except KeyError:
            return None
        number = self._numbers.setdefault(key, len(self.values))
        if number == len(self.values):
            self.values.append(State(self._whole(chosen)))
        return number

    def along(self, term: Term, code: RelationalCode, numbers: Iterable[int]) -> list[Any]:
        """Return the values in some states of a term that reads no more than the state."""
        kept = self._terms.setdefault(term, {})
        values = self.values
        kept.update({n: code.value(values[n], NOWHERE) for n in numbers if n not in kept})
        return [kept[number] for number in numbers]

    def is_declared(self, number: int) -> bool:
        """Tell whether all values in a state are of their sorts."""
        if number not in self._declared:
            state = self.values[number]
            self._declared[number] = all(sorts.contains(s, state[n]) for n, s in self._scalars)
        return self._declared[number]

    def failing(self, number: int) -> frozenset[int]:
        """Return the identities of the rules of single states that fail in a state."""
        if number not in self._failing:
            here = self.values[number]
            rules = self._rules.always
            self._failing[number] = frozenset(
                id(rule) for rule in rules if not rule.holds(here, NOWHERE, here)
            )
        return self._failing[number]

    def failing_steps(self, number: int, other: int) -> frozenset[int]:
        """Return the identities of the rules of steps that fail between two states."""
        key = number, other
        if key not in self._failing_steps:
            now, after = relational_states.pair(
                self._rules, self.values[number], self.values[other]
            )
            rules: Sequence[Rule] = self._rules.steps
            self._failing_steps[key] = frozenset(
                id(rule) for rule in rules if not rule.holds(now, after, after)
            )
        return self._failing_steps[key]
