"""Processes of one run: marked through their environment, found through `/proc`.

An environment variable is inherited by every descendant, also by those that lost their parent,
so a process that outlives its editor cannot hide.
"""

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = "MUTPROOF_E2E_RUN"


@dataclass(frozen=True, slots=True)
class Process:
    """One living process."""

    pid: int
    command: str


@dataclass(frozen=True, slots=True)
class Family:
    """All processes that descend from those started with `environment`."""

    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment that makes a process and its descendants members."""
        # What earlier runs have kept must not be what is seen here.
        return {**os.environ, "MUTPROOF_CACHE_DIR": "", **(extra or {}), VARIABLE: self.mark}

    def members(self) -> Sequence[Process]:
        """List the members that are alive, zombies excepted."""
        entry = f"{VARIABLE}={self.mark}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                if entry in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    found.append(Process(int(folder.name), command.strip()))
            except OSError:
                continue
        return [process for process in found if process.command]

    def wait_until_gone(self, timeout_s: float, editor: Path) -> Sequence[Process]:
        """Wait for the end of all members; return those still alive after the time.

        Processes that run programs of the editor's own folder are not waited for.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            left = [member for member in self.members() if str(editor) not in member.command]
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(0.1)

    def end(self) -> None:
        """Kill all members."""
        for process in self.members():
            try:
                os.kill(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def stop(process: subprocess.Popen[bytes], timeout_s: float = 10) -> None:
    """Ask a process to end; kill it when it does not."""
    process.terminate()
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
