"""Make processes end with the process that needs them, however that one ends.

Three independent means, because each has a hole: the kernel's parent-death signal (Linux
only), the end of standard input (needs a reader), and a look at the other process's number.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

POLL_S: Final = 0.25
HANG_UP_GRACE_S: Final = 1.0
NICENESS: Final = 10
_PR_SET_PDEATHSIG: Final = 1


def die_with_parent(parent: int) -> None:
    """Have this process killed when `parent` (a process id) ends; end now if it has ended.

    Call it on the main thread, before anything else: the kernel compares with the thread that
    started this process.
    """
    if sys.platform == "linux":
        import ctypes  # slow to import, and only workers come here

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.name == "posix" and os.getppid() != parent:
        end_group()


def lead_group() -> None:
    """Make this process the leader of a process group, so that it ends with its children."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)


def end_group() -> None:
    """End this process and the processes it has started, at once and without clean-up."""
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def kill_group(process: int) -> None:
    """Kill a process that leads a group, and the group; nothing happens if it has ended."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            os.killpg(process, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))


def be_nice() -> None:
    """Lower the priority of this process, so that an editor stays responsive."""
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(NICENESS)


def is_alive(process: int) -> bool:
    """Tell whether a process of that id runs; a zombie does not."""
    if sys.platform == "linux":
        try:
            with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as stat:
                return stat.read().rpartition(")")[2].split()[0] not in {"Z", "X"}
        except OSError:
            return False
    if os.name != "posix":
        return True  # os.kill(pid, 0) would end the process on Windows
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def watch_process(process: int, gone: Callable[[], None]) -> None:
    """Call `gone` on a thread of its own once the process of that id has ended."""

    def watch() -> None:
        while is_alive(process):
            time.sleep(POLL_S)
        gone()

    threading.Thread(target=watch, name="lifeline-process", daemon=True).start()


def watch_hang_up(descriptor: int, gone: Callable[[], None]) -> None:
    """Call `gone` once the other end of a pipe or socket is closed and some time has passed.

    The time is for the regular reader of the descriptor to see the end first; this is for the
    case that it is busy. Does nothing where the system cannot tell.
    """
    if not hasattr(select, "poll"):
        return

    def watch() -> None:
        poll = select.poll()
        poll.register(descriptor, select.POLLHUP | select.POLLERR)
        while True:
            events = poll.poll(1000)
            if any(event & (select.POLLHUP | select.POLLERR) for _, event in events):
                time.sleep(HANG_UP_GRACE_S)
                gone()
                return
            if any(event & select.POLLNVAL for _, event in events):
                return

    threading.Thread(target=watch, name="lifeline-hang-up", daemon=True).start()
