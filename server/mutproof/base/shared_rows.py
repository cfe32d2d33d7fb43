"""Rows of many tables, equal ones kept once."""

from __future__ import annotations

from operator import is_
from typing import Any

from mutproof.base.rows import RowTable


class SharedRows:
    """Keep rows as long as tables use them; mutable.

    `values` is how many values they have together.
    """

    def __init__(self) -> None:
        self.values = 0
        self._rows: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._uses: dict[int, int] = {}  # by identity: equal rows may have values of other types

    def copied(self) -> SharedRows:
        """Return a copy with the same rows, and none that come later."""
        found = SharedRows()
        found.values = self.values
        found._rows.update(self._rows)
        found._uses.update(self._uses)
        return found

    def shared(self, table: RowTable) -> RowTable:
        """Return a table whose rows are those of others where they are equal, and use them."""
        rows = tuple(map(self._used, table.rows))
        same = all(map(is_, rows, table.rows))
        return table if same else RowTable(table.names, rows)

    def release(self, table: RowTable) -> None:
        """Use the rows of a table that was shared no longer."""
        uses = self._uses
        for row in table.rows:
            uses[id(row)] -= 1
            if not uses[id(row)]:
                del uses[id(row)]
                self.values -= len(row)
                if self._rows.get(row) is row:
                    del self._rows[row]

    def _used(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        known = row if id(row) in self._uses else self._rows.setdefault(row, row)
        if known is not row and any(map(_differ, known, row)):
            known = row  # such as 1 and True
        if id(known) not in self._uses:
            self._uses[id(known)] = 0
            self.values += len(known)
        self._uses[id(known)] += 1
        return known


def _differ(one: object, other: object) -> bool:
    """Tell whether equal values, or parts of them, have different types."""
    if one is other:
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return any(map(_differ, one, other))
    return type(one) is not type(other)
