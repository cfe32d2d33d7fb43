"""Starting worker processes: plain subprocesses with pipes, never `multiprocessing`.

Imports next to nothing, so that a server can start its first worker before it imports itself.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import Process
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import mutproof

COMMAND: Final = (sys.executable, "-m", "mutproof.runtime.child")


async def start(command: Sequence[str] = COMMAND, *, cache: bool = True) -> Process:
    """Return a worker that was started just now; without `cache` it recalls and keeps nothing.

    Raises:
        OSError: the system starts no process.
    """
    environment = dict(os.environ)
    if not cache:
        from mutproof.base import store

        environment[store.FOLDER_VARIABLE] = ""
    # The worker imports the same package, wherever the server got it from.
    root = str(Path(mutproof.__path__[0]).parent)
    paths = [root, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    return await asyncio.create_subprocess_exec(
        *command,
        str(os.getpid()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        process_group=0 if os.name == "posix" else None,
    )
