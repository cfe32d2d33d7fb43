"""The memory that processes use, and its limit for workers: no model may exhaust the machine.

Only Linux reports the memory of a process and its children; elsewhere there is no limit.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

LOOK_S: Final = 0.1
MEBIBYTE: Final = 1 << 20
LEAST_BYTES: Final = 1 << 30
_SHARE: Final = 0.8  # of the machine, for all workers together
_GROUP_LIMIT: Final = Path("/sys/fs/cgroup/memory.max")


def machine_bytes() -> int | None:
    """Return how much memory this process and others may use together; None if unknown."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
    try:
        return min(found, int(_GROUP_LIMIT.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no group, or "max"
        return found


def default_bytes(jobs: int) -> int | None:
    """Return how much one of `jobs` workers may use, None for any amount."""
    machine = machine_bytes()
    return None if machine is None else max(LEAST_BYTES, int(machine * _SHARE / max(1, jobs)))


def used_bytes(process: int) -> int:
    """Return the memory of a process and all it started, in bytes; 0 where unknown."""
    total, left = 0, [process]
    for one in left:
        try:
            with open(f"/proc/{one}/statm", encoding="ascii") as numbers:
                total += int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            for thread in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{thread}/children", encoding="ascii") as children:
                    left += map(int, children.read().split())
        except (OSError, ValueError, IndexError):
            continue  # it has ended
    return total


async def exceeded(process: int, most_bytes: int | None) -> None:
    """Return once a process uses more than `most_bytes`; never if there is no limit."""
    import asyncio  # slow to import, and for event loops only

    while most_bytes is None or used_bytes(process) <= most_bytes:
        await asyncio.sleep(LOOK_S if most_bytes is not None else 3600)


def reason(most_bytes: int) -> str:
    """Return why a worker was ended."""
    return f"out of memory: more than {most_bytes // MEBIBYTE} MiB"
