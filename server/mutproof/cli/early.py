"""The first steps of a command: open standard streams, and let signals end it quietly.

Until a command handles signals itself, as during imports, an exception would leave a traceback of
whatever runs just then, or be swallowed. Imports next to nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}  # as in `exit_codes`, which is not imported yet

_children: list[int] = []


def end_quietly() -> None:
    """Have signals end this process with their exit code, and nothing else, from now on."""
    for number in _CODES:
        signal.signal(number, _end)


def end_with(process: int) -> None:
    """Have a signal end a child of this process (a process id, which leads a group) too."""
    _children[:] = [process]


def end_alone() -> None:
    """Forget the child, which has ended."""
    _children.clear()


def open_streams() -> None:
    """Open standard streams that are closed as empty ones: no other file must get their number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the smallest free number
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)


def _end(number: int, _: object) -> None:
    for child in _children:
        for kill in (getattr(os, "killpg", os.kill), os.kill):
            with contextlib.suppress(OSError):
                kill(child, getattr(signal, "SIGKILL", signal.SIGTERM))
        if sys.platform == "linux":
            # WNOWAIT: leave the status to asyncio, which would log that it is missing.
            with contextlib.suppress(OSError):
                os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    if number == signal.SIGINT:
        with contextlib.suppress(OSError):
            os.write(2, b"interrupted\n")
    os._exit(_CODES[signal.Signals(number)])
