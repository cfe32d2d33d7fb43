"""The server: joins the session, the requests and pygls, and makes sure that it ends."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.io_ import StdoutWriter

from mutproof.base import store
from mutproof.base.record import dataclass
from mutproof.lsp import (
    commands,
    documents,
    pipes,
    protocol,
    settings,
    websocket,
    workspace_symbol,
)
from mutproof.lsp.connection import Connection
from mutproof.lsp.pipes import LineReader
from mutproof.lsp.project import Project, no_project
from mutproof.lsp.publish import Publisher
from mutproof.lsp.request import Request, look
from mutproof.lsp.requests import REQUESTS
from mutproof.lsp.session import Session
from mutproof.lsp.suites import Suites
from mutproof.lsp.view import View
from mutproof.runtime import configuration, files, lifeline
from mutproof.runtime.pool import Pool
from mutproof.workspace.queries import Queries
from mutproof.workspace.sources import suffixes

logger = logging.getLogger(__name__)

SETTINGS_WAIT_S = 3.0
SWITCH_S = 0.0005
COLLECTIONS = (20_000, 1_000, 1_000)
"""Thresholds of the cycle collector, by which it runs rarely. A text of ten thousand lines is a
million objects, none in a cycle: a full collection takes a tenth of a second without answers."""
WATCH_ID = "mutproof-watched-files"
_OF_PROJECTS = (configuration.OWN, configuration.SHARED)


@dataclass(frozen=True, slots=True)
class Transport:
    """Say how a client connects: standard streams, or a host and port (`tcp` or `ws`)."""

    kind: str = "stdio"
    host: str = "127.0.0.1"
    port: int = 0
    origins: tuple[str, ...] = ()  # origins of pages that may connect to the websocket


class Server(Connection):
    """Hold the session of the one client; mutable through it only."""

    def __init__(self, pool: Pool, queries: Queries, project: Project = no_project) -> None:
        super().__init__()
        self.session = Session(pool, queries=queries, project=project)
        self.publisher = Publisher(self, self.session)
        self.session.audience = self.publisher
        self.suites = Suites(self.session, self.work_done_progress)
        self.edits_are_versioned = False
        self.lists_actions = False
        self.configures = False
        self.refused = ""  # what was said last of settings without a usable value
        self.stop_watching: asyncio.Event | None = None

    async def listen(self, reader: LineReader) -> None:
        """Handle messages until the client disconnects."""
        async for body in pipes.bodies(reader):
            self.protocol.take(body)

    def start_tcp(self, host: str, port: int) -> None:
        """Wait for a client on a port and serve it; return when it leaves."""

        async def serve() -> None:
            left = asyncio.Event()

            async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                self.protocol.set_writer(cast("Any", writer))
                try:
                    await self.listen(pipes.PipeReader(reader))
                finally:
                    left.set()

            async with await asyncio.start_server(connected, host, port):
                await left.wait()

        asyncio.run(serve())

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log a failure; a pop-up would say nothing a user can act on."""
        if isinstance(error, ValueError | RecursionError) and source is JsonRpcException:
            self.protocol.refuse_text(error)  # not JSON
            return
        if getattr(error, "code", None) == types.LSPErrorCodes.RequestFailed.value:
            return  # nothing is wrong, and the answer tells the user why it cannot be done
        what = " ".join(str(error).split())
        logger.error("%s: %s", getattr(source, "__name__", source), what)
        if isinstance(error, JsonRpcInternalError):
            frames = (error.data or {}).get("traceback", ())
            logger.error("%s", "".join(frames).rstrip())


def make(
    pool: Pool | None = None, queries: Queries | None = None, project: Project = no_project
) -> Server:
    """Return a server that is ready to be started."""
    server = Server(pool or Pool(), queries or Queries(), project)
    server.protocol.before_exit = server.session.pool.kill_all
    _register_lifecycle(server)
    _register_texts(server)
    _register_settings(server)
    for request in REQUESTS:
        if request.suits is None:
            _register(server, request)

    @server.feature(types.WORKSPACE_SYMBOL)
    async def on_workspace_symbol(
        params: types.WorkspaceSymbolParams,
    ) -> list[types.SymbolInformation]:
        return workspace_symbol.workspace_symbols(server.session, server.encoding, params.query)

    @server.command(protocol.PROVE)
    async def on_prove(*arguments: Any) -> None:
        commands.prove(server.session, arguments)

    @server.command(protocol.CANCEL)
    async def on_cancel(*arguments: Any) -> None:
        commands.cancel(server.session, arguments)

    @server.command(protocol.ADD_PROPERTIES)
    async def on_add_properties(*arguments: Any) -> None:
        for uri in commands.named(arguments):
            view = _view(server, uri)
            edit = None if view is None else commands.added_properties(view)
            if edit is not None:
                await server.workspace_apply_edit_async(edit)
                continue
            told = types.ShowMessageParams(types.MessageType.Info, commands.nothing_added(view))
            server.window_show_message(told)

    @server.command(protocol.MAKE_TESTS)
    async def on_make_tests(*arguments: Any) -> None:
        mutant = next((str(one) for one in arguments[1:]), "")
        for uri in commands.named(arguments[:1]):
            document = server.session.documents.get(uri)
            shows = server.publisher.support.progress
            said = "no tests are made, since the file is not open."
            if document is not None:
                said = await server.suites.made(document, mutant, shows_progress=shows)
                server.publisher.refresh_lenses()
            told = types.ShowMessageParams(types.MessageType.Info, f"mutproof: {said}")
            server.window_show_message(told)

    return server


def _view(server: Server, uri: str) -> View | None:
    document = server.session.documents.get(uri)
    if document is None:
        return None
    return View(
        server.session,
        document,
        server.encoding,
        edits_are_versioned=server.edits_are_versioned,
        lists_actions=server.lists_actions,
        suites=server.suites,
        links_codes=server.publisher.support.links,
    )


def _register(server: Server, request: Request) -> None:
    async def answer(sent: Any) -> Any:
        params = request.read(sent)
        gate = server.session.reader.gate
        gate.close()
        view = _view(server, request.file(params))
        if view is not None:
            look(view, params)
        found = request.nothing(params) if view is None else await request.answer(view, params)
        gate.close()
        return found

    server.feature(request.name, request.options)(answer)


def _register_lifecycle(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def on_initialize(params: types.InitializeParams) -> None:
        if params.process_id is not None:
            lifeline.watch_process(params.process_id, _ender(server))
        server.publisher.learn(params.capabilities)
        workspace = params.capabilities.workspace
        if workspace is not None:
            edit = workspace.workspace_edit
            server.edits_are_versioned = edit is not None and bool(edit.document_changes)
            server.configures = bool(workspace.configuration)
        own = settings.plain(params.capabilities.experimental)
        server.lists_actions = isinstance(own, dict) and own.get(protocol.SHOW_ACTIONS) is True
        if server.configures:
            server.session.hold()
        for request in REQUESTS:
            if request.suits is not None and request.suits(params.capabilities):
                _register(server, request)
        options = settings.plain(params.initialization_options)
        if isinstance(options, dict):
            _configure(server, options.get(protocol.SECTION, options))
            withheld = options.get(protocol.CANCELLED)
            if isinstance(withheld, list):
                server.session.withhold(one for one in withheld if isinstance(one, str))

    @server.feature(types.INITIALIZED)
    async def on_initialized(_: types.InitializedParams) -> None:
        server.session.reader.encoding = server.encoding
        server.session.pool.prepare()
        try:
            await asyncio.wait_for(_pull_settings(server), SETTINGS_WAIT_S)
        except TimeoutError:
            logger.warning("the client does not answer what its settings are")
        server.session.release()
        if (warning := store.warning()) is not None:
            logger.warning("%s", warning)
        await _watch_files(server)

    @server.feature(types.SHUTDOWN)
    async def on_shutdown(*_: Any) -> None:
        if server.stop_watching is not None:
            server.stop_watching.set()
        await server.session.shut_down()

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    async def on_cancel(params: types.WorkDoneProgressCancelParams) -> None:
        uri = server.publisher.uri_of(params.token)
        if uri is not None:
            server.session.cancel(uri)
        server.suites.cancel(str(params.token))


def _register_texts(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def on_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        name = documents.name_of(item.uri)
        session.open(item.uri, name, item.language_id, item.text, version=item.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def on_change(params: types.DidChangeTextDocumentParams) -> None:
        # Not a coroutine: changes are applied in the order in which they arrive.
        session.reader.gate.close()
        uri = params.text_document.uri
        document = session.documents.get(uri)
        if document is not None:
            source, edits = documents.changed(
                document.snapshot.source, params.content_changes, server.encoding
            )
            session.change(uri, source, params.text_document.version, edits)
            # If another program writes the file, an editor sends that as an edit without saving;
            # it does not watch files outside its open folders.
            session.spawn(_look_if_written(server, uri))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))
    def on_save(params: types.DidSaveTextDocumentParams) -> None:
        session.save(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def on_close(params: types.DidCloseTextDocumentParams) -> None:
        session.close(params.text_document.uri)
        server.suites.forget(params.text_document.uri)


def _register_settings(server: Server) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def on_settings(params: types.DidChangeConfigurationParams) -> None:
        if server.configures:
            await _pull_settings(server)
            return
        value = settings.plain(params.settings)
        if isinstance(value, dict):
            _configure(server, value.get(protocol.SECTION, value))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def on_watched(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            if Path(documents.name_of(change.uri)).name in _OF_PROJECTS:
                server.session.configure(server.session.settings)
            else:
                await _look_at(server, change.uri)


async def _pull_settings(server: Server) -> None:
    if not server.configures:
        return
    item = types.ConfigurationItem(section=protocol.SECTION)
    try:
        found = await server.workspace_configuration_async(types.ConfigurationParams([item]))
    except Exception as error:
        logger.warning("no settings from the client: %s", error)
        return
    value = settings.plain(found[0]) if found else None
    if isinstance(value, dict):
        _configure(server, value)


def _configure(server: Server, value: object) -> None:
    """Use settings, and say which of them have no usable value: the defaults count for these."""
    wrong = settings.refused(value)
    if wrong and wrong != server.refused:
        server.publisher.warned(wrong)
    server.refused = wrong
    server.session.configure(settings.read(value))


async def _watch_files(server: Server) -> None:
    """Have the client report changed files, or watch them here if it cannot."""
    wanted = suffixes(server.session.languages)
    workspace = server.client_capabilities.workspace
    watched = None if workspace is None else workspace.did_change_watched_files
    if watched is not None and watched.dynamic_registration:
        names = [*(f"*{suffix}" for suffix in wanted), *_OF_PROJECTS]
        watchers = [types.FileSystemWatcher(glob_pattern=f"**/{name}") for name in names]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
        registration = types.Registration(
            WATCH_ID, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options
        )
        try:
            await server.client_register_capability_async(types.RegistrationParams([registration]))
        except Exception as error:
            logger.warning("the client does not watch files: %s", error)
        else:
            return
    roots = [Path(documents.name_of(uri)) for uri in server.workspace.folders]
    if server.workspace.root_uri:
        roots.append(Path(documents.name_of(server.workspace.root_uri)))
    server.stop_watching = asyncio.Event()
    async for changed in files.changes(dict.fromkeys(roots), wanted, server.stop_watching):
        open_names = {
            doc.snapshot.source.name: uri for uri, doc in server.session.documents.items()
        }
        for path in changed:
            uri = open_names.get(str(path))
            if uri is not None:
                await _look_at(server, uri)


async def _look_if_written(server: Server, uri: str) -> None:
    document = server.session.documents.get(uri)
    if document is None or not server.session.settings.runs_on_save:
        return
    stamp = await asyncio.to_thread(files.stamp, Path(document.snapshot.source.name))
    if stamp != document.stamp:
        document.stamp = stamp
        await _look_at(server, uri)


async def _look_at(server: Server, uri: str) -> None:
    document = server.session.documents.get(uri)
    if document is not None:
        path = Path(document.snapshot.source.name)
        source, _ = await asyncio.to_thread(files.read, path)
        if source is not None:
            server.session.changed_on_disk(uri, source.content)


async def _speak(server: Server, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve a client on the standard streams until it closes them."""
    pipes.widen(stdout)
    server.protocol.set_writer(StdoutWriter(stdout))
    await server.listen(await pipes.reader_of(stdin, stdout))


def _ender(server: Server) -> Callable[[], None]:
    """Return a function that kills workers and this process at once, from any thread."""

    def end() -> None:
        server.session.pool.kill_all()
        os._exit(1)

    return end


def serve(
    transport: Transport,
    make_server: Callable[[], Server] = make,
    *,
    client: int | None = None,
) -> None:
    """Serve one client until it leaves or its process (of id `client`) ends; ends the process."""
    if transport.kind == "stdio":
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve_streams(make_server, client=client))
        return
    server, end = _prepared(make_server, client)
    try:
        if transport.kind == "tcp":
            server.start_tcp(transport.host, transport.port)
        else:
            websocket.serve(server, transport.host, transport.port, transport.origins)
    finally:
        end()


async def serve_streams(
    make_server: Callable[[], Server] = make, *, client: int | None = None
) -> None:
    """Serve one client on standard streams as `serve` does."""
    server, end = _prepared(make_server, client)
    try:
        lifeline.watch_hang_up(0, end)
        # Output of other code must not get between the messages.
        stdout = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        with contextlib.suppress(BrokenPipeError):
            await _speak(server, sys.stdin.buffer, stdout)
    finally:
        end()


def _prepared(
    make_server: Callable[[], Server], client: int | None
) -> tuple[Server, Callable[[], None]]:
    """Return a server, after setting up this process for it, and a function that ends both."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    # pygls logs every message with its body, and clients' errors with tracebacks.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    # Switch sooner from the thread that reads texts, so that requests are answered meanwhile.
    sys.setswitchinterval(SWITCH_S)
    gc.set_threshold(*COLLECTIONS)
    server = make_server()
    end = _ender(server)
    if client is not None:
        lifeline.watch_process(client, end)
    return server, end
