"""All reachable states of a small system, breadth first, with all inputs at once.

It decides properties of systems whose inputs and memories have few values: a property that fails
gets a shortest execution, and the states that were reached are an inductive invariant. Neither
is a verdict: executions are replayed, and invariants are checked by solvers.

Source: Holzmann, The SPIN Model Checker, Addison-Wesley 2003, for the search; Biham, A Fast New
DES Implementation in Software, FSE 1997, for one bit for each state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from math import prod
from typing import Any

from mutproof.base.record import dataclass
from mutproof.model import folding, reached, sorts, terms, walk
from mutproof.model.columns import ColumnCompiler, ColumnFunction, TooWide, values
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.simulate import CyclicDefinitions, ordered
from mutproof.model.sorts import Value
from mutproof.model.system import Constraint, ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

MOST_COMBINATIONS = 1024
"""The most combinations of inputs in one state."""

MOST_STATES = 1024
"""How many states are visited before an exploration is given up."""

TOGETHER = 1 << 14
"""How many rows, one for each state and combination of inputs, are computed together."""

State = tuple[Value, ...]

_TABLES = (ConstraintKind.INVAR, ConstraintKind.TRANS, ConstraintKind.INIT)


@dataclass(frozen=True, slots=True)
class ExplorationLimits:
    """Limit an exploration: rows in all, each a state and a combination of inputs, and steps."""

    rows: int = 1 << 11
    steps: int = 128


@dataclass(frozen=True, slots=True)
class ExploredStates:
    """Hold what an exploration found out.

    `failing` are executions at whose last steps properties are false; `holding` are the
    properties that are true in all reachable states, with `invariant`, a term that says which
    states these are. None of the others is false in the first `depth` states; where that is not
    all, `reason` says why it ended. `rows` counts pairs of a state and a combination of inputs.
    """

    failing: Mapping[str, Choices] = field(default_factory=dict)
    holding: tuple[str, ...] = ()
    invariant: Term | None = None
    depth: int = 0
    rows: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Rules:
    """Hold the definitions of a system by the variables they define, and its assertions."""

    definitions: dict[str, Term]
    updates: dict[str, Term]
    initial: dict[str, Term]
    checks: tuple[Constraint, ...]

    @property
    def tables(self) -> tuple[dict[str, Term], ...]:
        """Return what is defined, in the order of `_TABLES`."""
        return self.definitions, self.updates, self.initial


class Explorer:
    """Explore one system with some of its constraints replaced; keeps what it compiled."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.index = {name: position for position, name in enumerate(system.variables)}
        self.compiler = ColumnCompiler(self.index)
        self._goals = {
            stated.name: stated.term
            for stated in system.properties
            if stated.kind is PropertyKind.INVARIANT
        }
        self._whole: _Rules | None = None  # the rules of all constraints
        self._reads: dict[Term, tuple[str, ...]] = {}
        self._known: dict[tuple[Term, tuple[tuple[str, Value], ...]], Term] = {}

    def explore(
        self,
        goals: Iterable[str],
        limits: ExplorationLimits,
        removed: Iterable[Constraint] = (),
        added: Iterable[Constraint] = (),
    ) -> ExploredStates:
        """Decide properties of the system without some constraints and with others."""
        asked = {name: self._goals[name] for name in goals if name in self._goals}
        try:
            if self._whole is None:
                self._whole = _rules(self.system.constraints)
            changed = _changed(self._whole, set(removed), added)
            return _Search(self, changed, asked, limits).run()
        except TooWide as error:
            return ExploredStates(reason=str(error) or "a variable has too many values")
        except CyclicDefinitions as error:
            return ExploredStates(reason=f"`{error}` depends on itself within one step")

    def reads(self, term: Term) -> tuple[str, ...]:
        """Return the variables that a term reads, in order."""
        found = self._reads.get(term)
        if found is None:
            found = self._reads[term] = tuple(sorted(walk.variables(term)))
        return found

    def with_known(self, term: Term, known: Mapping[str, Value]) -> Term:
        """Return a term with the values of some variables put in."""
        relevant = tuple((name, known[name]) for name in self.reads(term) if name in known)
        if not relevant:
            return term
        key = (term, relevant)
        if key not in self._known:
            self._known[key] = folding.with_known(term, known)
        return self._known[key]


@dataclass(frozen=True, slots=True)
class _Changed:
    """Hold rules in which some variables have other terms, or None: no definition any more.

    `own` has these terms, in the order of `_TABLES`. Copying all rules for a mutant would take
    longer than exploring it.
    """

    rules: _Rules
    own: tuple[dict[str, Term | None], ...]
    checks: tuple[Constraint, ...]

    def meanings(self, name: str) -> list[Term | None]:
        """Return what the tables say of a variable, None where they say nothing."""
        tables = zip(self.own, self.rules.tables, strict=True)
        return [own[name] if name in own else table.get(name) for own, table in tables]


def _rules(constraints: Iterable[Constraint]) -> _Rules:
    changed = _changed(_Rules({}, {}, {}, ()), frozenset(), constraints)
    definitions, updates, initial = (_known(table.items()) for table in changed.own)
    return _Rules(definitions, updates, initial, changed.checks)


def _known(found: Iterable[tuple[str, Term | None]]) -> dict[str, Term]:
    return {name: term for name, term in found if term is not None}


def _changed(rules: _Rules, gone: AbstractSet[Constraint], added: Iterable[Constraint]) -> _Changed:
    """Return rules without the constraints `gone`, with those `added`."""
    by_kind: dict[ConstraintKind, dict[str, Term | None]] = {kind: {} for kind in _TABLES}
    checks = [check for check in rules.checks if check not in gone]
    for constraint in gone:
        if constraint.defines is not None:
            by_kind[constraint.kind][constraint.defines] = None
    for constraint in added:
        if constraint.defines is not None:
            by_kind[constraint.kind][constraint.defines] = constraint.term.args[1]
        elif constraint.kind is ConstraintKind.INVAR:
            checks.append(constraint)
        else:
            raise TooWide("states are related by more than definitions")
    return _Changed(rules, tuple(by_kind[kind] for kind in _TABLES), tuple(checks))


def _constants(defined: Mapping[str, Term]) -> dict[str, Value]:
    return {name: _value(term) for name, term in defined.items() if term.op is Op.CONST}


def _value(term: Term) -> Any:
    return term.payload


@dataclass(slots=True)
class _Level:
    """Hold the functions that compute one step for all rows.

    A row is a state with one of the `combinations` of values of the `chosen` variables. Functions
    take the columns of all variables; `definitions` have the index of the column they give.
    """

    chosen: dict[str, tuple[Value, ...]]
    combinations: int
    definitions: list[tuple[int, ColumnFunction]]
    checks: list[ColumnFunction]
    goals: dict[str, ColumnFunction]
    updates: list[ColumnFunction]

    def values(self, combination: int) -> dict[str, Value]:
        """Return what is chosen in a combination."""
        found: dict[str, Value] = {}
        for name, domain in self.chosen.items():
            combination, position = divmod(combination, len(domain))
            found[name] = domain[position]
        return found


class _Search:
    def __init__(
        self,
        explorer: Explorer,
        changed: _Changed,
        goals: Mapping[str, Term],
        limits: ExplorationLimits,
    ) -> None:
        self._explorer = explorer
        self._limits = limits
        self._rows = 0
        self._rules = self._cone(changed, goals.values())
        self._goals = dict(goals)
        self._first = _constants(self._rules.initial)
        self._later = _constants(self._rules.updates)
        self._memories = [name for name in self._rules.updates if name not in self._later]
        self._states: list[State] = []
        self._number: dict[State, int] = {}
        self._came: list[tuple[int, int]] = []  # previous state (-1: none), combination
        self._failing: dict[str, Choices] = {}

    # --- cone of influence ----------------------------------------------------------------

    def _cone(self, changed: _Changed, goals: Iterable[Term]) -> _Rules:
        """Return the rules in the cone of influence of the goals and the assertions."""
        roots = [*goals, *(check.term for check in changed.checks)]
        names = self._closure(
            roots, lambda name: [t for t in changed.meanings(name) if t is not None]
        )
        in_order = sorted(names, key=self._explorer.index.__getitem__)
        meanings = [(name, changed.meanings(name)) for name in in_order]
        definitions, updates, initial = (
            _known((name, found[table]) for name, found in meanings)
            for table in range(len(_TABLES))
        )
        return _Rules(definitions, updates, initial, changed.checks)

    def _closure(
        self, roots: Iterable[Term], meanings: Callable[[str], Iterable[Term]]
    ) -> set[str]:
        """Return the variables that terms read, directly or through the meanings of others."""
        reads = self._explorer.reads
        names: set[str] = set()
        stack = [name for term in roots for name in reads(term)]
        while stack:
            name = stack.pop()
            if name not in names:
                names.add(name)
                for term in meanings(name):
                    stack += [read for read in reads(term) if read not in names]
        return names

    # --- levels ---------------------------------------------------------------------------

    def _level(self, known: Mapping[str, Value], stored: Sequence[str] | None = None) -> _Level:
        """Return the level of later steps, with `stored` memories, or else of the first step."""
        explorer, rules = self._explorer, self._rules
        defined = (
            rules.definitions if stored is not None else {**rules.initial, **rules.definitions}
        )

        def put(term: Term) -> Term:
            return explorer.with_known(term, known)

        checks = [put(check.term) for check in rules.checks]
        goals = {name: put(term) for name, term in self._goals.items()}
        updates = [put(rules.updates[name]) for name in self._memories]
        needed = self._closure(
            [*checks, *goals.values(), *updates],
            lambda name: (put(defined[name]),) if name in defined else (),
        )
        definitions = {name: put(term) for name, term in defined.items() if name in needed}
        chosen: dict[str, tuple[Value, ...]] = {}
        for name in sorted(needed, key=explorer.index.__getitem__):
            if name not in definitions and name not in (stored or ()):
                sort = explorer.system.variables[name].sort
                domain = sorts.domain(sort)
                if domain is None:
                    raise TooWide(f"`{name}` has too many values")
                chosen[name] = domain
        combinations = prod(len(domain) for domain in chosen.values())
        if combinations > MOST_COMBINATIONS:
            raise TooWide("the inputs have too many values together")
        order = ordered(definitions, explorer.reads)
        compiled = explorer.compiler.compile_all(
            [*(definitions[name] for name in order), *checks, *goals.values(), *updates]
        )
        rest = iter(compiled)
        return _Level(
            chosen,
            combinations,
            [(explorer.index[name], next(rest)) for name in order],
            [next(rest) for _ in checks],
            {name: next(rest) for name in goals},
            list(rest),
        )

    # --- search ---------------------------------------------------------------------------

    def run(self) -> ExploredStates:
        self._first_level = self._level(self._first)
        self._later_level = later = self._level(self._later, self._memories)
        self._step(self._first_level, [()], [-1])
        depth = 1
        frontier = range(len(self._states))
        while frontier and self._goals.keys() - self._failing.keys():
            size = max(1, TOGETHER // later.combinations)
            if depth > self._limits.steps:
                return self._given_up(depth)
            for start in range(frontier.start, frontier.stop, size):
                numbers = range(start, min(start + size, frontier.stop))
                if self._rows + len(numbers) * later.combinations > self._limits.rows:
                    return self._given_up(depth)
                self._step(later, [self._states[number] for number in numbers], numbers)
                if len(self._states) > MOST_STATES:
                    return self._given_up(depth)
            depth += 1
            frontier = range(frontier.stop, len(self._states))
        holding = tuple(name for name in self._goals if name not in self._failing)
        invariant = self._invariant() if holding else None
        return ExploredStates(self._failing, holding, invariant, depth, self._rows)

    def _given_up(self, depth: int) -> ExploredStates:
        return ExploredStates(self._failing, depth=depth, rows=self._rows, reason="too many states")

    def _step(self, level: _Level, states: Sequence[State], numbers: Sequence[int]) -> None:
        """Compute one step from some states; note goals that fail and states that follow."""
        count = len(states) * level.combinations
        self._rows += count
        rows = (1 << count) - 1
        columns: list[Any] = [0] * len(self._explorer.index)
        if states[0]:
            self._put_stored(columns, states, level.combinations)
        self._put_chosen(columns, level, len(states))
        for index, function in level.definitions:
            columns[index] = function(columns, rows)
        alive = rows
        for check in level.checks:
            alive &= check(columns, rows)
        for name, goal in level.goals.items():
            if name not in self._failing:
                failing = alive & ~goal(columns, rows)
                if failing:
                    at, combination = _place(failing, level.combinations)
                    self._failing[name] = self._execution(numbers[at], combination)
        if len(self._failing) < len(self._goals):
            self._follow(level, [update(columns, rows) for update in level.updates], alive, numbers)

    def _put_stored(self, columns: list[Any], states: Sequence[State], combinations: int) -> None:
        blocks = {True: "1" * combinations, False: "0" * combinations}
        for name, stored in zip(self._memories, zip(*states, strict=True), strict=True):
            backwards = stored[::-1]  # the last state has the highest bits
            masks = {
                value: int("".join([blocks[one == value] for one in backwards]), 2)
                for value in dict.fromkeys(stored)
            }
            index = self._explorer.index[name]
            boolean = isinstance(stored[0], bool)
            columns[index] = masks.get(True, 0) if boolean else masks

    def _put_chosen(self, columns: list[Any], level: _Level, states: int) -> None:
        """Fill the columns of the chosen variables; the first one varies fastest."""
        repeat = ((1 << states * level.combinations) - 1) // ((1 << level.combinations) - 1)
        width = 1
        for name, domain in level.chosen.items():
            period = width * len(domain)
            ones = (1 << width) - 1
            again = ((1 << level.combinations) - 1) // ((1 << period) - 1) * repeat
            masks = {value: (ones << at * width) * again for at, value in enumerate(domain)}
            column: Any = masks
            if isinstance(domain[0], bool):
                column = masks[True]
            columns[self._explorer.index[name]] = column
            width = period

    def _follow(
        self, level: _Level, updates: Sequence[Any], alive: int, numbers: Sequence[int]
    ) -> None:
        """Note the new states after the rows in `alive`, in which the assertions hold."""
        parts: list[tuple[int, State]] = [(alive, ())] if alive else []
        for column in updates:
            parts = [
                (where, (*before, value))
                for mask, before in parts
                for value, own in values(column, mask).items()
                if (where := mask & own)
            ]
            if len(parts) > MOST_STATES:
                raise TooWide("too many states")
        for mask, state in parts:
            if state not in self._number:
                at, combination = _place(mask, level.combinations)
                self._number[state] = len(self._states)
                self._states.append(state)
                self._came.append((numbers[at], combination))

    def _execution(self, number: int, combination: int) -> Choices:
        """Return the choices that lead to a state, then take a combination."""
        path = [combination]
        while number >= 0:
            number, combination = self._came[number]
            path.append(combination)
        later = [self._later_level.values(combination) for combination in reversed(path[:-1])]
        first = self._first_level.values(path[-1])
        updates = self._rules.updates
        before = {name: value for name, value in first.items() if name in updates}
        chosen = {name: value for name, value in first.items() if name not in updates}
        return Choices((chosen, *later), before)

    def _invariant(self) -> Term | None:
        """Return an invariant of first states and of reached ones; None if any state may be first.

        Before the first step what nothing initialises is arbitrary within its bounds.
        """
        if not self._rules.updates:
            return terms.TRUE
        variables = self._explorer.system.variables
        starts = terms.conjunction(
            terms.eq(terms.var(name, variables[name].sort), term)
            for name, term in self._rules.initial.items()
        )
        if starts is terms.TRUE:
            return None
        free = {n: d for n, d in self._first_level.chosen.items() if n in self._rules.updates}
        bounds = [reached.bounded(variables[name], domain) for name, domain in free.items()]
        starts = terms.conjunction([starts, *bounds])
        goes_on = [reached.has_value(variables[name], (v,)) for name, v in self._later.items()]
        memories = [variables[name] for name in self._memories]
        later = terms.conjunction([*goes_on, reached.states(memories, self._states)])
        return terms.or_(starts, later)


def _place(rows: int, combinations: int) -> tuple[int, int]:
    """Return the position of the state and the combination of the lowest row in a set."""
    return divmod((rows & -rows).bit_length() - 1, combinations)
