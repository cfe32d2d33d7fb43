"""What decides some values of a system: sets of variables as bits, joined and compared at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass

MOST_REACHES = 1_024
"""Of how many sets of properties, and of variables, it is kept what decides them."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Hold variables that decide some values, and the definitions and updates of them, as bits."""

    variables: int
    definitions: int
    updates: int

    def __or__(self, other: Reach) -> Reach:
        """Return what decides the values of either."""
        return Reach(
            self.variables | other.variables,
            self.definitions | other.definitions,
            self.updates | other.updates,
        )

    def __le__(self, other: Reach) -> bool:
        """Tell whether another one has all variables of this one."""
        return not self.variables & ~other.variables

    def has(self, index: int) -> bool:
        """Tell whether the variable of an index decides some of the values."""
        return bool(self.variables >> index & 1)


class Reaches:
    """Find what decides variables in executions of any length; caches only.

    `reads` are what each is computed from, in the same state and in the one before, `index` has
    their places; `bits` gives what decides some as bits.
    """

    def __init__(
        self,
        reads: Sequence[Mapping[str, Sequence[str]]],
        index: Mapping[str, int],
        bits: Callable[[frozenset[str]], Reach],
    ) -> None:
        self._reads = reads
        self._index = index
        self._bits = bits
        self._known: Memo[Reach] = Memo(MOST_REACHES)
        self._alone: dict[str, Reach] = {}  # by variable, those that were asked about first

    def of(self, names: frozenset[str]) -> Reach:
        """Return what decides some variables."""

        def found() -> Reach:
            ordered = sorted(names, key=lambda name: self._index.get(name, -1))
            return reduce(or_, map(self._of_one, ordered), Reach(0, 0, 0))

        return self._known.get(names, found)

    def _of_one(self, name: str) -> Reach:
        """Return what decides one variable: what decides those that it reads, found before it."""
        if name in self._alone:
            return self._alone[name]
        read = (one for table in self._reads for one in table.get(name, ()))
        return reduce(or_, map(self._from, read), self._bits(frozenset((name,))))

    def _from(self, start: str) -> Reach:
        """Return what decides one variable, from what is known of others; kept for the first."""
        known, found, waiting = Reach(0, 0, 0), set[str](), [start]
        while waiting:
            name = waiting.pop()
            if name in self._alone:
                known |= self._alone[name]
            elif name not in found:
                found.add(name)
                for reads in self._reads:
                    waiting += reads.get(name, ())
        known |= self._bits(frozenset(found))
        if len(self._alone) < MOST_REACHES:
            self._alone[start] = known
        return known
