"""Websockets: serve one client, and refuse web pages that the user happens to visit.

Browsers let every page connect to ports of this computer, but send its `Origin`. Other clients send
none.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pygls.io_ import run_websocket
from pygls.lsp.server import LanguageServer

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

MOST_BYTES = 64 << 20
"""The longest message."""


def serve(server: LanguageServer, host: str, port: int, origins: Sequence[str] = ()) -> None:
    """Serve one client until it leaves; pages of browsers only from these origins."""
    asyncio.run(_serve(server, host, port, origins))


async def _serve(server: LanguageServer, host: str, port: int, origins: Sequence[str]) -> None:
    from websockets.asyncio.server import serve as listen
    from websockets.typing import Origin

    left = asyncio.Event()
    busy = False

    async def speak(connection: ServerConnection) -> None:
        nonlocal busy
        if busy:
            await connection.close(1013, "another client is connected")
            return
        busy = True
        try:
            await run_websocket(
                connection,
                threading.Event(),
                server.protocol,
                logging.getLogger("pygls"),
                server.report_server_error,
            )
        finally:
            left.set()

    allowed = [None, *map(Origin, origins)]
    async with await listen(speak, host, port, origins=allowed, max_size=MOST_BYTES):
        await left.wait()
