"""Check scripts by a solver in a process of its own, which is killed when it is late.

A script is confirmed if it gives as many answers as it must, and all of them are `unsat`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from mutproof.analyses.claims.finding import Confirmation
from mutproof.base import bootstrap
from mutproof.base.record import dataclass
from mutproof.runtime import script_child
from mutproof.solving.line_process import LineProcess

START_S: Final = 60.0
GRACE_S: Final = 1.0
TIMEOUT_S: Final = 60.0
COMMAND = bootstrap.command("mutproof.runtime.script_child")
SOLVERS: Final = tuple(script_child.SOLVERS)
_MOST_CHARACTERS = 200  # of a quoted error


class SolverMissing(Exception):  # noqa: N818 - what the outside world lacks
    """Say that a solver cannot be used."""


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """Hold the result of a script, and the reason if it is not confirmed."""

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
        command: Sequence[str] | None = None,
    ) -> None:
        command = COMMAND if command is None else command
        self._child = LineProcess((*command, solver, str(timeout_s)))
        self._timeout_s = timeout_s
        self.solver = solver

    def start(self) -> str:
        """Start the solver and return its name and version.

        Raises:
            SolverMissing: it is not installed or does not start.
        """
        self._child.start()
        try:
            state, found = _decoded(self._child.next_line(START_S))
        except (TimeoutError, ChildProcessError):
            raise SolverMissing(f"{self.solver} does not start") from None
        if state != script_child.READY:
            self.close()
            raise SolverMissing(found)
        return found

    def check(self, path: Path, checks: int) -> ScriptResult:
        """Check a script that must answer `unsat` exactly `checks` times.

        Raises:
            SolverMissing: the solver does not start any more.
        """
        if not self._child.runs:
            self.start()
        started = time.monotonic()
        try:
            # The child runs in another folder.
            line = self._child.ask(json.dumps(str(path.absolute())), self._timeout_s + GRACE_S)
        except (TimeoutError, ChildProcessError):
            seconds = time.monotonic() - started
            late = seconds >= self._timeout_s
            reason = "out of time" if late else f"{self.solver} crashed"
            return ScriptResult(Confirmation.UNKNOWN, reason, seconds)
        seconds = time.monotonic() - started
        confirmation, reason = judged(_decoded(line), checks)
        return ScriptResult(confirmation, reason, seconds)

    def close(self) -> None:
        """Kill the child, if there is one."""
        self._child.close()


def judged(answers: Sequence[str], checks: int) -> tuple[Confirmation, str]:
    """Judge the answers of a script; anything but `unsat` confirms nothing."""
    for number, answer in enumerate(answers, 1):
        # A solver that checks the status expected by the script reports `sat` as an error.
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


def _decoded(line: str) -> list[str]:
    return cast("list[str]", json.loads(line))
