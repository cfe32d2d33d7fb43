"""States of a NuSMV program from choices: missing values are computed where possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from mutproof.base.giving_way import may_stop
from mutproof.base.record import dataclass
from mutproof.model import sorts
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.program import Component, VariableKind
from mutproof.model.relational_rules import Rule, Rules, Values, ordered
from mutproof.model.relational_values import NOWHERE, UNDEFINED, RelationalCode
from mutproof.model.sorts import SetSort, Sort, Value
from mutproof.model.trace import Choices
from mutproof.model.values import built, leaves_of

Assignment: TypeAlias = "RelationalCode | Sequence[Rule] | None"
"""How a value is computed: a DEFINE by its body, a variable by rules, an array of its parts."""


@dataclass(frozen=True, slots=True)
class Found:
    """Hold the values in each state, and the variables that were `computed` in some.

    `is_ordered`: nothing that was computed depends on itself.
    """

    values: list[Values]
    computed: frozenset[str] = frozenset()
    is_ordered: bool = True


def states(component: Component, rules: Rules, choices: Choices) -> Found:
    """Return the values in each state.

    A variable without a value in the choices has the one its assignment gives it (of a set,
    the default value or else the least), a frozen one keeps its value, others have the default
    value of their sort.
    """
    found = StateValues(component, rules, choices)
    return Found(found.all(), frozenset(found.computed), found.is_ordered)


def lone(component: Component, rules: Rules) -> Callable[[Mapping[str, Value]], Values]:
    """Return the function that gives all values in a state from those of its variables."""
    found = StateValues(component, rules, Choices(()))
    return lambda chosen: found.state(chosen, None)


def pair(rules: Rules, state: Values, other: Values) -> tuple[Values, Values]:
    """Return the values of a state that is followed by another, and of that other."""
    if rules.transitions:
        state = ChangedState(state) if isinstance(state, ChangedState) else dict(state)
        for name, code in rules.transitions.items():
            state[name] = code.value(state, other)
    return state, other


class StateValues:
    """Compute the values in states of one program; caches only."""

    def __init__(self, component: Component, rules: Rules, choices: Choices) -> None:
        self._rules = rules
        self._choices = choices
        stored = [v for v in component.variables if v.kind is not VariableKind.DEFINE]
        self._frozen = [v.name for v in component.of_kind(VariableKind.FROZEN)]
        self._sorts: dict[str, Sort] = {v.name: v.sort for v in (*stored, *rules.free)}
        self._leaves: dict[str, Sort] = {
            variable.name + path: leaf
            for variable in stored
            for path, leaf in sorts.leaves(variable.sort)
        }
        self._kept = {name for v in self._frozen for name in self._parts(v)}
        self._always = _by_target(rules.always)
        self._first = {**_by_target(rules.first), **self._always}
        self._later = {**_by_target(rules.steps), **rules.guarded, **self._always}
        self.computed: set[str] = set()
        self.is_ordered = True
        self._ahead: dict[str, list[str]] = {}  # by DEFINE: what it reads of the next state
        for name, code in rules.transitions.items():
            self._ahead[name] = self._reads_ahead(code)
        self._orders: dict[tuple[bool, tuple[str, ...]], list[str]] = {}

    def all(self) -> list[Values]:
        """Return the values in the states of the choices."""
        found: list[Values] = []
        for chosen in self._choices.steps:
            may_stop()
            found.append(self.state(chosen, found[-1] if found else None))
        return found

    def state(self, chosen: Mapping[str, Value], previous: Values | None) -> Values:
        """Return the values in a state that has some chosen ones and follows another."""
        # Transitions may read DEFINEs that are told later; what needs these comes later too.
        values: Values = dict.fromkeys((*self._rules.transitions, *self._rules.states), UNDEFINED)
        assigned = self._first if previous is None else self._later
        missing = self._missing(chosen, assigned)
        self.computed.update(missing)
        kept: Mapping[str, Value] = chosen
        if previous is not None and self._frozen:
            names = [n for v in self._frozen for n in self._parts(v) if n not in chosen]
            kept = {**chosen, **{name: previous[name] for name in names}}
        for name, sort in self._sorts.items():
            self._fill(values, name, sort, kept)
        order = self._order(previous is None, missing) if missing else []
        if order is None:
            self.is_ordered = False
            self._attempt(values, missing, assigned, previous)
            return values
        if not missing:
            self._complete(values, ())
            return values
        for name in order:
            if name in self._rules.states:
                values[name] = self._rules.states[name].value(values, NOWHERE)
            elif name in assigned:
                default = values[name]
                found = self._computed(name, assigned[name], values, previous, default=default)
                values[name] = default if found is UNDEFINED else found
            else:
                values[name] = self._whole(name, values)
        return values

    def order(self, chosen: Mapping[str, Value], *, first: bool) -> Sequence[str] | None:
        """Return an order in which values of a state follow from chosen ones, None if cyclic."""
        missing = self._missing(chosen, self._first if first else self._later)
        return self._order(first, missing) if missing else ()

    def reads(self, name: str) -> tuple[Sequence[str], Sequence[str]]:
        """Return what the value of a name in a later state needs of the one before, and of its own.

        The name has a place in the order of such states.
        """
        if name in self._rules.states:
            return (), [read for _, read, _ in self._rules.states[name].reads]
        own = self.needs(name, self._later[name], first=False)
        if name in self._always:
            return (), own
        return [
            read for one in self._later[name] for _, read, ahead in one.code.reads if not ahead
        ], own

    def later(self, name: str, values: Values, previous: Values) -> Any:
        """Return the value of such a name, from others of its state and the state before."""
        if name in self._rules.states:
            return self._rules.states[name].value(values, NOWHERE)
        default = sorts.default_value(self._leaves[name])
        found = self._computed(name, self._later[name], values, previous, default=default)
        return default if found is UNDEFINED else found

    def _missing(
        self, chosen: Mapping[str, Value], assigned: Mapping[str, list[Rule]]
    ) -> list[str]:
        return [name for name in assigned if name not in chosen and name in self._leaves]

    def again(
        self,
        before: Values,
        chosen: Mapping[str, Value],
        previous: Values | None,
        order: Sequence[tuple[str, Assignment]],
    ) -> Values:
        """Return the values in a state `before`, with those in `order` computed again by it.

        A name comes with its rules if it has any, a DEFINE with its body, an array with None.
        """
        values = ChangedState(before)
        for name, how in order:
            if isinstance(how, RelationalCode):
                values[name] = how.value(values, NOWHERE)
            elif how is None:
                values[name] = self._whole(name, values)
            elif name not in chosen:
                default = sorts.default_value(self._leaves[name])
                if previous is not None and name in self._kept:
                    default = previous[name]
                found: Any = default
                if how:
                    found = self._computed(name, how, values, previous, default=default)
                values[name] = default if found is UNDEFINED else found
        return values

    def needs(self, name: str, rules: Sequence[Rule], *, first: bool) -> list[str]:
        """Return what a variable that is computed by rules needs of its own state."""
        if not first and name not in self._always:
            # `next(x) := e` needs what e reads in the same state as x.
            return [read for rule in rules for read in self._reads_ahead(rule.code)]
        return [read for rule in rules for _, read, ahead in rule.code.reads if not ahead]

    def _attempt(
        self,
        values: Values,
        missing: Sequence[str],
        assigned: Mapping[str, list[Rule]],
        previous: Values | None,
    ) -> None:
        """Compute what is missing as soon as its value can be told, such as an element from others.

        What cannot be told, as it depends on itself, has its default value.
        """
        defaults = {name: values[name] for name in missing}
        values.update(dict.fromkeys(missing, UNDEFINED))
        arrays = [
            name
            for name, sort in self._sorts.items()
            if not sorts.is_scalar(sort)
            and not isinstance(sort, SetSort)
            and not defaults.keys().isdisjoint(self._parts(name))
        ]
        left: Sequence[str] = missing
        before = len(left) + 1
        while len(left) < before:
            before = len(left)
            self._complete(values, arrays)
            for name in left:
                default = defaults[name]
                values[name] = self._computed(
                    name, assigned[name], values, previous, default=default
                )
            left = [name for name in left if values[name] is UNDEFINED]
        values.update({name: defaults[name] for name in left})
        self._complete(values, arrays)

    def _complete(self, values: Values, arrays: Sequence[str]) -> None:
        """Give arrays and DEFINEs the values that follow from those of their parts."""
        for name in arrays:
            values[name] = self._whole(name, values)
        for name, code in self._rules.states.items():
            values[name] = code.value(values, NOWHERE)

    def _whole(self, name: str, values: Values) -> Any:
        return built(self._sorts[name], lambda path, _: values[name + path])

    def _fill(self, values: Values, name: str, sort: Sort, chosen: Mapping[str, Value]) -> None:
        if sorts.is_scalar(sort) or isinstance(sort, SetSort):
            values[name] = chosen[name] if name in chosen else sorts.default_value(sort)
            return

        def leaf(path: str, inner: Sort) -> Value:
            known = name + path in chosen
            return chosen[name + path] if known else sorts.default_value(inner)

        values[name] = built(sort, leaf)
        for path, value in leaves_of(sort, values[name]):
            values[name + path] = value

    def _parts(self, name: str) -> list[str]:
        return [name + path for path, _ in sorts.leaves(self._sorts[name])]

    def _order(self, first: bool, missing: list[str]) -> list[str] | None:
        """Return an order for missing variables, their arrays and DEFINEs; None if cyclic."""
        key = (first, tuple(missing))
        if key not in self._orders:
            assigned = self._first if first else self._later
            needs: dict[str, list[str]] = {
                name: [read for _, read, shifted in code.reads if not shifted]
                for name, code in self._rules.states.items()
            }
            for name in missing:
                needs[name] = self.needs(name, assigned[name], first=first)
            for name, sort in self._sorts.items():
                if not sorts.is_scalar(sort) and not isinstance(sort, SetSort):
                    parts = [part for part in self._parts(name) if part in needs]
                    if parts:
                        needs[name] = parts
            try:
                self._orders[key] = ordered(needs)
            except InstantaneousLoop:
                self._orders[key] = []
        return self._orders[key] or None

    def _reads_ahead(self, code: RelationalCode) -> list[str]:
        """Return what a term reads of the next state, itself or by DEFINEs."""
        found: list[str] = []
        for _, read, shifted in code.reads:
            found += [read] if shifted else self._ahead.get(read, ())
        return found

    def _computed(
        self,
        name: str,
        assignments: Sequence[Rule],
        values: Values,
        previous: Values | None,
        *,
        default: Value,
    ) -> Any:
        """Return the value that assignments give a variable, `UNDEFINED` if they give it none."""
        sort = self._leaves[name]
        now: Mapping[str, Any] = values
        after: Mapping[str, Any] = NOWHERE
        if previous is not None and name not in self._always:
            now, after = previous, values
            if any(read in self._ahead for rule in assignments for _, read, _ in rule.code.reads):
                now, after = pair(self._rules, previous, values)
        for rule in assignments:
            if rule.guard is not None and rule.guard.value(now, NOWHERE) is not True:
                continue
            value = rule.code.value(now, after)
            if isinstance(value, frozenset):
                value = default if default in value or not value else min(value, key=repr)
            return value if value is UNDEFINED or sorts.contains(sort, value) else default
        return default if previous is None else previous[name]


class ChangedState(dict[str, Any]):
    """Hold the values in a state that may differ from those in another, which has the rest."""

    def __init__(self, before: Values) -> None:
        super().__init__()
        self._before = before

    def __missing__(self, name: str) -> Any:
        return self._before[name]


def _by_target(found: list[Rule]) -> dict[str, list[Rule]]:
    return {rule.target: [rule] for rule in found if rule.target is not None}
