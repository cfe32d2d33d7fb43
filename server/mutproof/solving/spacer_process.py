"""Ask Spacer in a child process that is killed when it is late.

The process is started at the first question and kept for the next; a killed or crashed one is
replaced by the next question.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import spacer_child
from mutproof.solving.solver import Answer
from mutproof.solving.spacer import Claim

GRACE_S = 0.5
"""How long past its own time limit the child may take to answer."""


class SpacerProcess:
    """Own at most one child process; mutable, belongs to one thread."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = command or (sys.executable, "-m", "mutproof.solving.spacer_child")
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    @property
    def process_id(self) -> int | None:
        """Return the id of the child, None while there is none."""
        return None if self._process is None else self._process.pid

    def ask(
        self,
        system: TransitionSystem,
        goals: Sequence[str],
        lemmas: Sequence[Term],
        *,
        rlimit: int,
        timeout_s: float,
    ) -> Claim:
        """Return Spacer's answer, UNKNOWN if it is not there in time or the child dies."""
        line = spacer_child.encode_question(system, tuple(goals), tuple(lemmas), rlimit, timeout_s)
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            found = self._answers.get(timeout=timeout_s + GRACE_S)
        except queue.Empty:
            self.close()
            return Claim(Answer.UNKNOWN, (), "Spacer ran over its time and was killed")
        except OSError:
            found = None
        if found is None:
            self.close()
            return Claim(Answer.UNKNOWN, (), "the Spacer process died")
        return spacer_child.decode_claim(found)

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

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        # The package's own folder, so that the child runs the same code.
        root = str(Path(__file__).resolve().parents[2])
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            cwd=root,
        )
        answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        assert process.stdout is not None
        reader = threading.Thread(target=_forward, args=(process.stdout, answers), daemon=True)
        reader.start()
        self._process, self._answers = process, answers
        return process


def _forward(stream: IO[str], answers: queue.SimpleQueue[str | None]) -> None:
    """Pass on the lines of the child, then None."""
    with contextlib.suppress(ValueError, OSError):
        for line in stream:
            answers.put(line)
    answers.put(None)
