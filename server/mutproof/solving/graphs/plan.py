"""In which order variables get values, and the Python function that finds them so.

What an equation gives is computed, the rest is tried, and each constraint is asked as soon as all
that it reads is known. Constraints that read the same share the code of their function.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.terms import Term

MOST_TRIED = 1 << 14
"""How many combinations of values may be tried for one state."""

DEEPEST = 16
"""How many variables are tried inside each other: Python allows 20 loops in loops."""

Slot: TypeAlias = tuple[str, int]
"""A variable of the row `v` (this state and its inputs) or `n` (the next state), by its place."""


class NotFew(Exception):  # noqa: N818 - an outcome, not an error
    """Say that there are too many values to try, or that inputs matter beyond steps."""


@dataclass(frozen=True, slots=True)
class Conjunct:
    """Hold a constraint: what it reads, and which variables it may give a value, with that value.

    `shifted`: it is one of single states, and asked of the next one.
    """

    term: Term
    reads: frozenset[Slot]
    targets: tuple[tuple[Slot, Term], ...]
    shifted: bool

    @property
    def shape(self) -> Hashable:
        """Return what alone decides when it is computed or asked."""
        return self.reads, tuple([slot for slot, _ in self.targets]), self.shifted


class _Step(Enum):
    ASK = "ask"
    SET = "set"
    BOUND = "bound"
    TRY = "try"


_Line: TypeAlias = tuple[_Step, int, "Slot | None", bool]
"""What to do, the number of its function or domain, for which variable, whether shifted."""


class ValueOrder:
    """Order what is computed, tried and asked to give `wanted` variables values.

    `domains` give the values of variables, None where they are too many to try; those that are not
    `bounded` take any value that an equation gives. `sources` are what is to be compiled: the
    number of a part, and which of its targets, None for what it asks.

    Raises:
        NotFew: there are too many values to try.
    """

    def __init__(
        self,
        parts: Sequence[Conjunct],
        wanted: Iterable[Slot],
        domains: Sequence[Sequence[Any] | None],
        bounded: Sequence[Container[Any] | None],
    ) -> None:
        self.sources: list[tuple[int, int | None]] = []
        self.values: list[Any] = []
        self.lines: list[_Line] = []
        self._parts = parts
        self._domains, self._bounded = domains, bounded
        self._open = dict.fromkeys(wanted)
        self._missing = [{slot for slot in part.reads if slot in self._open} for part in parts]
        self._readers: dict[Slot, list[int]] = {}
        for number, missing in enumerate(self._missing):
            for slot in sorted(missing):
                self._readers.setdefault(slot, []).append(number)
        self._done = [False] * len(parts)
        self._tried = self._depth = 0
        self._fresh = [*range(len(parts) - 1, -1, -1)]
        self._settle()
        while self._open:
            self._try(min(self._open, key=self._rank))
            self._settle()

    def _settle(self) -> None:
        """Compute and ask all that can be."""
        while self._fresh:
            number = self._fresh.pop()
            part, missing = self._parts[number], self._missing[number]
            if self._done[number] or len(missing) > 1:
                continue
            if not missing:
                self._done[number] = True
                self._line(_Step.ASK, (number, None), None, part)
                continue
            (slot,) = missing
            targets = [target for target, _ in part.targets]
            if slot in targets:
                self._done[number] = True
                self._line(_Step.SET, (number, targets.index(slot)), slot, part)
                bounds = self._bounded[slot[1]]
                if bounds is not None:
                    self.values.append(bounds)
                    self.lines.append((_Step.BOUND, len(self.values) - 1, slot, False))
                self._give(slot)

    def _line(
        self, step: _Step, source: tuple[int, int | None], slot: Slot | None, part: Conjunct
    ) -> None:
        self.sources.append(source)
        self.lines.append((step, len(self.sources) - 1, slot, part.shifted))

    def terms(self, parts: Sequence[Conjunct]) -> list[Term]:
        """Return what is to be compiled, of parts with the shapes of those it was made of."""
        return [
            parts[number].term if place is None else parts[number].targets[place][1]
            for number, place in self.sources
        ]

    def _give(self, slot: Slot) -> None:
        del self._open[slot]
        for number in reversed(self._readers.get(slot, ())):
            self._missing[number].discard(slot)
            self._fresh.append(number)

    def _rank(self, slot: Slot) -> tuple[int, int]:
        """Return how soon a constraint can be asked once a variable has a value, and its values."""
        waiting = [n for n in self._readers.get(slot, ()) if not self._done[n]]
        others = min((len(self._missing[n]) for n in waiting), default=len(self._parts))
        return others, len(self._domains[slot[1]] or ())

    def _try(self, slot: Slot) -> None:
        values = self._domains[slot[1]]
        if values is None:
            raise NotFew
        self._tried = max(1, self._tried) * len(values)
        self._depth += 1
        if self._tried > MOST_TRIED or self._depth > DEEPEST:
            raise NotFew
        self.values.append(values)
        self.lines.append((_Step.TRY, len(self.values) - 1, slot, False))
        self._give(slot)

    def function(self, row: str, shown: Sequence[int], inputs: Sequence[int]) -> Callable[..., Any]:
        """Return a function of rows `v` and `n`, of the functions of `terms` and of `values`.

        It puts what it finds into its last argument: a `row` of the places `shown`, None elsewhere,
        with the values of inputs.
        """
        count = len(self._domains)
        return _code(tuple(self.lines), row, tuple(shown), tuple(inputs), count=count)


@lru_cache(maxsize=256)
def _code(
    lines: tuple[_Line, ...],
    row: str,
    shown: tuple[int, ...],
    inputs: tuple[int, ...],
    *,
    count: int,
) -> Callable[..., Any]:
    text = ["def move(v, n, functions, values, found):"]
    indent, leave = " ", "return"
    for step, number, slot, shifted in lines:
        rows = "n, n" if shifted else "v, n"
        name = "" if slot is None else f"{slot[0]}[{slot[1]}]"
        match step:
            case _Step.ASK:
                text.append(f"{indent}if not functions[{number}]({rows}, {{}}): {leave}")
            case _Step.SET:
                text.append(f"{indent}{name} = functions[{number}]({rows}, {{}})")
            case _Step.BOUND:
                text.append(f"{indent}if {name} not in values[{number}]: {leave}")
            case _Step.TRY:
                text.append(f"{indent}for {name} in values[{number}]:")
                indent, leave = indent + " ", "continue"
    places = {*shown}
    state = "".join(f"{row}[{n}], " if n in places else "None, " for n in range(count))
    chosen = "".join(f"v[{place}], " for place in inputs)
    text.append(f"{indent}found.setdefault(({state}), ({chosen}))")
    scope: dict[str, Any] = {}
    exec("\n".join(text), scope)
    made: Callable[..., Any] = scope["move"]
    return made
