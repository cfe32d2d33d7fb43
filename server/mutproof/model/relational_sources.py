"""From which states of a NuSMV program other bodies for some elements may give other steps.

Values are looked up once for each combination of what a term reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from math import prod
from typing import Any

from mutproof.base.lazy import cached_property
from mutproof.model.relational_comparison import StepComparison
from mutproof.model.relational_demands import Demands, are_same, differ
from mutproof.model.relational_rules import Values
from mutproof.model.relational_values import NOWHERE, RelationalCode
from mutproof.model.sorts import Value

MOST_KEPT = 64
"""For how many choices of variables the combinations of their values are kept."""

STRIDE = 97
"""Which states are looked at first where some are enough."""


class OwnSteps:
    """Hold the steps of a program as it is, by number of state; caches only.

    `choices` are the values that variables may have after a state, by place.
    """

    def __init__(
        self,
        comparison: StepComparison,
        own: Demands,
        following: Mapping[int, Sequence[int]],
        *,
        values: Sequence[Values],
        choices: Mapping[int, Sequence[Sequence[Value]]],
    ) -> None:
        self._comparison = comparison
        self._own = own
        self._following = following
        self._values = values
        self._choices = choices
        self._sources = [state for state, after in following.items() for _ in after]
        self._targets = [other for after in following.values() for other in after]
        self._is_some = False
        self._columns: dict[tuple[str, bool, bool], Sequence[Any]] = {}
        self._kept: dict[object, dict[tuple[Any, ...], int]] = {}

    def changed(self, demands: Demands, *, some: bool = False) -> set[int] | None:
        """Return at least the states from which other demands give other steps; None if unknown.

        If `some` are enough, not all that have a term with another value.
        """
        self._is_some = some
        places = self._comparison.changed(demands)
        if places is None:
            return self._accepting_others(demands)
        found: set[int] = set()
        for place in places:
            one, other = self._own.setting.get(place), demands.setting.get(place)
            if one is None or other is None:
                return None
            found |= self._unlike(one.code, other.code)
        return found

    def _accepting_others(self, demands: Demands) -> set[int] | None:
        """Return the same where what is computed of a state, or of the next one, is another thing.

        States of which something else is computed are none any more, so all that lead to them
        change.
        """
        own = self._own
        if (
            own.rules.transitions
            or demands.rules.transitions
            or own.setting != demands.setting
            or own.computed.keys() != demands.computed.keys()
            or own.later.keys() != demands.later.keys()
        ):
            return None
        now = [
            one for place, one in demands.computed.items() if one[1] is not own.computed[place][1]
        ]
        later = [one for place, one in demands.later.items() if one[1] is not own.later[place][1]]
        told = {name for name, _ in now}, {name for name, _ in later}
        pairs = (own.rules.always, demands.rules.always), (own.asked, demands.asked)
        for names, (mine, others) in zip(told, pairs, strict=True):
            kept = [
                [rule for rule in rules if rule.target not in names] for rules in (mine, others)
            ]
            if differ(*kept) or len(mine) != len(others):
                return None
        for name, code in demands.redefined.items():
            if code is None:
                return None
            now.append((name, code))
        found = {*self._restricted}
        if now:
            lost = {state for name, code in now for state in self._otherwise(name, code)}
            found.update(
                source
                for source, target in zip(self._sources, self._targets, strict=True)
                if target in lost
            )
        for name, code in later:
            found |= self._computing(name, code)
        return found

    # --- rows -------------------------------------------------------------------------------

    def _unlike(self, one: RelationalCode, other: RelationalCode) -> set[int]:
        """Return the states in which terms have other values."""
        values = self._values

        def differ_in(state: int) -> bool:
            here = values[state]
            return not are_same(one.value(here, NOWHERE), other.value(here, NOWHERE))

        return {*self._where(differ_in, [*self._following], one, other)}

    def _otherwise(self, name: str, code: RelationalCode) -> Iterable[int]:
        """Return the states in which a term does not have the value of a variable or DEFINE."""
        values = self._values

        def differs(state: int) -> bool:
            return not are_same(code.value(values[state], NOWHERE), values[state][name])

        return self._where(differs, [*self._following], code, name=name)

    def _computing(self, name: str, code: RelationalCode) -> set[int]:
        """Return the states with a step to which a term gives not the next value of a variable."""
        values, sources, targets = self._values, self._sources, self._targets

        def differs(row: int) -> bool:
            here, after = values[sources[row]], values[targets[row]]
            return not are_same(code.value(here, after), after[name])

        rows = self._where(differs, range(len(sources)), code, name=name, ahead=True)
        return {sources[row] for row in rows}

    def _where(
        self,
        differs: Callable[[int], bool],
        rows: Sequence[int],
        *codes: RelationalCode,
        name: str | None = None,
        ahead: bool = False,
    ) -> Sequence[int]:
        """Return the rows, states or steps, that differ, which what codes and a name read tells."""
        reads = {(read, shifted) for code in codes for _, read, shifted in code.reads}
        if name is not None:
            reads.add((name, ahead))
        chosen = tuple(sorted(reads))
        if not chosen:
            return rows if differs(rows[0]) else ()
        if self._is_some and (found := [*islice(filter(differs, rows[::STRIDE]), 1)]):
            return found
        columns = [self._column(read, shifted=shifted, ahead=ahead) for read, shifted in chosen]
        key = chosen, ahead
        if key not in self._kept:
            if len(self._kept) > MOST_KEPT:
                self._kept.clear()
            self._kept[key] = dict(zip(zip(*columns, strict=True), rows, strict=True))
        known = self._kept[key].items()
        if self._is_some:
            return [*islice((row for _, row in known if differs(row)), 1)]
        wrong = {one for one, row in known if differs(row)}
        if not wrong:
            return ()
        keys = zip(*columns, strict=True)
        return [row for row, one in zip(rows, keys, strict=True) if one in wrong]

    def _column(self, name: str, *, shifted: bool, ahead: bool) -> Sequence[Any]:
        """Return the values of a name in all states, or in one of the two of all steps."""
        key = name, shifted, ahead
        if key not in self._columns:
            states: Iterable[int] = self._following
            if ahead:
                states = self._targets if shifted else self._sources
            self._columns[key] = [self._values[state][name] for state in states]
        return self._columns[key]

    @cached_property
    def _restricted(self) -> frozenset[int]:
        """Return the states of which some combinations of next values are not accepted."""
        return frozenset(
            state
            for state, after in self._following.items()
            if len(after) != prod(map(len, filter(None, self._choices[state])))
        )
