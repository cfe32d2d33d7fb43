"""Look for differences by random executions: the same ones for all mutants of a model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from mutproof.analyses.equivalence.observation import Observed
from mutproof.analyses.mutation.simulation import variation
from mutproof.analyses.variant import Variant
from mutproof.model.compile import Row
from mutproof.model.sampling import random_choices
from mutproof.model.simulate import CyclicDefinitions, Simulator, Variation
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices

RUNS = 24
STEPS = 12


class Executions:
    """Hold random executions of a system; immutable once made."""

    def __init__(self, system: TransitionSystem, seed: int = 0) -> None:
        self._simulator = Simulator(system)
        source = random.Random(seed)
        self._runs: list[tuple[Choices, list[Row]]] = []
        for number in range(RUNS):
            choices = random_choices(self._simulator, source, STEPS, (0.0, 0.5, 0.9)[number % 3])
            rows = self._simulator.run(choices)
            allowed = self._allowed(rows, choices)
            if allowed:
                kept = replace(choices, steps=choices.steps[:allowed])
                self._runs.append((kept, rows[:allowed]))

    def _allowed(self, rows: Sequence[Row], choices: Choices) -> int:
        """Return how many steps of an execution fulfil the assertions."""
        functions = choices.functions
        ends = (n for n, row in enumerate(rows) if not self._simulator.assumed(row, functions))
        return next(ends, len(rows))

    def difference(self, variant: Variant, compared: Sequence[Observed]) -> Choices | None:
        """Return the choices of the earliest difference seen between model and variant."""
        try:
            changed = variation(self._simulator, self._simulator.system, variant)
        except CyclicDefinitions:
            return None
        best: Choices | None = None
        for choices, rows in self._runs:
            known = len(rows) if best is None else len(best.steps) - 1
            step = self._first(changed, compared, rows[:known], choices)
            if step is not None:
                others = changed.run(rows[: step + 1], choices)
                best = changed.choices(others, choices, step + 1)
        return best

    def _first(
        self,
        changed: Variation,
        compared: Sequence[Observed],
        rows: Sequence[Row],
        choices: Choices,
    ) -> int | None:
        start = changed.infected(rows, choices.functions)
        if start is None:
            return None
        others = changed.run(rows, choices, start)
        index = self._simulator.index
        for step in range(start, len(rows)):
            here, there = rows[step], others[step]
            for found in compared:
                where = index[found.name]
                runs = found.clock is None or here[index[found.clock]]
                if runs and here[where] != there[where]:
                    return step
        return None
