"""Which variables terms read, asked of many terms about many sets of variables."""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.terms import Term


class VariablesRead:
    """Tell which terms read which variables, themselves or their next values; caches only.

    A set of variables is a number with a bit for each of them.
    """

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._read: dict[Term, int] = {}

    def of(self, root: Term) -> int:
        """Return the variables that a term reads."""
        found = self._read.get(root)
        return walk.fold(root, self._combine, self._read) if found is None else found

    def names(self, names: Iterable[str]) -> int:
        """Return some variables as a number."""
        found = 0
        for name in names:
            found |= self._bit(name)
        return found

    def _bit(self, name: str) -> int:
        return self._bits.setdefault(name, 1 << len(self._bits))

    def _combine(self, term: Term, args: tuple[int, ...]) -> int:
        if term.op in {Op.VAR, Op.NEXT_VAR}:
            return self._bit(str(term.payload))
        found = 0
        for arg in args:
            found |= arg
        return found
