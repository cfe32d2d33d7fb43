"""Decide systems that hardly differ from one with few states, by their graphs.

Each state is visited once for all systems: another system has the same moves from it unless what
it changes allows something else there. Where executions may end, or need not be fair, nothing is
decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from mutproof.base.budget import Deadline
from mutproof.model import walk
from mutproof.model.program import PropertyKind
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated
from mutproof.solving.graphs.labels import Graph, Labels, branching
from mutproof.solving.graphs.moves import Allowed, Mover, State
from mutproof.solving.graphs.plan import NotFew

MOST_STATES = 4_000
"""How many states a system may have to be few."""

GROWTH = 4
"""By what factor an alternative may have more states than the system."""

SMALLEST = 1_000
"""How many states an alternative may have however few the system has."""

MOST_KEPT = 100_000
"""How many states of all alternatives are kept."""

_Moves: TypeAlias = Mapping[int, tuple[Any, ...]]
"""The states that follow one, by number, each with values of the inputs."""


class Neighbourhood:
    """Hold the states of a system and those of its alternatives; caches only.

    Raises:
        NotFew: the system has too many states, or executions that end, or need not be fair.
    """

    def __init__(self, system: TransitionSystem, deadline: Deadline) -> None:
        if system.fairness or system.compassion:
            raise NotFew
        self._system = system
        self._mover = Mover(system.variables)
        self._numbers: dict[State, int] = {}
        self._states: list[State] = []
        self._moves: dict[int, _Moves] = {}
        self._truth: dict[Term, dict[int, bool]] = {}
        self._allowing: dict[Constraint, tuple[Allowed | None, dict[int, Any]]] = {}
        self._formulas: dict[SystemProperty, Term | None] = {}
        self._follow = self._mover.following(system.constraints)
        self._initial = [*self._numbered(dict.fromkeys(self._mover.initial(system.constraints)))]
        self._most = MOST_STATES
        self._reached = self._graph(self._initial, self._own, deadline)
        self._most = max(SMALLEST, GROWTH * len(self._reached))
        self._labels: Labels | None = None

    @property
    def is_full(self) -> bool:
        """Tell whether so many states are kept that it is time to begin anew."""
        return len(self._states) > MOST_KEPT

    def verdicts(
        self, other: Alternative, stated: Sequence[SystemProperty], deadline: Deadline
    ) -> dict[str, BddVerdict]:
        """Return the verdicts on an alternative, on those properties that states decide.

        What fails does so on a path.

        Raises:
            NotFew: it has too many states or choices, or executions that end.
        """
        if other.variables:
            raise NotFew
        changed = other.applied(self._system)
        lost = [c for owner in other.removed for c in self._system.by_owner.get(owner, ())]
        initial = self._initial
        if any(c.kind is not ConstraintKind.TRANS for c in (*lost, *other.constraints)):
            initial = [*self._numbered(dict.fromkeys(self._mover.initial(changed.constraints)))]
        moves = self._moves_of(changed, lost, other.constraints)
        graph = self._graph(initial, moves, deadline)
        same = graph == self._reached and {*initial} == {*self._initial}
        if same and self._labels is None:
            self._labels = Labels(graph, self._holds)
        labels = self._labels if same and self._labels is not None else Labels(graph, self._holds)
        found: dict[str, BddVerdict] = {}
        for one in stated:
            formula = self._formula(one)
            if formula is None:
                continue
            satisfying = labels.satisfying(formula)
            failing = [state for state in initial if state not in satisfying]
            if not failing:
                found[one.name] = Holding()
                continue
            shown = labels.refuted(formula, failing)
            if shown is None:
                continue  # diagrams have something to show of it
            if one.kind is not PropertyKind.INVARIANT and shown[1] is None:
                shown = labels.prolonged(shown[0])
            path = self._trace(changed, moves, *shown)
            found[one.name] = Violated(path, evidence=path)
        return found

    def _formula(self, stated: SystemProperty) -> Term | None:
        """Return what a property says of states; None if states do not decide it."""
        if stated not in self._formulas:
            formula = branching(stated)
            names = frozenset() if formula is None else walk.variables(formula)
            inputs = {self._mover.names[place] for place in self._mover.inputs}
            self._formulas[stated] = formula if names.isdisjoint(inputs) else None
        return self._formulas[stated]

    def _holds(self, term: Term, states: Iterable[int]) -> set[int]:
        """Return those of some states in which a term without time holds."""
        known = self._truth.setdefault(term, {})
        fresh = [number for number in states if number not in known]
        if fresh:
            (function,) = self._mover.functions([term])
            known.update((n, bool(function(self._states[n], (), {}))) for n in fresh)
        return {number for number in states if known[number]}

    # --- graphs -----------------------------------------------------------------------------

    def _numbered(self, found: Mapping[State, Any]) -> _Moves:
        """Return states by their numbers."""
        numbers, states = self._numbers, self._states
        result: dict[int, Any] = {}
        for state, inputs in found.items():
            number = numbers.setdefault(state, len(states))
            if number == len(states):
                states.append(state)
            result[number] = inputs
        return result

    def _own(self, number: int) -> _Moves:
        """Return the moves of the system itself."""
        if number not in self._moves:
            self._moves[number] = self._numbered(self._follow(self._states[number]))
        return self._moves[number]

    def _graph(
        self, initial: Sequence[int], moves: Callable[[int], _Moves], deadline: Deadline
    ) -> Graph:
        """Return the states that are reached, with those that follow each."""
        graph: dict[int, tuple[int, ...]] = {}
        stack = [*initial]
        while stack:
            number = stack.pop()
            if number in graph:
                continue
            after = graph[number] = tuple(moves(number))
            if not after or len(graph) > self._most:
                raise NotFew
            if not len(graph) % 64 and deadline.passed():
                raise NotFew
            stack.extend(after)
        if not graph:
            raise NotFew
        return graph

    def _moves_of(
        self,
        changed: TransitionSystem,
        lost: Iterable[Constraint],
        added: Iterable[Constraint],
    ) -> Callable[[int], _Moves]:
        """Return the moves of an alternative, those of the system where these are the same."""
        before = [c for c in lost if c.kind is not ConstraintKind.INIT]
        after = [c for c in added if c.kind is not ConstraintKind.INIT]
        if not before and not after:
            return self._own
        follow = self._mover.following(changed.constraints)
        known: dict[int, _Moves] = {}
        old = {one[0]: c for c in before if (one := self._allowed(c)) is not None}
        new = {one[0]: one for c in after if (one := self._mover.allowed(c)) is not None}
        comparable = len(old) == len(before) and len(new) == len(after) and old.keys() == new.keys()
        pairs = [(old[place], new[place][1]) for place in old] if comparable else []

        def moves(number: int) -> _Moves:
            if number in known:
                return known[number]
            state = self._states[number]
            if comparable and all(self._value(c, number) == one(state) for c, one in pairs):
                found = self._own(number)
            else:
                found = self._numbered(follow(state))
            known[number] = found
            return found

        return moves

    def _allowed(self, constraint: Constraint) -> Allowed | None:
        if constraint not in self._allowing:
            self._allowing[constraint] = self._mover.allowed(constraint), {}
        return self._allowing[constraint][0]

    def _value(self, constraint: Constraint, number: int) -> tuple[Any, ...]:
        """Return what a constraint of the system allows after a state."""
        allowed, known = self._allowing[constraint]
        if number not in known:
            assert allowed is not None
            known[number] = allowed[1](self._states[number])
        values: tuple[Any, ...] = known[number]
        return values

    # --- executions -------------------------------------------------------------------------

    def _trace(
        self,
        system: TransitionSystem,
        moves: Callable[[int], _Moves],
        path: Sequence[int],
        loop: int | None,
    ) -> Trace:
        equations = {
            c.defines for c in system.constraints if c.kind is ConstraintKind.INVAR and c.defines
        }
        names, inputs = self._mover.names, self._mover.inputs
        declared = system.variables
        chosen = [
            place
            for place, name in enumerate(names)
            if declared[name].kind is not SystemVariableKind.DEFINED or name not in equations
        ]
        shown = [place for place, name in enumerate(names) if declared[name].shown]
        last = [] if loop is None else [path[loop]]
        rows: list[list[Any]] = []
        for number, other in zip(path, [*path[1:], *last, None], strict=False):
            row = [*self._states[number]]
            values = self._mover.defaults if other is None else moves(number)[other]
            for place, value in zip(inputs, values, strict=True):
                row[place] = value
            rows.append(row)
        return Trace(
            Choices(tuple({names[place]: row[place] for place in chosen} for row in rows)),
            tuple({names[place]: row[place] for place in shown} for row in rows),
            loop,
        )
