"""Mutants that have not arrived: those of a relational model come in portions.

Each portion is tried at little cost before the next one arrives. Until then any worker can have
them, as nothing was done for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.deciding.context import Context
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.model.program import ElementId

AT_ONCE = 4_096
"""About how many mutants arrive before the first of them are tried."""


class Portions:
    """Hold the mutants that have not arrived, by element; mutable."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._waiting: list[list[Mutant]] = []

    def arriving(self, edited: frozenset[ElementId]) -> Iterator[Sequence[Mutant]]:
        """Yield the mutants; the next ones arrive when these were tried.

        What no proof rests on comes before what nobody looks at or `edited`, then elements with
        many mutants, which share the most. Mutants of equations come at once: they have one system,
        with all of their memories.
        """
        context, mutants = self._context, self._context.mutants.by_name.values()
        if not context.relational:
            yield [*mutants]
            return
        waiting: dict[frozenset[ElementId], list[Mutant]] = {}
        for mutant in mutants:
            waiting.setdefault(_elements(mutant), []).append(mutant)
        self._waiting = [*waiting.values()]

        def turn(own: Sequence[Mutant]) -> tuple[bool, bool, bool, int]:
            elements, looked_at = _elements(own[0]), context.means.attention()
            wished = looked_at.isdisjoint(elements), edited.isdisjoint(elements)
            is_resting = context.inherited.concerns(elements)
            return (*wished, is_resting, -len(own) if is_resting else 0)

        while self._waiting:
            self._waiting.sort(key=turn)
            portion = self._waiting.pop(0)
            while self._waiting and len(portion) + len(self._waiting[0]) <= AT_ONCE:
                portion += self._waiting.pop(0)
            yield portion
            self.lend()

    def lend(self) -> bool:
        """Hand over half of the elements to a worker that asks; tell whether any were left."""
        lending, elements = self._context.means.lending, len(self._waiting)
        if elements and lending.asked():
            self._waiting, given = self._waiting[: elements // 2], self._waiting[elements // 2 :]
            lending.lend(tuple(mutant.id for own in given for mutant in own))
        return elements > 0


def _elements(mutant: Mutant) -> frozenset[ElementId]:
    return frozenset(change.element for change in mutant.changes)
