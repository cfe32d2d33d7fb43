"""Analyse one small file in the worker that the command has launched.

That is what most commands do, and none of it needs an event loop (see `runtime.sole`). What several
files, several workers or other machines need is in `runner`.
"""

from __future__ import annotations

import os
import time
from functools import partial

from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.cli import inputs
from mutproof.cli.asked_names import AskedNames
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.gathered import Gathered, reported_of
from mutproof.cli.inputs import Input
from mutproof.cli.result import Result, Watcher, concluded, job_of
from mutproof.cli.stopping import signals
from mutproof.runtime import aside
from mutproof.runtime.forked import Fork
from mutproof.runtime.gathering import Gathering
from mutproof.runtime.jobs import SHARE_CHARACTERS, JobOutcome
from mutproof.runtime.sole import Limits, Sole
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing


class OthersNeededError(Exception):
    """Tell that other workers should analyse the file before its `deadline`."""

    def __init__(self, deadline: Deadline, message: str = "") -> None:
        super().__init__(message)
        self.deadline = deadline


class CrashedError(OthersNeededError):
    """Tell that the worker died; what crashed it may have been what it recalled."""


class LargeError(OthersNeededError):
    """Tell that a short text has work for several workers."""


@dataclass(frozen=True, slots=True)
class Alone:
    """Hold what a file is analysed with: `wanted` are the options of the run, `options` its own.

    `jobs` is how many workers there may be.
    """

    fork: Fork
    wanted: Options
    options: Options
    watcher: Watcher
    most_bytes: int | None
    jobs: int


def suffices(name: str, options: Options) -> bool:
    """Tell whether a file with these options probably needs no other worker, at any time."""
    try:
        small = os.path.isfile(name) and os.path.getsize(name) < 2 * SHARE_CHARACTERS
    except OSError:
        return False
    return small and options.order == 1


def analysed(name: str, bench: Alone) -> tuple[tuple[Result, ...], ExitCode | None]:
    """Return the result on a file, none if it was given up early, and the code of the signal.

    Raises:
        UserError: something is asked for by a name that the file does not have.
        CrashedError: the worker died.
        LargeError: several workers should do it.
        KeyboardInterrupt: the signal came twice.
    """
    stop: list[ExitCode] = []
    with signals(stop.append):
        result = _analysed(name, bench, stop)
    return () if result is None else (result,), stop[0] if stop else None


def _analysed(name: str, bench: Alone, stop: list[ExitCode]) -> Result | None:
    options, deadline = bench.options, Deadline.after(bench.options.timeout_s)
    limits = Limits(deadline, lambda: bool(stop), bench.most_bytes)
    with Sole(bench.fork) as worker:
        try:
            read = aside.wait(lambda: inputs.opened(name), limits.stopped, deadline)
            if read.language is not None and not read.diagnostics:
                worker.expect(job_of(read, read.language, options))
                opened = read
                read = aside.wait(lambda: inputs.understood(opened), limits.stopped, deadline)
        except aside.GivenUpError:
            return None
        except aside.OutOfTimeError:
            late = inputs.late(name, options.timeout_s)
            return Result(reported_of(late, None, finished=True), is_late=True)
        if options.advise or options.suite:
            read = inputs.without_need_of_properties(read)
        if not read.is_usable:
            return Result(reported_of(read, None, finished=True))
        asked = AskedNames(bench.wanted)
        asked.add(read, options)
        asked.check()
        return _run_job(read, bench, worker, limits)


def _run_job(read: Input, bench: Alone, worker: Sole, limits: Limits) -> Result:
    assert read.language is not None
    name, options, gathered = read.source.name, bench.options, Gathered()

    def listen(event: Listing | Event) -> None:
        gathered.add(event)
        bench.watcher.happened(name, event)

    job = job_of(read, read.language, options)
    if bench.jobs > 1 and job.shares() > 1:
        raise LargeError(limits.deadline)
    gathering = Gathering(listen)
    number, begun_s = gathering.add(), time.monotonic()
    bench.watcher.started(name)
    try:
        ending = worker.run(
            job,
            listen if options.suggest or options.suite else partial(gathering.hear, number),
            limits,
        )
    finally:
        bench.watcher.ended(name)
    if ending.outcome is JobOutcome.CRASHED and not limits.deadline.passed():
        raise CrashedError(limits.deadline, ending.message)
    gathering.close()
    ending = gathering.checked(ending)
    late = ending.outcome is JobOutcome.CANCELLED and not limits.stopped()
    seconds = time.monotonic() - begun_s
    return concluded(read, options, gathered, ending, late=late, seconds=seconds)
