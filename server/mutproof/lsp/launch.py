"""Launch the server for an editor, its first worker first.

Server and worker take equally long for imports, so they do them at the same time.
"""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import Process
from typing import TYPE_CHECKING

from mutproof.runtime import process

if TYPE_CHECKING:
    from mutproof.lsp.project import Project


def launch(client: int | None, project: Project) -> None:
    """Serve on standard streams until the client (a process id) leaves; ends the process."""
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_launched(client, project))


async def _launched(client: int | None, project: Project) -> None:
    spare: Process | None = None
    with contextlib.suppress(OSError):  # reported once there is something to solve
        spare = await process.start()

    from mutproof.lsp import server
    from mutproof.runtime.pool import Pool

    await server.serve_streams(
        lambda: server.make(Pool(spare=spare), project=project), client=client
    )
