"""Exchange lines with a child process, and kill it when an answer is late."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
"""The folder of the package, the working directory of children, so that none runs in a user's
folder."""


class LineProcess:
    """Own at most one child process; mutable, one thread except for `interrupt`.

    The id of this process is passed to the child as one more argument after those of `command`.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._heard: list[str | None] = []  # what was taken from there and not read, at most one
        self._owes = False  # an answer is due that nobody has read
        self._interrupted = False  # killed, but perhaps not ended yet

    @property
    def process_id(self) -> int | None:
        """Return the id of the child, None while there is none."""
        return None if self._process is None else self._process.pid

    @property
    def runs(self) -> bool:
        """Tell whether there is a child that has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def is_idle(self) -> bool:
        """Tell whether there is a child that has answered all it was asked and was not killed."""
        return self.runs and not self._owes and not self._interrupted

    def start(self) -> None:
        """Start a child, in place of the last one."""
        self.close()
        process = subprocess.Popen(
            (*self._command, str(os.getpid())),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            cwd=ROOT if ROOT.is_dir() else None,
        )
        answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        assert process.stdout is not None
        threading.Thread(target=_forward, args=(process.stdout, answers), daemon=True).start()
        self._owes = self._interrupted = False
        self._process, self._answers, self._heard = process, answers, []

    def ask(self, line: str, timeout_s: float) -> str:
        """Return the line that answers a line; a child that gives none in time is killed.

        Raises:
            TimeoutError: there is no answer yet.
            ChildProcessError: there is no child, or it has ended.
        """
        self.send(line)
        return self.next_line(timeout_s)

    def send(self, line: str) -> None:
        """Ask for the line that `next_line` returns.

        Raises:
            ChildProcessError: there is no child, or it has ended.
        """
        if self._process is None or self._process.stdin is None:
            raise ChildProcessError
        self._owes = True
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError as error:
            self.close()
            raise ChildProcessError from error

    def next_line(self, timeout_s: float) -> str:
        """Return the next line of the child, which is killed if there is none in time.

        Raises:
            TimeoutError: there is none yet.
            ChildProcessError: there is no child, or it has ended.
        """
        if self._process is None:
            raise ChildProcessError
        if not self.has_spoken(timeout_s):
            self.close()
            raise TimeoutError
        line = self._heard.pop()
        if line is None:
            self.close()
            raise ChildProcessError
        self._owes = False
        return line

    def has_spoken(self, timeout_s: float) -> bool:
        """Wait that long at most, and tell whether `next_line` need not wait: not if it ended."""
        if self._process is not None and not self._heard:
            with contextlib.suppress(queue.Empty):
                self._heard.append(self._answers.get(timeout=timeout_s))
        return self._process is None or bool(self._heard)

    def interrupt(self) -> None:
        """Kill the child, from any thread; `ask` then raises ChildProcessError."""
        process = self._process
        if process is not None:
            self._interrupted = True
            process.kill()

    def close(self) -> None:
        """Kill the child, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _forward(stream: IO[str], answers: queue.SimpleQueue[str | None]) -> None:
    """Put the lines of the child in the queue, then None."""
    with contextlib.suppress(ValueError, OSError):
        for line in stream:
            answers.put(line)
    answers.put(None)
