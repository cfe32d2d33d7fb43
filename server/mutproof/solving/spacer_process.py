"""Ask Spacer in a child process that is killed when it is late.

The process is started before the first question and kept for the next; a killed or crashed one is
replaced by the next question.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import spacer_child
from mutproof.solving.line_process import LineProcess
from mutproof.solving.solver import Answer
from mutproof.solving.spacer import Claim

GRACE_S = 0.5
"""How long past its own time limit the child may take to answer."""


class SpacerProcess:
    """Own at most one child process; mutable, belongs to one thread but for `interrupt`."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        default = (sys.executable, "-m", "mutproof.solving.spacer_child")
        self._child = LineProcess(command or default)

    @property
    def process_id(self) -> int | None:
        """Return the id of the child, None while there is none."""
        return self._child.process_id

    def start(self) -> None:
        """Start the child, so that a question to come need not wait for it."""
        if not self._child.runs:
            self._child.start()

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
        self.start()
        try:
            found = self._child.ask(line, timeout_s + GRACE_S)
        except TimeoutError:
            return Claim(Answer.UNKNOWN, (), "Spacer ran over its time and was killed")
        except ChildProcessError:
            return Claim(Answer.UNKNOWN, (), "the Spacer process died")
        return spacer_child.decode_claim(found)

    def interrupt(self) -> None:
        """Kill the child, from any thread: whoever waits for its answer is told UNKNOWN."""
        self._child.interrupt()

    def close(self) -> None:
        """Kill the child, if there is one."""
        self._child.close()
