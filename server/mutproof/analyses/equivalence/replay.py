"""Run a model and a changed one on the same choices in the evaluator, and compare them.

What it does not confirm is no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mutproof.analyses.equivalence.observation import Observed
from mutproof.model.evaluate import Execution
from mutproof.model.trace import Choices, Trace

Run = Callable[[Choices], "Execution | None"]
"""Run one side on choices; None if it is not causal."""


@dataclass(frozen=True)
class Difference:
    """Hold two executions that differ first at their last step, and in what.

    `allowed` is the side ("model", "mutant") that alone allows the last step; empty for both.
    """

    choices: Choices
    names: tuple[str, ...]
    model: Trace
    mutant: Trace
    allowed: str = ""

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
    found = _assumed(model, mutant, choices)
    if found is None:
        return None
    here, there = found
    alone = "" if here.assumed == there.assumed else "model" if here.assumed else "mutant"
    length = here.trace.length
    for step in range(length):
        names = _differing(here.trace, there.trace, compared, step)
        ended = step == length - 1 and alone
        if names or ended:
            cut = replace(choices, steps=choices.steps[: step + 1])
            return Difference(
                cut,
                () if ended else names,
                _cut(here.trace, cut),
                _cut(there.trace, cut),
                alone if ended else "",
            )
    return None


def _assumed(model: Run, mutant: Run, choices: Choices) -> tuple[Execution, Execution] | None:
    """Return the longest executions that both sides allow, or that one allows at the last step."""
    last: tuple[Execution, Execution] | None = None
    lengths = [len(choices.steps), *range(1, len(choices.steps) + 1)]
    for length in lengths:
        cut = replace(choices, steps=choices.steps[:length])
        here, there = model(cut), mutant(cut)
        if here is None or there is None:
            return None
        if here.assumed and there.assumed:
            last = (here, there)
            if length == lengths[0]:
                return last
        elif length != lengths[0] or len(lengths) == 2:
            return (here, there) if here.assumed != there.assumed else last
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
