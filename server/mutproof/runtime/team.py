"""All workers: how they are distributed over files.

The first workers of a file are chosen when its run begins. In editors and clusters, a worker that
is idle while a run takes long gets a part of the open mutants (see `crew`). Workers have low
priority, so a few more of them than processors do no harm. Mutable; owned by the event loop's
thread.
"""

from __future__ import annotations

import asyncio
from typing import Final

from mutproof.model.program import ElementId
from mutproof.runtime.crew import Crew, Part, Workforce
from mutproof.runtime.jobs import SHARE_CHARACTERS, Ending, Job, Listener

PATIENCE_S: Final = 2.0
"""How long a worker works before it is asked to share: mutants help to decide each other, and a
helper starts from scratch."""

COMPARING_S: Final = 0.3
"""The same while survivors are compared with the model, each independently of the others."""


class Team:
    """Run the jobs of files in at most `jobs` workers, several on one where some are idle.

    `files` is how many will come, once each; workers then hand over nothing later unless it
    `lends`, because the proofs of survivors would depend on the clock, and reports must not.
    Without it files come repeatedly, so the memory of one stays with one worker, which begins
    alone.
    """

    def __init__(
        self,
        pool: Workforce,
        jobs: int,
        files: int | None = None,
        *,
        lends: bool | None = None,
        share_characters: int = SHARE_CHARACTERS,
        patience_s: float = PATIENCE_S,
        comparing_s: float = COMPARING_S,
    ) -> None:
        self.jobs = jobs
        self._pool = pool
        self._stays = files is None
        self._lends = self._stays if lends is None else lends
        self._waiting = files or 0
        self._share_characters = share_characters
        self._patience_s = patience_s
        self._comparing_s = min(comparing_s, patience_s)
        self._alone = 0  # busy workers whose jobs are not shared
        self._crews: dict[str, Crew] = {}

    async def run(self, job: Job, listener: Listener) -> Ending:
        """Run a job to its end, as `Pool.run` does."""
        count = self._count(job)
        self._waiting = max(0, self._waiting - 1)
        options = job.options
        if options.certify or options.suggest or options.suite:
            return await self._unshared(job, listener)
        return await self._shared(job, listener, count)

    def resize(self, jobs: int) -> None:
        """Change the number of workers."""
        self.jobs = jobs
        self._look_soon()

    async def expect(self, job: Job) -> None:
        """Have a worker read a text in advance, unless it is long."""
        await self._pool.expect(job)

    def cancel(self, key: str) -> bool:
        """Give up the job of a file; tell whether one was running."""
        crew = self._crews.get(key)
        return self._pool.cancel(key) if crew is None else crew.cancel()

    def attend(self, key: str, elements: frozenset[ElementId]) -> None:
        """Have the mutants of some elements of a file decided first, if it is analysed now."""
        crew = self._crews.get(key)
        if crew is not None:
            crew.attend(elements)

    def forget(self, key: str) -> None:
        """End the workers of a file at once."""
        crew = self._crews.get(key)
        if crew is not None:
            crew.cancel()
        for one in (key,) if crew is None else crew.keys:
            self._pool.forget(one)

    @property
    def _busy(self) -> int:
        return self._alone + sum(len(crew.parts) for crew in self._crews.values())

    def _count(self, job: Job) -> int:
        """Return how many workers a job begins with."""
        if self._stays:
            return 1
        idle = (self.jobs - self._busy) // max(1, self._waiting)
        return max(1, min(idle, job.shares(self._share_characters)))

    async def _unshared(self, job: Job, listener: Listener) -> Ending:
        self._alone += 1
        try:
            return await self._pool.run(job, listener)
        finally:
            self._alone -= 1
            self._look_soon()

    async def _shared(self, job: Job, listener: Listener, count: int) -> Ending:
        crew = Crew(self._pool, job, listener, count=count, changed=self._look_soon)
        self._crews[job.key] = crew
        try:
            return await crew.run()
        finally:
            del self._crews[job.key]
            self._look_soon()

    def _patience_with(self, part: Part) -> float:
        """Return for how many seconds a worker is left alone before it is asked to share."""
        whole = self._comparing_s if part.stage == "equivalence" else self._patience_s
        return 0.99 * whole  # clocks are coarse

    def _look_soon(self) -> None:
        """Look for work to share now, and when workers that begin now may be asked."""
        loop = asyncio.get_running_loop()
        loop.call_soon(self._look)
        loop.call_later(self._comparing_s, self._look)
        loop.call_later(self._patience_s, self._look)

    def _look(self) -> None:
        """For each idle worker, ask one that has been at work longest to hand over a part."""
        if not self._lends:
            return
        now = asyncio.get_running_loop().time()
        at_work = [(crew, part) for crew in self._crews.values() for part in crew.parts]
        idle = self.jobs - self._busy - sum(part.asked for _, part in at_work)
        asked = [
            (crew, part)
            for crew, part in sorted(at_work, key=lambda each: each[1].since_s)
            if not part.asked and now - part.since_s >= self._patience_with(part)
        ][: max(0, idle)]
        for crew, part in asked:
            crew.ask(part)
