"""Executions of NuSMV programs in which what nothing assigns hardly changes.

All else follows from assignments. What is late there, such as what passes through a row of modules,
no search reaches. So executions get longer as long as that shows more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mutproof.base.lazy import cached_property
from mutproof.model import sorts
from mutproof.model.program import Element, ElementKind, Program, VariableKind
from mutproof.model.sorts import BoolSort, Sort, Value
from mutproof.model.trace import Choices

STEPS, LONGER = 12, 4
"""How many steps the first executions have, and how many times more later ones."""

AMPLE = 1.2
"""How many times more steps than seem enough for what is left: what is seen follows one another."""

MOST_VALUES = 1_600_000
"""How many values an execution computes at most, as far as the one before tells."""

MOST_STEPS = 20_000
"""How many steps an execution has at most."""

ENDS = (0, 1)
"""The ends of sorts, at which free values stay: the greatest and the least."""

_CHOSEN = {VariableKind.STATE, VariableKind.INPUT}
_FIRST = {ElementKind.INIT_ASSIGN, ElementKind.CURRENT_ASSIGN}
_LATER = {ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN}


def longer(steps: int, shown: int, left: int) -> int:
    """Return how many steps come next, after some that have shown this and left that."""
    seen = max(1, shown)
    return min(steps * LONGER, int(AMPLE * steps * (seen + left) / seen))


class Unassigned:
    """Know what nothing in a program assigns; caches only."""

    def __init__(self, program: Program) -> None:
        self._main = program.component(program.main)

    def free(self, gone: Collection[Element] = ()) -> tuple[Mapping[str, Sort], Mapping[str, Sort]]:
        """Return what nothing but elements that are gone assigns in the first state, and later."""
        first, later = (
            {
                name: sort
                for name, (sort, assigning) in self._stored.items()
                if not any(one.kind in kinds and one not in gone for one in assigning)
            }
            for kinds in (_FIRST, _LATER)
        )
        return first, later

    def calm(self, end: int, steps: int, gone: Collection[Element] = ()) -> Choices:
        """Return an execution in which all that is free stays at an end of its sort."""
        first, later = (
            {name: _end(sort, end) for name, sort in free.items()} for free in self.free(gone)
        )
        return Choices((first, *[later] * (steps - 1)))

    @cached_property
    def _stored(self) -> Mapping[str, tuple[Sort, Sequence[Element]]]:
        """Return the scalar variables of the program, each with what assigns it."""
        by_target: dict[str, list[Element]] = {}
        for element in self._main.elements:
            for target in element.targets:
                by_target.setdefault(target, []).append(element)
        return {
            variable.name + path: (
                sort,
                [
                    e
                    for target in {variable.name, variable.name + path}
                    for e in by_target.get(target, ())
                ],
            )
            for variable in self._main.variables
            if variable.kind in _CHOSEN
            for path, sort in sorts.leaves(variable.sort)
        }


def _end(sort: Sort, end: int) -> Value:
    """Return the greatest or the least value of a sort, as far as it has one."""
    match sort:
        case BoolSort():
            return end == 0
        case sorts.IntSort(low, high):
            found = high if end == 0 else low
            return 0 if found is None else found
        case sorts.EnumSort(_, values) if values:
            return values[-1 if end == 0 else 0]
        case _:
            return sorts.default_value(sort)
