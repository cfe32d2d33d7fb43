"""A record of the client's edits since the texts that were read.

A comparison of two texts does not show the edits: with one at either end of a file, all between
them would seem to be new.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mutproof.base.text import SourceText
from mutproof.workspace.snapshot import Edit, Migration, migration

FEW: Final = 200
"""Separate edits of a text that are followed one by one."""


class Journal:
    """Follow some texts through all edits; mutable, owned by the event loop's thread."""

    def __init__(self, source: SourceText) -> None:
        self._today = source
        self._moved: list[tuple[SourceText, Migration]] = [(source, Migration())]

    def follow(self, source: SourceText, same: SourceText | None = None) -> None:
        """Begin to follow today's text, or one that is equal to a text that is followed."""
        moved = self.since(source if same is None else same)
        self._moved = [*(pair for pair in self._moved if pair[0] is not source), (source, moved)]

    def keep(self, sources: Iterable[SourceText]) -> None:
        """Follow nothing but some texts."""
        wanted = {id(source) for source in sources}
        self._moved = [pair for pair in self._moved if id(pair[0]) in wanted]

    def edited(self, source: SourceText, edits: Iterable[Edit] | None) -> None:
        """Record the newest text; without `edits` they are found by comparison.

        Each edit counts offsets in the result of those before it.
        """
        if edits is None:
            # From last to first: an edit does not move those before it.
            edits = reversed(migration(self._today.content, source.content).edits)
        listed = list(edits)
        self._today = source
        self._moved = [(known, _through(moved, listed)) for known, moved in self._moved]

    def since(self, source: SourceText) -> Migration:
        """Return the edits from a text to today's."""
        for known, moved in self._moved:
            if known is source and len(moved.edits) <= FEW:
                return moved
        return migration(source.content, self._today.content)


def then(moved: Migration, edit: Edit) -> Migration:
    """Compose a migration with an edit of its result."""
    before: list[Edit] = []
    after: list[Edit] = []
    start, end = edit.start, edit.end  # in the result; at the end, in the older text
    removed = edit.end - edit.start
    length = edit.length - removed  # growth of the range
    shift = 0
    first: int | None = None
    last = 0
    shift_at_start = shift_at_end = 0
    for known in moved.edits:
        begin = known.start + shift
        stop = begin + known.length
        if stop < start:
            before.append(known)
            shift += known.length - (known.end - known.start)
            shift_at_start = shift_at_end = shift
        elif begin > end:
            after.append(known)
        else:
            first = begin if first is None else first
            last = stop
            shift += known.length - (known.end - known.start)
            shift_at_end = shift
    low = start if first is None else min(start, first)
    high = end if first is None else max(end, last)
    old_start, old_end = low - shift_at_start, high - shift_at_end
    merged = Edit(old_start, old_end, high - low + length)
    if merged.start == merged.end and merged.length == 0:
        return Migration((*before, *after))
    return Migration((*before, merged, *after))


def _through(moved: Migration, edits: list[Edit]) -> Migration:
    for edit in edits:
        moved = then(moved, edit)
    return moved
