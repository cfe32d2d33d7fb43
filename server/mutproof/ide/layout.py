"""Where the mutants of a run stand in one version of the text; knows no verdicts.

Made once for a version and a list of mutants, and shared by all that is found out afterwards.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from mutproof.analyses.mutation import suppress
from mutproof.analyses.mutation.suppress import Directive, Suppressible
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.program import ElementId
from mutproof.model.provenance import Provenance
from mutproof.workspace.report import MutantPlace
from mutproof.workspace.snapshot import Analysed


@dataclass(frozen=True)
class Layout:
    """Find the mutants of a listing in a text; computes each table once."""

    provenance: Provenance
    source: SourceText
    listing: Mapping[str, MutantPlace]

    def is_of(self, analysed: Analysed) -> bool:
        """Tell whether it is the layout of an analysed version."""
        elaborated = analysed.elaborated
        return (
            self.provenance is elaborated.provenance
            and self.source is elaborated.parsed.source
            and self.listing is analysed.report.places
        )

    @cached_property
    def entries(self) -> tuple[tuple[Span, MutantPlace], ...]:
        """Return the mutants whose element is still there, in the order of the text."""
        found = []
        for record in self.listing.values():
            span = self._place(record)
            if span is not None:
                found.append((span, record))
        found.sort(key=lambda entry: entry[0])
        return tuple(found)

    @cached_property
    def groups(self) -> Mapping[ElementId, tuple[int, ...]]:
        """Return for every element which entries are its mutants."""
        found: dict[ElementId, list[int]] = {}
        for index, (_, record) in enumerate(self.entries):
            found.setdefault(record.element, []).append(index)
        return {element: tuple(indices) for element, indices in found.items()}

    @cached_property
    def suppressed(self) -> Mapping[str, str]:
        """Return the reasons of the mutants that comments of the text suppress."""
        return self._suppression[0]

    @cached_property
    def unused_suppressions(self) -> tuple[Directive, ...]:
        """Return the suppressing comments that suppress nothing."""
        return self._suppression[1] if self.listing else ()

    def touching(self, span: Span) -> tuple[int, ...]:
        """Return the entries that have a character or an end in common with a span, in order."""
        last = bisect_right(self._starts, span.end)
        found = []
        # What begins before ends at most at `_reach`, which never falls.
        for index in range(last - 1, -1, -1):
            if self._reach[index] < span.start:
                break
            if self.entries[index][0].end >= span.start:
                found.append(index)
        return tuple(reversed(found))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(span.start for span, _ in self.entries)

    @cached_property
    def _reach(self) -> tuple[int, ...]:
        reach = 0
        found = []
        for span, _ in self.entries:
            reach = max(reach, span.end)
            found.append(reach)
        return tuple(found)

    @cached_property
    def _suppression(self) -> tuple[Mapping[str, str], tuple[Directive, ...]]:
        if not suppress.directives(self.source):
            return {}, ()
        found = [
            Suppressible(record.mutant, record.operator, self.source.position(span.start).line)
            for span, record in self.entries
        ]
        return suppress.reasons(self.source, found)

    def _place(self, record: MutantPlace) -> Span | None:
        """Return where a mutant is reported; None if its element is gone."""
        places = self.provenance.elements.get(record.element)
        if places is None:
            return None
        if record.place is not None:
            found = places.place(record.place)
            if found is not None:
                return found.token
        return places.head.shifted(places.base)


def layout(analysed: Analysed) -> Layout:
    """Return the layout of an analysed version."""
    elaborated = analysed.elaborated
    return Layout(elaborated.provenance, elaborated.parsed.source, analysed.report.places)
