"""The state of a connection: open files, their snapshots, running and waiting jobs.

The one mutable object of the server; owned by the event loop's thread. Requests take a
snapshot and answer from it. Texts are read on one other thread, solved in other processes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from typing import Final

from mutproof.analyses.advising.advice import AdviceFinding
from mutproof.analyses.advising.meta_properties import META_PROPERTIES
from mutproof.analyses.claims.finding import MutantFinding
from mutproof.analyses.suggesting.finding import SuggestionsFinding
from mutproof.base.registry import Registry
from mutproof.base.text import SourceText
from mutproof.lsp import endings, reader
from mutproof.lsp.audience import Audience
from mutproof.lsp.documents import VERY_MANY, Document
from mutproof.lsp.project import Project, ProjectOptions, no_project
from mutproof.lsp.reader import TextReader
from mutproof.lsp.settings import Settings
from mutproof.lsp.tasks import Tasks
from mutproof.model.language import Language
from mutproof.runtime import files
from mutproof.runtime.jobs import Ending, Job, JobOutcome
from mutproof.runtime.pool import Pool
from mutproof.runtime.scheduler import Scheduler
from mutproof.runtime.team import Team
from mutproof.workspace import report as reports
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.report import Listing, Phase
from mutproof.workspace.snapshot import Edit, Snapshot
from mutproof.workspace.sources import language_of

MERGE_PAUSE_S: Final = 0.05
UNREAD_WAIT_S: Final = 1.0
"""How long a run waits for the text to be read before another one may begin."""

LOOK_PAUSE_S: Final = 0.1
"""How long the user must look at a place before its mutants get priority."""

logger = logging.getLogger(__name__)


class Session:
    """Keep the open files and have them read and analysed."""

    def __init__(
        self,
        pool: Pool,
        *,
        queries: Queries | None = None,
        audience: Audience | None = None,
        project: Project = no_project,
    ) -> None:
        self.pool = pool
        self._project = ProjectOptions(project)
        self.settings = Settings()
        pool.most_bytes = self.settings.most_bytes
        self._team = Team(pool, self.settings.jobs)
        self.documents: dict[str, Document] = {}
        self.audience = audience
        self._queries = queries or Queries()
        self.reader = TextReader(self._queries, self)
        self._scheduler: Scheduler[None] = Scheduler()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._suggesting: set[str] = set()
        self.spawn = Tasks().spawn
        self._closed = False
        self._held = False
        self._withheld: frozenset[str] = frozenset()

    @property
    def languages(self) -> Registry[Language]:
        """Return the languages that are served."""
        return self._queries.languages

    # --- texts --------------------------------------------------------------------------------

    def open(self, uri: str, name: str, language_id: str, content: str, *, version: int) -> None:
        """Take in a file that the client opened."""
        self.close(uri)
        language = language_of(name, language_id, self._queries.languages)
        if language is None:
            logger.warning("no language for %s (%s)", uri, language_id)
            return
        snapshot = Snapshot(uri, version, SourceText(name, content), language, self._asked(name))
        document = Document(snapshot)
        self.documents[uri] = document
        self._scheduler.edited(uri)
        self._check(document)
        self.reader.soon(document, pause_s=0)
        if uri in self._withheld:
            self._withheld -= {uri}
            self._set_report(document, reports.cancelled(document.snapshot.report))
        elif self.settings.runs_on_open and not self._held:
            self.prove(uri)

    def withhold(self, uris: Iterable[str]) -> None:
        """Note which files were cancelled before: each stays cancelled when it is first opened."""
        self._withheld = frozenset(uris)

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
        self.reader.soon(document)

    def save(self, uri: str) -> None:
        """Take note that a file was saved."""
        if self.settings.runs_on_save and uri in self.documents:
            self.prove(uri)

    def close(self, uri: str) -> None:
        """Forget a file, cancel its run and end its worker."""
        document = self.documents.pop(uri, None)
        if document is None:
            return
        document.is_closed = document.is_cancelled = True
        for timer in (document.timer, document.merging, document.attending):
            if timer is not None:
                timer.cancel()
        self._scheduler.forget(uri)
        self._team.forget(uri)
        if self.audience is not None:
            self.audience.closed(uri)

    def changed_on_disk(self, uri: str, content: str) -> None:
        """Note that another program wrote a file; once the editor shows it, it counts as saved."""
        document = self.documents.get(uri)
        if document is not None:
            document.disk = content
            self.adopt_disk(document)

    def seen(self, uri: str) -> None:
        """Take note that a file is being looked at."""
        if uri in self.documents:
            self._scheduler.seen(uri)

    def look(self, document: Document, first: int, last: int) -> None:
        """Take note which lines are looked at (0-based, the last included): they come first."""
        if document.lines == (first, last):
            return
        document.lines = first, last
        if document.uri in self._running and document.attending is None:
            loop = asyncio.get_running_loop()
            document.attending = loop.call_later(LOOK_PAUSE_S, self._attend, document)

    def _attend(self, document: Document) -> None:
        document.attending = None
        if document.uri in self._running:
            self._team.attend(document.uri, document.looked_at)

    async def fresh(self, document: Document) -> Snapshot:
        """Return a snapshot whose text was read, unless that takes too long."""
        return await self.reader.fresh(document)

    def _check(self, document: Document) -> None:
        broken = files.check(document.snapshot.source.content)
        if broken != document.snapshot.broken:
            document.snapshot = replace(document.snapshot, broken=broken)
            self.tell(lambda audience: audience.read(document))

    def was_read(self, document: Document) -> None:
        """Analyse a file that waited for its text to be read, or that another program wrote."""
        if document.is_awaited:
            document.is_awaited = False
            self.prove(document.uri)
        self.adopt_disk(document)

    def adopt_disk(self, document: Document) -> None:
        """Analyse a file that another program wrote, once the editor shows its text."""
        snapshot = document.snapshot
        if document.disk is None or document.disk != snapshot.source.content:
            return
        if reader.is_read(document):
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
                for uri, document in list(self.documents.items()):
                    if document.snapshot.report.phase is not Phase.CANCELLED:
                        self.prove(uri)
            self._pump()

    def configure(self, settings: Settings) -> None:
        """Use other settings; files whose options change are analysed again."""
        self.settings = settings
        self._team.jobs = settings.jobs
        self.pool.most_bytes = settings.most_bytes
        for document in self.documents.values():
            idle = document.snapshot.report.phase in {Phase.IDLE, Phase.CANCELLED}
            began = settings.run != "manual" and not idle
            if self._renewed(document) and began:
                self.prove(document.uri)
            self._set_report(document, document.snapshot.report)
        self._pump()

    def _asked(self, name: str) -> Options:
        """Return the options for a file; warn once about errors in its project's settings."""
        options, wrong = self._project.of(name, self.settings.options)
        if wrong:
            self.tell(lambda audience: audience.warned(wrong))
        return options

    def _renewed(self, document: Document) -> bool:
        """Set the current options of a file; tell whether they have changed."""
        before, options = document.snapshot.options, self._asked(document.snapshot.source.name)
        document.snapshot = replace(document.snapshot, options=options)
        return options != before

    def prove(self, uri: str) -> None:
        """Have a file analysed as it is now; an analysis of an older version is given up."""
        document = self.documents.get(uri)
        if document is None or self._closed:
            return
        self._renewed(document)
        if uri in self._running:
            self._give_up(document)
        self._scheduler.put(uri, None)
        self._set_report(document, reports.queued(document.snapshot.report))
        self._pump()

    def cancel(self, uri: str) -> None:
        """Cancel the analysis of a file; the client is told at once."""
        document = self.documents.get(uri)
        if document is None:
            return
        waiting = uri in self._scheduler or document.is_awaited
        document.is_awaited = False
        self._scheduler.withdraw(uri)
        if uri in self._running:
            self._give_up(document)
        elif not waiting:
            return
        self._set_report(document, reports.cancelled(document.snapshot.report))

    def is_running(self, uri: str) -> bool:
        """Tell whether a worker works on a file or has not yet confirmed that it stopped."""
        return uri in self._running

    @contextlib.asynccontextmanager
    async def beside_runs(self, document: Document) -> AsyncIterator[Team]:
        """Lend the workers for something else about a file; a new run of it ends that."""
        while (running := self._running.get(document.uri)) is not None:
            await asyncio.wait({running})
        task = asyncio.current_task()
        assert task is not None
        document.is_cancelled, self._running[document.uri] = document.is_closed, task
        try:
            yield self._team
        finally:
            del self._running[document.uri]
            self._pump()

    def cancel_beside(self, uri: str) -> None:
        """Give up what the workers of a file do; what is known of it stays."""
        self._team.cancel(uri)

    async def shut_down(self) -> None:
        """Give up everything and end the workers."""
        self._closed = True
        for uri in list(self.documents):
            self._scheduler.withdraw(uri)
        await self.pool.close()
        self.reader.shut_down()

    def _give_up(self, document: Document) -> None:
        self._merge(document)
        document.listing = None
        document.events.clear()
        document.is_cancelled = True
        self._team.cancel(document.uri)

    def _pump(self) -> None:
        self._make_room()
        while not self._closed and not self._held and len(self._running) < self.settings.jobs:
            taken = self._scheduler.take(frozenset(self._running))
            if taken is None:
                return
            document = self.documents.get(taken[0])
            if document is not None:
                document.is_cancelled = False
                self._running[document.uri] = self.spawn(self._run(document))

    async def _run(self, document: Document) -> None:
        uri = document.uri
        try:
            if not reader.is_read(document) and not document.snapshot.broken:
                # The worker reads it at the same time.
                await self.pool.expect(document.job(document.snapshot.source))
                if uri not in self.documents:
                    self._team.forget(uri)
            snapshot = await self.reader.fresh(document, wait_s=UNREAD_WAIT_S)
            if not reader.is_read(document) and not snapshot.broken:
                # Let other files go first; it is analysed once it is read.
                document.is_awaited = not document.is_cancelled and not document.is_closed
                return
            analysed = snapshot.analysed
            if analysed is None or not snapshot.is_understood:
                if not document.is_cancelled:
                    report = replace(snapshot.report, phase=Phase.IDLE, progress=None)
                    self._set_report(document, report)
                return
            if document.is_cancelled:
                return
            self._set_report(document, reports.started(snapshot.report, analysed.basis))
            self.tell(lambda audience: audience.began(document))
            job = replace(document.job(analysed.source), attention=document.looked_at)
            ending = await self._team.run(job, lambda news: self._hear(document, news))
            if document.listing is not None:
                await asyncio.wait({document.listing})
            self._end(document, ending)
            if ending.outcome is JobOutcome.DONE and not document.is_cancelled:
                await self._suggest(document, job)
                await self._advise(document, job)
        finally:
            del self._running[uri]
            self._pump()

    async def _suggest(self, document: Document, job: Job) -> None:
        """Have a worker search for properties that close the gaps; ignore its other results."""
        if not self.settings.suggestions or not reports.has_gaps(document.snapshot.report):
            return

        def hear(news: Listing | Event) -> None:
            if isinstance(news, SuggestionsFinding) and not document.is_cancelled:
                self._set_report(document, reports.suggested(document.snapshot.report, news))

        options = replace(job.options, suggest=True, cores=False)
        self._suggesting.add(document.uri)
        try:
            self._make_room()
            await self._team.run(replace(job, options=options), hear)
        finally:
            self._suggesting.discard(document.uri)

    async def _advise(self, document: Document, job: Job) -> None:
        """Have a worker check meta-properties of the model; ignore its other results."""
        if not self.settings.advice or document.is_cancelled or document.is_closed:
            return

        def hear(news: Listing | Event) -> None:
            if isinstance(news, AdviceFinding) and not document.is_cancelled:
                self._set_report(document, reports.advised(document.snapshot.report, news))

        names = META_PROPERTIES.names()
        options = replace(job.options, advise=names, mutate=False, cores=False)
        await self._team.run(replace(job, options=options), hear)

    def _make_room(self) -> None:
        """Cancel searches for properties if they keep a file from being analysed."""
        if len(self._running) >= self.settings.jobs and len(self._scheduler):
            for uri in self._suggesting:
                self._team.cancel(uri)

    def _end(self, document: Document, ending: Ending) -> None:
        self._merge(document)
        outcome = JobOutcome.CANCELLED if document.is_cancelled else ending.outcome
        report = document.snapshot.report
        if not document.is_closed:
            report = endings.after(ending, report, is_cancelled=document.is_cancelled)
            document.snapshot = document.snapshot.with_report(report)
        self.tell(lambda audience: audience.ended(document, outcome))

    def _hear(self, document: Document, news: Listing | Event) -> None:
        if document.is_cancelled or document.is_closed:
            return
        if isinstance(news, Listing):
            self._merge(document)
            if len(news.mutants) < VERY_MANY:
                self._set_report(document, reports.listed(document.snapshot.report, news))
            else:
                document.listing = self.spawn(self._list(document, news))
            return
        document.events.append(news)
        is_proving = document.snapshot.report.phase is Phase.PROVING
        is_first = isinstance(news, MutantFinding) and is_proving and document.listing is None
        if is_first and document.merging is not None:
            document.merging.cancel()
            document.merging = None
        if document.merging is None:
            loop = asyncio.get_running_loop()
            # The first mutant, and the first event after a pause, are shown at once; later ones
            # together.
            wait_s = 0.0 if is_first else document.merged_s + MERGE_PAUSE_S - loop.time()
            document.merging = loop.call_later(max(0.0, wait_s), self._merge, document)

    async def _list(self, document: Document, listing: Listing) -> None:
        """Place very many mutants on the reading thread; events wait until that is done."""
        report = reports.listed(document.snapshot.report, listing)
        await self.reader.place(document, report.places)
        if document.listing is asyncio.current_task():
            document.listing = None
            today = reports.listed(document.snapshot.report, listing)
            self._set_report(document, replace(today, places=report.places))
            self._merge(document)

    def _merge(self, document: Document) -> None:
        if document.merging is not None:
            document.merging.cancel()
            document.merging = None
        if document.listing is not None:
            return
        document.merged_s = asyncio.get_running_loop().time()
        events, document.events = document.events, []
        if events and not document.is_closed and not document.is_cancelled:
            self._set_report(document, reports.merged(document.snapshot.report, events))

    def _set_report(self, document: Document, report: reports.FileReport) -> None:
        document.snapshot = document.snapshot.with_report(report)
        self.tell(lambda audience: audience.reported(document))

    def tell(self, say: Callable[[Audience], None]) -> None:
        """Tell the audience something, if there is one."""
        if self.audience is not None and not self._closed:
            say(self.audience)
