"""A fast evaluator of transition systems: every constraint compiled to a Python function.

It serves to try many executions; what it finds is confirmed by `evaluate`. Only systems in
which every variable is an input, a STATE with a TRANS definition or has an INVAR definition
run forward (Lustre); others are checked state by state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mutproof.model import sorts, walk
from mutproof.model.compile import Compiled, Compiler, Functions, Row
from mutproof.model.sorts import BoolSort, EnumSort, IntSort, RealSort, Sort, Value
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Choices


@dataclass(frozen=True)
class Definition:
    """Hold one compiled definition: the variable's index, its term and its function."""

    index: int
    name: str
    term: Term
    function: Compiled


class CyclicDefinitions(Exception):  # noqa: N818 - a fact about the system
    """Say that INVAR definitions depend on each other within one state."""


def definition(constraint: Constraint) -> Term | None:
    """Return e of a constraint `v = e` or `next(v) = e` that defines v; None otherwise."""
    return constraint.term.args[1] if constraint.defines is not None else None


class Simulator:
    """Run a system forward; compiled once, immutable afterwards."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.names = tuple(system.variables)
        self.index = {name: position for position, name in enumerate(self.names)}
        self.compiler = Compiler(self.index)
        invars: dict[str, Term] = {}
        updates: dict[str, Term] = {}
        initial: dict[str, Term] = {}
        checks: list[Term] = []
        for constraint in system.constraints:
            value = definition(constraint)
            if value is None:
                checks.append(constraint.term)
            else:
                target = {
                    ConstraintKind.INVAR: invars,
                    ConstraintKind.TRANS: updates,
                    ConstraintKind.INIT: initial,
                }[constraint.kind]
                assert constraint.defines is not None
                target[constraint.defines] = value
        self.defined = invars
        self.order = ordered(invars)
        self.definitions = self._definitions([(name, invars[name]) for name in self.order])
        self.updates = self._definitions(list(updates.items()))
        self.initial = self._definitions(list(initial.items()))
        self.checks = self.compiler.compile_all(checks)
        self.properties = {
            stated.name: function
            for stated, function in zip(
                system.properties,
                self.compiler.compile_all(stated.term for stated in system.properties),
                strict=True,
            )
        }
        free = [
            variable
            for variable in system.variables.values()
            if variable.name not in invars and variable.name not in updates
        ]
        self.free = tuple(variable.name for variable in free)
        self.position = {name: number for number, name in enumerate(self.order)}
        self.check_terms = tuple(checks)
        self._defaults = [sorts.default_value(v.sort) for v in system.variables.values()]

    def _definitions(self, pairs: Sequence[tuple[str, Term]]) -> list[Definition]:
        functions = self.compiler.compile_all(term for _, term in pairs)
        return [
            Definition(self.index[name], name, term, function)
            for (name, term), function in zip(pairs, functions, strict=True)
        ]

    # --- running --------------------------------------------------------------------------

    def run(self, choices: Choices) -> list[Row]:
        """Return the rows of an execution; assertions are not looked at."""
        functions = choices.functions
        rows: list[Row] = []
        previous: Row | None = None
        for chosen in choices.steps:
            row = list(self._defaults)
            if previous is None:
                for name, value in choices.before.items():
                    if name in self.index:
                        row[self.index[name]] = value
                for item in self.initial:
                    row[item.index] = item.function(row, row, functions)
            else:
                for item in self.updates:
                    row[item.index] = item.function(previous, previous, functions)
            for name, value in chosen.items():
                position = self.index.get(name)
                if position is not None:
                    row[position] = value
            for item in self.definitions:
                row[item.index] = item.function(row, row, functions)
            rows.append(row)
            previous = row
        return rows

    def assumed(self, row: Row, functions: Functions) -> bool:
        """Tell whether all constraints that define nothing hold in a row."""
        return all(check(row, row, functions) for check in self.checks)

    def violations(self, rows: Sequence[Row], functions: Functions) -> dict[str, int]:
        """Return the first step at which each property is false, up to the first broken check."""
        found: dict[str, int] = {}
        for step, row in enumerate(rows):
            if not self.assumed(row, functions):
                break
            for name, function in self.properties.items():
                if name not in found and not function(row, row, functions):
                    found[name] = step
        return found

    def named(self, row: Row) -> dict[str, Value]:
        """Return a row as a mapping from names."""
        return dict(zip(self.names, row, strict=True))


def ordered(definitions: Mapping[str, Term]) -> list[str]:
    """Return the defined names so that each follows what it reads.

    Raises:
        CyclicDefinitions: there is no such order; the message names a variable of the cycle.
    """
    memo: dict[Term, frozenset[str]] = {}
    done: dict[str, bool] = {}
    result: list[str] = []
    for root in definitions:
        stack = [root]
        while stack:
            name = stack[-1]
            if name not in done:
                done[name] = False
                needs = [v for v in _reads(definitions[name], memo) if v in definitions]
                for need in needs:
                    if need not in done:
                        stack.append(need)
                    elif not done[need]:
                        raise CyclicDefinitions(need)
            else:
                stack.pop()
                if not done[name]:
                    done[name] = True
                    result.append(name)
    return result


def _reads(term: Term, memo: dict[Term, frozenset[str]]) -> list[str]:
    found = memo.get(term)
    if found is None:
        found = memo[term] = walk.variables(term)
    return sorted(found)


class Variation:
    """Run a system with some definitions replaced or removed, against rows of the original.

    `definitions` replaces or adds INVAR definitions by name; a name in `freed` has none: its
    values are taken from the choices where they give one, otherwise they differ from those of
    the original. `checks` replaces the assertions.

    Raises:
        CyclicDefinitions: the new definitions depend on each other within one state.
    """

    def __init__(
        self,
        simulator: Simulator,
        definitions: Mapping[str, Term],
        freed: frozenset[str] = frozenset(),
        checks: Sequence[Term] | None = None,
    ) -> None:
        self._simulator = simulator
        self.freed = tuple(sorted(freed))
        names, order = list(definitions), simulator.order
        if self._fits(definitions):
            replaced = {name: definitions[name] for name in names}
            functions = simulator.compiler.compile_all(replaced.values())
            self._new = {
                name: Definition(simulator.index[name], name, term, function)
                for (name, term), function in zip(replaced.items(), functions, strict=True)
            }
            self._run = [
                self._new.get(item.name, item)
                for item in simulator.definitions
                if item.name not in freed
            ]
        else:
            everything = {
                **{name: simulator.defined[name] for name in order if name not in freed},
                **definitions,
            }
            pairs = [(name, everything[name]) for name in ordered(everything)]
            functions = simulator.compiler.compile_all(term for _, term in pairs)
            self._run = [
                Definition(simulator.index[name], name, term, function)
                for (name, term), function in zip(pairs, functions, strict=True)
            ]
            self._new = {item.name: item for item in self._run if item.name in definitions}
        self._checks = (
            simulator.checks if checks is None else simulator.compiler.compile_all(checks)
        )
        self._same_checks = checks is None or tuple(checks) == simulator.check_terms

    def _fits(self, definitions: Mapping[str, Term]) -> bool:
        """Tell whether the old order serves: every new definition reads only what precedes it."""
        position = self._simulator.position
        for name, term in definitions.items():
            own = position.get(name)
            if own is None or any(position.get(v, -1) >= own for v in walk.variables(term)):
                return False
        return True

    def infected(self, rows: Sequence[Row], functions: Functions) -> int | None:
        """Return the first step of an original execution at which a definition differs."""
        if self.freed or not self._same_checks:
            return 0
        for step, row in enumerate(rows):
            for item in self._new.values():
                if item.function(row, row, functions) != row[item.index]:
                    return step
        return None

    def run(self, rows: Sequence[Row], choices: Choices, start: int = 0) -> list[Row]:
        """Return the rows of the variation from `start` on; before it they are the original's."""
        simulator, functions = self._simulator, choices.functions
        result = list(rows[:start])
        previous: Row | None = result[-1] if result else None
        for step in range(start, len(rows)):
            row = list(rows[step])
            if previous is not None:
                for item in simulator.updates:
                    row[item.index] = item.function(previous, previous, functions)
            chosen = choices.steps[step]
            for name in self.freed:
                position = simulator.index[name]
                sort = simulator.system.variables[name].sort
                row[position] = chosen[name] if name in chosen else _other(row[position], sort)
            for item in self._run:
                row[item.index] = item.function(row, row, functions)
            result.append(row)
            previous = row
        return result

    def violations(
        self, rows: Sequence[Row], functions: Functions, names: Iterable[str], start: int = 0
    ) -> dict[str, int]:
        """Return the first step at which each named property is false, while checks hold."""
        found: dict[str, int] = {}
        wanted = [(name, self._simulator.properties[name]) for name in names]
        for step, row in enumerate(rows):
            if not all(check(row, row, functions) for check in self._checks):
                break
            if step >= start:
                for name, function in wanted:
                    if name not in found and not function(row, row, functions):
                        found[name] = step
        return found

    def choices(self, rows: Sequence[Row], choices: Choices, steps: int) -> Choices:
        """Return choices of `steps` steps that say what the freed variables were."""
        index = self._simulator.index
        chosen = tuple(
            {**choices.steps[step], **{name: rows[step][index[name]] for name in self.freed}}
            for step in range(steps)
        )
        return Choices(chosen, choices.before, choices.functions)


def _other(value: Any, sort: Sort) -> Any:
    """Return a value of a sort other than the given one, if the sort has another."""
    match sort:
        case BoolSort():
            return not value
        case EnumSort(_, values) if value in values:
            return values[(values.index(value) + 1) % len(values)]
        case IntSort():
            candidates = (value + 1, value - 1, sort.low, sort.high)
            return next((v for v in candidates if v is not None and sorts.contains(sort, v)), value)
        case RealSort():
            return value + 1
        case _:
            return value
