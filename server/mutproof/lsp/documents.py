"""Open files: what is kept of each, and how changes are applied to its text."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from mutproof.base.text import SourceText
from mutproof.ide import code_lenses, names
from mutproof.ide.code_lenses import Lens
from mutproof.ide.names import Names
from mutproof.ide.verdicts import Verdicts
from mutproof.lsp import convert
from mutproof.lsp.colours import Data
from mutproof.lsp.convert import Encoding
from mutproof.lsp.drawing import Drawing
from mutproof.model.language import Elaborated
from mutproof.workspace.analysis import Event
from mutproof.workspace.snapshot import Migration, Snapshot, migration


@dataclass(eq=False)
class Document:
    """Hold an open file; mutable, owned by the session."""

    snapshot: Snapshot
    timer: asyncio.TimerHandle | None = None
    reading: asyncio.Task[None] | None = None
    events: list[Event] = field(default_factory=list)
    merging: asyncio.TimerHandle | None = None
    is_cancelled: bool = False  # the run that is going on is no longer wanted
    disk: str | None = None  # what the file holds, if that was seen to change
    is_closed: bool = False
    edited_s: float = 0.0  # when it was edited last, by the clock of the loop
    reading_s: float = 0.0  # how long it took to read the text
    named: tuple[tuple[Elaborated, Names], ...] = ()  # of the versions the snapshot holds
    is_drawn: bool = False  # the client asks for colours or the outline
    drawing: Drawing | None = None  # what they are taken from
    considered: Elaborated | None = None  # the newest version that was asked for a drawing
    is_owed: bool = False  # the client was answered from an older text
    sent: tuple[str, Data] = ("", array("L"))  # the colours the client has, and their name
    _moved: tuple[Drawing, SourceText, Migration] | None = None
    _verdicts: tuple[tuple[object, ...], Verdicts | None] | None = None
    _lenses: tuple[Verdicts | None, tuple[Lens, ...]] = (None, ())

    @property
    def uri(self) -> str:
        """Return the name by which the client knows the file."""
        return self.snapshot.uri

    @property
    def verdicts(self) -> Verdicts | None:
        """Return the verdicts of the last good version, with their places."""
        snapshot = self.snapshot
        # An edit that was not read yet changes none of these, so nothing is computed again.
        key = (snapshot.good, snapshot.report, snapshot.options, snapshot.is_broken)
        kept = self._verdicts
        if kept is None or any(a is not b for a, b in zip(kept[0], key, strict=True)):
            analysed = snapshot.analysed
            before = None if kept is None else kept[1]
            found = None
            if analysed is not None:
                found = Verdicts(analysed) if before is None else before.followed(analysed)
            self._verdicts = kept = (key, found)
        return kept[1]

    @property
    def lenses(self) -> tuple[Lens, ...]:
        """Return the lenses of the last good version, made once for every change of verdicts."""
        verdicts = self.verdicts
        if self._lenses[0] is not verdicts:
            found = () if verdicts is None else code_lenses.lenses(verdicts)
            self._lenses = verdicts, found
        return self._lenses[1]

    def moved(self, drawing: Drawing) -> Migration:
        """Return how the text of a drawing became today's."""
        source, kept = self.snapshot.source, self._moved
        if kept is None or kept[0] is not drawing or kept[1] is not source:
            found = migration(drawing.source.content, source.content)
            self._moved = kept = drawing, source, found
        return kept[2]

    def names(self, elaborated: Elaborated) -> Names:
        """Return the names of a version that the snapshot holds."""
        for known, found in self.named:
            if known is elaborated:
                return found
        return names.names(elaborated, self.snapshot.language.name)


def changed(
    source: SourceText,
    changes: Sequence[types.TextDocumentContentChangeEvent],
    encoding: Encoding,
) -> SourceText:
    """Return a text after changes; each counts positions in the result of those before it."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            replaced = convert.span(source, change.range, encoding)
            source = source.replaced(replaced, change.text)
        else:
            source = SourceText(source.name, change.text)
    return source


def name_of(uri: str) -> str:
    """Return the file name a URI stands for; other schemes keep their last part."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.scheme == "file":
        # `/C:/model.lus` on Windows.
        return path[1:] if path[2:3] == ":" else path
    return path.rpartition("/")[2] or uri
