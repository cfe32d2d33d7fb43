"""Starting a worker as a copy of this process, which spares it the imports that both need.

Only a process with a single thread may copy itself, and only Linux does it reliably; elsewhere
`process.start` starts a worker from nothing. Imports next to nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from asyncio import Event, StreamReader, WriteTransport

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_FIRST_OTHER: Final = 3  # the first descriptor that is no standard stream


def is_possible() -> bool:
    """Tell whether this process may copy itself."""
    threading = sys.modules.get("threading")
    single = threading is None or threading.active_count() == 1
    return sys.platform == "linux" and hasattr(os, "pidfd_open") and single


class Fork:
    """Hold a worker that is a copy of this process; it answers on pipes as any other. Mutable.

    Inside an event loop, `connect` comes first.
    """

    stdin: WriteTransport
    stdout: StreamReader
    stderr: StreamReader

    def __init__(self, *, cache: bool) -> None:
        """Start the worker; without `cache` it recalls and keeps nothing.

        Raises:
            OSError: the system starts no process.
        """
        pipes = [os.pipe() for _ in range(_FIRST_OTHER)]
        parent = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        # Until the copy leads a group of its own, it must not answer signals as its parent does.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            self.pid = os.fork()
            if not self.pid:
                _work(parent, [pipes[0][0], pipes[1][1], pipes[2][1]], blocked, cache=cache)
            with contextlib.suppress(OSError):
                os.setpgid(self.pid, self.pid)
        except OSError:
            for end in (end for pipe in pipes for end in pipe):
                os.close(end)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for end in (pipes[0][0], pipes[1][1], pipes[2][1]):
            os.close(end)
        self._ends = (pipes[0][1], pipes[1][0], pipes[2][0])
        self._returncode: int | None = None
        self._ended: Event | None = None

    @property
    def returncode(self) -> int | None:
        """Return how the process ended, the negative number of a signal, None while it runs."""
        if self._returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self._returncode = os.waitstatus_to_exitcode(status)
        return self._returncode

    @property
    def ends(self) -> tuple[int, int, int]:
        """Return the ends of the pipes to its input and from its output and errors."""
        return self._ends

    def reap(self) -> int:
        """Wait, without an event loop, for the end of the process; return how it ended."""
        if self._returncode is None:
            self._returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._returncode

    async def connect(self) -> None:
        """Open the streams of the worker in the running event loop."""
        import asyncio

        loop = asyncio.get_running_loop()
        to, *others = self._ends
        self.stdin, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(to, "wb", 0))
        self.stdout, self.stderr = [await _reader(end) for end in others]

    async def wait(self) -> int:
        """Wait for the end of the process and return how it ended."""
        import asyncio

        if self._ended is None:
            self._ended = asyncio.Event()
            if self.returncode is None:
                self._watch(self._ended)
            else:
                self._ended.set()
        await self._ended.wait()
        code = self.returncode
        assert code is not None
        return code

    def _watch(self, ended: Event) -> None:
        """Set an event once the process has ended."""
        import asyncio

        loop, descriptor = asyncio.get_running_loop(), os.pidfd_open(self.pid)

        def tell() -> None:
            loop.remove_reader(descriptor)
            os.close(descriptor)
            ended.set()

        loop.add_reader(descriptor, tell)


async def _reader(end: int) -> StreamReader:
    """Return a reader of the end of a pipe, in the running event loop."""
    import asyncio

    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(end, "rb", 0))
    return reader


def _work(parent: int, ends: list[int], blocked: set[int], *, cache: bool) -> NoReturn:
    """Turn this process, which was copied, into a worker with these standard streams."""
    try:
        from mutproof.base import bootstrap

        bootstrap.bind_to(parent)
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number, end in enumerate(ends):  # none of them is a standard stream
            os.dup2(end, number)
        os.closerange(_FIRST_OTHER, os.sysconf("SC_OPEN_MAX"))
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", 1, "utf-8", "backslashreplace", closefd=False)
        # As in workers that are started from nothing.
        sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
        if not cache:
            from mutproof.base import store

            os.environ[store.FOLDER_VARIABLE] = ""
        from mutproof.runtime import child

        child.main([bootstrap.COLD, str(parent)])
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(1)
