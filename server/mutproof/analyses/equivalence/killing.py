"""Killing of non-deterministic models: for some choices (potentially) or all of them (definitely).

A mutant is potentially killable if it has inputs and outputs that the model cannot show: then
some test fails by an appropriate choice of what is left open. It is definitely killable if for
some inputs no outputs of the mutant are outputs of the model. Otherwise it is equivalent on the
outputs. Both are decided by searches over sets of states, which a solver enumerates; what is
not finite or not small is unknown. Both sides are taken to accept the same inputs.

Source: Fellner, Tabaei Befrouei and Weissenbacher, Mutation testing with hyperproperties, SEFM
2019, definitions 2 and 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TypeVar

from mutproof.analyses.claims.observation import Interface
from mutproof.base.record import dataclass
from mutproof.model.sorts import Value
from mutproof.model.system import SystemVariableKind, TransitionSystem
from mutproof.solving.solver import Answer, Effort, Formula, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

MOST_STATES = 400
"""How many states of one side are visited, and how many sets of them."""

EACH = Effort(4_000_000, 5.0)

State = tuple[Value, ...]
SetT = TypeVar("SetT")


class Killability(Enum):
    """Say how a test can kill a mutant of a non-deterministic model.

    A definitely killable mutant is also potentially killable.
    """

    NOT = "equivalent on outputs"
    POTENTIALLY = "potentially killable"
    DEFINITELY = "definitely killable"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Killing:
    """Hold a verdict and a shortest test for it: values of inputs and, if it matters, outputs.

    A potentially killing test is what the mutant does and the model cannot; a definitely
    killing one is inputs only.
    """

    killability: Killability
    test: tuple[Mapping[str, Value], ...] = ()
    reason: str = ""


def killing(model: TransitionSystem, mutant: TransitionSystem, interface: Interface) -> Killing:
    """Return how a mutant of a finite system can be killed."""
    here, there = _Structure(model), _Structure(mutant)
    try:
        inputs = _definite(here, there, interface)
        if inputs is not None:
            return Killing(Killability.DEFINITELY, _named(interface.inputs, inputs))
        seen = _potential(here, there, interface)
    except _SearchTooLarge:
        return Killing(Killability.UNKNOWN, reason=f"more than {MOST_STATES} states or sets")
    except SolvingError as error:
        return Killing(Killability.UNKNOWN, reason=str(error))
    if seen is None:
        return Killing(Killability.NOT)
    names = (*interface.inputs, *interface.outputs)
    return Killing(Killability.POTENTIALLY, _named(names, seen))


def _named(names: Sequence[str], rows: Iterable[State]) -> tuple[Mapping[str, Value], ...]:
    return tuple(dict(zip(names, row, strict=True)) for row in rows)


class _SearchTooLarge(Exception):  # noqa: N818 - control flow inside this module
    """Say that a search was given up."""


class _Structure:
    """Enumerate the states of a system by a solver; caches only."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._names = tuple(system.variables)
        self._successors: dict[State, list[State]] = {}
        self._step: Unrolling | None = None

    def initial(self) -> list[State]:
        """Return all initial states."""
        unrolling = Unrolling(new_solver(), self._system, initial=True)
        unrolling.frame(0)
        return self._all(unrolling, 0)

    def successors(self, state: State) -> list[State]:
        """Return all states that follow a state."""
        if state not in self._successors:
            if len(self._successors) >= MOST_STATES:
                raise _SearchTooLarge
            if self._step is None:
                self._step = Unrolling(new_solver(), self._system, initial=False)
                self._step.frame(1)
            unrolling, solver = self._step, self._step.solver
            solver.push()
            for name, value in zip(self._names, state, strict=True):
                solver.add(self._equal(unrolling, name, 0, value))
            self._successors[state] = self._all(unrolling, 1)
            solver.pop()
        return self._successors[state]

    def shown(self, state: State, names: Sequence[str]) -> State:
        """Return the values of variables in a state."""
        values = dict(zip(self._names, state, strict=True))
        return tuple(values[name] for name in names)

    def _equal(self, unrolling: Unrolling, name: str, frame: int, value: Value) -> Formula:
        sort = self._system.variables[name].sort
        literal = unrolling.solver.literal_value(value, sort)
        return unrolling.solver.equal(unrolling.variable(name, frame), literal)

    def _all(self, unrolling: Unrolling, frame: int) -> list[State]:
        solver = unrolling.solver
        free = [
            name
            for name, declared in self._system.variables.items()
            if declared.kind is not SystemVariableKind.DEFINED
        ]
        found: list[State] = []
        solver.push()
        while True:
            answer = solver.check((), EACH)
            if answer is Answer.UNSAT:
                break
            if answer is Answer.UNKNOWN or len(found) >= MOST_STATES:
                raise _SearchTooLarge
            values = unrolling.valuation(frame)
            found.append(tuple(values[name] for name in self._names))
            same = [self._equal(unrolling, name, frame, values[name]) for name in free]
            solver.add(solver.negation(solver.conjunction(same)))
        solver.pop()
        return sorted(found, key=repr)


def _search(
    begin: Iterable[tuple[State, SetT]],
    follow: Callable[[SetT], Iterable[tuple[State, SetT]]],
    done: Callable[[SetT], bool],
) -> tuple[State, ...] | None:
    """Return the labels on a shortest path to a set that is `done`; None if there is none."""
    ways: dict[SetT, tuple[State, ...]] = {}
    layer: list[SetT] = []
    pending: list[tuple[tuple[State, ...], Iterable[tuple[State, SetT]]]] = [((), begin)]
    while pending:
        for way, options in pending:
            for label, reached in options:
                if reached not in ways:
                    ways[reached] = (*way, label)
                    if done(reached):
                        return ways[reached]
                    layer.append(reached)
            if len(ways) > MOST_STATES:
                raise _SearchTooLarge
        pending = [(ways[known], follow(known)) for known in layer]
        layer = []
    return None


# --- potentially ------------------------------------------------------------------------------


def _potential(
    model: _Structure, mutant: _Structure, interface: Interface
) -> tuple[State, ...] | None:
    """Return shortest inputs and outputs that the mutant allows and the model does not, or None."""
    names = (*interface.inputs, *interface.outputs)

    def matching(states: Iterable[State], label: State) -> frozenset[State]:
        return frozenset(s for s in states if model.shown(s, names) == label)

    def begin() -> Iterable[tuple[State, tuple[State, frozenset[State]]]]:
        initial = model.initial()
        for state in mutant.initial():
            label = mutant.shown(state, names)
            yield label, (state, matching(initial, label))

    def follow(
        known: tuple[State, frozenset[State]],
    ) -> Iterable[tuple[State, tuple[State, frozenset[State]]]]:
        state, others = known
        after = [s for other in sorted(others, key=repr) for s in model.successors(other)]
        for following in mutant.successors(state):
            label = mutant.shown(following, names)
            yield label, (following, matching(after, label))

    return _search(begin(), follow, lambda known: not known[1])


# --- definitely -------------------------------------------------------------------------------

_Pairs = frozenset[tuple[State, State]]


def _definite(
    model: _Structure, mutant: _Structure, interface: Interface
) -> tuple[State, ...] | None:
    """Return shortest inputs on which mutant and model have no common outputs, or None."""

    def paired(
        options: Iterable[tuple[Sequence[State], Sequence[State]]],
    ) -> Iterable[tuple[State, _Pairs]]:
        """Yield, for each input both sides accept, the pairs of states with the same outputs."""
        here: set[State] = set()
        there: set[State] = set()
        pairs: dict[State, set[tuple[State, State]]] = {}
        for left, right in options:
            here.update(model.shown(s, interface.inputs) for s in left)
            there.update(mutant.shown(t, interface.inputs) for t in right)
            for s in left:
                given = model.shown(s, interface.inputs)
                for t in right:
                    if given == mutant.shown(t, interface.inputs) and model.shown(
                        s, interface.outputs
                    ) == mutant.shown(t, interface.outputs):
                        pairs.setdefault(given, set()).add((s, t))
        for given in sorted(here & there, key=repr):
            yield given, frozenset(pairs.get(given, ()))

    def follow(known: _Pairs) -> Iterable[tuple[State, _Pairs]]:
        ordered = sorted(known, key=repr)
        return paired([(model.successors(s), mutant.successors(t)) for s, t in ordered])

    begin = paired([(model.initial(), mutant.initial())])
    return _search(begin, follow, lambda pairs: not pairs)
