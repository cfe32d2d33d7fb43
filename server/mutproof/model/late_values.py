"""Values of a variation many steps after it begins to differ, computed on demand.

In a row of memories a change moves on by one in each step: what a property reads at a late step is
computed from few values. All others are those of the original. What only repeats another value is
not computed, but taken from where that began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model.compile import Compiled, Functions, Row
from mutproof.model.operators import Op
from mutproof.model.simulate import Simulator
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.model.variation import Variation

MOST_FOR_STEP = 16
"""How many values may be computed for each step: it takes no longer to run all that differ."""


class TooMuch(Exception):  # noqa: N818 - control flow
    """Say that it takes no longer to run all that differs."""


class _Row(dict[int, Any]):
    """Hold values of a row that were computed; the others are those of the original."""

    def __init__(self, original: Row) -> None:
        super().__init__()
        self._original = original

    def __missing__(self, index: int) -> Any:
        return self._original[index]


class _Rows(dict[int, _Row]):
    """Hold rows as they are asked for, by step."""

    def __init__(self, original: Sequence[Row]) -> None:
        super().__init__()
        self._original = original

    def __missing__(self, step: int) -> _Row:
        found = self[step] = _Row(self._original[step])
        return found


class _Soonest(dict[int, int]):
    """Hold the first step at which each variable may differ, as they are asked for."""

    def __init__(
        self, names: Sequence[str], reached: Mapping[str, int], start: int, *, never: int
    ) -> None:
        super().__init__()
        self._names, self._reached, self._start, self._never = names, reached, start, never

    def __missing__(self, index: int) -> int:
        step = self._reached.get(self._names[index])
        found = self[index] = self._never if step is None else self._start + step
        return found


class LateValues:
    """Compute values of one variation in one execution, which differs from a step on; mutable.

    The variation keeps the order of definitions, and what it frees is among the choices.
    """

    def __init__(
        self, variation: Variation, rows: Sequence[Row], choices: Choices, start: int
    ) -> None:
        self._simulator = simulator = variation.simulator
        self._original, self._choices = rows, choices
        index = simulator.index
        self._soonest = _Soonest(simulator.names, variation.reached, start, never=len(rows))
        self._rows = _Rows(rows)
        self._freed = {index[name]: name for name in variation.freed}
        self._rules = _rules.get(id(simulator), lambda: (simulator, {}))[1]
        self._own = dict.fromkeys(self._freed, _OPEN)
        self._own.update((index[n], _mutated(variation, n)) for n in variation.definitions)
        self._left = MOST_FOR_STEP * len(rows)

    def first_failure(self, goal: str, until: int) -> int | None:
        """Return the first step, up to a last one, at which a property is false after it may be.

        Raises:
            TooMuch: it takes no longer to run all that differs.
        """
        simulator, soonest = self._simulator, self._soonest
        holds = simulator.properties[goal]
        read = [simulator.index[name] for name in simulator.stated[goal]]
        begun = min((soonest[one] for one in read), default=until + 1)
        for step in range(begun, until + 1):
            row: Any = self._rows[step]
            for one in read:
                if step >= soonest[one] and one not in row:
                    self._compute(one, step)
            if not holds(row, row, self._choices.functions):
                return step
        return None

    def _compute(self, wanted: int, at: int) -> None:
        """Compute a value of a step, with all that it is computed from."""
        rows, soonest = self._rows, self._soonest
        stack = [(wanted, at)]
        while stack:
            index, step = stack[-1]
            row, size = rows[step], len(stack)
            rule = self._own.get(index) or self._rules.get(index) or self._rule(index)
            if rule.repeats is not None:
                origin, begun = self._origin(index, step)
                if (origin, begun) != (index, step):
                    if begun >= soonest[origin] and origin not in rows[begun]:
                        stack.append((origin, begun))
                    else:
                        row[index] = rows[begun][origin]
                        stack.pop()
                    continue
            for one in rule.same:
                if step >= soonest[one] and one not in row:
                    stack.append((one, step))  # noqa: PERF401 - faster here
            if rule.before and step:
                last = step - 1
                before = rows[last]
                for one in rule.before:
                    if last >= soonest[one] and one not in before:
                        stack.append((one, last))  # noqa: PERF401 - faster here
            if len(stack) == size:
                stack.pop()
                if index not in row:
                    self._left -= 1
                    if self._left < 0:
                        raise TooMuch
                    row[index] = self._value(rule, index, step)

    def _origin(self, index: int, step: int) -> tuple[int, int]:
        """Return where a value comes from, through variables that only repeat others."""
        rows, soonest, at = self._rows, self._soonest, step
        while True:
            row = rows.get(step)
            if row is not None and index in row:
                break
            rule = self._own.get(index) or self._rules.get(index) or self._rule(index)
            if rule.repeats is None or (rule.is_update and not step):
                break
            condition, others = rule.repeats
            before = step - rule.is_update
            if condition is not None and before >= soonest[condition]:
                break
            source = others[condition is not None and not self._original[before][condition]]
            if source is None:
                break
            index, step = source, before
        self._left -= at - step
        if self._left < 0:
            raise TooMuch
        return index, step

    def _value(self, rule: _Rule, index: int, step: int) -> Any:
        """Return the value that a rule gives: what it reads was computed, or is as it was."""
        if index in self._freed:
            return self._choices.steps[step][self._freed[index]]
        if rule.function is None or (rule.is_update and not step):
            return self._original[step][index]
        row: Any = self._rows[step - 1 if rule.is_update else step]
        return rule.function(row, row, self._choices.functions)

    def _rule(self, index: int) -> _Rule:
        """Return how the system computes a variable; kept."""
        simulator = self._simulator
        name, places = simulator.names[index], simulator.index
        found = _OPEN
        if name in simulator.position:
            read = tuple([places[one] for one in simulator.reads[0][name]])
            defined = simulator.definitions[simulator.position[name]]
            found = _Rule(read, (), defined.function, repeats=_repeats(defined.term, places))
        elif name in simulator.update_position:
            read = tuple([places[one] for one in simulator.reads[1][name]])
            update = simulator.updates[simulator.update_position[name]]
            repeats = _repeats(update.term, places)
            found = _Rule((), read, update.function, is_update=True, repeats=repeats)
        self._rules[index] = found
        return found


@dataclass(frozen=True, slots=True)
class _Rule:
    """Say how a variable is computed, and from what: in the same state, and in the one before.

    Without a function, it is as in the original. It may be that which another variable has, or of
    two that which a variable decides: `repeats` has this one, and those it is where that is true
    and false.
    """

    same: tuple[int, ...] = ()
    before: tuple[int, ...] = ()
    function: Compiled | None = None
    is_update: bool = False
    repeats: tuple[int | None, Sequence[int | None]] | None = None


_OPEN = _Rule()

_rules: Memo[tuple[Simulator, dict[int, _Rule]]] = Memo(2)
"""The rules of simulators, by their identity."""


def _repeats(
    term: Term, places: Mapping[str, int]
) -> tuple[int | None, Sequence[int | None]] | None:
    """Return of which variables a term only repeats the value; None if it is computed."""

    def place(term: Term) -> int | None:
        return places[str(term.payload)] if term.op is Op.VAR else None

    if term.op is Op.VAR:
        return None, (place(term),)
    if term.op is not Op.ITE or place(term.args[0]) is None:
        return None
    condition, *others = map(place, term.args)
    return condition, others


def _mutated(variation: Variation, name: str) -> _Rule:
    """Return how a variation computes a variable that it defines."""
    simulator = variation.simulator
    parts, (_, patch) = simulator.parts_of(name), variation.mutated()[simulator.position[name]]

    def function(row: Row, after: Row, functions: Functions) -> Any:
        return patch(parts.function(row, after, functions), row, after, functions)

    read = dict.fromkeys((*simulator.reads[0][name], *sorted(variation.reads_of(name))))
    return _Rule(tuple([simulator.index[one] for one in read]), (), function)
