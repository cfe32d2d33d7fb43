"""Telling the client: diagnostics, status, statistics, progress and requests to ask again.

Diagnostics are sampled and sent only when they differ from what was sent last, at most ten times
a second a file. A client that pulls diagnostics and can be asked to pull again is never
pushed to, so nothing is shown twice.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Coroutine, Mapping
from dataclasses import field
from typing import Any, Final

from lsprotocol import types

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import Statistics
from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.ide import problems
from mutproof.ide.screens import LineOf
from mutproof.lsp import convert, explained, protocol, wire
from mutproof.lsp.connection import Connection
from mutproof.lsp.documents import Document
from mutproof.lsp.protocol import DocumentStatus, RunStatistics
from mutproof.lsp.reader import TYPING_S
from mutproof.lsp.session import Session
from mutproof.lsp.tasks import Tasks
from mutproof.lsp.wire import RangeText, Wire
from mutproof.runtime.jobs import JobOutcome
from mutproof.workspace.report import FileReport, Phase
from mutproof.workspace.snapshot import Migration

SAMPLE_S: Final = 0.1
SOON_S: Final = 0.02
"""The delay before changes are published: work for workers goes first."""
REFRESH_S: Final = 0.5
DEAR_S: Final = 0.02
PROGRESS_S: Final = 0.1

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Told:
    """Hold what the client was told about a file."""

    timer: asyncio.TimerHandle | None = None
    last_s: float = 0.0
    sent_s: float = 0.0
    cost_s: float = 0.0
    diagnostics: Wire | None = None
    status: DocumentStatus | None = None
    token: str | None = None
    token_task: asyncio.Task[None] | None = None
    reported_s: float = 0.0


def pulls(capabilities: types.ClientCapabilities) -> bool:
    """Tell whether a client asks for diagnostics, and asks again when it is told to."""
    workspace, text = capabilities.workspace, capabilities.text_document
    diagnostics = None if workspace is None else workspace.diagnostics
    asks = text is not None and text.diagnostic is not None
    return asks and diagnostics is not None and bool(diagnostics.refresh_support)


@dataclass(slots=True)
class _Support:
    """Hold what the client supports."""

    pull: bool = False
    lens_refresh: bool = False
    hint_refresh: bool = False
    token_refresh: bool = False
    progress: bool = False
    links: bool = False


@dataclass(eq=False)
class Publisher:
    """Publish the changes of a session; mutable, owned by the event loop's thread."""

    server: Connection
    session: Session
    support: _Support = field(default_factory=_Support)
    _told: dict[str, _Told] = field(default_factory=dict)
    _refresh_timer: asyncio.TimerHandle | None = None
    _tasks: Tasks = field(default_factory=Tasks)

    def learn(self, capabilities: types.ClientCapabilities) -> None:
        """Take in what the client supports."""
        workspace, window = capabilities.workspace, capabilities.window
        lens = None if workspace is None else workspace.code_lens
        hint = None if workspace is None else workspace.inlay_hint
        tokens = None if workspace is None else workspace.semantic_tokens
        self.support = _Support(
            pull=pulls(capabilities),
            lens_refresh=lens is not None and bool(lens.refresh_support),
            hint_refresh=hint is not None and bool(hint.refresh_support),
            token_refresh=tokens is not None and bool(tokens.refresh_support),
            progress=window is not None and bool(window.work_done_progress),
            links=explained.linked(capabilities),
        )

    # --- what the session says ----------------------------------------------------------------

    def warned(self, message: str) -> None:
        """Show what is wrong with settings of a project."""
        told = types.ShowMessageParams(types.MessageType.Warning, f"mutproof: {message}")
        self.server.window_show_message(told)

    def read(self, document: Document) -> None:
        """Publish the problems of a text that was elaborated anew."""
        self._publish_soon(document)
        self._refresh_soon(0.0)

    def drawn(self, document: Document) -> None:
        """Have the client ask for the colours again if it has older ones."""
        if document.is_owed and self.support.token_refresh:
            document.is_owed = False
            self._tasks.spawn(_quietly(self.server.workspace_semantic_tokens_refresh_async(None)))

    def reported(self, document: Document) -> None:
        """Publish verdicts; at the end of a run, before the status changes."""
        if not document.snapshot.report.phase.is_active:
            self._publish_now(document)
        self._status(document)
        self._report_progress(document)
        self._publish_soon(document)
        self._refresh_soon(REFRESH_S if document.snapshot.report.phase.is_active else 0.0)

    def began(self, document: Document) -> None:
        """Show progress that can be cancelled."""
        if self.support.progress:
            told = self._of(document.uri)
            token = f"mutproof-{uuid.uuid4()}"
            told.token = token
            told.token_task = self._tasks.spawn(self._begin(document, told, token))

    def ended(self, document: Document, outcome: JobOutcome) -> None:
        """Send the statistics of the run, and then that it is over."""
        self._publish_now(document)
        statistics = document.snapshot.report.statistics
        if outcome is JobOutcome.DONE and statistics is not None:
            counted = run_statistics(document, statistics)
            self.server.protocol.notify(protocol.STATISTICS, counted.params())
        if not document.is_closed:
            self._status(document)
        self._end_progress(document.uri, outcome.value)
        self._refresh_soon(0.0)

    def closed(self, uri: str) -> None:
        """Clear the diagnostics of a file that was closed."""
        told = self._told.pop(uri, None)
        if told is not None and told.timer is not None:
            told.timer.cancel()
        if not self.support.pull:
            self.server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=uri, diagnostics=[])
            )

    def refresh_lenses(self) -> None:
        """Have lenses asked for again: what is kept beside a file has changed."""
        if self.support.lens_refresh:
            self._tasks.spawn(_quietly(self.server.workspace_code_lens_refresh_async(None)))

    def uri_of(self, token: str | int) -> str | None:
        """Return the file whose progress has a token."""
        for uri, told in self._told.items():
            if told.token == token:
                return uri
        return None

    # --- diagnostics --------------------------------------------------------------------------

    @property
    def _everything(self) -> bool:
        return self.session.settings.all_mutants

    def _of(self, uri: str) -> _Told:
        return self._told.setdefault(uri, _Told())

    def _publish_soon(self, document: Document) -> None:
        told = self._of(document.uri)
        loop = asyncio.get_running_loop()
        report = document.snapshot.report
        has_begun = report.phase.is_active and report.progress is None
        # Publishing a large file is slow: spend a tenth of the time on it at most.
        free_s = max(told.sent_s + SAMPLE_S, told.last_s + 10 * told.cost_s)
        wait_s = max(SAMPLE_S if has_begun else SOON_S, free_s - loop.time())
        if told.cost_s > DEAR_S:  # not between two keystrokes
            wait_s = max(wait_s, document.edited_s + TYPING_S - loop.time())
        when_s = loop.time() + wait_s
        if told.timer is not None and told.timer.when() > when_s:
            told.timer.cancel()
            told.timer = None
        if told.timer is None:
            told.timer = loop.call_at(when_s, self._publish_now, document)

    def _publish_now(self, document: Document) -> None:
        if document.is_closed:
            return
        told = self._of(document.uri)
        if told.timer is not None:
            told.timer.cancel()
            told.timer = None
        begun_s = told.last_s = asyncio.get_running_loop().time()
        if self.support.pull:
            return
        found = diagnostics(
            document,
            self.server.encoding,
            everything=self._everything,
            links=self.support.links,
        )
        if found != told.diagnostics:
            told.diagnostics, told.sent_s = found, begun_s
            version = document.snapshot.version
            about = {"uri": document.uri} | ({} if version is None else {"version": version})
            self.server.protocol.tell(
                types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
                Wire(f'{wire.text(about)[:-1]},"diagnostics":{found.text}}}'),
            )
        told.last_s = asyncio.get_running_loop().time()
        told.cost_s = told.last_s - begun_s

    # --- status and progress ------------------------------------------------------------------

    def _status(self, document: Document) -> None:
        told = self._of(document.uri)
        now = status(document)
        if now == told.status:
            return
        loop = asyncio.get_running_loop()
        is_step = told.status is not None and told.status.state == now.state
        if is_step and loop.time() < told.reported_s + PROGRESS_S:
            return
        told.status, told.reported_s = now, loop.time()
        self.server.protocol.notify(protocol.STATUS, now.params())

    async def _begin(self, document: Document, told: _Told, token: str) -> None:
        try:
            await self.server.work_done_progress.create_async(token)
        except Exception as error:
            logger.warning("no progress: %s", error)
            told.token = None
            return
        if told.token != token:
            self.server.work_done_progress.tokens.pop(token, None)
            return
        name = document.snapshot.source.name.replace("\\", "/").rpartition("/")[2]
        begin = types.WorkDoneProgressBegin(
            title=f"mutproof: {name}", cancellable=True, percentage=0
        )
        self.server.work_done_progress.begin(token, begin)

    def _report_progress(self, document: Document) -> None:
        told = self._of(document.uri)
        progress = document.snapshot.report.progress
        if told.token is None or told.token not in self.server.work_done_progress.tokens:
            return
        if not document.snapshot.report.phase.is_active:
            self._end_progress(document.uri, document.snapshot.report.phase.value)
        elif progress is not None and progress.total:
            report = types.WorkDoneProgressReport(
                cancellable=True,
                message=f"{_STAGES.get(progress.stage, progress.stage)} "
                f"{progress.done}/{progress.total}",
                percentage=min(100, 100 * progress.done // progress.total),
            )
            self.server.work_done_progress.report(told.token, report)

    def _end_progress(self, uri: str, message: str) -> None:
        told = self._told.get(uri)
        if told is None or told.token is None:
            return
        token, told.token = told.token, None
        if self.server.work_done_progress.tokens.pop(token, None) is not None:
            self.server.work_done_progress.end(token, types.WorkDoneProgressEnd(message=message))

    # --- asking the client to ask again ---------------------------------------------------------

    def _refresh_soon(self, pause_s: float) -> None:
        loop = asyncio.get_running_loop()
        if self._refresh_timer is not None:
            if pause_s > 0:
                return
            self._refresh_timer.cancel()
        self._refresh_timer = loop.call_later(max(pause_s, SAMPLE_S), self._refresh)

    def _refresh(self) -> None:
        self._refresh_timer = None
        self.refresh_lenses()
        if self.support.hint_refresh and self.session.settings.inlay_hints:
            self._tasks.spawn(_quietly(self.server.workspace_inlay_hint_refresh_async(None)))
        if self.support.pull:
            self._tasks.spawn(_quietly(self.server.workspace_diagnostic_refresh_async(None)))


async def _quietly(answer: Coroutine[Any, Any, Any]) -> None:
    try:
        await answer
    except Exception as error:
        logger.debug("the client refused a refresh: %s", error)


_STAGES: Final = {
    "prove": "proving",
    "core": "finding cores",
    "mutate": "mutants",
    "equivalence": "survivors",
}


def status(document: Document) -> DocumentStatus:
    """Return what the server is doing with a file."""
    report = document.snapshot.report
    progress = report.progress
    done = total = None
    if progress is not None and report.phase in {Phase.PROVING, Phase.MUTATING}:
        done, total = progress.done, progress.total
    message = report.message
    current = document.snapshot.current
    if report.phase is Phase.IDLE and current is not None and current.program is None:
        message = "the model has errors"
    return DocumentStatus(document.uri, report.phase.value, message, done, total)


def run_statistics(document: Document, counted: Statistics) -> RunStatistics:
    """Return the counts of a run as they are sent."""
    report: FileReport = document.snapshot.report
    return RunStatistics(
        document.uri,
        document.snapshot.version,
        len(report.places) + len(report.properties),
        counted.kept + counted.properties_kept,
        counted.replayed,
        counted.reproved,
        counted.solver_calls,
        counted.seconds,
        counted.killed,
        counted.survived,
        counted.unknown,
        counted.stillborn,
        _equivalent(report),
    )


def _equivalent(report: FileReport) -> int:
    known = [entry.finding.equivalence for entry in report.mutants.values()]
    return sum(1 for k in known if k is not None and k.status is EquivalenceStatus.EQUIVALENT)


def diagnostics(
    document: Document,
    encoding: convert.Encoding,
    *,
    everything: bool = False,
    links: bool = False,
) -> Wire:
    """Return the diagnostics of a file where its text is now, of all its mutants or of a few.

    Nothing is said of verdicts about text that was deleted.

    While a run goes on, survivors that were shown stay: which tell most is known at its end.
    With `links` their codes lead to what explains them.
    """
    known = explained.links() if links else {}
    snapshot = document.snapshot
    source = snapshot.source
    if snapshot.broken:
        found = problems.text_problems(snapshot.broken)
        written = wire.ranges(source, Migration(), encoding)
        return wire.listed(_diagnostic(problem, snapshot.uri, written, known) for problem in found)
    texts = problems.text_problems(() if snapshot.current is None else snapshot.current.diagnostics)
    of_current = wire.ranges(source, document.since_current, encoding)
    of_good = wire.ranges(source, document.since_good, encoding)
    lines = _lines(source, document.since_current), _lines(source, document.since_good)
    is_text = set(map(id, texts))
    kept = document.told if snapshot.report.phase.is_active else frozenset()
    shown = problems.shown(texts, document.verdicts, everything=everything, lines=lines, kept=kept)
    document.told = frozenset(problem.data for problem in shown if problem.data)
    return wire.listed(
        _diagnostic(problem, snapshot.uri, of_current if id(problem) in is_text else of_good, known)
        for problem in shown
        if id(problem) in is_text or not document.since_good.is_gone(problem.span)
    )


def _lines(source: SourceText, moved: Migration) -> LineOf:
    return lambda offset: source.position(moved.offset(offset)).line


def _diagnostic(
    problem: problems.Problem, uri: str, written: RangeText, links: Mapping[str, str]
) -> str:
    fields = [
        f'"range":{written(problem.span)}',
        f'"severity":{convert.severity(problem.severity).value}',
        f'"code":{wire.text(problem.code)}',
        '"source":"mutproof"',
        f'"message":{wire.text(problem.message)}',
    ]
    if problem.code in links:
        fields.append(f'"codeDescription":{{"href":{wire.text(links[problem.code])}}}')
    if problem.unnecessary:
        fields.append(f'"tags":[{types.DiagnosticTag.Unnecessary.value}]')
    if problem.related:
        related = (
            f'{{"location":{{"uri":{wire.text(uri)},"range":{written(item.span)}}},'
            f'"message":{wire.text(item.message)}}}'
            for item in problem.related
        )
        fields.append(f'"relatedInformation":[{",".join(related)}]')
    if problem.data:
        fields.append(f'"data":{wire.text(problem.data)}')
    return f"{{{','.join(fields)}}}"
