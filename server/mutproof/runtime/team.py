"""Several workers on one file: each proves the properties and decides its share of the rest.

What is shared out are the elements of the model with all their mutants, and the properties
whose cores are looked for. That every worker proves for itself costs no time that anybody waits
for, and nothing has to be handed over. A share counts only if its worker proved the very same
properties as the first one; where the clock made a difference, the first worker does that share
again. The listener hears one stream of events, as if one worker had done it all. Mutable; owned
by the event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from mutproof.analyses.finding import (
    ModelFinding,
    MutantFinding,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.runtime.jobs import Job, Outcome
from mutproof.runtime.pool import Ending, Listener, Pool
from mutproof.workspace.analysis import Event, Progress
from mutproof.workspace.report import Listing

SHARE_CHARACTERS: Final = 2_000
"""How long a text must be for each worker that is to take part."""

_SERIOUS: Final = (Outcome.FAILED, Outcome.CRASHED, Outcome.NO_PROGRAM, Outcome.CANCELLED)

Baseline: TypeAlias = tuple[tuple[str, PropertyVerdict, str], ...]
"""What mutants are judged by: name, verdict and vacuity of every property."""


class Team:
    """Run the jobs of some files in at most `jobs` workers, several on one where some are idle."""

    def __init__(
        self, pool: Pool, jobs: int, files: int, *, share_characters: int = SHARE_CHARACTERS
    ) -> None:
        self._pool = pool
        self._jobs = jobs
        self._waiting = files
        self._busy = 0
        self._share_characters = share_characters
        self._members: dict[str, list[str]] = {}

    async def run(self, job: Job, listener: Listener) -> Ending:
        """Run a job to its end, as `Pool.run` does."""
        count = self._count(job)
        self._waiting = max(0, self._waiting - 1)
        self._busy += count
        try:
            if count == 1:
                return await self._pool.run(job, listener)
            return await self._shared(job, listener, count)
        finally:
            self._busy -= count
            self._members.pop(job.key, None)

    def cancel(self, key: str) -> bool:
        """Give up the job of a file; tell whether one was running."""
        members = self._members.get(key, [key])
        return sum(self._pool.cancel(member) for member in members) > 0

    def _count(self, job: Job) -> int:
        """Return how many workers take part."""
        options = job.options
        if options.certify or not (options.mutate or options.cores):
            return 1  # certificates are written once for all
        idle = (self._jobs - self._busy) // max(1, self._waiting)
        return max(1, min(idle, len(job.text) // self._share_characters))

    async def _shared(self, job: Job, listener: Listener, count: int) -> Ending:
        gathering = _Gathering(listener, [_Share() for _ in range(count)])
        keys = [job.key, *[f"{job.key}\0{number}" for number in range(1, count)]]
        self._members[job.key] = keys

        async def one(number: int, key: str) -> Ending:
            options = replace(job.options, share=(number, count))
            part = replace(job, key=key, options=options)
            return await self._pool.run(part, lambda event: gathering.hear(number, event))

        try:
            endings = list(await asyncio.gather(*map(one, range(count), keys)))
        finally:
            for key in keys[1:]:
                self._pool.forget(key)
        if endings[0].outcome is Outcome.DONE:
            for number in gathering.astray():
                gathering.shares[number] = _Share()
                endings[number] = await one(number, job.key)
        gathering.close()
        return _joined(endings)


def _joined(endings: Iterable[Ending]) -> Ending:
    """Return the ending that matters most."""
    found = {ending.outcome: ending for ending in endings}
    return next((found[o] for o in _SERIOUS if o in found), Ending(Outcome.DONE))


@dataclass(slots=True)
class _Share:
    """Follow one worker; `settled` once it has tried to prove all properties."""

    properties: dict[str, PropertyFinding] = field(default_factory=dict)
    settled: Baseline | None = None
    held_back: list[Event] = field(default_factory=list)
    progress: Progress | None = None
    statistics: Statistics | None = None

    def settle(self) -> None:
        if self.settled is None:
            found = self.properties.values()
            self.settled = tuple(sorted((p.name, p.verdict, p.vacuity) for p in found))


class _Gathering:
    """Make one stream of those of all shares; mutable."""

    def __init__(self, listener: Listener, shares: list[_Share]) -> None:
        self.shares = shares
        self._listener = listener
        self._listed = False
        self._reference = 0  # whose properties are told
        self._cores: dict[str, PropertyFinding] = {}

    def hear(self, number: int, event: Listing | Event) -> None:
        """Take in what a worker says."""
        share = self.shares[number]
        match event:
            case Listing():
                self._begin(number, event)
            case PropertyFinding():
                share.properties[event.name] = replace(event, core=None, must=None, cores=None)
                if number == self._reference:
                    self._listener(self._with_core(event))
                elif event.core is not None:
                    self._tell(number, event)
            case ModelFinding():
                if number == self._reference:
                    self._listener(event)
            case MutantFinding():
                share.settle()
                self._tell(number, event)
            case Progress(stage=stage):
                if stage != "prove":
                    share.settle()
                self._advance(number, event)
            case Statistics():
                share.settle()
                share.statistics = event
                self._release()
            case _:
                if number == self._reference:
                    self._listener(event)

    def astray(self) -> tuple[int, ...]:
        """Return the shares that came to their end and judged by other properties."""
        first = self.shares[self._reference].settled
        return tuple(
            number
            for number, share in enumerate(self.shares)
            if share.statistics is not None and share.settled != first
        )

    def close(self) -> None:
        """Tell what is left: without the first worker, another one's properties count."""
        settled = [number for number, share in enumerate(self.shares) if share.settled is not None]
        if settled and self._reference not in settled:
            self._reference = settled[0]
            for finding in self.shares[self._reference].properties.values():
                self._listener(finding)
        self._release()
        known = [s.statistics for s in self.shares if s.statistics is not None]
        if known:
            self._listener(_summed(known[0], known[1:]))

    def _begin(self, number: int, listing: Listing) -> None:
        # A worker that was started again begins anew; what the others say stands.
        self.shares[number] = _Share()
        if not self._listed:
            self._listed = True
            self._listener(listing)

    def _tell(self, number: int, event: Event) -> None:
        """Pass on what rests on the properties that are proved, once it is known they agree."""
        self.shares[number].held_back.append(event)
        self._release()

    def _release(self) -> None:
        first = self.shares[self._reference].settled
        for share in self.shares:
            if first is not None and share.settled == first:
                held_back, share.held_back = share.held_back, []
                for event in held_back:
                    self._pass_on(event)

    def _pass_on(self, event: Event) -> None:
        if isinstance(event, PropertyFinding):
            self._cores[event.name] = event
            event = self._with_core(self.shares[self._reference].properties[event.name])
        self._listener(event)

    def _with_core(self, finding: PropertyFinding) -> PropertyFinding:
        """Return the first worker's finding with the core that another one found."""
        known = self._cores.get(finding.name)
        if known is None or finding.core is not None:
            return finding
        return replace(finding, core=known.core, must=known.must, cores=known.cores)

    def _advance(self, number: int, event: Progress) -> None:
        self.shares[number].progress = event
        if number == self._reference:
            same = [s.progress for s in self.shares if s.progress is not None]
            same = [progress for progress in same if progress.stage == event.stage]
            # Every share counts what is there as a whole, and what it has done of it.
            total = max(p.total for p in same)
            done = min(total, sum(p.done for p in same))
            self._listener(Progress(event.stage, done, total))


def _summed(first: Statistics, others: Iterable[Statistics]) -> Statistics:
    """Return what all counted together; of the properties, what the first one counted."""
    result = first
    for other in others:
        result = replace(
            result,
            mutants=result.mutants + other.mutants,
            killed=result.killed + other.killed,
            survived=result.survived + other.survived,
            unknown=result.unknown + other.unknown,
            stillborn=result.stillborn + other.stillborn,
            ignored=result.ignored + other.ignored,
            reused=result.reused + other.reused,
            replayed=result.replayed + other.replayed,
            reproved=result.reproved + other.reproved,
            decided=result.decided + other.decided,
            solver_calls=result.solver_calls + other.solver_calls,
            seconds=max(result.seconds, other.seconds),
        )
    return result
