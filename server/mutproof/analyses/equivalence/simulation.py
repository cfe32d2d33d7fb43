"""Look for differences by random executions: the same ones for all mutants of a model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from mutproof.analyses.bench.executions import variation
from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.observation import Observed
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model.compile import Row
from mutproof.model.sampling import interesting_values, random_choices
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, Simulator
from mutproof.model.sorts import IntSort
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.model.variation import Variation

RUNS = 96
STEPS = 12
STAYS = (0.0, 0.5, 0.9)

LONGER_RUNS = 24
LONGER_STEPS = 100
LONGER_STAYS = (0.0, 0.5, 0.8, 0.9)
"""Executions in which differences may take a while to reach what is compared."""

MOST_RUNS = RUNS + LONGER_RUNS + 60
MOST_KEPT_STEPS = 40
MORE_STEPS = 4

FAR_RUNS = 8
OFTEN = (0.5, 0.9)
"""There are so many long executions in which inputs rarely change, and as many others."""

FEWEST_FAR_STEPS = 400
MOST_FAR_STEPS = 3000
MOST_FAR_VALUES = 4_000_000
"""The most values stored for long executions, which are cut to that."""


@dataclass(frozen=True)
class _Run:
    choices: Choices
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Sight:
    """Say what executions show of a variant.

    `choices` are those of the earliest difference, None if none was seen; it is `quiet` if every
    definition that it changes had the values of the model in all of them.
    """

    choices: Choices | None = None
    quiet: bool = False


class PairedExecutions:
    """Hold random executions of a system: short ones, and long ones once they are asked for."""

    def __init__(self, system: TransitionSystem) -> None:
        self._simulator = Simulator(system)
        self._given: list[_Run] | None = None

    @cached_property
    def _short(self) -> list[_Run]:
        short = self._runs(RUNS, STEPS, STAYS)
        return [*short, *self._runs(LONGER_RUNS, LONGER_STEPS, LONGER_STAYS)]

    @cached_property
    def _far(self) -> list[_Run]:
        """Return executions long enough for counters to reach the constants of the model."""
        system = self._simulator.system
        numbers = [
            value
            for value in interesting_values(system)[IntSort]
            if isinstance(value, int) and value <= MOST_FAR_STEPS
        ]
        room = MOST_FAR_VALUES // (2 * FAR_RUNS * max(1, len(system.variables)))
        steps = min(room, max(FEWEST_FAR_STEPS, max(numbers) + 16))
        stays = 1 - 2 / max(steps, 2)
        if steps <= STEPS:
            return []
        return [*self._runs(FAR_RUNS, steps, (1.0, stays)), *self._runs(FAR_RUNS, steps, OFTEN)]

    def add(self, choices: Choices) -> None:
        """Keep an execution that showed a difference of one variant, to try it on later ones.

        Random steps are added at its end, so that a difference in stored values has time to show.
        """
        if len(choices.steps) > MOST_KEPT_STEPS or len(self._short) >= MOST_RUNS:
            return
        source = random.Random(len(self._short))
        more = random_choices(self._simulator, source, MORE_STEPS, 0.5)
        self._keep(self._short, replace(choices, steps=(*choices.steps, *more.steps)))

    def _keep(self, runs: list[_Run], choices: Choices) -> None:
        try:
            rows = self._simulator.run(choices)
            allowed = self._allowed(rows, choices)
        except NumberTooLarge:
            return
        if allowed:
            kept = replace(choices, steps=choices.steps[:allowed])
            runs.append(_Run(kept, rows[:allowed]))

    def _runs(self, number: int, steps: int, stay: Sequence[float]) -> list[_Run]:
        source = random.Random(0)
        found: list[_Run] = []
        for index in range(number):
            choices = random_choices(self._simulator, source, steps, stay[index % len(stay)])
            self._keep(found, choices)
        return found

    def _allowed(self, rows: Sequence[Row], choices: Choices) -> int:
        """Return the number of steps up to the first that violates the assertions."""
        functions = choices.functions
        ends = (n for n, row in enumerate(rows) if not self._simulator.assumed(row, functions))
        return next(ends, len(rows))

    def difference(
        self, variant: Variant, compared: Sequence[Observed], *, far: bool = False
    ) -> Sight:
        """Return the earliest difference seen between model and variant.

        `far` looks at few long executions in which inputs rarely change.
        """
        try:
            changed = variation(self._simulator, self._simulator.system, variant)
        except CyclicDefinitions:
            return Sight()
        best: Choices | None = None
        quiet = True
        for run in self._far if far else self._short:
            rows = run.rows if best is None else run.rows[: len(best.steps) - 1]
            start = changed.infected(rows, run.choices.functions)
            if start is None:
                continue
            quiet = False
            step = self._first(changed, compared, rows, run.choices, start=start)
            if step is not None:
                others = changed.run(run.rows[: step + 1], run.choices)
                best = changed.choices(others, run.choices, step + 1)
        return Sight(best, quiet)

    def column(
        self, variant: Variant, compared: Sequence[Observed], choices: Sequence[Choices]
    ) -> tuple[int, int]:
        """Return how many of some executions the system allows, and which show a variant, as bits.

        Their choices are the same whenever this is asked. One that the variant does not allow
        shows it, too.
        """
        if self._given is None:
            self._given = []
            for one in choices:
                self._keep(self._given, one)
        runs, seen = self._given, 0
        known = [found for found in compared if found.name in self._simulator.index]
        try:
            changed = variation(self._simulator, self._simulator.system, variant)
        except CyclicDefinitions:
            return len(runs), 0
        for number, run in enumerate(runs):
            if self._shows(changed, known, run):
                seen |= 1 << number
        return len(runs), seen

    def _shows(self, changed: Variation, compared: Sequence[Observed], run: _Run) -> bool:
        functions = run.choices.functions
        start = changed.infected(run.rows, functions)
        if start is None:
            return False
        if self._first(changed, compared, run.rows, run.choices, start=start) is not None:
            return True
        if not changed.asserts:
            return False
        try:
            others = changed.run(run.rows, run.choices, start)
        except NumberTooLarge:
            return False
        return not changed.assumed(others, functions)

    def _first(
        self,
        changed: Variation,
        compared: Sequence[Observed],
        rows: Sequence[Row],
        choices: Choices,
        *,
        start: int,
    ) -> int | None:
        """Return the first step, not before `start`, at which executions differ; None if none."""
        index = self._simulator.index
        try:
            others = islice(changed.rows(rows, choices, start), start, None)
            for step, there in enumerate(others, start):
                here = rows[step]
                for found in compared:
                    where = index[found.name]
                    runs = found.clock is None or here[index[found.clock]]
                    if runs and here[where] != there[where]:
                        return step
        except NumberTooLarge:
            pass
        return None
