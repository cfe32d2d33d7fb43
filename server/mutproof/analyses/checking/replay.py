"""Run a model and a changed one on the same choices in the evaluator, and compare them.

Only what this confirms counts as a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mutproof.analyses.claims.observation import Observed
from mutproof.base.record import dataclass
from mutproof.model.execution import Execution
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
    model: Run,
    mutant: Run,
    compared: Sequence[Observed],
    choices: Choices,
    *,
    valued: bool = False,
) -> Difference | None:
    """Return where executions on the choices differ first; None if they do not, or do not run.

    Executions go on as long as the assertions of both sides hold. With `valued`, what has no
    value on one side is no difference: of a NuSMV model nobody may read it there.
    """
    found = _assumed(model, mutant, choices)
    if found is None:
        return None
    here, there = found
    alone = "" if here.assumed == there.assumed else "model" if here.assumed else "mutant"
    length = here.trace.length
    for step in range(length):
        names = _differing(here.trace, there.trace, compared, step)
        if valued:
            values, others = here.trace.steps[step], there.trace.steps[step]
            names = tuple(name for name in names if name in values and name in others)
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
    """Return the longest executions that both sides allow, or one at the last step; else None."""
    whole = _both(model, mutant, choices)
    if whole is None or (whole[0].assumed and whole[1].assumed):
        return whole
    last: tuple[Execution, Execution] | None = None
    for length in range(1, len(choices.steps) + 1):
        pair = _both(model, mutant, replace(choices, steps=choices.steps[:length]))
        if pair is None or (not pair[0].assumed and not pair[1].assumed):
            return last
        if pair[0].assumed != pair[1].assumed:
            return pair
        last = pair
    return last


def _both(model: Run, mutant: Run, choices: Choices) -> tuple[Execution, Execution] | None:
    here, there = model(choices), mutant(choices)
    return None if here is None or there is None else (here, there)


def _differing(
    here: Trace, there: Trace, compared: Sequence[Observed], step: int
) -> tuple[str, ...]:
    values, others = here.steps[step], there.steps[step]
    return tuple(
        found.name for found in compared if values.get(found.name) != others.get(found.name)
    )


def _cut(trace: Trace, choices: Choices) -> Trace:
    return Trace(choices, trace.steps[: len(choices.steps)])
