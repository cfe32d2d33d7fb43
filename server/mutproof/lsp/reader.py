"""Reading texts beside the event loop: when, for how long, and what is answered meanwhile.

It gives way to answers, and to shorter texts. A reading replaces all that was known of a text at
once: its meaning, its names, and the places of the mutants.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from lsprotocol import types

from mutproof.base.diagnostics import Diagnostic
from mutproof.ide import layout, names
from mutproof.ide.names import Names
from mutproof.ide.verdicts import Earlier, Verdicts
from mutproof.lsp import drawing as drawings
from mutproof.lsp.audience import Audience
from mutproof.lsp.convert import Encoding
from mutproof.lsp.documents import Document
from mutproof.lsp.drawing import Drawing
from mutproof.lsp.gate import Gate
from mutproof.lsp.lane import Lane
from mutproof.model.language import Elaborated
from mutproof.runtime import files
from mutproof.runtime.aside import GivenUpError, OutOfTimeError
from mutproof.workspace.queries import Queries
from mutproof.workspace.report import MutantPlace
from mutproof.workspace.snapshot import Migration, Snapshot

TYPING_PAUSE_S: Final = 0.2
MAX_PAUSE_S: Final = 0.6
TYPING_S: Final = 0.4
"""How long after an edit another one is expected."""

FRESH_WAIT_S: Final = 5.0
PATIENCE_S: Final = 0.02
"""The longest reading that requests wait for while typing goes on."""

OUTDATED_S: Final = 1.0
"""How long reading a text goes on after it was edited: quick results are still useful."""

MOST_S: Final = 60.0
"""The longest time for reading a text."""

Listing = Mapping[str, MutantPlace]

ResultT = TypeVar("ResultT")

logger = logging.getLogger(__name__)


def late(seconds: float) -> Diagnostic:
    """Return the diagnostic of a text that was not read within so many seconds."""
    return files.problem(
        "out-of-time",
        f"reading was stopped after {seconds:g} seconds; every verdict is unknown",
        "split the model into several files",
    )


class Owner(Protocol):
    """The owner of a reader, told of readings, which starts background work."""

    def tell(self, say: Callable[[Audience], None]) -> None:
        """Tell the audience something."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start work that nobody waits for."""

    def was_read(self, document: Document) -> None:
        """Start work that waited for the text just read."""


def is_read(document: Document) -> bool:
    """Tell whether today's text was read."""
    current = document.snapshot.current
    content = document.snapshot.source.content
    return current is not None and current.parsed.source.content == content


def is_settled(document: Document) -> bool:
    """Tell whether nothing is left to do about a text."""
    is_drawn = document.considered is document.snapshot.current or not document.is_drawn
    return is_drawn and is_read(document)


class TextReader:
    """Have texts read; owned by the event loop's thread."""

    def __init__(self, queries: Queries, owner: Owner, *, most_s: float = MOST_S) -> None:
        self.encoding: Encoding = types.PositionEncodingKind.Utf16
        self.gate = Gate()
        self._queries = queries
        self._owner = owner
        self._most_s = most_s
        self._lane = Lane(self.gate.wait)

    def soon(self, document: Document, *, pause_s: float | None = None) -> None:
        """Have a text read after a pause; a later call replaces an earlier one."""
        if document.timer is not None:
            document.timer.cancel()
        if pause_s is None:
            # The slower the text is to read, the longer typing must have stopped.
            pause_s = min(max(TYPING_PAUSE_S, document.reading_s / 2), MAX_PAUSE_S)
        loop = asyncio.get_running_loop()
        document.timer = loop.call_later(pause_s, self._start, document)

    async def fresh(self, document: Document, *, wait_s: float = FRESH_WAIT_S) -> Snapshot:
        """Return a snapshot whose text was read, unless that takes longer than `wait_s`."""
        if not is_settled(document) and not document.snapshot.broken:
            if document.timer is not None:
                document.timer.cancel()
            self._start(document)
            if document.reading is not None:
                await asyncio.wait({document.reading}, timeout=wait_s)
        return document.snapshot

    async def drawing(self, document: Document) -> Drawing | None:
        """Return the drawing to take colours and outline from.

        That of today's text, unless reading takes long and typing goes on: then an older one, and
        the client is told once there is a newer one.
        """
        document.is_drawn = True
        now_s = asyncio.get_running_loop().time()
        is_typing = now_s < document.edited_s + TYPING_S
        if document.drawing is None or not is_typing or document.reading_s < PATIENCE_S:
            await self.fresh(document)
        found = document.drawing
        document.is_owed = found is not None and not is_settled(document)
        return found

    async def place(self, document: Document, listing: Listing) -> None:
        """Have mutants placed in the last good version."""
        while (good := document.snapshot.good) is not None:
            known = document.layout
            if known is not None and known.elaborated is good and known.listing is listing:
                return
            work = partial(layout.layout, good, listing)
            with suppress(GivenUpError):
                document.layout = await self._lane.run(
                    work, wanted=lambda _: not document.is_closed
                )
            if document.is_closed or self._lane.is_shut:
                return

    async def on_lane(self, document: Document, work: Callable[[], ResultT]) -> ResultT:
        """Return the result of work on a document's text, done on the lane.

        Raises:
            GivenUpError: the file was closed, or edited while this took long.
            OutOfTimeError: it took too long.
        """
        source = document.snapshot.source

        def wanted(spent_s: float) -> bool:
            is_todays = document.snapshot.source is source or spent_s < OUTDATED_S
            return is_todays and not document.is_closed

        return await self._lane.run(work, wanted=wanted, most_s=self._most_s)

    def shut_down(self) -> None:
        """Start no further readings."""
        self._lane.shut()

    def _start(self, document: Document) -> None:
        document.timer = None
        if document.reading is None or document.reading.done():
            document.reading = self._owner.spawn(self._read(document))

    async def _read(self, document: Document) -> None:
        while not document.is_closed and not is_settled(document):
            if document.snapshot.broken or self._lane.is_shut:
                return
            try:
                if is_read(document):
                    await self._draw(document)
                else:
                    await self._understand(document)
            except GivenUpError:
                pass  # the text has changed, or the file was closed
            except OutOfTimeError:
                self._break(document, late(self._most_s))
                return
            except Exception as error:
                logger.exception("reading %s", document.uri)
                problem = files.problem("internal-error", f"{type(error).__name__}: {error}")
                self._break(document, problem)
                return
            if document.timer is not None:
                return  # edited meanwhile: the timer starts the next reading
        self._owner.was_read(document)

    def _break(self, document: Document, problem: Diagnostic) -> None:
        """Report why a text cannot be read; it is tried again after the next edit."""
        document.snapshot = replace(document.snapshot, broken=(problem,))
        self._owner.tell(lambda audience: audience.read(document))

    async def _understand(self, document: Document) -> None:
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        source = document.snapshot.source
        document.follow(source)
        elaborated, found, prepared = await self.on_lane(
            document, partial(self._understood, document.snapshot)
        )
        # Mutants may have been listed meanwhile.
        while prepared is not None and (
            prepared.layout.listing is not document.snapshot.report.places
        ):
            prepared = await self.on_lane(
                document, partial(self._prepared, document.snapshot, elaborated)
            )
        document.snapshot = document.snapshot.with_elaborated(elaborated)
        document.follow(elaborated.parsed.source, source)
        kept = [pair for pair in document.named if pair[0] is document.snapshot.good]
        document.named = (*kept, (elaborated, found))
        if prepared is not None:
            document.layout, document.prepared = prepared.layout, prepared
        document.reading_s = loop.time() - begun_s
        self._owner.tell(lambda audience: audience.read(document))

    async def _draw(self, document: Document) -> None:
        current, known = document.snapshot.current, document.drawing
        assert current is not None
        names_of_current = document.names(current)
        encoding = self.encoding
        moved = Migration() if known is None else document.journal.since(known.source)

        def drawn() -> Drawing | None:
            if drawings.outlasts(known, current, moved):
                return known
            return drawings.drawing(current, names_of_current, encoding)

        document.drawing = await self.on_lane(document, drawn)
        document.considered = current
        self._owner.tell(lambda audience: audience.drawn(document))

    def _understood(self, snapshot: Snapshot) -> tuple[Elaborated, Names, Verdicts | None]:
        """Read a text; only called on the lane, as only that uses the queries."""
        language = snapshot.language
        elaborated = self._queries.elaborated(language.name, snapshot.source)
        found = names.names(elaborated, language).prepare()
        return elaborated, found, self._prepared(snapshot, elaborated)

    @staticmethod
    def _prepared(snapshot: Snapshot, elaborated: Elaborated) -> Verdicts | None:
        """Return the verdicts known so far; None if the text has no program."""
        analysed = snapshot.with_elaborated(elaborated).analysed
        if elaborated.program is None or analysed is None:
            return None
        placed = layout.layout(elaborated, snapshot.report.places)
        return Verdicts(analysed, Earlier(placed)).prepare()
