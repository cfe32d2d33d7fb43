"""Worker processes, one per open file: started, fed, cancelled, killed and started again.

Mutable; owned by the event loop's thread. A worker that dies costs one retry of its job.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from typing import Final

from mutproof.model.program import ElementId
from mutproof.runtime.jobs import Ending, Job, JobOutcome, Listener
from mutproof.runtime.messages import GRACE_S, Expect, Forget, Lend
from mutproof.runtime.process import COMMAND, WorkerProcess, start
from mutproof.runtime.worker import RunningJob, Worker

MAX_ALIVE: Final = 8
ATTEMPTS: Final = 2
AHEAD_CHARACTERS: Final = 100_000
"""The longest text that is read in advance, as that cannot be interrupted."""

logger = logging.getLogger(__name__)
# All that log import this; without a handler, warnings would go to standard error.
logging.getLogger("mutproof").addHandler(logging.NullHandler())


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
        self._workers: dict[str, Worker] = {}  # least recently used first
        self._spare: asyncio.Future[Worker] | None = None  # started before it is needed
        self._runs: dict[str, RunningJob] = {}
        self._leaving: dict[str, asyncio.Task[None]] = {}  # by file, while its worker ends
        self._going: set[Worker] = set()  # told to end, and perhaps still alive
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

    async def _started(self, *, cache: bool) -> Worker:
        return await self._adopted(await start(self._command, cache=cache))

    async def _adopted(self, process: WorkerProcess) -> Worker:
        worker = Worker(process)
        if self._closed:
            worker.kill()
        return worker

    def _all(self) -> list[Worker]:
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
        run = RunningJob(job, listener, job.attention)
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

    @property
    def joins(self) -> bool:
        """Return true: `learn` adds results to memories."""
        return True

    async def learn(self, key: str, evidence: bytes, *, instead: bool = False) -> None:
        """Have the worker of a file, if alive, add results of another one, or know them alone."""
        worker = self._workers.get(key)
        assert key not in self._runs, "a job of this file is running"
        if worker is not None and worker.is_alive and not self._closed:
            await worker.learn(key, evidence, instead=instead)

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

    async def _worker(self, key: str, *, cache: bool, helps: bool = False) -> Worker:
        worker = self._workers.pop(key, None)
        if worker is None or not worker.is_alive:
            if not helps:  # a helper stays for a short time, so no file makes room
                self._make_room()
            worker = await self._fresh(cache=cache)
        self._workers[key] = worker
        if self._closed:
            worker.kill()
        return worker

    async def _fresh(self, *, cache: bool) -> Worker:
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
        self, worker: Worker, before: asyncio.Task[None] | None = None
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
