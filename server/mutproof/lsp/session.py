"""The state of a connection: open files, their snapshots, what runs and what waits.

The one mutable object of the server; owned by the event loop's thread. Requests take a
snapshot and answer from it. Texts are read on one other thread, solved in other processes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final, Protocol

from lsprotocol import types

from mutproof.base import giving_way
from mutproof.base.registry import Registry
from mutproof.base.text import SourceText
from mutproof.ide import names
from mutproof.ide.names import Names
from mutproof.lsp import drawing as drawings
from mutproof.lsp.convert import Encoding
from mutproof.lsp.documents import Document
from mutproof.lsp.drawing import Drawing
from mutproof.lsp.gate import Gate
from mutproof.lsp.settings import Settings
from mutproof.model.language import Elaborated, Language
from mutproof.runtime import files
from mutproof.runtime.jobs import CRASH_REASON, FAILURE_REASON, Job, Outcome
from mutproof.runtime.pool import Ending, Pool
from mutproof.runtime.scheduler import Scheduler
from mutproof.workspace import report as reports
from mutproof.workspace.analysis import Event
from mutproof.workspace.queries import Queries
from mutproof.workspace.report import Listing, Phase
from mutproof.workspace.snapshot import Edit, Migration, Snapshot
from mutproof.workspace.sources import language_of

TYPING_PAUSE_S: Final = 0.2
MAX_PAUSE_S: Final = 0.6
TYPING_S: Final = 0.4
"""How long after an edit another one is to be expected."""
MERGE_PAUSE_S: Final = 0.05
FRESH_WAIT_S: Final = 5.0
PATIENCE_S: Final = 0.02
"""How long reading may take for requests to wait for it while typing goes on."""

logger = logging.getLogger(__name__)


class Audience(Protocol):
    """Hear what changes, to tell the client."""

    def read(self, document: Document) -> None:
        """Hear that a text was understood anew."""

    def drawn(self, document: Document) -> None:
        """Hear that the colours and the outline were made anew."""

    def reported(self, document: Document) -> None:
        """Hear that verdicts or the phase changed."""

    def began(self, document: Document) -> None:
        """Hear that a run began."""

    def ended(self, document: Document, outcome: Outcome) -> None:
        """Hear that a run is over."""

    def closed(self, uri: str) -> None:
        """Hear that a file was closed."""


class Session:
    """Keep the open files and have them read and analysed."""

    def __init__(
        self, pool: Pool, *, queries: Queries | None = None, audience: Audience | None = None
    ) -> None:
        self.pool = pool
        self.settings = Settings()
        self.documents: dict[str, Document] = {}
        self.audience = audience
        self.encoding: Encoding = types.PositionEncodingKind.Utf16
        self._queries = queries or Queries()
        self.gate = Gate()
        self._reader = ThreadPoolExecutor(
            1,
            thread_name_prefix="reader",
            initializer=giving_way.arrange,
            initargs=(self.gate.wait,),
        )
        self._scheduler: Scheduler[None] = Scheduler()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False
        self._held = False

    @property
    def languages(self) -> Registry[Language]:
        """Return the languages that are served."""
        return self._queries.languages

    # --- texts --------------------------------------------------------------------------------

    def open(self, uri: str, name: str, language_id: str, content: str, version: int) -> None:
        """Take in a file that the client opened."""
        self.close(uri)
        language = language_of(name, language_id, self._queries.languages)
        if language is None:
            logger.warning("no language for %s (%s)", uri, language_id)
            return
        snapshot = Snapshot(
            uri, version, SourceText(name, content), language, self.settings.options
        )
        document = Document(snapshot)
        self.documents[uri] = document
        self._scheduler.edited(uri)
        self._check(document)
        self.read_soon(document, pause_s=0)
        if self.settings.runs_on_open and not self._held:
            self.prove(uri)

    def change(
        self, uri: str, source: SourceText, version: int, edits: tuple[Edit, ...] | None = None
    ) -> None:
        """Take in edits, None if all was replaced; the text is read once typing pauses."""
        document = self.documents.get(uri)
        if document is None:
            return
        document.snapshot = document.snapshot.with_text(source, version)
        document.journal.edited(source, edits)
        document.edited_s = asyncio.get_running_loop().time()
        self._scheduler.edited(uri)
        self._check(document)
        # What takes long to read is read when typing has stopped for longer.
        pause_s = min(max(TYPING_PAUSE_S, document.reading_s / 2), MAX_PAUSE_S)
        self.read_soon(document, pause_s=pause_s)

    def save(self, uri: str) -> None:
        """Take note that a file was saved."""
        if self.settings.runs_on_save and uri in self.documents:
            self.prove(uri)

    def close(self, uri: str) -> None:
        """Forget a file; what runs for it is given up and its worker ends."""
        document = self.documents.pop(uri, None)
        if document is None:
            return
        document.is_closed = True
        for timer in (document.timer, document.merging):
            if timer is not None:
                timer.cancel()
        self._scheduler.forget(uri)
        self.pool.forget(uri)
        if self.audience is not None:
            self.audience.closed(uri)

    def changed_on_disk(self, uri: str, content: str) -> None:
        """Take note that something else wrote a file; once the editor shows it, it is as saved."""
        document = self.documents.get(uri)
        if document is not None:
            document.disk = content
            self._adopt_disk(document)

    def seen(self, uri: str) -> None:
        """Take note that a file is being looked at."""
        if uri in self.documents:
            self._scheduler.seen(uri)

    def read_soon(self, document: Document, *, pause_s: float) -> None:
        """Have a text read after a pause; a later call replaces an earlier one."""
        if document.timer is not None:
            document.timer.cancel()
        loop = asyncio.get_running_loop()
        document.timer = loop.call_later(pause_s, self._start_reading, document)

    async def fresh(self, document: Document) -> Snapshot:
        """Return a snapshot whose text was read, unless that takes too long."""
        if not self._is_settled(document) and not document.snapshot.broken:
            if document.timer is not None:
                document.timer.cancel()
            self._start_reading(document)
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
        document.is_owed = found is not None and not self._is_settled(document)
        return found

    def _check(self, document: Document) -> None:
        broken = files.check(document.snapshot.source.content)
        if broken != document.snapshot.broken:
            document.snapshot = replace(document.snapshot, broken=broken)
            self._tell(lambda audience: audience.read(document))

    def _is_read(self, document: Document) -> bool:
        current = document.snapshot.current
        content = document.snapshot.source.content
        return current is not None and current.parsed.source.content == content

    def _is_settled(self, document: Document) -> bool:
        """Tell whether nothing is left to do about the text."""
        is_drawn = document.considered is document.snapshot.current or not document.is_drawn
        return is_drawn and self._is_read(document)

    def _start_reading(self, document: Document) -> None:
        document.timer = None
        if document.reading is None or document.reading.done():
            document.reading = self._spawn(self._read(document))

    async def _read(self, document: Document) -> None:
        while not document.is_closed and not self._is_settled(document):
            if document.snapshot.broken:
                return
            try:
                if self._is_read(document):
                    await self._draw(document)
                else:
                    await self._understand(document)
            except Exception as error:
                logger.exception("reading %s", document.uri)
                problem = files.problem("internal-error", f"{type(error).__name__}: {error}")
                document.snapshot = replace(document.snapshot, broken=(problem,))
                self._tell(lambda audience: audience.read(document))
                return
            if document.timer is not None:
                return  # typing goes on; the timer starts the next reading
        self._adopt_disk(document)

    async def _understand(self, document: Document) -> None:
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        name, source = document.snapshot.language.name, document.snapshot.source
        document.follow(source)
        elaborated, found = await loop.run_in_executor(self._reader, self._understood, name, source)
        document.snapshot = document.snapshot.with_elaborated(elaborated)
        document.follow(elaborated.parsed.source, source)
        kept = [pair for pair in document.named if pair[0] is document.snapshot.good]
        document.named = (*kept, (elaborated, found))
        document.reading_s = loop.time() - begun_s
        self._tell(lambda audience: audience.read(document))

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

        document.drawing = await loop.run_in_executor(self._reader, drawn)
        document.considered = current
        self._tell(lambda audience: audience.drawn(document))

    def _understood(self, language: str, source: SourceText) -> tuple[Elaborated, Names]:
        """Read a text; runs on the reading thread, which alone uses the queries."""
        elaborated = self._queries.elaborated(language, source)
        return elaborated, names.names(elaborated, language).prepare()

    def _adopt_disk(self, document: Document) -> None:
        snapshot = document.snapshot
        if document.disk is None or document.disk != snapshot.source.content:
            return
        if self._is_read(document):
            document.disk = None
            analysed = snapshot.analysed
            is_new = analysed is not None and snapshot.report.run != analysed.basis
            if is_new and self.settings.runs_on_save:
                self.prove(snapshot.uri)

    # --- runs ---------------------------------------------------------------------------------

    def hold(self) -> None:
        """Start no run until `release`: the settings are not known yet."""
        self._held = True

    def release(self) -> None:
        """Start the runs that were held back."""
        if self._held:
            self._held = False
            if self.settings.runs_on_open:
                for uri in list(self.documents):
                    self.prove(uri)
            self._pump()

    def configure(self, settings: Settings) -> None:
        """Use other settings; what they change is analysed again."""
        before, self.settings = self.settings, settings
        for document in self.documents.values():
            if settings.options != before.options:
                document.snapshot = replace(document.snapshot, options=settings.options)
                if settings.run != "manual" and document.snapshot.report.phase is not Phase.IDLE:
                    self.prove(document.uri)
            self._set_report(document, document.snapshot.report)
        self._pump()

    def prove(self, uri: str) -> None:
        """Have a file analysed as it is now; an analysis of an older version is given up."""
        document = self.documents.get(uri)
        if document is None or self._closed:
            return
        if uri in self._running:
            self._give_up(document)
        self._scheduler.put(uri, None)
        self._set_report(document, reports.queued(document.snapshot.report))
        self._pump()

    def cancel(self, uri: str) -> None:
        """Give up the analysis of a file; the client hears of it at once."""
        document = self.documents.get(uri)
        if document is None:
            return
        waiting = uri in self._scheduler
        self._scheduler.withdraw(uri)
        if uri in self._running:
            self._give_up(document)
        elif not waiting:
            return
        self._set_report(document, reports.cancelled(document.snapshot.report))

    def is_running(self, uri: str) -> bool:
        """Tell whether a worker works on a file or has not yet confirmed that it stopped."""
        return uri in self._running

    async def shut_down(self) -> None:
        """Give up everything and end the workers."""
        self._closed = True
        for uri in list(self.documents):
            self._scheduler.withdraw(uri)
        await self.pool.close()
        self._reader.shutdown(wait=False, cancel_futures=True)

    def _give_up(self, document: Document) -> None:
        self._merge(document)
        document.is_cancelled = True
        self.pool.cancel(document.uri)

    def _pump(self) -> None:
        while not self._closed and not self._held and len(self._running) < self.settings.jobs:
            taken = self._scheduler.take(frozenset(self._running))
            if taken is None:
                return
            document = self.documents.get(taken[0])
            if document is not None:
                document.is_cancelled = False
                self._running[document.uri] = self._spawn(self._run(document))

    async def _run(self, document: Document) -> None:
        uri = document.uri
        try:
            snapshot = await self.fresh(document)
            analysed = snapshot.analysed
            if analysed is None or not snapshot.is_understood:
                if not document.is_cancelled:
                    report = replace(snapshot.report, phase=Phase.IDLE, progress=None)
                    self._set_report(document, report)
                return
            if document.is_cancelled:
                return
            self._set_report(document, reports.started(snapshot.report, analysed.basis))
            self._tell(lambda audience: audience.began(document))
            source = analysed.source
            job = Job(uri, source.name, snapshot.language.name, source.content, snapshot.options)
            ending = await self.pool.run(job, lambda news: self._hear(document, news))
            self._end(document, ending)
        finally:
            del self._running[uri]
            self._pump()

    def _end(self, document: Document, ending: Ending) -> None:
        self._merge(document)
        outcome = Outcome.CANCELLED if document.is_cancelled else ending.outcome
        report = document.snapshot.report
        if not document.is_closed:
            match outcome:
                case Outcome.DONE:
                    report = reports.finished(report)
                case Outcome.CRASHED:
                    report = reports.failed(report, CRASH_REASON)
                case Outcome.FAILED:
                    report = reports.failed(report, f"{FAILURE_REASON}: {ending.message}")
                case Outcome.NO_PROGRAM:
                    report = replace(report, phase=Phase.IDLE, progress=None)
                case Outcome.CANCELLED if not document.is_cancelled:
                    report = reports.cancelled(report)
                case Outcome.CANCELLED:
                    pass  # said when it was asked for; what is queued since then stays queued
            document.snapshot = document.snapshot.with_report(report)
        self._tell(lambda audience: audience.ended(document, outcome))

    def _hear(self, document: Document, news: Listing | Event) -> None:
        if document.is_cancelled or document.is_closed:
            return
        if isinstance(news, Listing):
            self._merge(document)
            self._set_report(document, reports.listed(document.snapshot.report, news))
            return
        document.events.append(news)
        if document.merging is None:
            loop = asyncio.get_running_loop()
            document.merging = loop.call_later(MERGE_PAUSE_S, self._merge, document)

    def _merge(self, document: Document) -> None:
        if document.merging is not None:
            document.merging.cancel()
            document.merging = None
        events, document.events = document.events, []
        if events and not document.is_closed and not document.is_cancelled:
            self._set_report(document, reports.merged(document.snapshot.report, events))

    def _set_report(self, document: Document, report: reports.FileReport) -> None:
        document.snapshot = document.snapshot.with_report(report)
        self._tell(lambda audience: audience.reported(document))

    def _tell(self, say: Callable[[Audience], None]) -> None:
        if self.audience is not None and not self._closed:
            say(self.audience)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        with contextlib.suppress(asyncio.CancelledError):
            error = task.exception()
            if error is not None:
                logger.error("a task failed", exc_info=error)
