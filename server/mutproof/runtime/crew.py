"""The workers on one file in one run: each proves the properties and decides its share.

At the beginning, elements of the model with all their mutants, and properties whose cores are
sought, are divided among the workers. Later a worker can be asked to hand over undecided mutants:
another one takes them over with all that is known of them, and its results go into the memory of
the first worker, which stays with the file. What mutants without an element show is needed for the
cores of all properties: where several workers decide them, cores are looked for once all is known,
by each worker those of its properties. All but the first worker begin with mutants once no more
properties seem to be proved; where the first proves more they begin anew, with what it knows. If
workers proved different properties because of a clock, or a helper is lost, the first worker does
that part again. Mutable; owned by the event loop's thread.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, Protocol

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.runtime.gathering import Gathering
from mutproof.runtime.jobs import Ending, Job, JobOutcome, Listener
from mutproof.workspace.events import Attempted, Event, Learnt, Lent, Progress, Removed
from mutproof.workspace.report import Listing

LOST: Final = "given up by several workers"
"""The reason for what was handed over, tried again, and still not decided of a mutant."""

_SERIOUS: Final = (
    *(JobOutcome.FAILED, JobOutcome.CRASHED, JobOutcome.EXHAUSTED),
    *(JobOutcome.TOO_LARGE, JobOutcome.NO_PROGRAM, JobOutcome.CANCELLED),
)


class Workforce(Protocol):
    """Run jobs: a `Pool` of processes, or a cluster."""

    async def run(self, job: Job, listener: Listener) -> Ending:
        """Run a job to its end."""

    async def expect(self, job: Job) -> None:
        """Take note that a job will come soon."""

    def ask(self, key: str) -> None:
        """Ask the worker of a job to hand over a part of it."""

    def reserve(self) -> None:
        """Be ready for one more job."""

    @property
    def joins(self) -> bool:
        """Tell whether results from elsewhere can be added to the memory of a worker."""

    async def learn(self, key: str, evidence: bytes, *, instead: bool = False) -> None:
        """Add results from elsewhere to the memory of a file, or put them in its place."""

    def retire(self, key: str) -> None:
        """Take note that there will be no more jobs of a key."""

    def attend(self, key: str, elements: frozenset[ElementId]) -> None:
        """Have the mutants of some elements decided first."""

    def cancel(self, key: str) -> bool:
        """Give up a job; tell whether it was running."""

    def forget(self, key: str) -> None:
        """Give up a job and its worker."""


@dataclass(slots=True)
class Part:
    """Follow one worker: since when it has all of its work, and whether it was asked to share.

    `since_s` is infinite until it has read the text. `stage` is that of `Progress`.
    """

    key: str
    since_s: float = math.inf
    asked: bool = False
    stage: str = ""


@dataclass(frozen=True, slots=True)
class _Loan:
    """Hold mutants that were handed over, the share that they became, and the worker on it."""

    mutants: tuple[str, ...]
    share: int
    worker: asyncio.Task[Ending]

    @property
    def is_done(self) -> bool:
        """Tell whether the worker came to the end of its share."""
        worker = self.worker
        failed = worker.cancelled() or worker.exception() is not None
        return not failed and worker.result().outcome is JobOutcome.DONE


class Crew:
    """Run one job in `count` workers at first; `changed` is called when one begins or ends."""

    def __init__(
        self,
        pool: Workforce,
        job: Job,
        listener: Listener,
        *,
        count: int,
        changed: Callable[[], None],
    ) -> None:
        self._pool = pool
        self._job = job
        self._count = count
        self._changed = changed
        self._gathering = Gathering(listener)
        self._parts: dict[asyncio.Task[Ending], Part] = {}  # running workers
        self._keys = [job.key, *[f"{job.key}\0{number}" for number in range(1, count)]]
        self._free: list[str] = []  # keys whose workers have nothing to do
        self._loans: list[_Loan] = []
        self._learnt: list[bytes] = []
        self._removed: dict[str, bytes] = {}  # by worker: what its mutants show for cores
        self._proved = b""  # what the first worker knows of properties
        self._again: set[str] = set()  # workers that were to begin anew
        self._settled = asyncio.Event()  # it has tried all properties, or has ended
        self._begun_s = asyncio.get_running_loop().time()
        self._cancelled = False

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return the workers that are at work."""
        return tuple(self._parts.values())

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of all workers, first that of the one that stays with the file."""
        return tuple(self._keys)

    async def run(self) -> Ending:
        """Run the job to its end."""
        begun = [self._shared(n, "soon" if n else "mutants") for n in range(self._count)]
        shares = [self._begin(job) for job in begun]
        try:
            while self._parts:
                await asyncio.wait(self._parts)
            endings = [share.result() for share in shares]
            await self._learn()
            if endings[0].outcome is JobOutcome.DONE and not self._cancelled:
                mended = await self._mend()
                endings += [*mended, *await self._find_cores(alone=bool(mended))]
            if self._cancelled:
                endings.append(Ending(JobOutcome.CANCELLED))
        finally:
            for task in self._parts:
                task.cancel()
            for key in self._keys[1:]:
                self._pool.retire(key)
        self._gathering.close()
        return self._gathering.checked(_joined(endings))

    def ask(self, part: Part) -> None:
        """Ask a worker to hand over a part of its work."""
        part.asked = True
        self._pool.ask(part.key)
        if not self._free:
            self._pool.reserve()

    def cancel(self) -> bool:
        """Give up the job; tell whether any worker was at work."""
        self._cancelled = True
        self._settled.set()
        return sum(self._pool.cancel(part.key) for part in self.parts) > 0

    def attend(self, elements: frozenset[ElementId]) -> None:
        """Have the mutants of some elements decided first."""
        self._job = replace(self._job, attention=elements)
        for part in self.parts:
            self._pool.attend(part.key, elements)

    def _shared(self, number: int, stage: str = "mutants") -> Job:
        stage = stage if self._pool.joins else "all"
        options = replace(self._job.options, share=(number, self._count), stage=stage)
        return replace(self._job, key=self._keys[number], options=options)

    def _begin(self, job: Job, number: int | None = None) -> asyncio.Task[Ending]:
        """Start a worker on a share: a new one, or the given one again."""
        part = Part(job.key)
        share = self._gathering.add() if number is None else number

        def hear(event: Listing | Event) -> None:
            self._hear(share, part, event)

        task = asyncio.create_task(self._run(job, hear, share))
        self._parts[task] = part
        task.add_done_callback(self._take_off)
        self._changed()
        return task

    async def _run(self, job: Job, listener: Listener, share: int) -> Ending:
        """Run a job, again if it began with too few properties.

        Unless all was given up before this began: then the pool did not know it.
        """
        if self._cancelled:
            return Ending(JobOutcome.CANCELLED)
        ending = await self._pool.run(job, listener)
        if job.options.stage != "soon":
            return ending
        await self._settled.wait()
        if self._cancelled or not self._gathering.is_behind(share):
            return ending
        await self._pool.learn(job.key, self._proved, instead=True)
        options = replace(job.options, stage="mutants", timeout_s=self._left_s)
        return await self._pool.run(replace(job, options=options), listener)

    @property
    def _left_s(self) -> float:
        """Return the seconds that are left for the file."""
        spent_s = asyncio.get_running_loop().time() - self._begun_s
        return max(0.0, self._job.options.timeout_s - spent_s)

    def _take_off(self, task: asyncio.Task[Ending]) -> None:
        """Remove a worker that has ended, and free its key."""
        part = self._parts.pop(task)
        self._free.append(part.key)
        if part.key == self._job.key:
            self._settled.set()
        self._changed()

    def _hear(self, share: int, part: Part, event: Listing | Event) -> None:
        match event:
            case Lent():
                self._hand_over(part, event)
            case Learnt(evidence):
                self._learnt.append(evidence)
            case Removed(_, evidence):
                self._removed[part.key] = evidence
            case Listing():
                self._renew(part)  # the worker may have been started again
                self._gathering.hear(share, event)
            case Attempted(evidence):
                self._proved = evidence
                self._gathering.hear(share, event)
                self._settled.set()
                self._recall()
            case Progress(stage) if stage != part.stage:
                part.stage = stage
                self._changed()
                self._gathering.hear(share, event)
                self._recall()
            case _:
                self._gathering.hear(share, event)

    def _recall(self) -> None:
        """Have those that began with too few properties stop."""
        for number, key in enumerate(self._keys[1 : self._count], 1):
            if key not in self._again and self._gathering.is_behind(number):
                self._again.add(key)
                self._pool.cancel(key)

    def _renew(self, part: Part) -> None:
        part.asked, part.since_s = False, asyncio.get_running_loop().time()
        self._changed()

    def _hand_over(self, part: Part, lent: Lent) -> None:
        """Start a worker on the mutants that another one has handed over."""
        if self._cancelled:
            return
        if not self._free:
            self._keys.append(f"{self._job.key}\0{len(self._keys)}")
            self._free.append(self._keys[-1])
        options = replace(self._job.options, mutants=lent.mutants)
        self._renew(part)
        share = self._gathering.add()
        task = self._begin(
            replace(self._job, key=self._free.pop(), options=options, evidence=lent.evidence),
            share,
        )
        self._loans.append(_Loan(lent.mutants, share, task))

    async def _learn(self) -> None:
        """Add what other workers found out to the memory of the first one."""
        for evidence in self._learnt:
            await self._pool.learn(self._job.key, evidence)

    async def _mend(self) -> list[Ending]:
        """Have the first worker redo shares that proved other properties, and lost mutants.

        Of a mutant that was told to be killed, what else violates is lost with its worker.
        """
        endings = []
        astray = self._gathering.astray()
        for number in astray:
            self._gathering.begin_again(number)
            if number < self._count and not self._cancelled:
                job = replace(self._shared(number), key=self._job.key)
                endings.append(await self._alone(job, number))
        lost = self._gathering.untold([name for loan in self._loans for name in loan.mutants])
        left = [
            name
            for loan in self._loans
            if loan.share in astray or not loan.is_done
            for name in loan.mutants
        ]
        begun = self._gathering.begun(left)
        lost = (*lost, *begun)
        if lost and not self._cancelled:
            options = replace(self._job.options, mutants=lost)
            endings.append(await self._alone(replace(self._job, options=options)))
        if all(ending.outcome is JobOutcome.DONE for ending in endings):
            for name in self._gathering.untold(lost):
                self._gathering.tell(MutantFinding(name, MutantStatus.UNKNOWN, reason=LOST))
            for name, finding in self._gathering.begun(begun).items():
                if finding is begun[name]:
                    self._gathering.tell(replace(finding, reason=LOST))
        return endings

    async def _find_cores(self, *, alone: bool) -> list[Ending]:
        """Have the workers, or the first one alone, look for cores if they waited with that."""
        if not self._removed or self._cancelled:
            return []
        is_whole = self._removed.keys() >= set(self._keys[: self._count])
        count = self._count if is_whole and not alone else 1
        options = replace(self._job.options, stage="cores", timeout_s=self._left_s)
        tasks = []
        for number, key in enumerate(self._keys[:count]):
            for owner, evidence in self._removed.items():
                if owner != key:
                    await self._pool.learn(key, evidence)
            share = replace(options, share=(number, count))
            tasks.append(self._begin(replace(self._job, key=key, options=share)))
        await asyncio.wait(tasks)
        return [task.result() for task in tasks]

    async def _alone(self, job: Job, number: int | None = None) -> Ending:
        task = self._begin(job, number)
        return await task


def _joined(endings: Iterable[Ending]) -> Ending:
    """Return the most serious of some endings."""
    found = {ending.outcome: ending for ending in endings}
    return next((found[o] for o in _SERIOUS if o in found), Ending(JobOutcome.DONE))
