"""Workers on other machines: jobs go to agents through a Dask scheduler (see `agent`).

To a `Team` this looks like its own workers. Dask runs a job again if its agent is lost, as results
are the same on any agent. Messages during a job are for progress and for distributing work; only
the result of a job counts, which has all of them. Mutable; owned by the event loop's thread.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import uuid
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.runtime import agent, messages
from mutproof.runtime.jobs import Ending, Job, JobOutcome, Listener
from mutproof.runtime.messages import Ended, Happened, Listed

if TYPE_CHECKING:
    from distributed import Client

LOOK_S: Final = 1.0
"""How often the list of agents is updated, in seconds."""

ATTEMPTS: Final = 5
"""How often a job is restarted that killed several agents in a row (Dask counts four)."""

LOST: Final = "the scheduler of the cluster is gone"
_KILLED: Final = "no agent survived it"


class ClusterError(Exception):
    """Say why there is no cluster to work with."""


@dataclass(slots=True)
class _Task:
    """Follow one job; `count` messages were heard of its `run` by the agent at `address`."""

    job: Job
    listener: Listener
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    name: str = ""  # of the Dask task, a new one for each attempt
    address: str = ""
    run: str = ""
    count: int = 0
    ending: Ending | None = None


class Cluster:
    """Run jobs on the agents of a scheduler; without `cache` they recall and keep nothing.

    `capacity` is how many jobs they take at a time; `changed` is called when it changes.
    """

    def __init__(self, client: Client, *, cache: bool) -> None:
        self._client = client
        self._cache = cache
        self.changed: Callable[[int], None] = lambda _: None
        self._campaign = uuid.uuid4().hex
        self._tasks: dict[str, _Task] = {}  # by the key of the job
        self._names: dict[str, _Task] = {}
        self._numbers = 0
        self.capacity = 0
        self.others = 0  # agents that run other versions
        self._lost = asyncio.Event()
        client.subscribe_topic(agent.topic(self._campaign), self._told)
        self._looking = asyncio.create_task(self._look())

    @staticmethod
    async def connected(address: str, *, cache: bool) -> Cluster:
        """Return the cluster of a scheduler.

        Raises:
            ClusterError: nobody answers there.
        """
        from distributed import Client

        agent.quieten()
        try:
            client = await Client(
                address, asynchronous=True, timeout=agent.CONNECT_S, set_as_default=False
            )
        except Exception as error:  # of many kinds: no scheduler there, or no valid address
            why = str(error).partition("\n")[0]
            message = f"no scheduler answers at {address}: {why}"
            raise ClusterError(message) from error
        return Cluster(client, cache=cache)

    async def run(self, job: Job, listener: Listener) -> Ending:
        """Run a job to its end, as `Pool.run` does."""
        task = self._tasks[job.key] = _Task(job, listener)
        try:
            for _ in range(ATTEMPTS):
                ending = await self._attempt(task)
                if ending is not None:
                    return ending
            return Ending(JobOutcome.CRASHED, _KILLED)
        finally:
            del self._tasks[job.key]

    async def manned(self, seconds: float | None = None) -> bool:
        """Wait for an agent, for so many seconds at most; tell whether there is one.

        Raises:
            ClusterError: the scheduler is lost meanwhile.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.capacity and not self._lost.is_set():
                    await asyncio.sleep(LOOK_S / 10)
        if self._lost.is_set():
            raise ClusterError(LOST)
        return self.capacity > 0

    async def expect(self, job: Job) -> None:
        """Do nothing: agents read a text when they are asked about it."""

    def ask(self, key: str) -> None:
        """Ask the worker that has a job to leave a part of it to another one."""
        task = self._tasks.get(key)
        if task is not None and task.address:
            asking = self._client.run(
                agent.ask, task.name, workers=[task.address], on_error="ignore"
            )
            running = asyncio.ensure_future(asking)
            running.add_done_callback(_forgotten)

    def reserve(self) -> None:
        """Do nothing: agents have workers ready."""

    @property
    def joins(self) -> bool:
        """Return false: each agent keeps what it has found out."""
        return False

    async def learn(self, key: str, evidence: bytes, *, instead: bool = False) -> None:
        """Do nothing: each agent keeps what it has found out."""

    def retire(self, key: str) -> None:
        """Do nothing: agents reuse their workers for the next job."""

    def attend(self, key: str, elements: frozenset[ElementId]) -> None:
        """Do nothing: files on a cluster are not open in an editor."""

    def cancel(self, key: str) -> bool:
        """Cancel a job; tell whether it existed."""
        task = self._tasks.get(key)
        if task is None:
            return False
        task.cancelled.set()
        return True

    def forget(self, key: str) -> None:
        """Give up a job."""
        self.cancel(key)

    async def close(self) -> None:
        """Give up all jobs, and leave the scheduler."""
        self._looking.cancel()
        for key in list(self._tasks):
            self.cancel(key)
        if self._is_connected:
            with contextlib.suppress(Exception):  # the scheduler has just ended
                named = agent.topic(self._campaign)
                await self._client.run_on_scheduler(agent.forget_topic, named)
        with contextlib.suppress(OSError, TimeoutError):
            await self._client.close(timeout=agent.CONNECT_S)

    async def _attempt(self, task: _Task) -> Ending | None:
        """Have an agent run a job; None if another attempt is needed."""
        from distributed import KilledWorker
        from distributed.client import ClosedClientError

        if self._lost.is_set():
            return Ending(JobOutcome.CRASHED, LOST)
        self._numbers += 1
        task.name = f"mutproof-{self._campaign}-{self._numbers}"
        task.address, task.ending = "", None
        self._names[task.name] = task
        job = task.job
        if job.evidence is None and not self._cache:
            job = replace(job, evidence=b"")
        request = messages.frame(messages.analyse(0, job))
        waiting = [asyncio.ensure_future(each.wait()) for each in (task.cancelled, self._lost)]
        try:
            future = self._client.submit(
                agent.run_task,
                self._campaign,
                task.name,
                request[messages.LENGTH_BYTES :],
                key=task.name,
                resources={agent.resource(): 1},
                pure=False,
            )
            result = asyncio.ensure_future(future.result())
            try:
                await asyncio.wait({result, *waiting}, return_when=asyncio.FIRST_COMPLETED)
                if task.cancelled.is_set():
                    return Ending(JobOutcome.CANCELLED)
                if not result.done():
                    return Ending(JobOutcome.CRASHED, LOST)
                self._hear(task, 0, *result.result())
            finally:
                result.cancel()
                future.release()
        except KilledWorker:
            return None
        except (concurrent.futures.CancelledError, ClosedClientError, OSError, TimeoutError):
            # Dask has lost the task. While the client is connected, it can be submitted again.
            return None if self._is_connected else Ending(JobOutcome.CRASHED, LOST)
        except Exception as error:  # what an agent raised
            return Ending(JobOutcome.FAILED, f"an agent failed: {type(error).__name__}: {error}")
        finally:
            del self._names[task.name]
            for each in waiting:
                each.cancel()
        # A job that an agent gave up without being asked to needs another attempt.
        is_done = task.ending is not None and task.ending.outcome is not JobOutcome.CANCELLED
        return task.ending if is_done else None

    @property
    def _is_connected(self) -> bool:
        return self._client.status == "running" and self._client.scheduler is not None

    def _told(self, event: tuple[float, tuple[str, str, str, int, list[bytes]]]) -> None:
        """Take in messages that an agent publishes about a running job."""
        _, (address, name, run, count, told) = event
        task = self._names.get(name)
        if task is not None and not task.cancelled.is_set():
            task.address = address
            self._hear(task, count, run, told)

    def _hear(self, task: _Task, count: int, run: str, told: Sequence[bytes]) -> None:
        """Pass on messages that were not heard before; `count` came before these."""
        if run != task.run:  # another agent begins anew, as the last one was lost
            task.run, task.count = run, 0
        for body in told[max(0, task.count - count) :] if count <= task.count else ():
            task.count += 1
            match messages.unframe(body):
                case Listed(_, listing):
                    task.listener(listing)
                case Happened(_, event):
                    task.listener(event)
                case Ended(_, outcome, text):
                    task.ending = Ending(JobOutcome(outcome), text)
                case _:
                    pass

    async def _look(self) -> None:
        """Ask the scheduler periodically which agents there are, until it is lost."""
        own = agent.resource()
        while self._client.status not in {"closing", "closed"}:
            with contextlib.suppress(OSError, TimeoutError, AttributeError):  # not connected now
                scheduler: Any = self._client.scheduler
                found: dict[str, Any] = await scheduler.identity(n_workers=-1)
                has = [worker["resources"] for worker in found["workers"].values()]
                capacity = sum(int(resources.get(own, 0)) for resources in has)
                self.others = sum(own not in resources for resources in has)
                if capacity != self.capacity:
                    self.capacity = capacity
                    self.changed(capacity)
            await asyncio.sleep(LOOK_S)
        self._lost.set()


def _forgotten(asked: asyncio.Future[Any]) -> None:
    """Retrieve the outcome of a question that nobody waits for, so that none is logged."""
    if not asked.cancelled():
        asked.exception()
