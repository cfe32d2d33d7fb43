"""The only worker of a command: a copy of its process, followed without an event loop.

To import `asyncio` takes as long as to prove a small model. What a worker is told, what is heard
of its answers and when it is killed is as in `pool`; one that dies is not started again here.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable, Iterator
from typing import Final, Self

from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.runtime import lifeline, memory, messages
from mutproof.runtime.forked import Fork
from mutproof.runtime.jobs import Ending, Job, JobOutcome, Listener
from mutproof.runtime.messages import Cancel, Ended, Expect, Happened, Listed, Message
from mutproof.runtime.repeats import Repeats
from mutproof.workspace.events import Learnt

HURRY_S: Final = 0.2
"""How long a worker may take to stop after an interruption."""

_REQUEST: Final = 1
_CHUNK_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Limits:
    """Say when a job is given up: at a deadline, or once `stopped`; `most_bytes` of memory."""

    deadline: Deadline
    stopped: Callable[[], bool]
    most_bytes: int | None = None


class Sole:
    """Follow a worker that had no job yet, from its first job to its end; mutable.

    A context manager, used once; at its end the worker is dead.
    """

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._to, self._answers, self._errors = fork.ends
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        self._poll.register(self._errors, select.POLLIN)
        self._unread = bytearray()
        self._repeats = Repeats()
        self._patience_s = 0.0  # how long it may take to end
        self._given_up_s: float | None = None  # since when nobody wants its job any more

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._to)
        try:
            self._let_it_end()
        finally:
            self._kill()
            os.close(self._answers)
            os.close(self._errors)

    def _let_it_end(self) -> None:
        """Wait until the worker has ended, at most as long as it may take."""
        if not self._patience_s:
            return
        until_s, ended = time.monotonic() + self._patience_s, os.pidfd_open(self._fork.pid)
        self._poll.register(ended, select.POLLIN)
        self._poll.unregister(self._answers)
        try:
            while (left_s := until_s - time.monotonic()) > 0:
                ready = {end for end, _ in self._poll.poll(1000 * left_s)}
                if self._errors in ready:
                    self._note_errors()
                if ended in ready:
                    break
        finally:
            os.close(ended)

    def _kill(self) -> int:
        """Kill the worker, unless it has ended, with what it started; return how it ended."""
        if self._fork.returncode is None:
            lifeline.kill_group(self._fork.pid)
        return self._fork.reap()

    def expect(self, job: Job) -> None:
        """Have the worker read a text in advance."""
        self._send(Expect(job.name, job.language, job.text, job.options))

    def run(self, job: Job, listener: Listener, limits: Limits) -> Ending:
        """Run a job to its end; `listener` gets the listing and the events."""
        self._send(messages.analyse(_REQUEST, job))
        looked_s = 0.0
        while True:
            now_s = time.monotonic()
            if now_s >= looked_s + memory.LOOK_S:
                looked_s, most = now_s, limits.most_bytes
                if most is not None and memory.used_bytes(self._fork.pid) > most:
                    return Ending(JobOutcome.EXHAUSTED, memory.reason(most))
            stopped = limits.stopped()
            if self._given_up_s is None and (stopped or limits.deadline.passed()):
                self._given_up_s = now_s
                self._send(Cancel(_REQUEST))
            if self._given_up_s is not None:
                grace_s = HURRY_S if stopped else messages.GRACE_S
                if now_s >= self._given_up_s + grace_s:
                    return Ending(JobOutcome.CANCELLED)
            for message in self._heard(min(memory.LOOK_S, limits.deadline.remaining_s() or 1)):
                ending = self._ending(message, listener)
                if ending is not None:
                    return ending

    def _heard(self, seconds: float) -> Iterator[Message | None]:
        """Yield messages that come within some time, None once the worker has ended."""
        ready = {end for end, _ in self._poll.poll(1000 * seconds)}
        if self._errors in ready:
            self._note_errors()
        if self._answers not in ready:
            return
        data = os.read(self._answers, _CHUNK_BYTES)
        if not data:
            yield None
            return
        self._unread += data
        while len(self._unread) >= messages.LENGTH_BYTES:
            try:
                end = messages.LENGTH_BYTES + messages.body_length(
                    bytes(self._unread[: messages.LENGTH_BYTES])
                )
                if len(self._unread) < end:
                    return
                body = bytes(self._unread[messages.LENGTH_BYTES : end])
                message = self._repeats.whole(messages.unframe(body))
            except ValueError:  # it is out of step
                self._kill()
                yield None
                return
            del self._unread[:end]
            yield message

    def _ending(self, message: Message | None, listener: Listener) -> Ending | None:
        """Pass a message on; return how the job ended, if it says so."""
        wanted = self._given_up_s is None
        match message:
            case None if wanted:
                return Ending(JobOutcome.CRASHED, f"exit status {self._kill()}")
            case None:
                return Ending(JobOutcome.CANCELLED)
            case Listed(_, listing) if wanted:
                listener(listing)
            case Happened(_, event) if wanted or isinstance(event, Learnt):
                listener(event)
            case Ended(_, outcome, text):
                self._patience_s = messages.KEEPING_S
                return Ending(JobOutcome(outcome), text) if wanted else Ending(JobOutcome.CANCELLED)
            case _:
                pass
        return None

    def _send(self, message: Message) -> None:
        left = memoryview(messages.frame(message))
        with contextlib.suppress(OSError):  # it has ended, which is noticed when it is read
            while left:
                left = left[os.write(self._to, left) :]

    def _note_errors(self) -> None:
        """Read what the worker writes to standard error, and log it."""
        data = os.read(self._errors, _CHUNK_BYTES)
        if not data:
            self._poll.unregister(self._errors)
            return
        import logging  # slow to import, and few workers write anything

        for line in data.decode("utf-8", "replace").splitlines():
            logging.getLogger(__name__).info("worker %d: %s", self._fork.pid, line)
