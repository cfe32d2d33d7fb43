"""Decide systems that hardly differ from one with few states, by their graphs.

Each state is visited once for all systems: another system has the same moves from it unless what
it changes allows something else there. Where executions may end, or need not be fair, nothing is
decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
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

MOST_IN_GRAPHS = 40_000
"""Of graphs with how many states together is kept what is known of them."""

_Path: TypeAlias = "tuple[Sequence[int], int | None]"
"""States, and the place of the one to which the last returns."""

_Moves: TypeAlias = Mapping[int, tuple[Any, ...]]
"""The states that follow one, by number, each with values of the inputs."""


class Neighbourhood:
    """Hold the states of a system and those of its alternatives; caches only.

    Raises:
        NotFew: the system has too many states, executions that end, or conditions of fairness
            that are not about states.
    """

    def __init__(self, system: TransitionSystem, deadline: Deadline) -> None:
        self._system = system
        self._mover = Mover(system.variables)
        self._inputs = {self._mover.names[place] for place in self._mover.inputs}
        if system.compassion or not all(map(self._is_of_states, system.fairness)):
            raise NotFew
        self._numbers: dict[State, int] = {}
        self._work = 0
        self._states: list[State] = []
        self._moves: dict[int, _Moves] = {}
        self._truth: dict[Term, tuple[set[int], set[int]]] = {}
        self._timed: dict[Term, bool] = {}
        self._allowing: dict[Constraint, tuple[Allowed | None, dict[int, Any]]] = {}
        self._formulas: dict[SystemProperty, Term | None] = {}
        self._follow = self._mover.following(system.constraints)
        self._initial = [*self._numbered(dict.fromkeys(self._mover.initial(system.constraints)))]
        self._most = MOST_STATES
        self._reached = self._graph(self._initial, self._own, deadline)
        self._most = max(SMALLEST, GROWTH * len(self._reached))
        self._known: dict[Hashable, _KnownGraph] = {}
        self._count = 0

    @property
    def work(self) -> int:
        """Return how many moves were looked at so far: the same on all machines."""
        return self._work

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
            NotFew: it has too many states or choices, executions that end, or states from which
                none is fair.
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
        known = self._known_of(graph, initial)
        if not known.labels.are_fair:
            raise NotFew
        found: dict[str, BddVerdict] = {}
        for one in stated:
            formula = self._formula(one)
            if formula is None:
                continue
            endless = one.kind is not PropertyKind.INVARIANT
            failing = known.failing(formula, initial, endless=endless)
            if failing is None:
                found[one.name] = Holding()
            elif failing[0]:  # else diagrams have something to show of it
                path = self._trace(changed, moves, failing, known.traces)
                found[one.name] = Violated(path, evidence=path)
        return found

    def _formula(self, stated: SystemProperty) -> Term | None:
        """Return what a property says of states; None if states do not decide it."""
        if stated not in self._formulas:
            formula = branching(stated)
            is_told = formula is not None and self._is_of_states(formula)
            self._formulas[stated] = formula if is_told else None
        return self._formulas[stated]

    def _is_of_states(self, term: Term) -> bool:
        return walk.variables(term).isdisjoint(self._inputs)

    def _known_of(self, graph: Graph, initial: Sequence[int]) -> _KnownGraph:
        """Return what is known of a graph: those of many alternatives are equal."""
        key = frozenset(initial), frozenset(graph.items())
        if key not in self._known:
            self._count += len(graph)
            if self._count > MOST_IN_GRAPHS:
                self._known.clear()
                self._count = len(graph)
            labels = Labels(graph, self._holds, self._timed, self._system.fairness)
            self._known[key] = _KnownGraph(labels, {}, {})
        return self._known[key]

    def _holds(self, term: Term, states: AbstractSet[int]) -> AbstractSet[int]:
        """Return those of some states in which a term without time holds."""
        seen, true = self._truth.setdefault(term, (set(), set()))
        fresh = states - seen
        if fresh:
            (function,) = self._mover.functions([term])
            seen |= fresh
            true.update([n for n in fresh if function(self._states[n], (), {})])
        return states & true

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
            self._work += len(after)
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
        follow: Callable[[State], Mapping[State, Any]] | None = None
        known: dict[int, _Moves] = {}
        old = {one[0]: c for c in before if (one := self._allowed(c)) is not None}
        new = {one[0]: one for c in after if (one := self._mover.allowed(c)) is not None}
        comparable = len(old) == len(before) and len(new) == len(after) and old.keys() == new.keys()
        pairs = [(old[place], new[place][1]) for place in old] if comparable else []

        def moves(number: int) -> _Moves:
            nonlocal follow
            if number in known:
                return known[number]
            state = self._states[number]
            if comparable and all(self._value(c, number) == one(state) for c, one in pairs):
                found = self._own(number)
            else:
                if follow is None:
                    follow = self._mover.following(changed.constraints)
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
        shown_by: _Path,
        kept: dict[Hashable, Trace],
    ) -> Trace:
        """Return a path as a trace, the same one for the same values."""
        path, loop = shown_by
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
        given = [
            self._mover.defaults if other is None else moves(number)[other]
            for number, other in zip(path, [*path[1:], *last, None], strict=False)
        ]
        key = tuple(path), loop, tuple(given), tuple(chosen), tuple(shown)
        if key in kept:
            return kept[key]
        rows: list[list[Any]] = []
        for number, values in zip(path, given, strict=True):
            row = [*self._states[number]]
            for place, value in zip(inputs, values, strict=True):
                row[place] = value
            rows.append(row)
        choices = tuple([{names[place]: row[place] for place in chosen} for row in rows])
        states = tuple([{names[place]: row[place] for place in shown} for row in rows])
        kept[key] = Trace(Choices(choices, loop=loop), states, loop)
        return kept[key]


@dataclass(frozen=True, slots=True)
class _KnownGraph:
    """Hold the labels of a graph, paths on which formulas fail, and these as traces."""

    labels: Labels
    paths: dict[tuple[Term, bool], _Path | None]
    traces: dict[Hashable, Trace]

    def failing(self, formula: Term, initial: Sequence[int], *, endless: bool) -> _Path | None:
        """Return a path on which a formula fails, and where it loops; None if it holds.

        The path has no states where none shows the failure.
        """
        key = formula, endless
        if key not in self.paths:
            self.paths[key] = self._failing(formula, initial, endless=endless)
        return self.paths[key]

    def _failing(self, formula: Term, initial: Sequence[int], *, endless: bool) -> _Path | None:
        labels = self.labels
        failing = labels.failing(formula, initial)
        if failing is None:
            return None
        shown = labels.refuted(*failing)
        if shown is None:
            return (), None
        return labels.prolonged(shown[0]) if endless and shown[1] is None else shown
