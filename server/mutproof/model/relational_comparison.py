"""Where other bodies of a NuSMV program give the same next values as its own."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mutproof.model.relational_accepting import Accepting
from mutproof.model.relational_demands import Computed, Demands, are_same, differ
from mutproof.model.relational_rules import Values
from mutproof.model.sorts import Value


class StepComparison:
    """Compare what mutants demand of steps with what their program does; caches only.

    `own` are the demands of the program; `names` are its variables by place.
    """

    def __init__(self, own: Demands, names: Sequence[str]) -> None:
        self._own = own
        self._names = names

    def changed(self, demands: Demands) -> Sequence[int] | None:
        """Return the places of variables with other next values; None if more than these change."""
        own = self._own
        if (
            demands.redefined
            or differ(demands.asked, own.asked)
            or differ(demands.rules.always, own.rules.always)
        ):
            return None
        mine, others = own.setting, demands.setting
        return [
            place
            for place in sorted(mine.keys() | others.keys())
            if others.get(place) is not mine.get(place)
        ]

    def changed_later(self, demands: Demands, added: Accepting) -> Sequence[Computed]:
        """Return what is computed otherwise of next states; empty if other rules change too."""
        own, later = self._own, demands.later
        if (own.setting, own.computed, own.later.keys()) != (
            demands.setting,
            demands.computed,
            later.keys(),
        ):
            return []
        changed = [one for place, one in later.items() if one[1] is not own.later[place][1]]
        asked = {rule.target for rule in added.asked}
        return changed if not added.always and asked <= {name for name, _ in changed} else []

    def are_alike(
        self,
        changed: Sequence[Computed],
        choices: Sequence[Sequence[Value]],
        steps: Sequence[tuple[Values, Values]],
    ) -> bool:
        """Tell whether the same follows a state if something is computed otherwise.

        All its `steps` give that the same value, and none of what the `choices` combine to is left
        out: it might be accepted now.
        """
        return len(steps) == prod(map(len, filter(None, choices))) and all(
            are_same(code.value(here, after), after[name])
            for here, after in steps
            for name, code in changed
        )
