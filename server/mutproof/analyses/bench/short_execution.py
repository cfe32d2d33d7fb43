"""An execution that was shortened for one mutant, and is tried on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mutproof.base.record import dataclass
from mutproof.model.compile import Row
from mutproof.model.sorts import Value
from mutproof.model.system import SystemVariable
from mutproof.model.trace import Choices


@dataclass(frozen=True, slots=True)
class ShortExecution:
    """Hold what was shortened for some claim: choices, rows of the model, and what it frees.

    `given` are the choices without the values of what it frees, which are `values`.
    """

    choices: Choices
    rows: Sequence[Row]
    freed: Sequence[str]
    given: Sequence[Mapping[str, Value]]
    values: Sequence[Sequence[Value]]

    @classmethod
    def of(cls, choices: Choices, rows: Sequence[Row], freed: Sequence[str]) -> ShortExecution:
        """Return what was shortened for a claim that frees some variables."""
        gone = frozenset(freed)
        given = [{n: v for n, v in step.items() if n not in gone} for step in choices.steps]
        values = [tuple([step[name] for name in freed]) for step in choices.steps]
        return cls(choices, rows, freed, given, values)

    def lent(self, own: Sequence[str], variables: Mapping[str, SystemVariable]) -> Choices:
        """Return choices, in which what another claim frees has the values of what was freed.

        So what kills a mutant in a row of equal ones mostly kills the next one.
        """
        sorts = [[variables[name].sort for name in names] for names in (own, self.freed)]
        if own == self.freed or not own or sorts[0] != sorts[1]:
            return self.choices
        both = zip(self.given, self.values, strict=True)
        steps = [{**given, **dict(zip(own, values, strict=True))} for given, values in both]
        return replace(self.choices, steps=tuple(steps))
