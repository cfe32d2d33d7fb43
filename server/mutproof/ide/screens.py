"""How much stands in a text: only so much on a screen, whatever part of the text it shows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import field
from typing import Final, TypeAlias

from mutproof.base.record import dataclass

LINES: Final = 50
"""The lines of a screen."""

MOST_ON_A_SCREEN: Final = 25
"""The most diagnostics on a screen, the one that counts those left out included."""

LineOf: TypeAlias = Callable[[int], int]
"""Returns the line of an offset, both of some version, where that text is shown."""


@dataclass(eq=False)
class Screens:
    """Keep at most `most` things in any `height` consecutive lines; mutable.

    What is added by `add` may exceed that: then nothing else has room near it.
    """

    height: int
    most: int
    _lines: list[int] = field(default_factory=list)  # in order
    _full: set[int] = field(default_factory=set)  # lines that had no room, so never will

    def has_room(self, line: int) -> bool:
        """Tell whether one more may stand in a line."""
        if line in self._full:
            return False
        lines, most, height = self._lines, self.most, self.height
        at = bisect_right(lines, line)
        # The `most` before and behind it: with it, no more of them may be near each other.
        near = [*lines[max(0, at - most) : at], line, *lines[at : at + most]]
        for earlier, later in zip(near, near[most:], strict=False):
            if later - earlier < height:
                self._full.add(line)
                return False
        return True

    def add(self, line: int) -> None:
        """Take the room of one more in a line."""
        self._lines.insert(bisect_right(self._lines, line), line)
