"""What runs on each machine of a cluster: jobs that come through a Dask scheduler, in our workers.

Dask carries messages and knows the agents; the client distributes the work (`runtime.cluster`), and
workers are started, limited in memory and killed here. Agents take jobs only from the same
mutproof, as a resource of that name says. The state is that of the process, and owned by its event
loop's thread.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mutproof.base.maker import maker
from mutproof.runtime import messages
from mutproof.runtime.jobs import Job
from mutproof.runtime.messages import Analyse, Ended, Happened, Listed
from mutproof.runtime.pool import Pool
from mutproof.workspace.events import Event
from mutproof.workspace.report import Listing

if TYPE_CHECKING:
    from distributed import Worker

CONNECT_S: Final = 5.0
"""How long a scheduler may take to answer, in seconds."""

TELLING_S: Final = 0.2
"""How often an agent reports findings and checks whether its job is still wanted, in seconds."""

_WANTED: Final = frozenset({"executing", "long-running", "resumed"})
"""Dask's states of a task that is still wanted."""

_TOPIC: Final = "mutproof"


def resource() -> str:
    """Return the name of the Dask resource of agents that run this very version of mutproof."""
    return f"mutproof-{maker().hex()}"


def topic(campaign: str) -> str:
    """Return the topic under which agents publish findings for a campaign."""
    return f"{_TOPIC}-{campaign}"


class Agent:
    """Run the jobs of a Dask worker in workers of ours."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.broken = ""  # why it can run no job; empty if it can

    async def run(
        self, worker: Worker, campaign: str, task: str, request: bytes
    ) -> tuple[str, list[bytes]]:
        """Run a job to its end; return the topic of its messages, and all of them."""
        from distributed import Reschedule

        asked = messages.unframe(request)
        assert isinstance(asked, Analyse)
        job = Job(
            task, asked.name, asked.language, asked.text, asked.options, evidence=asked.evidence
        )
        told = _Messages(worker, campaign, task)
        running = asyncio.create_task(self.pool.run(job, told.hear))
        while True:
            done, _ = await asyncio.wait({running}, timeout=TELLING_S)
            if done:
                break
            told.tell()
            state = worker.state.tasks.get(task)
            if state is None or state.state not in _WANTED:
                self.pool.cancel(task)
        try:
            ending = running.result()
        except OSError as error:  # no process can be started on this machine
            self.broken = f"no worker can be started: {error}"
            worker.loop.add_callback(worker.close)
            raise Reschedule from error
        self.pool.retire(task)
        told.add(Ended(0, ending.outcome.value, ending.message))
        return told.run, told.messages


class _Messages:
    """Hold the messages about a job, and how many of them were published; mutable."""

    def __init__(self, worker: Worker, campaign: str, task: str) -> None:
        self.messages: list[bytes] = []
        self.run = uuid.uuid4().hex
        self._worker = worker
        self._campaign = campaign
        self._task = task
        self._count = 0

    def hear(self, event: Listing | Event) -> None:
        """Take note of what a worker of ours says."""
        self.add(Listed(0, event) if isinstance(event, Listing) else Happened(0, event))

    def add(self, message: Listed | Happened | Ended) -> None:
        """Take note of a message."""
        self.messages.append(messages.frame(message)[messages.LENGTH_BYTES :])

    def tell(self) -> None:
        """Tell what has come since the last time; nobody relies on its arrival."""
        new = self.messages[self._count :]
        if new:
            said = (self._worker.address, self._task, self.run, self._count, new)
            self._worker.log_event(topic(self._campaign), said)
            self._count = len(self.messages)


_agents: list[Agent] = []  # the one of this process, once there is one


async def run_task(campaign: str, task: str, request: bytes) -> tuple[str, list[bytes]]:
    """Run a job on the agent of this process; the function of our Dask tasks."""
    from distributed import get_worker

    return await _agents[0].run(get_worker(), campaign, task, request)


def forget_topic(name: str, dask_scheduler: Any = None) -> None:
    """Have a scheduler drop the events of a campaign, which it would keep for ever."""
    broker = getattr(dask_scheduler, "_broker", None)
    topics = getattr(broker, "_topics", None)
    if isinstance(topics, dict):
        topics.pop(name, None)


def ask(task: str) -> None:
    """Ask the worker of a job to hand over a part of it to another one."""
    _agents[0].pool.ask(task)


class NoSchedulerError(Exception):
    """Say that a scheduler does not answer, or answers no more."""


def quieten() -> None:
    """Silence Dask's log: users get our own messages."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


async def serve(
    address: str, jobs: int, most_bytes: int | None, serving: Callable[[str], None]
) -> None:
    """Serve a scheduler with `jobs` workers until cancelled; `serving` is called with the address.

    Raises:
        NoSchedulerError: it is not there, or ends.
    """
    from distributed import Worker

    quieten()
    pool = Pool(max_alive=jobs, most_bytes=most_bytes)
    _agents.append(Agent(pool))
    with tempfile.TemporaryDirectory(prefix="mutproof-agent-") as folder:
        try:
            async with Worker(
                address,
                nthreads=jobs,
                memory_limit=0,  # our workers have limits of their own
                resources={resource(): jobs},
                local_directory=folder,
                dashboard=False,
                death_timeout=CONNECT_S,
            ) as worker:
                serving(worker.address)
                await worker.finished()
            message = _agents[0].broken or f"the scheduler at {address} is gone"
            raise NoSchedulerError(message)
        except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
            why = error.__cause__ or error
            message = f"no scheduler answers at {address}: {why}"
            raise NoSchedulerError(message) from error
        finally:
            _agents.clear()
            await pool.close()
