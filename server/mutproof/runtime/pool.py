"""Worker processes, one per open file: started, fed, cancelled, killed and started again.

Mutable; owned by the event loop's thread. A worker that dies costs one retry of its job; a
worker that does not obey a cancellation within the grace period is killed together with its
process group.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Final

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.runtime import lifeline, memory, messages
from mutproof.runtime.jobs import Ending, Job, JobOutcome, Listener
from mutproof.runtime.messages import (
    GRACE_S,
    Attend,
    Cancel,
    Ended,
    Expect,
    Forget,
    Happened,
    Learn,
    Lend,
    Listed,
    Message,
)
from mutproof.runtime.process import COMMAND, WorkerProcess, start
from mutproof.runtime.repeats import Repeats
from mutproof.workspace.events import Learnt

MAX_ALIVE: Final = 8
ATTEMPTS: Final = 2
AHEAD_CHARACTERS: Final = 100_000
"""The longest text that is read in advance, as that cannot be interrupted."""

LONG_BYTES: Final = 1_000_000
"""Longer messages, such as the list of many mutants, are decoded on another thread."""

ERROR_LINES_KEPT: Final = 20

logger = logging.getLogger(__name__)
# All that log import this; without a handler, warnings would go to standard error.
logging.getLogger("mutproof").addHandler(logging.NullHandler())


@dataclass(slots=True)
class _Run:
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


class Pool:
    """Run jobs in worker processes; without `cache` they recall nothing and keep nothing.

    `spare` is a worker that was started already, with the same command. A worker that has more
    than `most_bytes` in memory is ended (None: no limit).
    """

    def __init__(
        self,
        command: Sequence[str] = COMMAND,
        *,
        max_alive: int = MAX_ALIVE,
        grace_s: float = GRACE_S,
        cache: bool = True,
        spare: WorkerProcess | None = None,
        most_bytes: int | None = None,
        attempts: int = ATTEMPTS,
    ) -> None:
        self._command = tuple(command)
        self._cache = cache
        self.most_bytes = most_bytes
        self._max_alive = max_alive
        self._attempts = attempts
        self._grace_s = grace_s
        self._workers: dict[str, _Worker] = {}  # least recently used first
        self._spare: asyncio.Future[_Worker] | None = None  # started before it is needed
        self._runs: dict[str, _Run] = {}
        self._leaving: dict[str, asyncio.Task[None]] = {}  # by file, while its worker ends
        self._going: set[_Worker] = set()  # told to end, and perhaps still alive
        self._closed = False
        if spare is not None:
            self._spare = asyncio.create_task(self._adopted(spare))

    @property
    def processes(self) -> tuple[int, ...]:
        """Return the process ids of the workers that are alive."""
        return tuple(worker.process.pid for worker in self._all() if worker.is_alive)

    def prepare(self) -> None:
        """Start a worker for the first file ahead of time, because of its imports."""
        if not self._workers:
            self.reserve()

    def reserve(self) -> None:
        """Have a spare worker ready that belongs to no file yet."""
        if self._spare is None and not self._closed:
            self._spare = asyncio.create_task(self._started(cache=self._cache))

    async def _started(self, *, cache: bool) -> _Worker:
        return await self._adopted(await start(self._command, cache=cache))

    async def _adopted(self, process: WorkerProcess) -> _Worker:
        worker = _Worker(process)
        if self._closed:
            worker.kill()
        return worker

    def _all(self) -> list[_Worker]:
        """Return all workers that have been started, the spare one included."""
        found = list(self._workers.values())
        spare = self._spare
        if spare is not None and spare.done() and not spare.cancelled() and not spare.exception():
            found.append(spare.result())
        return found

    async def run(self, job: Job, listener: Listener) -> Ending:
        """Run a job to its end; `listener` gets the listing and the events.

        At most one job of a key runs at a time: the caller waits for the earlier one. Results of a
        worker with evidence are passed on even if the job was given up.
        """
        assert job.key not in self._runs, "a job of this file is running"
        run = _Run(job, listener, job.attention)
        self._runs[job.key] = run
        try:
            ending = Ending(JobOutcome.CRASHED)
            for attempt in range(1, self._attempts + 1):
                await self._vacated(job.key)
                if run.cancelled.is_set() or self._closed:
                    return Ending(JobOutcome.CANCELLED)
                # What was recalled may have crashed the first attempt.
                cache, helps = self._cache and attempt == 1, job.evidence is not None
                worker = await self._worker(job.key, cache=cache, helps=helps)
                ending = await worker.run(run, self._grace_s, self.most_bytes)
                if ending.outcome is JobOutcome.EXHAUSTED:
                    self._discard(job.key)
                if ending.outcome is not JobOutcome.CRASHED:
                    return ending
                self._discard(job.key)
                logger.warning("worker died (%s), attempt %d", ending.message, attempt)
            return ending
        finally:
            del self._runs[job.key]
            if run.forgotten:
                self._discard(job.key)

    async def expect(self, job: Job) -> None:
        """Have the worker of a file read a text in advance, unless it is long."""
        if len(job.text) > AHEAD_CHARACTERS or self._closed:
            return
        await self._vacated(job.key)
        if self._closed:
            return
        with contextlib.suppress(OSError):  # reported when the file is analysed
            worker = await self._worker(job.key, cache=self._cache)
            worker.send(Expect(job.name, job.language, job.text, job.options))

    def ask(self, key: str) -> None:
        """Ask the worker of a file to hand over a part of its work."""
        worker = self._workers.get(key)
        if worker is not None and key in self._runs:
            worker.send(Lend(worker.request))

    async def learn(self, key: str, evidence: bytes) -> None:
        """Have the worker of a file, if it is alive, add another one's results to its memory."""
        worker = self._workers.get(key)
        assert key not in self._runs, "a job of this file is running"
        if worker is not None and worker.is_alive and not self._closed:
            await worker.learn(key, evidence)

    def retire(self, key: str) -> None:
        """Release the worker of a file for another one; it forgets the file."""
        worker = self._workers.get(key)
        if worker is None or key in self._runs:
            return
        if self._spare is None and worker.is_alive and not self._closed:
            del self._workers[key]
            worker.send(Forget(key))
            self._spare = asyncio.get_running_loop().create_future()
            self._spare.set_result(worker)
        else:
            self._discard(key)

    def cancel(self, key: str) -> bool:
        """Give up the job of a file; tell whether one was running."""
        run = self._runs.get(key)
        if run is None:
            return False
        run.cancelled.set()
        return True

    def attend(self, key: str, elements: frozenset[ElementId]) -> None:
        """Have the mutants of some elements of a file decided first, if it is analysed now."""
        run = self._runs.get(key)
        if run is not None and run.attention != elements:
            run.attention = elements
            if run.attend is not None:
                run.attend(elements)

    def forget(self, key: str) -> None:
        """End the worker of a file at once."""
        if self.cancel(key):
            self._runs[key].forgotten = True
        self._discard(key)

    def kill_all(self) -> None:
        """Kill all workers at once; safe to call from another thread when everything ends."""
        self._closed = True
        for worker in (*self._all(), *tuple(self._going)):
            worker.kill()

    async def close(self) -> None:
        """Give up all jobs and end all workers."""
        self._closed = True
        for key in list(self._runs):
            self.cancel(key)
        if self._spare is not None:
            await asyncio.wait({self._spare})
        workers = self._all()
        self._workers.clear()
        self._spare = None
        endings = [self._dismiss(worker) for worker in workers]
        await asyncio.gather(*endings, *self._leaving.values(), return_exceptions=True)

    async def _worker(self, key: str, *, cache: bool, helps: bool = False) -> _Worker:
        worker = self._workers.pop(key, None)
        if worker is None or not worker.is_alive:
            if not helps:  # a helper stays for a short time, so no file makes room
                self._make_room()
            worker = await self._fresh(cache=cache)
        self._workers[key] = worker
        if self._closed:
            worker.kill()
        return worker

    async def _fresh(self, *, cache: bool) -> _Worker:
        """Return a worker that has done nothing yet."""
        spare = self._spare
        if spare is not None and cache == self._cache:
            self._spare = None
            with contextlib.suppress(OSError):
                worker = await spare
                if worker.is_alive:
                    return worker
        return await self._started(cache=cache)

    def _make_room(self) -> None:
        idle = [key for key in self._workers if key not in self._runs]
        while len(self._workers) >= self._max_alive and idle:
            self._discard(idle.pop(0))

    def _discard(self, key: str) -> None:
        worker = self._workers.pop(key, None)
        if worker is not None:
            leaving = self._dismiss(worker, self._leaving.get(key))
            self._leaving[key] = leaving
            leaving.add_done_callback(lambda _: self._left(key, leaving))

    def _dismiss(
        self, worker: _Worker, before: asyncio.Task[None] | None = None
    ) -> asyncio.Task[None]:
        self._going.add(worker)
        leaving = asyncio.create_task(worker.dismissed(self._grace_s, before))
        leaving.add_done_callback(lambda _: self._going.discard(worker))
        return leaving

    async def _vacated(self, key: str) -> None:
        """Wait until the last worker of a file has stored what the next one will recall."""
        if key in self._leaving:
            await asyncio.wait({self._leaving[key]})

    def _left(self, key: str, leaving: asyncio.Task[None]) -> None:
        if self._leaving.get(key) is leaving:
            del self._leaving[key]


class _Worker:
    """Talk to one process; mutable."""

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

    async def run(self, run: _Run, grace_s: float, most_bytes: int | None = None) -> Ending:
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

    async def learn(self, key: str, evidence: bytes) -> None:
        """Have the worker remember something; return when it does, or has ended."""
        self.request += 1
        self.send(Learn(self.request, key, evidence))
        while (message := await self._receive()) is not None:
            if isinstance(message, Ended) and message.request == self.request:
                break

    async def _answer(self, request: int, run: _Run) -> Ending:
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
