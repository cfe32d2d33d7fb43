"""Rows of executions of one system, kept step by step, so that others that begin alike go on there.

After an edit hundreds of executions are tried on mutants again, most of which give the inputs of
the model the same values as others do, and differ in what only their mutants read.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final

from mutproof.base.record import dataclass
from mutproof.model.compile import Row
from mutproof.model.simulate import Simulator
from mutproof.model.sorts import Value
from mutproof.model.trace import Choices

MOST_VALUES: Final = 1_000_000
"""How many values are kept at most, beside those of subterms; then all are forgotten."""


@dataclass(eq=False, slots=True)
class _Begun:
    """Hold a row, None before the first one, and those that follow it, by what was chosen."""

    row: Row | None = None
    after: dict[tuple[tuple[str, Value], ...], _Begun] = field(default_factory=dict)


class BegunRows:
    """Run a system, and only from where it has not run on the same choices; mutable."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._begun: dict[tuple[tuple[str, Value], ...], _Begun] = {}
        self._left = MOST_VALUES

    def of(self, choices: Choices) -> list[Row]:
        """Return the rows of an execution, those that are known included.

        Raises:
            NumberTooLarge: a number would be too long to be computed.
        """
        simulator, before, functions = self._simulator, choices.before, choices.functions
        if functions:
            return simulator.run(choices)
        # What is defined in each state is computed whatever is chosen.
        index, position = simulator.index, simulator.position
        begun = tuple([item for item in before.items() if item[0] in index])
        if self._left <= 0:
            self._begun, self._left = {}, MOST_VALUES
        node = self._begun.setdefault(begun, _Begun())
        rows: list[Row] = []
        for step in choices.steps:
            read = tuple([i for i in step.items() if i[0] not in position and i[0] in index])
            known = node.after.get(read)
            if known is None:
                known = _Begun(simulator.row(node.row, step, before, functions))
                node.after[read] = known
                self._left -= len(index)
            node = known
            assert node.row is not None
            rows.append(node.row)
        return rows
