"""Launch a command on files, its first worker first.

This process imports what both need and then copies itself, where the system can do that. The rest
they import at the same time. Imports no more than that, for the copy has it too.
"""

from __future__ import annotations

import contextlib
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from mutproof.base import shared_store, store
from mutproof.cli import early
from mutproof.runtime import forked, lifeline

if TYPE_CHECKING:
    from asyncio import Runner

    from mutproof.runtime.process import WorkerProcess

_SHARED: Final = ("runtime.messages", "workspace.counts", "analyses.proving.wording")
"""Modules that command and worker need, with all they import, and that know no solver."""


class Launched:
    """Hold the worker of a command that was started first, unless it is `idle`, and an event loop.

    A context manager, used once; at its end the worker is dead, whoever took it. `names` are the
    files that the worker will read. A worker that is a `fork` needs no `loop`, which is made when
    it is first asked for.
    """

    def __init__(self, *, cache: bool, idle: bool = False, names: Sequence[str] = ()) -> None:
        self.cache = cache
        self._idle = idle
        self._names = names
        self._loop: Runner | None = None
        self.fork: forked.Fork | None = None
        self.worker: WorkerProcess | None = None

    def __enter__(self) -> Self:
        if self._idle:
            return self
        self.fork = self._fork()
        if self.fork is None:
            with contextlib.suppress(OSError):  # reported once there is something to solve
                self.worker = self._started()
                early.end_with(self.worker.pid)
        for warning in (store.warning(), shared_store.warning()) if self.cache else ():
            if warning is not None:
                sys.stderr.write(f"warning: {warning}\n")
        return self

    @property
    def loop(self) -> Runner:
        """Return the event loop of the command, in which the worker is connected."""
        if self._loop is None:
            with _without_tls() if self.fork else contextlib.nullcontext():
                import asyncio

            self._loop = asyncio.Runner()
            self._loop.__enter__()
            if self.fork is not None and self.fork.returncode is None:
                with contextlib.suppress(OSError):
                    self._loop.run(self.fork.connect())
                    self.worker = self.fork
        return self._loop

    def _fork(self) -> forked.Fork | None:
        """Return a worker that is a copy of this process; None where that is not possible."""
        if not forked.is_possible():
            return None
        for name in _SHARED:
            import_module(f"mutproof.{name}")
        from mutproof.runtime import messages
        from mutproof.workspace import sources

        messages.prepare()

        language = sources.language_of(self._names[0]) if self._names else None
        if language is not None:
            language.prepare()
        with contextlib.suppress(OSError):
            fork = forked.Fork(cache=self.cache)
            early.end_with(fork.pid)
            return fork
        return None

    def _started(self) -> WorkerProcess:
        from mutproof.runtime import process

        return self.loop.run(process.start(cache=self.cache, ahead=False))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self.worker is not None and self.worker.returncode is None:
                self.loop.run(_killed(self.worker))
            elif self.fork is not None and self.fork.returncode is None:
                lifeline.kill_group(self.fork.pid)
                self.fork.reap()
        finally:
            early.end_alone()
            if self._loop is not None:
                self._loop.__exit__(kind, error, trace)


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
        names=getattr(arguments, "files", ()),
    )


@contextlib.contextmanager
def _without_tls() -> Iterator[None]:
    """Let modules that are imported inside do without `ssl`, as some interpreters have none."""
    if "ssl" in sys.modules:
        yield
        return
    sys.modules["ssl"] = None  # type: ignore[assignment]  # makes an import of it fail
    try:
        yield
    finally:
        del sys.modules["ssl"]


async def _killed(worker: WorkerProcess) -> None:
    """Kill a worker that was not used, and wait for its end."""
    lifeline.kill_group(worker.pid)
    await worker.wait()
