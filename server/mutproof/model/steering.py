"""Executions that keep to assertions, by trying several inputs at each step.

Random inputs soon violate assertions. The right-hand side of a circular equation is the next guess
at its variable. Nothing here is proved.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mutproof.model import sorts, walk
from mutproof.model.compile import Compiled, Row
from mutproof.model.operators import Op
from mutproof.model.sampling import interesting_values, random_before, random_value
from mutproof.model.simulate import Simulator
from mutproof.model.sorts import BoolSort, Value
from mutproof.model.system import SystemVariable
from mutproof.model.trace import Choices

TRIES = 24
"""The most inputs tried at each step to satisfy the assertions."""
CHOICE = 4
"""How many inputs are tried in any case, to reach states that no execution has reached."""
GUESSES = 4
"""How often other values of loops are tried for the same inputs."""


Inputs = dict[str, Value]


class _Candidate(NamedTuple):
    """Hold a candidate for the next step and the state after it; the largest `worth` is best.

    `density` is the probability with which Boolean inputs were true.
    """

    worth: tuple[bool, int]
    inputs: Inputs
    row: Row
    state: tuple[Value, ...]
    density: float


class _Loop(NamedTuple):
    """Hold a circular equation: its variable's index, the input to guess, its right-hand side."""

    place: int
    chosen: SystemVariable
    value: Compiled


def _worth(step: _Candidate) -> tuple[int, int]:
    return step.worth


class Steering:
    """Choose executions in which assertions hold as long as can be found; mutable."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._interesting = interesting_values(simulator.system)
        self._visits: Counter[tuple[Value, ...]] = Counter()
        free = set(simulator.free)
        # A memory of mere inputs does not tell states apart.
        self._remembered = [u for u in simulator.updates if not walk.variables(u.term) <= free]
        self._inputs = [simulator.system.variables[name] for name in simulator.free]
        self._loops = [*_loops(simulator)]
        switches = sum(isinstance(declared.sort, BoolSort) for declared in self._inputs)
        # About one Boolean input is true at a time, or two, or half of them. Values are weights.
        densities = sorted({0.5, min(0.5, 2 / max(1, switches)), 1 / max(2, switches)})
        self._densities = dict.fromkeys(densities, 1)

    def execution(self, source: random.Random, steps: int) -> tuple[Choices, list[Row]]:
        """Return an execution of that many steps, with its rows."""
        before = random_before(self._simulator, source, self._interesting)
        chosen: list[Inputs] = []
        rows: list[Row] = []
        for _ in range(steps):
            step = self._step(rows[-1] if rows else None, chosen, before, source)
            self._visits[step.state] += 1
            self._densities[step.density] += step.worth[0]
            chosen.append(step.inputs)
            rows.append(step.row)
        return Choices(tuple(chosen), before), rows

    def _step(
        self, previous: Row | None, chosen: Sequence[Inputs], before: Inputs, source: random.Random
    ) -> _Candidate:
        """Return the best of several random steps: assertions hold, then least visited state."""
        last = chosen[-1] if chosen else None
        best = self._random_step(previous, last, before, source)
        for tried in range(1, TRIES):
            kept, unseen = best.worth
            if kept and (tried >= CHOICE or not unseen):
                break
            best = max(best, self._random_step(previous, last, before, source), key=_worth)
        return best

    def _random_step(
        self, previous: Row | None, last: Inputs | None, before: Inputs, source: random.Random
    ) -> _Candidate:
        (density,) = source.choices([*self._densities], [*self._densities.values()])
        inputs = self._inputs_of(last, density, source)
        row = self._simulator.row(previous, inputs, before, {})
        for _ in range(GUESSES if self._loops else 0):
            guessed = {
                loop.chosen.name: value
                for loop in self._loops
                if (value := loop.value(row, row, {})) != row[loop.place]
                and sorts.contains(loop.chosen.sort, value)
            }
            if not guessed:
                break
            inputs.update(guessed)
            row = self._simulator.row(previous, inputs, before, {})
        state = tuple(update.function(row, row, {}) for update in self._remembered)
        worth = (self._simulator.assumed(row, {}), -self._visits[state])
        return _Candidate(worth, inputs, row, state, density)

    def _inputs_of(self, last: Inputs | None, density: float, source: random.Random) -> Inputs:
        stay = source.choice((0.0, 0.0, 0.5))
        found: Inputs = {}
        for declared in self._inputs:
            if last is not None and stay and source.random() < stay:
                found[declared.name] = last[declared.name]
            elif isinstance(declared.sort, BoolSort):
                found[declared.name] = source.random() < density
            else:
                found[declared.name] = random_value(declared.sort, source, self._interesting)
        return found


def _loops(simulator: Simulator) -> Iterator[_Loop]:
    """Yield the circular equations whose variables are inputs or copies of inputs."""
    system, free = simulator.system, set(simulator.free)
    for constraint in system.constraints:
        term = constraint.term
        if term.op is Op.IMPLIES:  # only where the node runs
            term = term.args[1]
        if constraint.defines is not None or term.op is not Op.EQ or term.args[0].op is not Op.VAR:
            continue
        name = chosen = str(term.args[0].payload)
        while chosen in simulator.defined and simulator.defined[chosen].op is Op.VAR:
            chosen = str(simulator.defined[chosen].payload)
        if chosen in free:
            (value,) = simulator.compiler.compile_all([term.args[1]])
            yield _Loop(simulator.index[name], system.variables[chosen], value)
