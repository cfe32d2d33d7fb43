"""Where the mutants of a run stand in one version of the text; knows no verdicts.

Made once for a version and a listing, and shared by all later reports on them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from mutproof.analyses.mutation import suppress
from mutproof.analyses.mutation.suppress import FaultyDirective, Suppressible
from mutproof.base.giving_way import give_way
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.model.provenance import Provenance
from mutproof.model.terms import Path
from mutproof.workspace.report import MutantPlace
from mutproof.workspace.snapshot import Analysed


@dataclass(frozen=True, slots=True)
class PlacedMutants:
    """Find the mutants of a listing in a version of a text.

    `entries` are the mutants whose element is still there, in the order of the text; `groups`
    are the indices of those of every element. `suppressed` has the reasons of the mutants that
    comments suppress, `faulty_suppressions` the comments with something wrong.
    """

    elaborated: Elaborated
    listing: Mapping[str, MutantPlace]
    entries: tuple[tuple[Span, MutantPlace], ...]
    groups: Mapping[ElementId, tuple[int, ...]]
    suppressed: Mapping[str, str]
    faulty_suppressions: tuple[FaultyDirective, ...]
    _starts: tuple[int, ...]
    _reach: tuple[int, ...]

    def is_of(self, analysed: Analysed) -> bool:
        """Tell whether it is the layout of an analysed version."""
        return self.elaborated is analysed.elaborated and self.listing is analysed.report.places

    def touching(self, span: Span) -> tuple[int, ...]:
        """Return the entries that have a character or an end in common with a span, in order."""
        last = bisect_right(self._starts, span.end)
        found = []
        # No earlier entry ends after `_reach[index]`, which never decreases.
        for index in range(last - 1, -1, -1):
            if self._reach[index] < span.start:
                break
            if self.entries[index][0].end >= span.start:
                found.append(index)
        return tuple(reversed(found))


def layout(elaborated: Elaborated, listing: Mapping[str, MutantPlace]) -> PlacedMutants:
    """Return where the mutants of a listing stand in a version of a text."""
    entries = []
    known: dict[tuple[ElementId, Path | None], Span | None] = {}  # cached: places are shared
    for record in listing.values():
        give_way()
        at = record.element, record.place
        if at not in known:
            known[at] = _place(record, elaborated.provenance)
        span = known[at]
        if span is not None:
            entries.append((span, record))
    entries.sort(key=lambda entry: (entry[0].start, entry[0].end))
    groups: dict[ElementId, list[int]] = {}
    reaches = []
    reach = 0
    for index, (span, record) in enumerate(entries):
        give_way()
        groups.setdefault(record.element, []).append(index)
        reach = max(reach, span.end)
        reaches.append(reach)
    suppressed, faulty = _suppression(elaborated, entries)
    return PlacedMutants(
        elaborated,
        listing,
        tuple(entries),
        {element: tuple(indices) for element, indices in groups.items()},
        suppressed,
        faulty if listing else (),
        tuple([span.start for span, _ in entries]),
        tuple(reaches),
    )


def _suppression(
    elaborated: Elaborated, entries: list[tuple[Span, MutantPlace]]
) -> tuple[Mapping[str, str], tuple[FaultyDirective, ...]]:
    source = elaborated.parsed.source
    if not suppress.directives(source):
        return {}, ()
    found = [
        Suppressible(record.mutant, record.operator, source.position(span.start).line)
        for span, record in entries
    ]
    return suppress.reasons(source, found)


def _place(record: MutantPlace, provenance: Provenance) -> Span | None:
    """Return where a mutant is reported; None if its element is gone."""
    places = provenance.elements.get(record.element)
    if places is None:
        return None
    if record.place is not None:
        found = places.place(record.place)
        if found is not None:
            return found.token
    return places.head.shifted(places.base)
