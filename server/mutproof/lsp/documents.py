"""Open files: their state, and how changes are applied to their text."""

from __future__ import annotations

import asyncio
import time
from array import array
from collections.abc import Sequence
from dataclasses import field
from typing import Final
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.ide import code_lenses, names
from mutproof.ide.code_lenses import Lens
from mutproof.ide.layout import PlacedMutants
from mutproof.ide.names import Names
from mutproof.ide.verdicts import Earlier, Verdicts
from mutproof.lsp import convert
from mutproof.lsp.colours import Data
from mutproof.lsp.convert import Encoding
from mutproof.lsp.drawing import Drawing
from mutproof.lsp.journal import Journal
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.runtime.jobs import Job
from mutproof.workspace.events import Event
from mutproof.workspace.snapshot import Edit, Migration, Snapshot

VERY_MANY: Final = 10_000
"""From this many mutants on, new verdicts are looked up only after a pause."""

PAUSE_OF_EACH_S: Final = 0.0001
"""How long that pause is for each mutant: a multiple of the cost of its look-up."""


@dataclass(eq=False)
class Document:
    """Hold an open file; mutable, owned by the session."""

    snapshot: Snapshot
    timer: asyncio.TimerHandle | None = None
    reading: asyncio.Task[None] | None = None
    events: list[Event] = field(default_factory=list)
    merging: asyncio.TimerHandle | None = None
    merged_s: float = 0.0  # time of the last merge of events, by the loop's clock
    is_cancelled: bool = False  # the current run is no longer wanted
    is_awaited: bool = False  # a run waits until the text is read
    disk: str | None = None  # the file's content, if it has changed
    stamp: tuple[int, int] | None = None  # of the file when it was last checked
    is_closed: bool = False
    lines: tuple[int, int] | None = None  # visible lines, 0-based, inclusive
    attending: asyncio.TimerHandle | None = None  # will tell the worker
    edited_s: float = 0.0  # time of the last edit, by the loop's clock
    reading_s: float = 0.0  # duration of the last reading
    named: tuple[tuple[Elaborated, Names], ...] = ()  # names of the snapshot's versions
    is_drawn: bool = False  # the client requests colours or the outline
    drawing: Drawing | None = None  # their source
    considered: Elaborated | None = None  # the newest version tried for a drawing
    is_owed: bool = False  # the client was answered from an older text
    sent: tuple[str, Data] = ("", array("I"))  # the client's colours, with their name
    journal: Journal = field(init=False)
    layout: PlacedMutants | None = None  # of the last good version, from the reading thread
    prepared: Verdicts | None = None  # verdicts of the last good version when it was read
    told: frozenset[str] = frozenset()  # what the diagnostics of verdicts that were made last name
    listing: asyncio.Task[None] | None = None  # mutants are being placed; events wait for it
    _fresh_until_s: float = 0.0  # until then, new verdicts need not be shown
    _verdicts: tuple[tuple[object, ...], Verdicts | None] | None = None
    _lenses: tuple[Verdicts | None, tuple[Lens, ...]] = (None, ())

    def __post_init__(self) -> None:
        """Begin the journal with the current text."""
        self.journal = Journal(self.snapshot.source)

    @property
    def uri(self) -> str:
        """Return the name by which the client knows the file."""
        return self.snapshot.uri

    def job(self, source: SourceText) -> Job:
        """Return the job of analysing a text of the file."""
        snapshot = self.snapshot
        language = snapshot.language.name
        return Job(snapshot.uri, source.name, language, source.content, snapshot.options)

    @property
    def looked_at(self) -> frozenset[ElementId]:
        """Return the elements of the last good version that the user looks at."""
        good = self.snapshot.good
        if good is None or self.lines is None:
            return frozenset()
        source, moved = self.snapshot.source, self.since_good
        starts = source.line_starts
        first = moved.back(starts[min(self.lines[0], len(starts) - 1)])
        behind = self.lines[1] + 1
        end = moved.back(starts[behind] if behind < len(starts) else len(source.content))
        return frozenset(
            element
            for element in good.provenance.elements
            if (span := good.provenance.whole(element)).start < end and first < span.end
        )

    @property
    def verdicts(self) -> Verdicts | None:
        """Return the verdicts of the last good version, with their places."""
        snapshot = self.snapshot
        # Edits that are not read yet change none of these.
        key = (snapshot.good, snapshot.report, snapshot.options, snapshot.is_broken)
        kept = self._verdicts
        if kept is None or (
            any(a is not b for a, b in zip(kept[0], key, strict=True))
            and not self._is_fresh(kept[1])
        ):
            analysed = snapshot.analysed
            before = None if kept is None else kept[1]
            if before is None or before.analysed.elaborated is not snapshot.good:
                before = self.prepared or before
            found = None
            if analysed is not None:
                found = Verdicts(analysed) if before is None else before.followed(analysed)
                known = self.layout
                if known is not None and known.is_of(analysed) and found.earlier.layout is None:
                    found = Verdicts(analysed, Earlier(known))
            self._verdicts = kept = (key, found)
            self._fresh_until_s = time.monotonic() + PAUSE_OF_EACH_S * len(snapshot.report.places)
        return kept[1]

    def _is_fresh(self, known: Verdicts | None) -> bool:
        """Tell whether verdicts are recent enough: of very many, they lack only the newest."""
        report = self.snapshot.report
        if known is None or not report.phase.is_active or len(report.places) < VERY_MANY:
            return False
        before = known.analysed
        is_same = (
            before.elaborated is self.snapshot.good
            and before.report.places is report.places
            and (before.report.run, before.report.phase) == (report.run, report.phase)
            and self.snapshot.analysed is not None
            and before.basis == self.snapshot.analysed.basis
        )
        return is_same and time.monotonic() < self._fresh_until_s

    @property
    def lenses(self) -> tuple[Lens, ...]:
        """Return the lenses of the last good version, cached until verdicts change."""
        verdicts = self.verdicts
        if self._lenses[0] is not verdicts:
            found = () if verdicts is None else code_lenses.lenses(verdicts)
            self._lenses = verdicts, found
        return self._lenses[1]

    @property
    def since_good(self) -> Migration:
        """Return the edits from the text of the last good version to today's."""
        good = self.snapshot.good
        return Migration() if good is None else self.journal.since(good.parsed.source)

    @property
    def since_current(self) -> Migration:
        """Return the edits from the text that was read last to today's."""
        current = self.snapshot.current
        return Migration() if current is None else self.journal.since(current.parsed.source)

    def follow(self, source: SourceText, same: SourceText | None = None) -> None:
        """Follow a text through edits to come; drop followed texts that are no longer used."""
        self.journal.follow(source, same)
        versions = (self.snapshot.good, self.snapshot.current)
        wanted = [version.parsed.source for version in versions if version is not None]
        if self.drawing is not None:
            wanted.append(self.drawing.source)
        self.journal.keep((source, *wanted))

    def names(self, elaborated: Elaborated) -> Names:
        """Return the names of a version that the snapshot holds."""
        for known, found in self.named:
            if known is elaborated:
                return found
        return names.names(elaborated, self.snapshot.language)


def changed(
    source: SourceText,
    changes: Sequence[types.TextDocumentContentChangeEvent],
    encoding: Encoding,
) -> tuple[SourceText, tuple[Edit, ...] | None]:
    """Return a text after changes, and the edits; None for these if all of it was replaced.

    Each change counts positions in the result of those before it.
    """
    edits: list[Edit] | None = []
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            replaced = convert.span(source, change.range, encoding)
            source = source.replaced(replaced, change.text)
            if edits is not None:
                edits.append(Edit(replaced.start, replaced.end, len(change.text)))
        else:
            source = SourceText(source.name, change.text)
            edits = None
    return source, None if edits is None else tuple(edits)


def name_of(uri: str) -> str:
    """Return the file name a URI stands for; other schemes keep their last part."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.scheme == "file":
        # `/C:/model.lus` on Windows.
        return path[1:] if path[2:3] == ":" else path
    return path.rpartition("/")[2] or uri
