"""Executions: the values that were chosen, and the values that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.model.sorts import Value


@dataclass(frozen=True)
class FunctionTable:
    """Interpret an uninterpreted function: a value for listed arguments, one for the rest."""

    entries: Mapping[tuple[Value, ...], Value]
    otherwise: Value

    def __call__(self, arguments: tuple[Value, ...]) -> Value:
        """Return the function's value for the arguments."""
        return self.entries.get(arguments, self.otherwise)


@dataclass(frozen=True)
class Choices:
    """Hold everything an execution is free to choose.

    `steps[i]` gives the free variables (inputs and variables that nothing defines) their
    values at step i, 0-based; `before` gives memories (by the name of the system variable
    that holds them) their arbitrary value before the first step. What is missing takes the
    default value of its sort. `functions` are keyed by (name, output position). `loop` is the
    0-based step to which the last step returns (a lasso), None for a finite prefix.
    """

    steps: tuple[Mapping[str, Value], ...]
    before: Mapping[str, Value] = field(default_factory=dict)
    functions: Mapping[tuple[str, int], FunctionTable] = field(default_factory=dict)
    loop: int | None = None


def applications(
    choices: Choices,
) -> tuple[tuple[str, tuple[Value, ...] | None, Value], ...]:
    """Return the values of uninterpreted functions: name, arguments (None: all others), value.

    An output of several is named by its 0-based position: `f.1`.
    """
    several = {name for name, position in choices.functions if position}
    found: list[tuple[str, tuple[Value, ...] | None, Value]] = []
    for (name, position), table in choices.functions.items():
        shown = f"{name}.{position}" if name in several else name
        found += [
            (shown, arguments, value)
            for arguments, value in table.entries.items()
            if value != table.otherwise
        ]
        found.append((shown, None, table.otherwise))
    return tuple(found)


@dataclass(frozen=True)
class Trace:
    """Hold an execution with the values of all variables at every step.

    The steps are a tuple, or a table where all have the same variables. `loop` is the 0-based step
    to which the last step returns (a lasso), None for a finite prefix.
    """

    choices: Choices
    steps: Sequence[Mapping[str, Value]]
    loop: int | None = None

    @property
    def length(self) -> int:
        """Return the number of steps."""
        return len(self.steps)
