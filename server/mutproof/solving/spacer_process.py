"""Ask Spacer in a child process that is killed when it is late.

The process is started before the first question and kept for the next; a killed or crashed one is
replaced by the next question. Starting one takes longer than most questions, so an idle one is kept
for another owner.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mutproof.base import bootstrap
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.account import ACCOUNT, SPACER_UNITS
from mutproof.solving.solver import Answer

if TYPE_CHECKING:  # slow to import, and most proofs do without Spacer
    from mutproof.solving.line_process import LineProcess
    from mutproof.solving.spacer import SpacerAnswer

COMMAND = bootstrap.command("mutproof.solving.spacer_child")
"""The command that starts a child; the process id of its parent is appended."""


class _Resting:
    """Hold one idle child process for the next owner; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: LineProcess | None = None
        self._parent = 0

    def exchange(self, child: LineProcess | None) -> LineProcess | None:
        """Store a child, or None; return the one stored before, if it is of this process."""
        with self._lock:
            before, self._child = self._child, child
            # A forked process must not use the child of its parent.
            own, self._parent = self._parent == os.getpid(), os.getpid()
        return before if own else None


_resting = _Resting()


class SpacerProcess:
    """Own at most one child process; mutable, one thread except for `interrupt`."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = tuple(command)
        self._child: LineProcess | None = None
        self._cpu_s = 0.0  # limits of what was sent last, the other one by the monotonic clock
        self._late_s = 0.0

    @property
    def process_id(self) -> int | None:
        """Return the id of the child, None while there is none."""
        return None if self._child is None else self._child.process_id

    @property
    def is_idle(self) -> bool:
        """Tell whether there is a child that answers what it is asked next."""
        return self._child is not None and self._child.is_idle

    def start(self) -> None:
        """Start the child, so that a question to come need not wait for it."""
        self._started()

    def _started(self) -> LineProcess:
        """Return the child, started: another one if it owes an answer that nobody awaits."""
        if self._child is not None and self._child.is_idle:
            return self._child
        rested = _resting.exchange(None) if self._command == COMMAND else None
        if rested is not None and rested.is_idle:
            self._child = rested
            return rested
        if rested is not None:
            rested.close()
        if self._child is None:
            from mutproof.solving.line_process import LineProcess

            self._child = LineProcess(self._command)
        self._child.start()
        return self._child

    def send(
        self,
        system: TransitionSystem,
        goals: Sequence[str],
        lemmas: Sequence[Term],
        *,
        rlimit: int,
        cpu_s: float,
        timeout_s: float,
    ) -> None:
        """Ask what `answer` will return, and go on.

        `cpu_s` is time of the child's processor, `timeout_s` on the clock.
        """
        from mutproof.solving import spacer_child

        line = spacer_child.encode_question(
            system,
            tuple(goals),
            tuple(lemmas),
            rlimit=rlimit,
            cpu_s=cpu_s,
            timeout_s=timeout_s,
        )
        child = self._started()
        ACCOUNT.charge(SPACER_UNITS * rlimit // 8)  # Spacer does not report what it used
        self._cpu_s, self._late_s = cpu_s, time.monotonic() + timeout_s + spacer_child.GRACE_S
        with contextlib.suppress(ChildProcessError):  # which `answer` tells
            child.send(line)

    def has_answered(self, timeout_s: float) -> bool:
        """Wait that long at most, and tell whether `answer` need not wait."""
        child, left_s = self._child, self._late_s - time.monotonic()
        return child is None or child.has_spoken(max(0.0, min(timeout_s, left_s))) or left_s <= 0

    def answer(self) -> SpacerAnswer:
        """Return the answer to what was sent: UNKNOWN if it is late or the child dies."""
        from mutproof.solving import spacer_child
        from mutproof.solving.spacer import SpacerAnswer

        try:
            if self._child is None:
                raise ChildProcessError
            found = self._child.next_line(max(0.0, self._late_s - time.monotonic()))
        except TimeoutError:
            ACCOUNT.note_late()
            reason = "Spacer ran over its time and was killed"
            return SpacerAnswer(Answer.UNKNOWN, (), reason, self._cpu_s)
        except ChildProcessError:
            return SpacerAnswer(Answer.UNKNOWN, (), "the Spacer process died")
        return spacer_child.decode_claim(found)

    def interrupt(self) -> None:
        """Kill the child, from any thread; `answer` then returns UNKNOWN."""
        child = self._child
        if child is not None:
            child.interrupt()

    def rest(self) -> None:
        """Release the child for another owner; kill it if it cannot answer questions."""
        if self._child is None:
            return
        if self._command != COMMAND or not self.is_idle:
            self.close()
            return
        before = _resting.exchange(self._child)
        self._child = None
        if before is not None:
            before.close()

    def close(self) -> None:
        """Kill the child, if there is one."""
        if self._child is not None:
            self._child.close()
