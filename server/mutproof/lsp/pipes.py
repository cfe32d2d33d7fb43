"""Standard streams: input read on the event loop, where the system can, and a larger output pipe.

pygls reads each line on a thread. While another thread reads texts, every switch of threads has to
wait, and a message takes six of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import stat
import sys
from collections.abc import AsyncIterator, Awaitable
from typing import BinaryIO, Final, Protocol

from pygls.io_ import StdinAsyncReader

if sys.platform == "linux":
    import fcntl

HEADER_BYTES: Final = 1 << 20
OUTPUT_BYTES: Final = 1 << 20
"""How much may be written before the client has read it: most answers."""


LONGEST_BYTES: Final = 1 << 28
"""How long a message may be: more than the longest text, whatever is escaped in it."""

_LENGTH: Final = re.compile(rb"content-length:[ \t]*([0-9]{1,18})\s*", re.IGNORECASE)


class LineReader(Protocol):
    """Read lines and bytes of what a client sends."""

    def readline(self) -> Awaitable[bytes]:
        """Return the next line, its end included."""

    def readexactly(self, n: int) -> Awaitable[bytes]:
        """Return `n` bytes."""


async def bodies(reader: LineReader) -> AsyncIterator[bytes | None]:
    """Yield the messages of a client until it ends; None for a header that gives no length.

    After such a header the next message is sought line by line, as the end of the body is unknown.
    """
    length, seen = None, False
    while line := await reader.readline():
        if line.strip():
            seen = True
            found = _LENGTH.search(line)
            if found is not None and found.end() == len(line):
                length = int(found[1])
        elif length is not None and length <= LONGEST_BYTES:
            try:
                body = await reader.readexactly(length)
            except asyncio.IncompleteReadError:
                return
            if len(body) < length:
                return
            yield body
            length, seen = None, False
        elif seen:
            yield None
            length, seen = None, False


class PipeReader:
    """Read lines and messages of a pipe; at the end of it there are no bytes."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    async def readline(self) -> bytes:
        """Return the next line, its end included."""
        # Let earlier requests begin before the next message is read.
        await asyncio.sleep(0)
        try:
            return await self._stream.readline()
        except ValueError:
            return b"\n"  # too long for a header

    async def readexactly(self, n: int) -> bytes:
        """Return `n` bytes; none where the stream ends before."""
        try:
            return await self._stream.readexactly(n)
        except asyncio.IncompleteReadError:
            return b""


def widen(stdout: BinaryIO) -> None:
    """Enlarge the buffer of a stream for long answers, as far as the system allows.

    A pipe holds 64 kB: an outline of two megabytes would take forty switches of processes.
    """
    if sys.platform != "linux":
        return
    descriptor = stdout.fileno()
    mode = os.fstat(descriptor).st_mode
    with contextlib.suppress(OSError):
        if stat.S_ISFIFO(mode):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, OUTPUT_BYTES)
        elif stat.S_ISSOCK(mode):
            with socket.socket(fileno=os.dup(descriptor)) as stream:
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, OUTPUT_BYTES)


async def reader_of(stdin: BinaryIO, stdout: BinaryIO) -> PipeReader | StdinAsyncReader:
    """Return a reader of a stream: on the event loop for pipes, on threads for anything else.

    One socket for both directions is read by threads: the loop would have writes fail, too, that
    cannot be done at once.
    """
    status = os.fstat(stdin.fileno())
    is_pipe = stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)
    if os.name != "posix" or not is_pipe or os.path.samestat(status, os.fstat(stdout.fileno())):
        return StdinAsyncReader(stdin)
    stream = asyncio.StreamReader(limit=HEADER_BYTES)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), stdin)
    return PipeReader(stream)
