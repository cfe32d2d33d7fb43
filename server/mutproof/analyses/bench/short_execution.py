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

    `kinds` are the different steps, each as the choices without what it frees, and the values of
    that; `places` says of which kind each step is.
    """

    choices: Choices
    rows: Sequence[Row]
    freed: Sequence[str]
    kinds: Sequence[tuple[Mapping[str, Value], Sequence[Value]]]
    places: Sequence[int]

    @classmethod
    def of(cls, choices: Choices, rows: Sequence[Row], freed: Sequence[str]) -> ShortExecution:
        """Return what was shortened for a claim that frees some variables."""
        gone = frozenset(freed)
        known: dict[tuple[tuple[str, type, Value], ...], int] = {}
        kinds: list[tuple[Mapping[str, Value], Sequence[Value]]] = []
        places: list[int] = []
        for step in choices.steps:
            key = tuple([(name, type(value), value) for name, value in step.items()])
            place = known.setdefault(key, len(kinds))
            if place == len(kinds):
                given = {name: value for name, value in step.items() if name not in gone}
                kinds.append((given, tuple([step[name] for name in freed])))
            places.append(place)
        return cls(choices, rows, freed, kinds, places)

    def lent(self, own: Sequence[str], variables: Mapping[str, SystemVariable]) -> Choices:
        """Return choices, in which what another claim frees has the values of what was freed.

        So what kills a mutant in a row of equal ones mostly kills the next one. Equal steps are the
        very same, which costs less with all that looks at each step.
        """
        sorts = [[variables[name].sort for name in names] for names in (own, self.freed)]
        if own == self.freed or not own or sorts[0] != sorts[1]:
            return self.choices
        made = [{**given, **dict(zip(own, values, strict=True))} for given, values in self.kinds]
        return replace(self.choices, steps=tuple([made[place] for place in self.places]))
