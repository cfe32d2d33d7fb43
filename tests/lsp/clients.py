"""A client for tests: starts a server, speaks to it, waits for what it says."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
from lsprotocol import types
from pytest_lsp import LanguageClient, LanguageClientProtocol

ROOT = Path(__file__).parents[2]
SERVER = [sys.executable, "-m", "mutproof", "serve"]
TOY_SERVER = [sys.executable, str(Path(__file__).with_name("toy_server.py"))]
WAIT_S = 90.0

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceEdit": {"documentChanges": True},
        "codeLens": {"refreshSupport": True},
    },
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    },
}


class Client(LanguageClient):
    """Keep what the server says; every wait is for a message, never for a time."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(protocol_cls=LanguageClientProtocol, converter_factory=_converter)
        # Most tests ask about single mutants, of which few are shown otherwise.
        self.settings = {"level": "paper", "diagnostics": {"allMutants": True}, **settings}
        self.statuses: list[dict[str, Any]] = []
        self.counts: list[dict[str, Any]] = []
        self.published: list[types.PublishDiagnosticsParams] = []
        self.news = asyncio.Event()
        self.version = 0
        self.offered = types.ServerCapabilities()
        _listen(self)

    @property
    def process(self) -> int:
        """Return the process id of the server."""
        return self._server.pid

    async def until(self, condition: Callable[[], Any], wait_s: float = WAIT_S) -> Any:
        """Wait until a condition on the messages holds; return what it returns."""

        async def wait() -> Any:
            while True:
                found = condition()
                if found:
                    return found
                self.news.clear()
                await self.news.wait()

        return await asyncio.wait_for(wait(), wait_s)

    async def until_sync(self, condition: Callable[[], Any], wait_s: float = WAIT_S) -> Any:
        """Wait until a condition outside the messages holds, asking the server in between."""

        async def wait() -> Any:
            while not (found := condition()):
                await self.workspace_symbol_async(types.WorkspaceSymbolParams("?"))
            return found

        return await asyncio.wait_for(wait(), wait_s)

    def open(self, uri: str, text: str, language: str = "lustre") -> None:
        """Open a file."""
        self.version = 1
        item = types.TextDocumentItem(uri, language, self.version, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def replace(self, uri: str, text: str) -> None:
        """Replace the whole text of a file."""
        self.change(uri, types.TextDocumentContentChangeWholeDocument(text))

    def change(self, uri: str, *changes: Any) -> None:
        """Edit a file."""
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=self.version)
        self.text_document_did_change(types.DidChangeTextDocumentParams(identifier, list(changes)))

    def save(self, uri: str) -> None:
        """Say that a file was saved."""
        identifier = types.TextDocumentIdentifier(uri)
        self.text_document_did_save(types.DidSaveTextDocumentParams(identifier))

    def states(self, uri: str) -> list[str]:
        """Return the states of a file so far."""
        return [status["state"] for status in self.statuses if status["uri"] == uri]

    async def done(self, uri: str, state: str = "done") -> None:
        """Wait until a run is over and forget its status messages."""
        await self.until(lambda: state in self.states(uri))
        self.statuses.clear()

    def shown(self, uri: str) -> list[types.Diagnostic]:
        """Return the diagnostics published last."""
        for params in reversed(self.published):
            if params.uri == uri:
                return list(params.diagnostics)
        return []

    async def hover(self, uri: str, line: int, character: int) -> str | None:
        """Return the text of a hover; 0-based."""
        found = await self.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        )
        return None if found is None else found.contents.value

    async def lenses(self, uri: str) -> list[tuple[int, str]]:
        """Return the lenses as 0-based lines and titles."""
        found = await self.text_document_code_lens_async(
            types.CodeLensParams(types.TextDocumentIdentifier(uri))
        )
        lenses = [
            lens if lens.command else await self.code_lens_resolve_async(lens)
            for lens in found or []
        ]
        return [(lens.range.start.line, lens.command.title) for lens in lenses]

    async def actions(self, uri: str, line: int, character: int) -> list[types.CodeAction]:
        """Return all code actions at a 0-based position, more than a menu has."""
        return await self.menu(
            uri, line, character, ["quickfix.mutproof", "refactor.rewrite.mutproof"]
        )

    async def menu(
        self, uri: str, line: int, character: int, only: list[str] | None = None
    ) -> list[types.CodeAction]:
        """Return the code actions at a 0-based position, of some kinds or as for a menu."""
        place = types.Position(line, character)
        here = [d for d in self.shown(uri) if d.range.start <= place <= d.range.end]
        return list(
            await self.text_document_code_action_async(
                types.CodeActionParams(
                    types.TextDocumentIdentifier(uri),
                    types.Range(place, place),
                    types.CodeActionContext(diagnostics=here, only=only),
                )
            )
            or []
        )


def _converter() -> Any:
    from pygls.protocol import default_converter

    return default_converter()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if attrs.has(type(value)):
        return attrs.asdict(value)
    return value


def _listen(client: Client) -> None:
    @client.feature("mutproof/status")
    def on_status(params: Any) -> None:
        client.statuses.append(_plain(params))
        client.news.set()

    @client.feature("mutproof/statistics")
    def on_statistics(params: Any) -> None:
        client.counts.append(_plain(params))
        client.news.set()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def on_diagnostics(params: types.PublishDiagnosticsParams) -> None:
        client.published.append(params)
        client.news.set()

    @client.feature(types.WINDOW_SHOW_MESSAGE)
    def on_message(params: types.ShowMessageParams) -> None:
        client.messages.append(params)
        client.news.set()

    @client.feature(types.WORKSPACE_CONFIGURATION)
    def on_configuration(params: types.ConfigurationParams) -> list[Any]:
        return [client.settings for _ in params.items]

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def on_refresh(_: Any) -> None:
        return None

    @client.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)
    def on_pull(_: Any) -> None:
        return None

    @client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
    def on_create(params: types.WorkDoneProgressCreateParams) -> None:
        client.progress_reports.setdefault(params.token, [])

    @client.feature(types.PROGRESS)
    def on_progress(params: types.ProgressParams) -> None:
        client.progress_reports.setdefault(params.token, []).append(_plain(params.value))
        client.news.set()


@asynccontextmanager
async def started(
    command: list[str] = SERVER,
    capabilities: Any = None,
    folders: list[types.WorkspaceFolder] | None = None,
    options: Any = None,
    **settings: Any,
) -> AsyncIterator[Client]:
    """Start a server with a client; the server is shut down as an editor does it."""
    client = Client(**settings)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    await client.start_io(*command, env=environment)
    structured = client.protocol._converter.structure(
        capabilities or CAPABILITIES, types.ClientCapabilities
    )
    result = await client.initialize_session(
        types.InitializeParams(
            capabilities=structured,
            process_id=os.getpid(),
            workspace_folders=folders,
            initialization_options=options,
        )
    )
    client.offered = result.capabilities
    try:
        yield client
    finally:
        with contextlib.suppress(RuntimeError, ConnectionError):  # where the test ended it
            if client._server.returncode is None:
                await asyncio.wait_for(client.shutdown_session(), 10)
            await client.stop()
