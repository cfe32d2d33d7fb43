"""Launch a command on files, its first worker first.

Command and worker take equally long for imports, so they do them at the same time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from argparse import Namespace
from asyncio.subprocess import Process
from types import TracebackType
from typing import Self

from mutproof.base import shared_store, store
from mutproof.cli import early
from mutproof.runtime import process


class Launched:
    """Hold the event loop of a command and the worker that was started in it, unless it is `idle`.

    A context manager, used once; at its end the worker is dead, whoever took it.
    """

    def __init__(self, *, cache: bool, idle: bool = False) -> None:
        self.cache = cache
        self._idle = idle
        self.loop = asyncio.Runner()
        self.worker: Process | None = None

    def __enter__(self) -> Self:
        self.loop.__enter__()
        if self._idle:
            return self
        with contextlib.suppress(OSError):  # reported once there is something to solve
            self.worker = self.loop.run(process.start(cache=self.cache, ahead=False))
            early.end_with(self.worker.pid)
        for warning in (store.warning(), shared_store.warning()) if self.cache else ():
            if warning is not None:
                sys.stderr.write(f"warning: {warning}\n")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self.worker is not None and self.worker.returncode is None:
                self.loop.run(_killed(self.worker))
        finally:
            early.end_alone()
            self.loop.__exit__(kind, error, trace)


def launched(arguments: Namespace) -> Launched:
    """Return the context that starts a worker for these arguments.

    If nothing is to be kept, this process and its workers are told from now on.
    """
    if not arguments.cache:
        os.environ[store.FOLDER_VARIABLE] = ""
    # Cached evidence may have no certificate.
    return Launched(
        cache=arguments.cache and getattr(arguments, "certify", None) is None,
        idle=getattr(arguments, "cluster", None) is not None,
    )


async def _killed(worker: Process) -> None:
    """Kill a worker that was not used, and wait for its end."""
    from mutproof.runtime import lifeline

    lifeline.kill_group(worker.pid)
    await worker.wait()
