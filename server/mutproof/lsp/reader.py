"""Reading texts on a thread of its own: when, in which order, and what is answered meanwhile.

The thread gives way to answers. What was read replaces what was known of a text as a whole: its
meaning, its names, and where the mutants stand in it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from lsprotocol import types

from mutproof.base import giving_way
from mutproof.ide import layout, names
from mutproof.ide.names import Names
from mutproof.ide.verdicts import Earlier, Verdicts
from mutproof.lsp import drawing as drawings
from mutproof.lsp.convert import Encoding
from mutproof.lsp.documents import Document
from mutproof.lsp.drawing import Drawing
from mutproof.lsp.gate import Gate
from mutproof.model.language import Elaborated
from mutproof.runtime import files
from mutproof.workspace.queries import Queries
from mutproof.workspace.report import MutantPlace
from mutproof.workspace.snapshot import Migration, Snapshot

if TYPE_CHECKING:
    from mutproof.lsp.session import Audience

TYPING_PAUSE_S: Final = 0.2
MAX_PAUSE_S: Final = 0.6
TYPING_S: Final = 0.4
"""How long after an edit another one is to be expected."""

FRESH_WAIT_S: Final = 5.0
PATIENCE_S: Final = 0.02
"""How long reading may take for requests to wait for it while typing goes on."""

Listing = Mapping[str, MutantPlace]

logger = logging.getLogger(__name__)


class Owner(Protocol):
    """Be told of what was read, and start what is to be waited for."""

    def tell(self, say: Callable[[Audience], None]) -> None:
        """Tell the audience something."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start work that nobody waits for."""

    def adopt_disk(self, document: Document) -> None:
        """Look whether what was read is what was written elsewhere."""


def is_read(document: Document) -> bool:
    """Tell whether today's text was read."""
    current = document.snapshot.current
    content = document.snapshot.source.content
    return current is not None and current.parsed.source.content == content


def is_settled(document: Document) -> bool:
    """Tell whether nothing is left to do about a text."""
    is_drawn = document.considered is document.snapshot.current or not document.is_drawn
    return is_drawn and is_read(document)


class Reader:
    """Have texts read; owned by the event loop's thread."""

    def __init__(self, queries: Queries, owner: Owner) -> None:
        self.encoding: Encoding = types.PositionEncodingKind.Utf16
        self.gate = Gate()
        self._queries = queries
        self._owner = owner
        self._thread = ThreadPoolExecutor(
            1,
            thread_name_prefix="reader",
            initializer=giving_way.arrange,
            initargs=(self.gate.wait,),
        )

    def soon(self, document: Document, *, pause_s: float | None = None) -> None:
        """Have a text read after a pause; a later call replaces an earlier one."""
        if document.timer is not None:
            document.timer.cancel()
        if pause_s is None:
            # What takes long to read is read when typing has stopped for longer.
            pause_s = min(max(TYPING_PAUSE_S, document.reading_s / 2), MAX_PAUSE_S)
        loop = asyncio.get_running_loop()
        document.timer = loop.call_later(pause_s, self._start, document)

    async def fresh(self, document: Document) -> Snapshot:
        """Return a snapshot whose text was read, unless that takes too long."""
        if not is_settled(document) and not document.snapshot.broken:
            if document.timer is not None:
                document.timer.cancel()
            self._start(document)
            if document.reading is not None:
                await asyncio.wait({document.reading}, timeout=FRESH_WAIT_S)
        return document.snapshot

    async def drawing(self, document: Document) -> Drawing | None:
        """Return what colours and outline are taken from.

        Of today's text, unless reading takes long and typing goes on: then of an older one, and
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
        loop = asyncio.get_running_loop()
        while (good := document.snapshot.good) is not None:
            known = document.layout
            if known is not None and known.elaborated is good and known.listing is listing:
                return
            document.layout = await loop.run_in_executor(self._thread, layout.layout, good, listing)

    def shut_down(self) -> None:
        """Begin nothing any more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _start(self, document: Document) -> None:
        document.timer = None
        if document.reading is None or document.reading.done():
            document.reading = self._owner.spawn(self._read(document))

    async def _read(self, document: Document) -> None:
        while not document.is_closed and not is_settled(document):
            if document.snapshot.broken:
                return
            try:
                if is_read(document):
                    await self._draw(document)
                else:
                    await self._understand(document)
            except Exception as error:
                logger.exception("reading %s", document.uri)
                problem = files.problem("internal-error", f"{type(error).__name__}: {error}")
                document.snapshot = replace(document.snapshot, broken=(problem,))
                self._owner.tell(lambda audience: audience.read(document))
                return
            if document.timer is not None:
                return  # typing goes on; the timer starts the next reading
        self._owner.adopt_disk(document)

    async def _understand(self, document: Document) -> None:
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        source = document.snapshot.source
        document.follow(source)
        elaborated, found, prepared = await loop.run_in_executor(
            self._thread, self._understood, document.snapshot
        )
        # Mutants may have been listed meanwhile.
        while prepared is not None and (
            prepared.layout.listing is not document.snapshot.report.places
        ):
            prepared = await loop.run_in_executor(
                self._thread, self._prepared, document.snapshot, elaborated
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
        loop = asyncio.get_running_loop()
        names_of_current = document.names(current)
        encoding = self.encoding
        moved = Migration() if known is None else document.journal.since(known.source)

        def drawn() -> Drawing | None:
            if drawings.outlasts(known, current, moved):
                return known
            return drawings.drawing(current, names_of_current, encoding)

        document.drawing = await loop.run_in_executor(self._thread, drawn)
        document.considered = current
        self._owner.tell(lambda audience: audience.drawn(document))

    def _understood(self, snapshot: Snapshot) -> tuple[Elaborated, Names, Verdicts | None]:
        """Read a text; runs on the reading thread, which alone uses the queries."""
        language = snapshot.language.name
        elaborated = self._queries.elaborated(language, snapshot.source)
        found = names.names(elaborated, language).prepare()
        return elaborated, found, self._prepared(snapshot, elaborated)

    @staticmethod
    def _prepared(snapshot: Snapshot, elaborated: Elaborated) -> Verdicts | None:
        """Return the verdicts as far as they are known; None of a text without a meaning."""
        analysed = snapshot.with_elaborated(elaborated).analysed
        if elaborated.program is None or analysed is None:
            return None
        placed = layout.layout(elaborated, snapshot.report.places)
        return Verdicts(analysed, Earlier(placed)).prepare()
