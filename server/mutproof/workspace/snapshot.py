"""The state of an open file at one moment: its text, its meaning, its verdicts.

A snapshot is immutable; each answer to a request uses one, and so never sees half a change. The
text may be newer than its last elaboration: while a declaration is being typed, spans of the last
good version are moved to where their text is now.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field, replace
from difflib import SequenceMatcher
from typing import Final

from mutproof.analyses.advising.advice import AdviceFinding
from mutproof.analyses.suggesting.finding import SuggestionsFinding
from mutproof.base.diagnostics import Diagnostic
from mutproof.base.digest import Digest
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.language import Elaborated, Language
from mutproof.model.program import Program
from mutproof.workspace import report as reports
from mutproof.workspace.options import Options
from mutproof.workspace.report import FileReport

MAX_COMPARED_LINES: Final = 400
NO_BASIS: Final = Digest(b"")
"""A basis that no verdict has."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters from `start` to `end` (exclusive) by `length` others."""

    start: int
    end: int
    length: int


@dataclass(frozen=True)
class Migration:
    """Move offsets of an older text to a newer one; edits are in order and do not overlap."""

    edits: tuple[Edit, ...] = ()

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(edit.start for edit in self.edits)

    @cached_property
    def _shifts(self) -> tuple[int, ...]:
        shifts = [0]
        for edit in self.edits:
            shifts.append(shifts[-1] + edit.length - (edit.end - edit.start))
        return tuple(shifts)

    def offset(self, offset: int, *, end: bool = False) -> int:
        """Return where the character at an offset is now; the end of a span moves as `end`.

        An offset in a replaced range keeps its distance from the start of the range, but does not
        go beyond the end of the replacement.
        """
        # The end of a span moves with its last character.
        index = bisect_right(self._starts, offset - 1 if end else offset)
        if index == 0:
            return offset
        edit = self.edits[index - 1]
        if offset < edit.end or (end and offset == edit.end > edit.start):
            return edit.start + self._shifts[index - 1] + min(offset - edit.start, edit.length)
        return offset + self._shifts[index]

    def span(self, span: Span) -> Span:
        """Return where a span is now; never empty unless it was or its text is gone."""
        start = self.offset(span.start)
        return Span(start, max(start, self.offset(span.end, end=True)))

    def is_gone(self, span: Span) -> bool:
        """Tell whether the text of a span was deleted."""
        now = self.span(span)
        return now.start == now.end and span.start < span.end

    def touches(self, span: Span) -> bool:
        """Tell whether an edit changed characters inside a span."""
        return any(
            edit.start < span.end and span.start < max(edit.end, edit.start + 1)
            for edit in self.edits
        )

    def back(self, offset: int) -> int:
        """Return where the character now at an offset was in the older text."""
        shift = 0
        for edit in self.edits:
            now = edit.start + shift
            if offset < now:
                break
            if offset < now + edit.length:
                return min(edit.start + offset - now, edit.end)
            shift += edit.length - (edit.end - edit.start)
        return offset - shift


def migration(old: str, new: str) -> Migration:
    """Return the edits between two texts, computed line by line where much of them is equal."""
    if old == new:
        return Migration()
    start = _common_prefix(old, new)
    tail = _common_prefix(old[start:][::-1], new[start:][::-1])
    before, after = old[start : len(old) - tail], new[start : len(new) - tail]
    old_lines, new_lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    few = len(old_lines) <= MAX_COMPARED_LINES and len(new_lines) <= MAX_COMPARED_LINES
    if len(old_lines) < 2 or len(new_lines) < 2 or not few:
        return Migration((Edit(start, len(old) - tail, len(after)),))
    edits, offset = [], start
    matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        removed = sum(map(len, old_lines[first:last]))
        if tag != "equal":
            inserted = sum(map(len, new_lines[new_first:new_last]))
            edits.append(Edit(offset, offset + removed, inserted))
        offset += removed
    return Migration(tuple(edits))


def _common_prefix(left: str, right: str) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class Analysed:
    """Hold a version of a file that has a meaning, with the verdicts that belong to it.

    All spans are of `elaborated`'s own text; editor features work on this alone.
    """

    elaborated: Elaborated
    language: Language
    report: FileReport
    basis: Digest

    @property
    def source(self) -> SourceText:
        """Return the text that all spans refer to."""
        return self.elaborated.parsed.source

    @property
    def program(self) -> Program:
        """Return the meaning of the text."""
        program = self.elaborated.program
        assert program is not None
        return program

    @property
    def suggestions(self) -> SuggestionsFinding:
        """Return the properties that would close gaps of this version, none where not known."""
        found = self.report.suggestions
        return SuggestionsFinding() if found is None or found[1] != self.basis else found[0]

    @property
    def advice(self) -> AdviceFinding:
        """Return the advice on this version, none where not known."""
        found = self.report.advice
        return AdviceFinding() if found is None or found[1] != self.basis else found[0]

    def is_current(self, basis: Digest) -> bool:
        """Tell whether a verdict of that basis is about this version."""
        return basis == self.basis


@dataclass(frozen=True)
class Snapshot:
    """Hold the state of an open file.

    `current` is the elaboration of the newest text that was read, `good` the newest one with a
    meaning; either may lag behind `source`. `broken` says why the file is not read at all (too big,
    not a text), if so.
    """

    uri: str
    version: int | None
    source: SourceText
    language: Language
    options: Options
    current: Elaborated | None = None
    good: Elaborated | None = None
    report: FileReport = field(default_factory=FileReport)
    broken: tuple[Diagnostic, ...] = ()

    def with_text(self, source: SourceText, version: int | None) -> Snapshot:
        """Return the snapshot after an edit, before the text is read again."""
        return replace(self, source=source, version=version)

    def with_elaborated(self, elaborated: Elaborated) -> Snapshot:
        """Return the snapshot after a version was read; `good` stays if that has no meaning."""
        good = self.good if elaborated.program is None else elaborated
        return replace(self, current=elaborated, good=good)

    def with_report(self, report: FileReport) -> Snapshot:
        """Return the snapshot with another report."""
        return replace(self, report=report)

    @property
    def is_understood(self) -> bool:
        """Tell whether the newest text was read and has a meaning."""
        current = self.current
        return (
            current is not None
            and current.program is not None
            and current.parsed.source.content == self.source.content
        )

    @property
    def is_broken(self) -> bool:
        """Tell whether the newest text that was read has no meaning, so that `good` is older."""
        return self.current is not self.good

    @cached_property
    def analysed(self) -> Analysed | None:
        """Return the last good version with its verdicts; None while there is none.

        While the text is broken all verdicts are stale: they are about another text than that
        shown.
        """
        if self.good is None or self.good.program is None:
            return None
        basis = NO_BASIS if self.is_broken else reports.basis(self.good.program, self.options)
        return Analysed(self.good, self.language, self.report, basis)

    @cached_property
    def since_good(self) -> Migration:
        """Return the edits from the text of the last good version to today's."""
        if self.good is None:
            return Migration()
        return migration(self.good.parsed.source.content, self.source.content)

    @cached_property
    def since_current(self) -> Migration:
        """Return the edits from the text that was read last to today's."""
        if self.current is None:
            return Migration()
        return migration(self.current.parsed.source.content, self.source.content)
