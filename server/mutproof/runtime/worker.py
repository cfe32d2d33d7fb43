"""One worker process, and the job that it works on.

A worker that does not obey a cancellation within the grace period is killed together with its
process group.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import field
from typing import Final

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.runtime import lifeline, memory, messages
from mutproof.runtime.jobs import Ending, Job, JobOutcome, Listener
from mutproof.runtime.messages import Attend, Cancel, Ended, Happened, Learn, Listed, Message
from mutproof.runtime.process import WorkerProcess
from mutproof.runtime.repeats import Repeats
from mutproof.workspace.events import Learnt

LONG_BYTES: Final = 1_000_000
"""Longer messages, such as the list of many mutants, are decoded on another thread."""

ERROR_LINES_KEPT: Final = 20

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class RunningJob:
    """Follow one job; `cancelled` is set when nobody wants it any more.

    `forgotten`: nor its worker, which may not have been there yet. `attend` tells the worker that
    has the job what is wanted first.
    """

    job: Job
    listener: Listener
    attention: frozenset[ElementId]
    attend: Callable[[frozenset[ElementId]], None] | None = None
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    forgotten: bool = False


class Worker:
    """Talk to one process; mutable, owned by the event loop's thread."""

    def __init__(self, process: WorkerProcess) -> None:
        self.process = process
        self.request = 0  # number of the latest request
        self.answers = False  # whether it works on a request
        self._repeats = Repeats()
        self._errors: list[str] = []
        self._error_reader = asyncio.create_task(self._read_errors())

    @property
    def is_alive(self) -> bool:
        """Tell whether the process has not ended, as far as is known."""
        return self.process.returncode is None

    def kill(self) -> None:
        """Kill the process and what it started."""
        lifeline.kill_group(self.process.pid)

    async def ended(self) -> None:
        """Wait until the process has ended."""
        await self.process.wait()
        await self._error_reader

    async def dismissed(self, grace_s: float, before: asyncio.Task[None] | None = None) -> None:
        """Have the process end, once it has kept what it knows, and wait until it has.

        One that works on a request is killed after the grace period, one that never had any at
        once. `before` is waited for too.
        """
        stream = self.process.stdin
        assert stream is not None
        with contextlib.suppress(OSError, RuntimeError):
            stream.close()
        if not self.request:
            self.kill()
        ending = asyncio.create_task(self.ended())
        patience_s = grace_s if self.answers else messages.KEEPING_S
        done, _ = await asyncio.wait({ending}, timeout=patience_s)
        if not done:
            self.kill()
        await ending
        if before is not None:
            await before

    def send(self, message: Message) -> None:
        """Send a message; a process that has ended is noticed by the reader."""
        stream = self.process.stdin
        assert stream is not None
        with contextlib.suppress(OSError, RuntimeError):
            stream.write(messages.frame(message))

    async def run(self, run: RunningJob, grace_s: float, most_bytes: int | None = None) -> Ending:
        """Run a job; on cancellation ask first and kill after the grace period."""
        self.request += 1
        self.answers = True
        job, request = run.job, self.request
        self.send(messages.analyse(request, job))
        run.attend = lambda elements: self.send(Attend(request, elements))
        if run.attention:
            run.attend(run.attention)
        answer = asyncio.create_task(self._answer(request, run))
        cancelled = asyncio.create_task(run.cancelled.wait())
        exceeded = asyncio.create_task(memory.exceeded(self.process.pid, most_bytes))
        waited = {answer, cancelled, exceeded}
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                ending = answer.result()
                return Ending(JobOutcome.CANCELLED) if run.cancelled.is_set() else ending
            if most_bytes is not None and exceeded.done() and not cancelled.done():
                self.kill()
                await asyncio.wait({answer})
                return Ending(JobOutcome.EXHAUSTED, memory.reason(most_bytes))
            self.send(Cancel(request))
            done, _ = await asyncio.wait({answer}, timeout=grace_s)
            if not done:
                self.kill()
                await asyncio.wait({answer})
            return Ending(JobOutcome.CANCELLED)
        finally:
            self.answers = False
            run.attend = None
            for task in waited:
                task.cancel()

    async def learn(self, key: str, evidence: bytes, *, instead: bool = False) -> None:
        """Have the worker remember something; return when it does, or has ended."""
        self.request += 1
        self.send(Learn(self.request, key, evidence, instead))
        while (message := await self._receive()) is not None:
            if isinstance(message, Ended) and message.request == self.request:
                break

    async def _answer(self, request: int, run: RunningJob) -> Ending:
        while True:
            message = await self._receive()
            match message:
                case None:
                    return Ending(JobOutcome.CRASHED, await self._last_words())
                case Listed(number, listing) if number == request:
                    if not run.cancelled.is_set():
                        run.listener(listing)
                case Happened(number, event) if number == request:
                    if not run.cancelled.is_set() or isinstance(event, Learnt):
                        run.listener(event)
                case Ended(number, outcome, text) if number == request:
                    return Ending(JobOutcome(outcome), text)
                case _:
                    pass  # of a request that was given up

    async def _receive(self) -> Message | None:
        stream = self.process.stdout
        assert stream is not None
        try:
            header = await stream.readexactly(messages.LENGTH_BYTES)
            body = await stream.readexactly(messages.body_length(header))
            if len(body) > LONG_BYTES:
                return self._repeats.whole(await asyncio.to_thread(messages.unframe, body))
            return self._repeats.whole(messages.unframe(body))
        except (asyncio.IncompleteReadError, OSError):
            return None
        except ValueError as error:
            logger.error("worker %d is out of step: %s", self.process.pid, error)
            self.kill()
            return None

    async def _last_words(self) -> str:
        self.kill()  # and what the process started
        code = await self.process.wait()
        for line in self._errors:
            logger.warning("worker %d: %s", self.process.pid, line)
        return f"exit status {code}"

    async def _read_errors(self) -> None:
        stream = self.process.stderr
        assert stream is not None
        with contextlib.suppress(OSError):
            while True:
                try:
                    line = await stream.readline()
                except ValueError:
                    continue  # a very long line: the stream has dropped it
                if not line:
                    break
                text = line.decode("utf-8", "replace").rstrip()
                logger.info("worker %d: %s", self.process.pid, text)
                self._errors = [*self._errors[-ERROR_LINES_KEPT + 1 :], text]
