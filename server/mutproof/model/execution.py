"""What running a program on choices gives: an execution, unless a variable needs itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import takewhile

from mutproof.base.record import dataclass
from mutproof.base.rows import gathered
from mutproof.model.step_values import ShownStep
from mutproof.model.trace import Choices, Trace


class InstantaneousLoop(Exception):  # noqa: N818 - a fact about the program
    """Say that a variable depends on itself within one step."""


@dataclass(frozen=True, slots=True)
class Execution:
    """Hold what running a program on choices gave.

    `trace` has the flat scalar variables of all instances that ran, up to a step that lacks some;
    `violated` are the properties that are false, with the first 0-based step at which they are;
    `assumed` tells that all assertions of the main component, and all circular equations, held at
    every step. `refuted` returns the temporal properties that are false however the execution goes
    on, `is_fair` whether it is an infinite fair path. `computed` counts the
    values that this took, where it is known.
    """

    trace: Trace
    violated: Mapping[str, int]
    assumed: bool
    refuted: Callable[[], Mapping[str, int]] = field(default=dict, compare=False, repr=False)
    is_fair: Callable[[], bool] = field(default=bool, compare=False, repr=False)
    computed: int = field(default=0, compare=False, repr=False)


def execution_of(choices: Choices, outcomes: Sequence[ShownStep]) -> Execution:
    """Return the execution that steps show."""
    violated: dict[str, int] = {}
    for number, outcome in enumerate(outcomes):
        for name in outcome.violated:
            violated.setdefault(name, number)
    shown = takewhile(lambda outcome: not outcome.brief, outcomes)
    trace = Trace(choices, gathered([outcome.values for outcome in shown]))
    return Execution(trace, violated, all(outcome.allowed for outcome in outcomes))
