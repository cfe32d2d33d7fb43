"""Starting worker processes: plain subprocesses with pipes, never `multiprocessing`.

Imports next to nothing, so that a server can start its first worker before it imports itself.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import Process
from collections.abc import Sequence
from typing import Final, Protocol

from mutproof.base import bootstrap

COMMAND: Final = bootstrap.command("mutproof.runtime.child")


class Writing(Protocol):
    """Describe the standard input of a worker, which is written without waiting."""

    def write(self, data: bytes, /) -> None:
        """Write bytes, now or later."""

    def close(self) -> None:
        """End the input, once all is written."""


class WorkerProcess(Protocol):
    """Describe a worker, whether this process `start`ed it or it is a `forked.Fork`."""

    @property
    def pid(self) -> int:
        """Return the process id."""
        ...

    @property
    def stdin(self) -> Writing | None:
        """Return where requests are written."""
        ...

    @property
    def stdout(self) -> asyncio.StreamReader | None:
        """Return where answers are read."""
        ...

    @property
    def stderr(self) -> asyncio.StreamReader | None:
        """Return where errors are read."""
        ...

    @property
    def returncode(self) -> int | None:
        """Return how the process ended, the negative number of a signal, None while it runs."""
        ...

    async def wait(self) -> int:
        """Wait for the end of the process and return how it ended."""
        ...


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
