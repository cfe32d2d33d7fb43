"""What a worker writes to standard output: frames, whole, from whichever thread.

What was told before is told shortly, and progress only now and then.
"""

from __future__ import annotations

import threading
import time
from typing import BinaryIO, Final

from mutproof.analyses.claims.finding import MutantFinding
from mutproof.runtime import lifeline, messages
from mutproof.runtime.messages import Happened, Message
from mutproof.runtime.repeats import Repeats
from mutproof.workspace.events import Event, Progress

PROGRESS_S: Final = 0.02
"""The least time between progress messages."""


class Output:
    """Write frames, whole, from any thread; mutable, owns the stream.

    Progress is written at intervals only. All else is written at once, by the thread that produced
    it: another one could free a solver that this one works with.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._repeats = Repeats()
        self._lock = threading.Lock()
        self._progress: tuple[int, Progress] | None = None  # held back, with its request
        self._stage: tuple[int, str] | None = None  # request and stage last written
        self._written_s = 0.0

    def send(self, message: Message) -> None:
        """Write a message; end this process if the reader is gone."""
        with self._lock:
            self._write_progress()
            self._write(message)

    def tell(self, request: int, event: Event) -> None:
        """Write an event of a request, except for progress within the interval."""
        with self._lock:
            if not isinstance(event, Progress):
                if not isinstance(event, MutantFinding):
                    self._write_progress()
                self._write(Happened(request, event))
                return
            if self._stage != (request, event.stage):
                self._write_progress()
            self._progress = request, event
            due = time.monotonic() >= self._written_s + PROGRESS_S
            if due or self._stage != (request, event.stage):
                self._write_progress()

    def _write_progress(self) -> None:
        if self._progress is not None:
            request, event = self._progress
            self._progress, self._stage = None, (request, event.stage)
            self._written_s = time.monotonic()
            self._write(Happened(request, event))

    def _write(self, message: Message) -> None:
        data = messages.frame(self._repeats.shortened(message))
        try:
            self._stream.write(data)
            self._stream.flush()
        except OSError:
            lifeline.end_group()
