"""The first steps of a command: open standard streams, and let signals end it quietly.

Until a command handles signals itself, as during imports, an exception would leave a traceback of
whatever runs just then, or be swallowed. Imports next to nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}  # as in `exit_codes`, which is not imported yet

_TOGETHER_S = 1.0
"""How soon after a signal the same one is no other: `timeout` sends it to a process, then to its
group, so that it comes twice."""

_children: list[int] = []
_heeded: dict[int, float] = {}  # by number, when a signal came that did not end this process


def end_quietly() -> None:
    """Have signals end this process with their exit code, and nothing else, from now on."""
    for number in _CODES:
        signal.signal(number, _end)


def end_with(process: int) -> None:
    """Have a signal end a child of this process (a process id, which leads a group) too."""
    _children[:] = [process]


def heed(number: int) -> None:
    """Note that a signal came which this process heeds, without ending at once."""
    _heeded[number] = time.monotonic()


def is_heeded(number: int) -> bool:
    """Tell whether a signal that comes now is one that is heeded already."""
    return number in _heeded and time.monotonic() - _heeded[number] < _TOGETHER_S


def end_alone() -> None:
    """Forget the child, which has ended."""
    _children.clear()


def open_streams() -> None:
    """Open standard streams that are closed as empty ones: no other file must get their number.

    Writing to standard output still fails, as it should: a report that nobody gets is no success.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # what is opened gets the smallest free number
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)


def _end(number: int, _: object) -> None:
    if is_heeded(number):
        return
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
