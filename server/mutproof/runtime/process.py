"""Starting worker processes: plain subprocesses with pipes, never `multiprocessing`.

Imports next to nothing, so that a server can start its first worker before it imports itself.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import Process
from collections.abc import Sequence
from typing import Final

from mutproof.base import bootstrap

COMMAND: Final = bootstrap.command("mutproof.runtime.child")


async def start(
    command: Sequence[str] = COMMAND, *, cache: bool = True, ahead: bool = True
) -> Process:
    """Start and return a worker; without `cache` it recalls and keeps nothing.

    With `ahead` it prepares for texts of all languages before its first request.

    Raises:
        OSError: the system starts no process.
    """
    environment = dict(os.environ)
    if not cache:
        from mutproof.base import store

        environment[store.FOLDER_VARIABLE] = ""
    return await asyncio.create_subprocess_exec(
        *command,
        *(() if ahead else (bootstrap.COLD,)),
        str(os.getpid()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        process_group=0 if os.name == "posix" else None,
    )
