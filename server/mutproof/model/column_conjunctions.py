"""Columns of long conjunctions, of which only the conjuncts are computed that read what differs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import and_
from typing import Any

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model.columns import ColumnFunction

LEAST = 32
"""Terms of fewer conjuncts are computed as a whole."""

MOST_STEPS = 16
"""In how many steps the columns of conjuncts are kept."""


@dataclass(frozen=True, slots=True)
class ColumnConjunction:
    """Compute the column of a conjunction; caches only.

    `whole` computes it from all columns, `conjuncts` their parts; `readers` are the positions of
    those that read a variable.
    """

    whole: ColumnFunction
    conjuncts: Sequence[ColumnFunction]
    readers: Mapping[str, Sequence[int]]
    known: Memo[tuple[list[Any], list[Any]]]

    def again(
        self, columns: list[Any], rows: int, differ: Collection[str], known: list[Any]
    ) -> Any:
        """Return the column where some variables differ from `known` columns."""
        touched = {place for name in differ for place in self.readers.get(name, ())}
        if 2 * len(touched) > len(self.conjuncts):
            return self.whole(columns, rows)

        def computed() -> tuple[list[Any], list[Any]]:
            return known, [conjunct(known, rows) for conjunct in self.conjuncts]

        _, before = self.known.get(id(known), computed)
        found = [*before]
        for place in touched:
            found[place] = self.conjuncts[place](columns, rows)
        return reduce(and_, found, rows)
