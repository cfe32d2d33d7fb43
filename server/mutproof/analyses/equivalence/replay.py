"""Run a model and a changed one on the same choices in the evaluator, and compare them.

What it does not confirm is no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mutproof.analyses.equivalence.observation import Observed
from mutproof.model.evaluate import Execution, InstantaneousLoop
from mutproof.model.trace import Choices, Trace

Run = Callable[[Choices], Execution]
"""Run one side on choices.

Raises:
    InstantaneousLoop: that side is not causal.
"""

ASSERTION = "assert"
"""Stands among differing names where only one side's assertions allow the last step."""


@dataclass(frozen=True)
class Difference:
    """Hold two executions that differ first at their last step, and in what."""

    choices: Choices
    names: tuple[str, ...]
    model: Trace
    mutant: Trace

    @property
    def step(self) -> int:
        """Return the 0-based step of the difference."""
        return len(self.choices.steps) - 1


def difference(
    model: Run, mutant: Run, compared: Sequence[Observed], choices: Choices
) -> Difference | None:
    """Return where executions on the choices differ first; None if they do not, or do not run.

    Executions go on as long as the assertions of both sides hold.
    """
    try:
        found = _assumed(model, mutant, choices)
    except InstantaneousLoop:
        return None
    if found is None:
        return None
    here, there, agree = found
    length = here.trace.length
    for step in range(length):
        names = _differing(here.trace, there.trace, compared, step)
        if step == length - 1 and not agree:
            names = (ASSERTION,)
        if names:
            cut = replace(choices, steps=choices.steps[: step + 1])
            return Difference(cut, names, _cut(here.trace, cut), _cut(there.trace, cut))
    return None


def _assumed(model: Run, mutant: Run, choices: Choices) -> tuple[Execution, Execution, bool] | None:
    """Return the longest executions whose assertions hold; last, whether they agree at the end.

    Where they do not, the last step is the one that one side alone allows.
    """
    whole = len(choices.steps)
    here, there = model(choices), mutant(choices)
    if here.assumed and there.assumed:
        return here, there, True
    last: tuple[Execution, Execution, bool] | None = None
    for length in range(1, whole + 1):
        cut = replace(choices, steps=choices.steps[:length])
        here, there = model(cut), mutant(cut)
        if here.assumed != there.assumed:
            return here, there, False
        if not here.assumed:
            return last
        last = here, there, True
    return last


def _differing(
    here: Trace, there: Trace, compared: Sequence[Observed], step: int
) -> tuple[str, ...]:
    values, others = here.steps[step], there.steps[step]
    return tuple(
        found.name for found in compared if values.get(found.name) != others.get(found.name)
    )


def _cut(trace: Trace, choices: Choices) -> Trace:
    return Trace(choices, trace.steps[: len(choices.steps)])
