"""What reads each variable of a cone of influence: a change may leave the cone as it is.

To find the whole cone of each mutant takes as long as the model is large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from mutproof.base.digraph import reached
from mutproof.model import terms
from mutproof.model.terms import Term


class ConeReaders:
    """Know what terms of a cone read: those asked about, and those of `tables` by what they define.

    `reads` returns the variables that a term reads.
    """

    def __init__(
        self,
        asked: Iterable[Term],
        tables: Sequence[Mapping[str, Term]],
        reads: Callable[[Term], Iterable[str]],
    ) -> None:
        self._tables = tables
        self._reads = reads
        self._asked = frozenset(name for term in asked for name in reads(term))
        self._readers: dict[str, list[tuple[int, str]]] = {}  # by number of a table and variable
        for number, table in enumerate(tables):
            for defined, term in table.items():
                for name in reads(term):
                    self._readers.setdefault(name, []).append((number, defined))

    def remain(self, altered: Sequence[Mapping[str, Term]], lost: AbstractSet[str]) -> bool:
        """Tell whether variables are read still, by what stays as it is and is read without them.

        `altered` are the terms that replace those of the tables. False if that is not certain.
        """
        if lost <= self._asked:
            return True
        below = set(reached(lost, self._read_by))
        return all(
            name in self._asked
            or any(
                defined not in below and defined not in altered[number]
                for number, defined in self._readers.get(name, ())
            )
            for name in lost
        )

    def unread(
        self, altered: Sequence[Mapping[str, Term]], lost: AbstractSet[str]
    ) -> frozenset[str]:
        """Return which variables nothing reads any more, some of those `lost`; none if uncertain.

        All others of the cone remain.
        """
        gone = frozenset(
            name
            for name in lost - self._asked
            if all(defined in altered[number] for number, defined in self._readers.get(name, ()))
        )
        without = [{**own, **dict.fromkeys(gone, terms.TRUE)} for own in altered]
        below = frozenset(lost).union(*(self._read_by(name) for name in gone)) - gone
        return gone if self.remain(without, below) else frozenset()

    def _read_by(self, name: str) -> Iterator[str]:
        for table in self._tables:
            if name in table:
                yield from self._reads(table[name])
