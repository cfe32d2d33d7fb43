"""Have scripts checked by a solver in a process of its own, which is killed when it is late.

A script is confirmed if it gives as many answers as it must, and all of them are `unsat`.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from mutproof.analyses.certificates import Confirmation
from mutproof.runtime import script_child

START_S: Final = 60.0
GRACE_S: Final = 1.0
TIMEOUT_S: Final = 60.0
SOLVERS: Final = tuple(script_child.SOLVERS)
_MOST_CHARACTERS = 200  # of an error


class SolverMissing(Exception):  # noqa: N818 - what the outside world lacks
    """Say that a solver cannot be used."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Say what a solver made of a script, and why where it is not confirmed."""

    confirmation: Confirmation
    reason: str = ""
    seconds: float = 0.0


class ScriptChecker:
    """Own at most one child process; mutable, belongs to one thread.

    `timeout_s` is the wall clock for one script.
    """

    def __init__(
        self,
        solver: str,
        timeout_s: float = TIMEOUT_S,
        command: Sequence[str] = (sys.executable, "-m", "mutproof.runtime.script_child"),
    ) -> None:
        self._command = (*command, solver, str(timeout_s), str(os.getpid()))
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.solver = solver

    def start(self) -> str:
        """Start the solver and return its name and version.

        Raises:
            SolverMissing: it is not installed or does not start.
        """
        self.close()
        # The package's own folder, so that the child runs the same code.
        root = str(Path(__file__).resolve().parents[2])
        environment = dict(os.environ)
        paths = [root, *filter(None, [environment.get("PYTHONPATH")])]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        assert process.stdout is not None
        threading.Thread(target=_forward, args=(process.stdout, answers), daemon=True).start()
        self._process, self._answers = process, answers
        found = self._answer(START_S)
        if found is None or found[0] != script_child.READY:
            self.close()
            raise SolverMissing(found[1] if found else f"{self.solver} does not start")
        return found[1]

    def check(self, path: Path, checks: int) -> Checked:
        """Return what the solver makes of a script that must answer `unsat` that often.

        Raises:
            SolverMissing: the solver does not start any more.
        """
        if self._process is None or self._process.poll() is not None:
            self.start()
        started = time.monotonic()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(str(path)) + "\n")
            process.stdin.flush()
            answers = self._answer(self._timeout_s + GRACE_S)
        except OSError:
            answers = None
        seconds = time.monotonic() - started
        if answers is None:
            self.close()
            late = seconds >= self._timeout_s
            reason = "out of time" if late else f"{self.solver} crashed"
            return Checked(Confirmation.UNKNOWN, reason, seconds)
        confirmation, reason = judged(answers, checks)
        return Checked(confirmation, reason, seconds)

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

    def _answer(self, timeout_s: float) -> list[str] | None:
        """Return the next answer; None if the child ends or does not answer in time."""
        try:
            line = self._answers.get(timeout=timeout_s)
        except queue.Empty:
            return None
        return None if line is None else cast("list[str]", json.loads(line))


def judged(answers: Sequence[str], checks: int) -> tuple[Confirmation, str]:
    """Return what the printed lines of a script say; anything but `unsat` confirms nothing."""
    for number, answer in enumerate(answers, 1):
        # A solver that knows the status that the script expects says so in an error.
        if answer == "sat" or "got sat" in answer:
            return Confirmation.REFUTED, f"check {number} of {checks} has a counterexample"
    for number, answer in enumerate(answers, 1):
        if answer.startswith("unknown"):
            return Confirmation.UNKNOWN, f"check {number} of {checks} is open, or out of time"
        if answer != "unsat":
            return Confirmation.UNKNOWN, " ".join(answer.split())[:_MOST_CHARACTERS]
    if len(answers) != checks or not checks:
        return Confirmation.UNKNOWN, f"{len(answers)} answers where {checks} are due"
    return Confirmation.CONFIRMED, ""


def _forward(stream: IO[str], answers: queue.SimpleQueue[str | None]) -> None:
    """Pass on the lines of the child, then None."""
    with contextlib.suppress(ValueError, OSError):
        for line in stream:
            answers.put(line)
    answers.put(None)
