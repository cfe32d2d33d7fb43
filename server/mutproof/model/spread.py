"""After how many steps variables may differ where some others do, by what is computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from mutproof.base.memo import Memo

MOST_KNOWN = 2
"""Of how many changes it is kept what they reach: those of neighbours come one after the other."""

MOST_BETWEEN = 4
"""How many variables may lie before one in a row."""

_Both: TypeAlias = Sequence[Mapping[str, Sequence[str]]]
"""What goes with variables in the same state, and with those of the state before or the next."""


class Spread:
    """Tell what changes reach by what variables read and are read by; keeps the last answers."""

    def __init__(self, reads: _Both, readers: _Both) -> None:
        self._reads = reads
        self._readers = readers
        self._known: Memo[tuple[tuple[str, ...], Mapping[str, int]]] = Memo(MOST_KNOWN)

    def of(self, changed: Iterable[str]) -> Mapping[str, int]:
        """Return after how many steps each variable may differ, those that do first first."""
        names = tuple(changed)
        return self._known.get(names, lambda: (names, self._found(names)))[1]

    def _found(self, names: tuple[str, ...]) -> Mapping[str, int]:
        for _, (before, reached) in self._known.items():  # noqa: PERF102 - no dictionary
            if len(before) == len(names) == 1:
                further = self._further(reached, names[0])
                if further is not None:
                    return further
        found: dict[str, int] = {}
        layer, step = [*names], 0
        while layer:
            later: list[str] = []
            while layer:
                name = layer.pop()
                if name not in found:
                    found[name] = step
                    layer += self._readers[0].get(name, ())
                    later += self._readers[1].get(name, ())
            layer, step = later, step + 1
        return found

    def _further(self, reached: Mapping[str, int], wanted: str) -> Mapping[str, int] | None:
        """Return what is reached from a variable, by what is reached from one before it.

        In a row of memories, all goes through the next one. None where it does not, or where what
        comes before may depend on what comes later.
        """
        path: list[str] = []
        for name in reached:
            if name == wanted:
                break
            readers = [one for reading in self._readers for one in reading.get(name, ())]
            if len(readers) != 1 or len(path) == MOST_BETWEEN:
                return None
            path.append(name)
        else:
            return None
        for before, name in zip([None, *path], path, strict=False):
            read = {one for reads in self._reads for one in reads.get(name, ())}
            if any(one in reached and one != before for one in read):
                return None
        begun = reached[wanted]
        return {name: step - begun for name, step in reached.items() if name not in path}
