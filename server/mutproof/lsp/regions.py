"""The lines that edits touched: places on other lines keep their columns, and their lines move."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.workspace.snapshot import Edit, Migration


@dataclass(frozen=True, slots=True)
class Region:
    """Hold touched lines of an older text, first to last, 0-based.

    They reach from offset `start` to `end` (exclusive); `shift` is the number of lines by which
    later ones moved.
    """

    first: int
    last: int
    start: int
    end: int
    shift: int


class Regions:
    """Look up whether places of an older text are touched."""

    def __init__(self, old: SourceText, new: SourceText, migration: Migration) -> None:
        self.regions = tuple(_regions(old, new, migration.edits))
        self._starts = [region.start for region in self.regions]

    def shift(self, start: int, end: int) -> int | None:
        """Return by how much the lines of a place moved; None if one of them is touched.

        The place is from offset `start` to `end` of the older text, both included.
        """
        index = bisect_right(self._starts, end) - 1
        if index < 0:
            return 0
        region = self.regions[index]
        return None if start < region.end else region.shift


def _regions(old: SourceText, new: SourceText, edits: tuple[Edit, ...]) -> Iterator[Region]:
    lines, new_lines = old.line_starts, new.line_starts
    open_: Region | None = None
    moved_by = 0
    for edit in edits:
        first = bisect_right(lines, edit.start) - 1
        last = bisect_right(lines, edit.end) - 1
        moved_by += edit.length - (edit.end - edit.start)
        now = bisect_right(new_lines, edit.end + moved_by) - 1
        end = lines[last + 1] if last + 1 < len(lines) else len(old.content) + 1
        if open_ is not None and first > open_.last:
            yield open_
            open_ = None
        begin = first if open_ is None else open_.first
        open_ = Region(begin, last, lines[begin], end, now - last)
    if open_ is not None:
        yield open_
