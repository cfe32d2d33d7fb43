"""Analyse files in worker processes and gather what they find, until done or interrupted."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Final, TypeVar

from mutproof.analyses.claims.finding import (
    CertificateFinding,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.analyses.proving.wording import said_together
from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.cli import inputs
from mutproof.cli.asked_names import AskedNames
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.gathered import Gathered, reported_of
from mutproof.cli.inputs import Input
from mutproof.cli.result import Result, Watcher, concluded, job_of
from mutproof.cli.stopping import signals
from mutproof.reporters.reported_file import PairedMutants
from mutproof.runtime import aside
from mutproof.runtime.gathering import Gathering
from mutproof.runtime.jobs import JobOutcome
from mutproof.runtime.pool import Pool
from mutproof.runtime.sole import HURRY_S
from mutproof.runtime.team import Team
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing

ResultT = TypeVar("ResultT")

OTHER_PROPERTIES: Final = "not the same properties were proved again"
"""The reason for pairs of mutants that were to be decided with other properties than these."""


@dataclass(slots=True)
class Stop:
    """An event set by signals: the user wants to stop; `code` is the exit code for it."""

    event: asyncio.Event = field(default_factory=asyncio.Event)
    code: ExitCode | None = None


def run(
    main: Callable[[Stop], Coroutine[None, None, ResultT]], loop: asyncio.Runner
) -> tuple[ResultT, ExitCode | None]:
    """Run a coroutine that obeys `Stop`; return its result and the code of the signal, if any.

    The first Ctrl-C or SIGTERM sets `Stop`.

    Raises:
        KeyboardInterrupt: the signal came twice.
    """
    # `asyncio` asks of the handler of a signal that has the task, and Python makes a text of it.
    # So the task has no result, as that would be shown in full.
    found: list[tuple[ResultT, ExitCode | None]] = []

    async def wrapped() -> None:
        stop, running = Stop(), asyncio.get_running_loop()

        def give_up(code: ExitCode) -> None:
            stop.code = code
            running.call_soon_threadsafe(stop.event.set)

        with signals(give_up):
            found.append((await main(stop), stop.code))

    loop.run(wrapped())
    return found[0]


@dataclass(frozen=True)
class Workers:
    """Hold what analyses are run with: at most `jobs` files at a time, in workers of `pool`."""

    pool: Pool | Team
    options: Options
    jobs: int
    watcher: Watcher
    keep: Callable[[CertificateFinding], None] | None = None  # receives certificates as they come
    own: Callable[[str], Options] | None = None  # options of a file, if they differ
    queues: bool = False  # files may wait; time counts from when a worker starts
    deadline: Deadline | None = None  # of a file that was begun before

    def of(self, name: str) -> Workers:
        """Return the workers with the options of a file.

        Raises:
            UserError: its settings are invalid.
        """
        return self if self.own is None else replace(self, options=self.own(name), own=None)


async def analysed(names: Sequence[str], bench: Workers, stop: Stop) -> tuple[Result, ...]:
    """Return the results on the files in their order; after `stop` what was found until then.

    Raises:
        UserError: something is asked for by a name that none of the files has.
    """
    slots = asyncio.Semaphore(bench.jobs)
    asked = AskedNames(bench.options)

    async def one(name: str, bench: Workers) -> Result | None:
        async with slots:
            if stop.event.is_set():
                return None
            deadline = bench.deadline or Deadline.after(bench.options.timeout_s)
            try:
                read = await aside.run(
                    lambda: inputs.opened(name), stop.event, deadline.remaining_s()
                )
                if read.language is not None and not read.diagnostics:
                    if name == order[0]:  # the first worker, idle so far, reads it meanwhile
                        await bench.pool.expect(job_of(read, read.language, bench.options))
                    opened = read
                    read = await aside.run(
                        lambda: inputs.understood(opened), stop.event, deadline.remaining_s()
                    )
            except aside.GivenUpError:
                return None
            except aside.OutOfTimeError:
                late = inputs.late(name, bench.options.timeout_s)
                return Result(reported_of(late, None, finished=True), is_late=True)
            asked.add(read, bench.options)
            if len(names) == 1 and read.is_usable:
                asked.check()
            return await _analysed_input(read, bench, stop, deadline)

    single = {name: bench.of(name) for name in names}
    # The largest begin first, so that none of them is left at the end.
    order = sorted(names, key=_size, reverse=True) if bench.jobs > 1 else names
    ended = await asyncio.gather(*[one(name, single[name]) for name in order])
    by_name = dict(zip(order, ended, strict=True))
    found = [by_name[name] for name in names]
    asked.check()
    return tuple(result for result in found if result is not None)


async def _analysed_input(read: Input, bench: Workers, stop: Stop, deadline: Deadline) -> Result:
    if bench.options.advise or bench.options.suite:
        read = inputs.without_need_of_properties(read)
    if not read.is_usable:
        return Result(reported_of(read, None, finished=True))
    result = await _run_job(read, bench, stop, deadline=deadline)
    if bench.options.order == 1 or bench.options.shard[1] > 1 or result.reported.report is None:
        return result
    return await _with_pairs(result, read, bench, stop, deadline=deadline)


async def _with_pairs(
    result: Result, read: Input, bench: Workers, stop: Stop, *, deadline: Deadline
) -> Result:
    """Decide pairs of mutants, chosen by what is known of single ones, and add what is found."""
    first, report, program = result.reported, result.reported.report, read.elaborated
    assert report is not None
    assert program is not None
    if result.ending is None or result.ending.outcome is not JobOutcome.DONE:
        return result
    from mutproof.workspace.pairing import chosen
    from mutproof.workspace.queries import Queries

    options = bench.options
    pairing = chosen(program, options, report.mutants)
    if not pairing.names:
        return replace(result, reported=replace(first, pairs=PairedMutants()))
    single = replace(options, since=None, most_mutants=0, shard=(0, 1), only=None)
    options = replace(single, pairs=pairing.names, cores=False, certify=False, invariants=False)
    options = replace(options, duplicates=False)
    if bench.queues:  # time counts from when a worker starts
        deadline = Deadline.after(max(0.0, options.timeout_s - report.statistics.seconds))
    assert read.language is not None
    listing = Queries().listing(read.language.name, program, options)
    workers = replace(bench, options=options, keep=None, queues=False)
    second = await _run_job(read, workers, stop, deadline=deadline, listing=listing)
    found = second.reported
    assert found.report is not None
    if _baseline(found.properties) != _baseline(first.properties):
        unknown = [
            MutantFinding(place.mutant, MutantStatus.UNKNOWN, reason=OTHER_PROPERTIES)
            for place in listing.mutants
        ]
        report = replace(found.report, mutants=tuple(unknown))
        found = replace(found, listing=listing, report=report)
    pairs = PairedMutants(found, left_out=pairing.more)
    return replace(result, reported=replace(first, pairs=pairs), ending=second.ending)


def _baseline(found: Iterable[PropertyFinding]) -> frozenset[tuple[str, PropertyVerdict, str]]:
    """Return what verdicts on mutants depend on: which properties are proved."""
    return frozenset((one.name, one.verdict, one.vacuity) for one in found)


async def _run_job(
    read: Input,
    bench: Workers,
    stop: Stop,
    *,
    deadline: Deadline,
    listing: Listing | None = None,
) -> Result:
    """Run one analysis of a file; `listing` stands for that of a worker that does not begin."""
    assert read.language is not None
    name = read.source.name
    job = job_of(read, read.language, bench.options)
    gathering, listed = Gathered(listing), asyncio.Event()

    def listen(event: Listing | Event) -> None:
        gathering.add(event)
        if isinstance(event, Listing):
            listed.set()
        if isinstance(event, CertificateFinding) and event.text and bench.keep is not None:
            bench.keep(event)
        bench.watcher.happened(name, event)

    begun_s = time.monotonic()
    bench.watcher.started(name)
    running = asyncio.ensure_future(bench.pool.run(job, listen))
    stopped = asyncio.ensure_future(stop.event.wait())
    try:
        if bench.queues:
            begun = asyncio.ensure_future(listed.wait())
            await asyncio.wait({running, stopped, begun}, return_when=asyncio.FIRST_COMPLETED)
            begun.cancel()
            deadline = Deadline.after(bench.options.timeout_s)
        left_s = deadline.remaining_s()
        await asyncio.wait(
            {running, stopped},
            timeout=left_s if math.isfinite(left_s) else None,
            return_when=asyncio.FIRST_COMPLETED,
        )
        late = not running.done() and not stop.event.is_set()
        if not running.done():
            bench.pool.cancel(name)
            if stop.event.is_set():
                await asyncio.wait({running}, timeout=HURRY_S)
                if not running.done():
                    bench.pool.forget(name)
        ending = await running
    finally:
        stopped.cancel()
        bench.watcher.ended(name)
    return concluded(
        read, bench.options, gathering, ending, late=late, seconds=time.monotonic() - begun_s
    )


def joined(
    read: Input, listing: Listing, shares: Sequence[Report], code: ExitCode
) -> Result | None:
    """Merge the results of several shares of the mutants of a file; `code` is the worst.

    None where not all of them proved the same properties.
    """
    gathering = Gathered()
    together = Gathering(gathering.add)
    numbers = [together.add() for _ in shares]
    together.hear(0, listing)
    said = [found for share in shares for found in share.model]
    own = [found for found in shares[0].model if not found.survivors]
    for fault in (*own, *said_together([found for found in said if found.survivors])):
        together.hear(0, fault)
    for number, share in zip(numbers, shares, strict=True):
        found: tuple[Event, ...] = (*share.properties, *share.mutants, share.statistics)
        for finding in found:
            together.hear(number, finding)
    if together.astray():
        return None
    together.close()
    return Result(reported_of(read, gathering, finished=True), code=code)


def _size(name: str) -> int:
    """Return the size of a file in bytes; 0 if unknown."""
    with suppress(OSError):
        return os.path.getsize(name)
    return 0
