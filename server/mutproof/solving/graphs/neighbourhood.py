"""Decide systems that hardly differ from one with few states, by their graphs.

Each state is visited once for all systems: another system has the same moves from it unless what
it changes allows something else there. Where executions may end, nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.program import PropertyKind
from mutproof.model.state_graphs import NearGraph
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
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Vacuity, Violated
from mutproof.solving.graphs.changed import Compared, near_graph
from mutproof.solving.graphs.differences import Differences
from mutproof.solving.graphs.known_graph import KnownGraph, Path
from mutproof.solving.graphs.labels import Graph, Labels, branching
from mutproof.solving.graphs.moves import Allowed, Mover, State
from mutproof.solving.graphs.plan import NotFew

MOST_STATES = 4_000
"""How many states a system may have to be few, however close they are to the initial ones."""

MOST_DEEP, BREADTH = 50_000, 64
"""How many it may have if it takes many steps to reach them all: so many states for each."""

MOST_NEAR, MOST_OTHER = 1_500, 300
"""How many states an alternative of such a system may have, and how many that the system has not,
unless it is like the system: to visit them all takes longer than other ways to decide."""

GROWTH = 4
"""By what factor an alternative may have more states than the system."""

SMALLEST = 1_000
"""How many states an alternative may have however few the system has."""

MOST_KEPT = 100_000
"""How many states of all alternatives are kept."""

MOST_IN_GRAPHS = 40_000
"""Of graphs with how many states together is kept what is known of them."""

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
        self._after: dict[int, tuple[int, ...]] = {}
        self._truth: dict[Term, tuple[set[int], set[int]]] = {}
        self._timed: dict[Term, bool] = {}
        self._allowing: dict[Constraint, tuple[Allowed | None, dict[int, Any]]] = {}
        self._samples: dict[frozenset[int], Sequence[int]] = {}
        self._formulas: dict[SystemProperty, Term | None] = {}
        self._follow = self._mover.following(system.constraints)
        self._initial = [*self._numbered(dict.fromkeys(self._mover.initial(system.constraints)))]
        self._reached = self._graph(
            self._initial,
            self._own_after,
            lambda states, steps: states <= max(MOST_STATES, min(MOST_DEEP, BREADTH * steps)),
            deadline,
        )
        self._own_graph = self._labelled(self._reached, self._initial)
        self._known: dict[Hashable, KnownGraph] = {}
        self._count = 0

    @property
    def work(self) -> int:
        """Return how many moves were looked at so far: the same on all machines."""
        return self._work

    @property
    def is_deep(self) -> bool:
        """Tell whether the system has few states only at each distance."""
        return self.size > MOST_STATES

    @property
    def size(self) -> int:
        """Return how many states the system has."""
        return len(self._reached)

    @property
    def is_full(self) -> bool:
        """Tell whether so many states are kept that it is time to begin anew."""
        return len(self._states) > MOST_KEPT + self.size

    def verdicts(
        self,
        other: Alternative,
        stated: Sequence[SystemProperty],
        deadline: Deadline,
    ) -> dict[str, BddVerdict]:
        """Return the verdicts on an alternative, on those properties that states decide.

        What fails does so on a path.

        Raises:
            NotFew: it has too many states or choices, or executions that end.
        """
        changed, initial, moves, _ = self._replaced(other)
        is_own = {*initial} == {*self._initial} and moves.are_own()
        known = self._own_graph if is_own else self._whole(initial, moves, deadline)
        found: dict[str, BddVerdict] = {}
        for one in stated:
            formula = self._formula(one)
            if formula is None:
                continue
            endless = one.kind is not PropertyKind.INVARIANT
            part = known.fair_part if endless else known
            if not part.initial:
                found[one.name] = Holding(Vacuity.NO_FAIR_STATE)
                continue
            failing = part.failing(formula, endless=endless)
            if failing is None:
                found[one.name] = Holding()
            elif failing[0]:  # else diagrams have something to show of it
                path = self._trace(changed, moves.of, failing, known.traces)
                found[one.name] = Violated(path, evidence=path)
        return found

    def _whole(self, initial: Sequence[int], moves: _Following, deadline: Deadline) -> KnownGraph:
        """Return what is known of the graph of an alternative, each state of which is visited."""
        limit = MOST_NEAR if self.is_deep else max(SMALLEST, GROWTH * self.size)
        after = self._near(moves.after) if self.is_deep else moves.after
        graph = self._graph(initial, after, lambda states, _: states <= limit, deadline)
        return self._known_of(graph, initial)

    def lasting(
        self, other: Alternative, stated: Sequence[SystemProperty], deadline: Deadline
    ) -> dict[str, BddVerdict]:
        """Return which properties hold on an alternative that hardly differs from the system.

        Raises:
            NotFew: it has too many other states or steps, or executions that end.
        """
        _, initial, moves, replaced = self._replaced(other)
        sources = self._differences.sources(*replaced)
        if sources is None or not initial:
            raise NotFew
        near = near_graph(initial, sources, self._reached, moves.after, deadline=deadline)
        self._work += sum(map(len, (*near.changed.values(), *near.new.values())))
        return {one.name: Holding() for one in stated if self._lasts(one, near)}

    def _replaced(
        self, other: Alternative
    ) -> tuple[TransitionSystem, Sequence[int], _Following, tuple[Sequence[Constraint], ...]]:
        """Return an alternative, its initial states and moves, and what it replaces by what.

        Raises:
            NotFew: it has too many choices, or other variables.
        """
        if other.variables:
            raise NotFew
        changed = other.applied(self._system)
        lost = [c for owner in other.removed for c in self._system.by_owner.get(owner, ())]
        lost += other.lost
        initial: Sequence[int] = self._initial
        if any(c.kind is not ConstraintKind.TRANS for c in (*lost, *other.constraints)):
            initial = [*self._numbered(dict.fromkeys(self._mover.initial(changed.constraints)))]
        moves = self._moves_of(changed, lost, other.constraints)
        return changed, initial, moves, (lost, other.constraints)

    def _lasts(self, stated: SystemProperty, near: NearGraph) -> bool:
        """Tell whether a property surely holds in a graph, as in that of the system."""
        formula = self._formula(stated)
        endless = stated.kind is not PropertyKind.INVARIANT
        own = self._own_graph.fair_part if endless else self._own_graph
        return (
            formula is not None
            and own.failing(formula, endless=endless) is None
            and self._compared.holds(formula, near, endless=endless)
        )

    @cached_property
    def _differences(self) -> Differences:
        return Differences(self._system, self._mover, self._states, self._reached)

    @cached_property
    def _compared(self) -> Compared:
        fair = self._own_graph.fair_part.graph
        return Compared(self._reached, fair, self._system.fairness, self._holds)

    def _formula(self, stated: SystemProperty) -> Term | None:
        """Return what a property says of states; None if states do not decide it."""
        if stated not in self._formulas:
            formula = branching(stated)
            is_told = formula is not None and self._is_of_states(formula)
            self._formulas[stated] = formula if is_told else None
        return self._formulas[stated]

    def _is_of_states(self, term: Term) -> bool:
        return walk.variables(term).isdisjoint(self._inputs)

    def _known_of(self, graph: Graph, initial: Sequence[int]) -> KnownGraph:
        """Return what is known of a graph: those of many alternatives are equal."""
        if graph == self._reached and {*initial} == {*self._initial}:
            return self._own_graph
        key = frozenset(initial), frozenset(graph.items())
        if key not in self._known:
            self._count += len(graph)
            if self._count > MOST_IN_GRAPHS:
                self._known.clear()
                self._count = len(graph)
            self._known[key] = self._labelled(graph, initial)
        return self._known[key]

    def _labelled(self, graph: Graph, initial: Sequence[int]) -> KnownGraph:
        labels = Labels(graph, self._holds, self._timed, self._system.fairness)
        return KnownGraph(graph, initial, labels)

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

    def _own_after(self, number: int) -> tuple[int, ...]:
        """Return what follows a state in the system itself."""
        if number not in self._after:
            self._after[number] = tuple(self._own(number))
        return self._after[number]

    def _graph(
        self,
        initial: Sequence[int],
        follow: Callable[[int], tuple[int, ...]],
        admits: Callable[[int, int], bool],
        deadline: Deadline,
    ) -> Graph:
        """Return the states that are reached, with those that follow each.

        As long as it `admits` so many states after so many steps.
        """
        graph: dict[int, tuple[int, ...]] = {}
        layer, steps = dict.fromkeys(initial), 0
        while layer:
            steps += 1
            fresh: dict[int, None] = {}
            for number in layer:
                after = graph[number] = follow(number)
                if not after or (not len(graph) % 64 and deadline.passed()):
                    raise NotFew
                for other in after:
                    if other not in graph and other not in layer:
                        fresh[other] = None
                self._work += len(after)
            layer = fresh
            if not admits(len(graph) + len(layer), steps):
                raise NotFew
        if not graph:
            raise NotFew
        return graph

    def _near(self, follow: Callable[[int], tuple[int, ...]]) -> Callable[[int], tuple[int, ...]]:
        """Return what follows states as long as few of these are others than the system has."""
        reached, others = self._reached, [0]

        def after(number: int) -> tuple[int, ...]:
            if number not in reached:
                others[0] += 1
                if others[0] > MOST_OTHER:
                    raise NotFew
            return follow(number)

        return after

    def _moves_of(
        self,
        changed: TransitionSystem,
        lost: Iterable[Constraint],
        added: Iterable[Constraint],
    ) -> _Following:
        """Return the moves of an alternative, those of the system where these are the same."""
        before = [c for c in lost if c.kind is not ConstraintKind.INIT]
        after = [c for c in added if c.kind is not ConstraintKind.INIT]
        if not before and not after:
            return _Following(self._own, self._own_after, lambda: True)
        follow: Callable[[State], Mapping[State, Any]] | None = None
        known: dict[int, _Moves] = {}
        old = {one[0]: c for c in before if (one := self._allowed(c)) is not None}
        new = {one[0]: one for c in after if (one := self._mover.allowed(c)) is not None}
        comparable = len(old) == len(before) and len(new) == len(after) and old.keys() == new.keys()
        pairs = [(self._valued(old[place]), new[place][1]) for place in old] if comparable else []
        states = self._states

        def is_own(number: int) -> bool:
            state = states[number]
            for value, one in pairs:
                if value(number) != one(state):
                    return False
            return comparable

        def moves(number: int) -> _Moves:
            nonlocal follow
            if number in known:
                return known[number]
            if is_own(number):
                return self._own(number)
            if follow is None:
                follow = self._mover.following(changed.constraints)
            found = known[number] = self._numbered(follow(states[number]))
            return found

        def next_of(number: int) -> tuple[int, ...]:
            return self._own_after(number) if is_own(number) else tuple(moves(number))

        read = {slot[1] for c in (*before, *after) for slot in self._mover.slots(c.term, "v")}

        def are_own() -> bool:
            return comparable and all(map(is_own, self._unlike(frozenset(read))))

        return _Following(moves, next_of, are_own)

    def _unlike(self, places: frozenset[int]) -> Sequence[int]:
        """Return states of the system with all values that some variables have in these."""
        if places not in self._samples:
            states, chosen = self._states, sorted(places)
            found = {tuple([states[n][place] for place in chosen]): n for n in self._reached}
            self._samples[places] = [*found.values()]
        return self._samples[places]

    def _allowed(self, constraint: Constraint) -> Allowed | None:
        if constraint not in self._allowing:
            self._allowing[constraint] = self._mover.allowed(constraint), {}
        return self._allowing[constraint][0]

    def _valued(self, constraint: Constraint) -> Callable[[int], tuple[Any, ...]]:
        """Return what tells what a constraint of the system allows after a state."""
        allowed, known = self._allowing[constraint]
        assert allowed is not None
        states, allow = self._states, allowed[1]

        def value(number: int) -> tuple[Any, ...]:
            found: tuple[Any, ...] | None = known.get(number)
            if found is None:
                found = known[number] = allow(states[number])
            return found

        return value

    # --- executions -------------------------------------------------------------------------

    def _trace(
        self,
        system: TransitionSystem,
        moves: Callable[[int], _Moves],
        shown_by: Path,
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
class _Following:
    """Tell the moves from a state, the states that follow it, and whether the system has all so."""

    of: Callable[[int], _Moves]
    after: Callable[[int], tuple[int, ...]]
    are_own: Callable[[], bool]
