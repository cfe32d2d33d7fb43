"""All reachable states of a small system, breadth first, with all inputs at once.

It decides properties of systems whose inputs and memories have few values: a property that fails
gets a shortest execution, and the states that were reached are an inductive invariant. Neither
is a verdict: executions are replayed, and invariants are checked by solvers.

Source: Holzmann, The SPIN Model Checker, Addison-Wesley 2003, for the search; Biham, A Fast New
DES Implementation in Software, FSE 1997, for one bit for each state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import Any, TypeVar

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import reached, terms
from mutproof.model.columns import Column, TooWide, parted
from mutproof.model.exploration_plan import (
    ExplorationLevel,
    ExplorationPlan,
    ExplorationWords,
    Replaced,
    adapted,
    planned,
)
from mutproof.model.exploration_rules import ChangedRules, ExplorationRules, changed_rules, rules_of
from mutproof.model.program import PropertyKind
from mutproof.model.saturation import NumberEnds
from mutproof.model.simulate import CyclicDefinitions
from mutproof.model.sorts import Value
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

MOST_MODELS = 64
"""For how many sets of goals the exploration of the system itself is kept."""

TOGETHER = 1 << 14
"""How many rows, one for each state and combination of inputs, are computed together."""

State = tuple[Value, ...]

_ValueT = TypeVar("_ValueT")


@dataclass(frozen=True, slots=True)
class ExplorationLimits:
    """Limit an exploration: rows in all, each a state and a combination of inputs, and more.

    `states` are visited at most, in so many `steps`.
    """

    rows: int = 1 << 11
    steps: int = 128
    states: int = 1 << 10


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
class _Seen:
    """Hold what one step from some states computes: columns of variables and of what reads them.

    `parts` are the states that follow, with the rows that lead to them; None if none was needed.
    """

    states: Sequence[State]
    columns: list[Any]
    checks: Sequence[int]
    goals: Mapping[str, int]
    updates: Sequence[Column]
    parts: Sequence[tuple[int, State]] | None


@dataclass(frozen=True, slots=True)
class _ExploredModel:
    """Hold how the system itself is explored for some goals: each step, and the states found."""

    plan: ExplorationPlan
    steps: Sequence[_Seen]
    states: Sequence[State]
    invariant: Term | None


class Explorer:
    """Explore one system with some of its constraints replaced; keeps what it compiled.

    Numbers with `ends` count no further: states then stand for others, and may fail without cause.
    """

    def __init__(
        self, system: TransitionSystem, ends: Mapping[str, NumberEnds] | None = None
    ) -> None:
        self.system = system
        self._ends = ends or {}
        self._words = ExplorationWords(system)
        self._goals = {
            stated.name: stated.term
            for stated in system.properties
            if stated.kind is PropertyKind.INVARIANT
        }
        self._whole: ExplorationRules | None = None  # the rules of all constraints
        self._models: Memo[_ExploredModel | None] = Memo(MOST_MODELS)

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
                self._whole = rules_of(self.system.constraints)
            gone, new = set(removed), [*added]
            changed = changed_rules(self._whole, gone, new)
            known = self._model(asked, limits) if gone or new else None
            plan = None if known is None else adapted(self._words, known.plan, changed)
            if known is None or plan is None:
                return self._search(planned(self._words, changed, asked), limits).run()
            return self._search(plan, limits, known).run()
        except TooWide as error:
            return ExploredStates(reason=str(error) or "a variable has too many values")
        except CyclicDefinitions as error:
            return ExploredStates(reason=f"`{error}` depends on itself within one step")

    def _search(
        self, plan: ExplorationPlan, limits: ExplorationLimits, known: _ExploredModel | None = None
    ) -> _Search:
        return _Search(self._words, plan, limits, known, ends=self._ends)

    def _model(self, asked: Mapping[str, Term], limits: ExplorationLimits) -> _ExploredModel | None:
        """Return the exploration of the system itself for some goals; None if there is none."""
        whole = self._whole
        assert whole is not None

        def explored() -> _ExploredModel | None:
            try:
                rules = ChangedRules(whole, ({}, {}, {}), whole.checks)
                search = self._search(planned(self._words, rules, asked), limits)
                invariant = search.run().invariant
            except (TooWide, CyclicDefinitions):
                return None
            return _ExploredModel(search.plan, search.steps, search.states, invariant)

        return self._models.get(tuple(asked), explored)


class _Search:
    """Explore by a plan; `known` is the exploration of the system without changes."""

    def __init__(
        self,
        words: ExplorationWords,
        plan: ExplorationPlan,
        limits: ExplorationLimits,
        known: _ExploredModel | None = None,
        *,
        ends: Mapping[str, NumberEnds],
    ) -> None:
        self._ends = ends
        self._words = words
        self.plan = plan
        self._limits = limits
        self._known = known
        self._steps: Sequence[_Seen] = () if known is None else known.steps
        if plan.unread:
            self._steps = [_without(seen, plan.unread) for seen in self._steps]
        self._memories = _kept(plan.memories, plan.unread)
        self.steps: list[_Seen] = []
        self.states: list[State] = []
        self._rows = 0
        self._number: dict[State, int] = {}
        self._came: list[tuple[int, int]] = []  # previous state (-1: none), combination
        self._failing: dict[str, Choices] = {}

    # --- search ---------------------------------------------------------------------------

    def run(self) -> ExploredStates:
        """Visit states until all goals have failed, or none is new.

        Raises:
            TooWide: a term has too many values.
        """
        later, goals = self.plan.later, self.plan.goals
        self._step(self.plan.first, self.plan.in_first, [()], [-1])
        depth = 1
        frontier = range(len(self.states))
        while frontier and goals.keys() - self._failing.keys():
            size = max(1, TOGETHER // later.combinations)
            if depth > self._limits.steps:
                return self._given_up(depth)
            for start in range(frontier.start, frontier.stop, size):
                numbers = range(start, min(start + size, frontier.stop))
                if self._rows + len(numbers) * later.combinations > self._limits.rows:
                    return self._given_up(depth)
                states = [self.states[number] for number in numbers]
                self._step(later, self.plan.in_later, states, numbers)
                if len(self.states) > self._limits.states:
                    return self._given_up(depth)
            depth += 1
            frontier = range(frontier.stop, len(self.states))
        holding = tuple(name for name in goals if name not in self._failing)
        invariant = self._invariant() if holding else None
        return ExploredStates(self._failing, holding, invariant, depth, self._rows)

    def _given_up(self, depth: int) -> ExploredStates:
        return ExploredStates(self._failing, depth=depth, rows=self._rows, reason="too many states")

    def _step(
        self,
        level: ExplorationLevel,
        own: Replaced,
        states: Sequence[State],
        numbers: Sequence[int],
    ) -> None:
        """Compute one step from some states; note goals that fail and states that follow."""
        count = len(states) * level.combinations
        self._rows += count
        rows = (1 << count) - 1
        at = len(self.steps)
        if at < len(self._steps) and self._steps[at].states == states:
            seen = self._compared(level, own, self._steps[at], rows)
        else:
            seen = self._computed(level, own, states, rows)
        alive = rows
        for check in seen.checks:
            alive &= check
        for name, goal in seen.goals.items():
            failing = alive & ~goal
            if failing:
                number, combination = _place(failing, level.combinations)
                self._failing[name] = self._execution(numbers[number], combination)
        if len(self._failing) == len(self.plan.goals):
            return
        if seen.parts is None:
            parts = self._parts(seen.updates, alive)
            seen = replace(seen, parts=parts)
        self.steps.append(seen)
        for mask, state in seen.parts or ():
            if state not in self._number:
                number, combination = _place(mask, level.combinations)
                self._number[state] = len(self.states)
                self.states.append(state)
                self._came.append((numbers[number], combination))

    def _computed(
        self, level: ExplorationLevel, own: Replaced, states: Sequence[State], rows: int
    ) -> _Seen:
        """Compute all of a step."""
        columns: list[Any] = [0] * len(self._words.index)
        if states[0]:
            self._put_stored(columns, states, level.combinations)
        self._put_chosen(columns, level, len(states))
        for at, (index, function) in enumerate(level.definitions):
            columns[index] = own.definitions.get(at, function)(columns, rows)
        checks = [check(columns, rows) for check in level.checks]
        goals = {
            name: goal(columns, rows)
            for name, goal in level.goals.items()
            if name not in self._failing
        }
        updates = [
            own.updates.get(at, update)(columns, rows) for at, update in enumerate(level.updates)
        ]
        return _Seen(states, columns, checks, goals, updates, None)

    def _compared(self, level: ExplorationLevel, own: Replaced, known: _Seen, rows: int) -> _Seen:
        """Compute what of a step differs from one of the system itself, from the same states."""
        readers = level.readers
        columns = [*known.columns]
        differ: list[str] = []
        queue = [*own.definitions]
        heapify(queue)
        queued = set(queue)
        while queue:
            at = heappop(queue)
            index, function = level.definitions[at]
            if at in own.definitions or at not in level.conjunctions:
                found = own.definitions.get(at, function)(columns, rows)
            else:
                found = level.conjunctions[at].again(columns, rows, differ, known.columns)
            if not _is_equal(found, columns[index]):
                columns[index] = found
                name = level.order[at]
                differ.append(name)
                for reader in readers.definitions.get(name, ()):
                    if reader not in queued:
                        queued.add(reader)
                        heappush(queue, reader)
        checks = [*known.checks]
        for at in _reading(readers.checks, differ):
            checks[at] = level.checks[at](columns, rows)
        anew = _reading(readers.goals, differ)
        goals = {
            name: known.goals[name]
            if name in known.goals and at not in anew
            else goal(columns, rows)
            for at, (name, goal) in enumerate(level.goals.items())
            if name not in self._failing
        }
        updates, others = [*known.updates], _reading(readers.updates, differ).union(own.updates)
        for at in others:
            updates[at] = own.updates.get(at, level.updates[at])(columns, rows)
        is_same = checks == known.checks and all(
            _is_equal(updates[at], known.updates[at]) for at in others
        )
        return _Seen(
            known.states, columns, checks, goals, updates, known.parts if is_same else None
        )

    def _put_stored(self, columns: list[Any], states: Sequence[State], combinations: int) -> None:
        blocks = {True: "1" * combinations, False: "0" * combinations}
        for name, stored in zip(self._memories, zip(*states, strict=True), strict=True):
            backwards = stored[::-1]  # the last state has the highest bits
            masks = {
                value: int("".join([blocks[one == value] for one in backwards]), 2)
                for value in dict.fromkeys(stored)
            }
            index = self._words.index[name]
            boolean = isinstance(stored[0], bool)
            columns[index] = masks.get(True, 0) if boolean else masks

    def _put_chosen(self, columns: list[Any], level: ExplorationLevel, states: int) -> None:
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
            columns[self._words.index[name]] = column
            width = period

    def _parts(self, updates: Sequence[Any], alive: int) -> list[tuple[int, State]]:
        """Return the states after the rows in `alive`, in which the assertions hold."""
        named = zip(self._memories, _kept(updates, self.plan.unread), strict=True)
        ends = ((self._ends.get(name), column) for name, column in named)
        told = (column if end is None else end.rounded(column) for end, column in ends)
        return parted(told, alive, self._limits.states)

    def _execution(self, number: int, combination: int) -> Choices:
        """Return the choices that lead to a state, then take a combination."""
        path = [combination]
        while number >= 0:
            number, combination = self._came[number]
            path.append(combination)
        later = [self.plan.later.values(combination) for combination in reversed(path[:-1])]
        first = self.plan.first.values(path[-1])
        updates = self.plan.rules.updates
        before = {name: value for name, value in first.items() if name in updates}
        chosen = {name: value for name, value in first.items() if name not in updates}
        return Choices((chosen, *later), before)

    def _is_as_known(self, known: _ExploredModel) -> bool:
        """Tell whether the states are those of the system without changes, and some goal held."""
        is_equal = known.states == self.states and known.plan.initial == self.plan.initial
        return is_equal and known.invariant is not None

    def _invariant(self) -> Term | None:
        """Return an invariant of first states and of reached ones; None if any state may be first.

        Before the first step what nothing initialises is arbitrary within its bounds.
        """
        if self._known is not None and self._is_as_known(self._known):
            return self._known.invariant
        if not self.plan.rules.updates:
            return terms.TRUE
        variables = self._words.system.variables
        starts = terms.conjunction(
            terms.eq(terms.var(name, variables[name].sort), term)
            for name, term in self.plan.initial.items()
        )
        if starts is terms.TRUE:
            return None
        free = {n: d for n, d in self.plan.first.chosen.items() if n in self.plan.rules.updates}
        bounds = [reached.bounded(variables[name], domain) for name, domain in free.items()]
        starts = terms.conjunction([starts, *bounds])
        goes_on = [
            reached.has_value(variables[name], (v,)) for name, v in self.plan.later.known.items()
        ]
        memories = [variables[name] for name in self._memories]
        later = terms.conjunction([*goes_on, reached.states(memories, self.states, self._ends)])
        return terms.or_(starts, later)


def _is_equal(left: Column, right: Column) -> bool:
    """Tell whether columns are equal, in the order of their values too: states are found in it."""
    if isinstance(left, dict) and isinstance(right, dict):
        return [*left.items()] == [*right.items()]
    return left == right


def _kept(found: Sequence[_ValueT], unread: AbstractSet[int]) -> Sequence[_ValueT]:
    """Return what is at places that are read."""
    return [one for n, one in enumerate(found) if n not in unread] if unread else found


def _without(seen: _Seen, unread: AbstractSet[int]) -> _Seen:
    """Return a step from the same states without the memories at some places."""
    states = [tuple(_kept(state, unread)) for state in seen.states]
    return replace(seen, states=states, parts=None)


def _place(rows: int, combinations: int) -> tuple[int, int]:
    """Return the position of the state and the combination of the lowest row in a set."""
    return divmod((rows & -rows).bit_length() - 1, combinations)


def _reading(readers: Mapping[str, Sequence[int]], names: Iterable[str]) -> set[int]:
    """Return the positions of all that reads some variables."""
    return set(chain.from_iterable(readers.get(name, ()) for name in names))
