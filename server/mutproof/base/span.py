"""Places in a text, counted in characters; knows no lines and no files."""

from __future__ import annotations

from mutproof.base.record import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Hold a half-open range of a text: 0-based character offsets, end exclusive."""

    start: int
    end: int

    def shifted(self, offset: int) -> Span:
        """Return this span moved right by `offset` characters."""
        return Span(self.start + offset, self.end + offset)

    def contains(self, offset: int) -> bool:
        """Tell whether the 0-based `offset` lies in the span, its end included."""
        return self.start <= offset <= self.end

    def covers(self, other: Span) -> bool:
        """Tell whether `other` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end

    def joined(self, other: Span) -> Span:
        """Return the smallest span that covers both."""
        return Span(min(self.start, other.start), max(self.end, other.end))


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Hold a place for display: line and column, both 1-based, in characters."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"
