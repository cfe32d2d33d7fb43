"""The worker process: reads requests, analyses, streams events.

`base.bootstrap` or `forked` starts it; its argument is the process id of the server. The main
thread reads, so that a cancellation or the end of the server is noticed while the other thread
solves. The worker derives everything from the text it is sent; identities are made of contents, so
they agree with the server's. What it finds out it keeps. Standard output has frames alone.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from functools import partial
from typing import Final, Protocol

from mutproof.analyses.claims.attention import Attention
from mutproof.analyses.claims.finding import MutantFinding
from mutproof.base import bootstrap, giving_way
from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.model.language import Elaborated
from mutproof.model.program import Program
from mutproof.model.semantics import NumberTooLarge
from mutproof.runtime import lifeline, messages
from mutproof.runtime.checkpoints import Checkpoints
from mutproof.runtime.inbox import Inbox, read
from mutproof.runtime.messages import (
    Analyse,
    Ended,
    Expect,
    Forget,
    Happened,
    Learn,
    Listed,
)
from mutproof.runtime.output import Output
from mutproof.runtime.recall import Recall, extent, pack, recall, unpack
from mutproof.workspace.analysis import Cancelled, Memory
from mutproof.workspace.events import Attempted, Event, Learnt, Lent, Removed
from mutproof.workspace.findings import Report
from mutproof.workspace.meaning import meaning_of
from mutproof.workspace.options import Options
from mutproof.workspace.rechecks import recheck
from mutproof.workspace.report import Listing

STACK_BYTES: Final = 256 * 1024 * 1024
"""The stack of the solving thread; only what is touched becomes memory."""

WORTH_KEEPING_S: Final = 5.0
"""Seconds of work from which on its results are kept even if the run is cancelled."""


class Analysing(Protocol):
    """Describe how a file is analysed, as `workspace.analysis.analyse` does."""

    def __call__(
        self,
        elaborated: Elaborated,
        options: Options,
        memory: Memory,
        emit: Callable[[Event], None],
        *,
        cancelled: Callable[[], bool],
        attention: Attention,
        asked: Callable[[], bool],
    ) -> Report:
        """Return what is found out; emit each part of it as soon as it is found."""
        ...


@dataclass(frozen=True, slots=True)
class WorkerTasks:
    """Hold what a worker runs: reading a text, listing its mutants, deciding them, recalling.

    `warm_up` does in advance, in small steps, work that the first request would wait for.
    """

    elaborate: Callable[[str, SourceText], Elaborated]
    mutants: Callable[[str, Elaborated, Options], Listing]
    analyse: Analysing
    recall: Recall = field(default_factory=lambda: Recall(None))
    warm_up: tuple[Callable[[], object], ...] = ()


def solve(inbox: Inbox, output: Output, engine: WorkerTasks) -> None:
    """Answer requests until the process ends; runs on the solving thread."""
    try:
        _Solving(inbox, output, engine).run()
    except BaseException:
        traceback.print_exc()
        lifeline.end_group()


class _Solving:
    """Answer one request after the other; mutable, with a memory for each file."""

    def __init__(self, inbox: Inbox, output: Output, engine: WorkerTasks) -> None:
        self._inbox = inbox
        self._output = output
        self._engine = engine
        self._memories: dict[str, Memory] = {}
        self._keep: dict[str, Callable[[bool], object]] = {}  # by file: stores its memory
        self._checkpoints: dict[str, Checkpoints] = {}
        self._due: Callable[[], object] = lambda: None  # stores the results of the last answer

    def run(self) -> None:
        for step in self._engine.warm_up:
            if self._inbox.requests.empty():
                step()
        while True:
            request = self._inbox.requests.get()
            match request:
                case Expect():
                    self._foresee(request)
                case Forget(key):
                    self._memories.pop(key, None)
                    self._keep.pop(key, None)
                    self._checkpoints.pop(key, None)
                    gc.collect()
                case Learn():
                    self._output.send(self._learn(request))
                case Analyse():
                    self._serve(request)

    def _serve(self, request: Analyse) -> None:
        """Answer a request, and store the results only then: nobody waits for that."""
        ended = self._answer(request)
        with self._inbox.keeping:
            self._output.send(ended)
            self._inbox.done(request.request)
            due, self._due = self._due, lambda: None
            try:
                due()
            except Exception:
                traceback.print_exc()
        if request.key in self._memories:
            self._memories[request.key].benches.shed()

    def _foresee(self, expected: Expect) -> None:
        """Read a text and make its mutants ahead of their request; the engine caches both."""
        engine, inbox = self._engine, self._inbox

        def stop_if_in_vain() -> None:
            if inbox.newest is not expected.text and inbox.newest != expected.text:
                raise Cancelled

        # Errors are reported when the analysis is requested.
        with contextlib.suppress(Exception), giving_way.arranged(stop_if_in_vain):
            source = SourceText(expected.name, expected.text)
            elaborated = engine.elaborate(expected.language, source)
            if elaborated.program is not None:
                engine.mutants(expected.language, elaborated, expected.options)

    def _learn(self, request: Learn) -> Ended:
        """Add what a helper found out to the memory of a file, where it replaces older results."""
        try:
            if request.instead:
                self._memories[request.key] = Memory()
            memory = self._memories.setdefault(request.key, Memory())
            memory.join(unpack(request.evidence), newer=True)
            if request.key in self._keep:
                self._keep[request.key](True)
        except Exception as error:
            traceback.print_exc()
            return Ended(request.request, "failed", f"{type(error).__name__}: {error}")
        return Ended(request.request, "done")

    def _answer(self, request: Analyse) -> Ended:
        number = request.request
        try:
            if self._inbox.is_cancelled(number):
                return Ended(number, "cancelled")
            with self._stopping(number):
                source = SourceText(request.name, request.text)
                elaborated = self._engine.elaborate(request.language, source)
            if elaborated.program is None:
                return Ended(number, "no-program")
            self._analyse(request, elaborated, elaborated.program)
        except Cancelled:
            return Ended(number, "cancelled")
        except NumberTooLarge as error:
            return Ended(number, "too-large", str(error))
        except Exception as error:
            traceback.print_exc()
            return Ended(number, "failed", f"{type(error).__name__}: {error}")
        return Ended(number, "cancelled" if self._inbox.is_cancelled(number) else "done")

    def _analyse(self, request: Analyse, elaborated: Elaborated, program: Program) -> None:
        engine, number, options = self._engine, request.request, request.options
        with self._stopping(number):
            listing = engine.mutants(request.language, elaborated, options)
        count = len(listing.mutants)
        if options.share[0] > 0 or options.mutants or options.stage == "cores":
            listing = replace(listing, mutants=())  # the first worker of a file lists them
        self._output.send(Listed(number, listing))
        if request.evidence is not None:
            self._help(request, elaborated)
            return
        known = self._memories.get(request.key)
        recalled = engine.recall.read(request.name, program) if known is None else None
        if recalled is not None:
            recheck(recalled, meaning_of(elaborated, program, options).system())
        memory = self._memories[request.key] = known or recalled or Memory()

        def keep(changed: bool, *, final: bool = True) -> bool:
            return engine.recall.write(
                request.name,
                program,
                self._memories[request.key],
                mutants=count,
                changed=changed,
                share=options.share,
                final=final,
            )

        self._keep[request.key] = keep
        before, started = extent(memory), time.monotonic()
        checkpoints = self._checkpoints.setdefault(request.key, Checkpoints())
        checkpoints.begin(lambda: keep(True, final=False))
        try:
            report = self._run(request, elaborated, memory, checkpoints)
        except Cancelled:
            if time.monotonic() - started > WORTH_KEEPING_S:
                self._due = partial(keep, True, final=False)
            raise
        except Exception:
            if recalled is None:
                raise
            traceback.print_exc()
            # What was recalled may be the cause: analyse again without it.
            memory = self._memories[request.key] = Memory()
            self._output.send(Listed(number, listing))
            report = self._run(request, elaborated, memory, checkpoints)
        done = report.statistics
        worked = done.solver_calls + done.decided + done.reproved > 0
        self._due = partial(checkpoints.store, partial(keep, worked or extent(memory) != before))

    @contextlib.contextmanager
    def _stopping(self, number: int) -> Iterator[None]:
        """Cancel the work inside, at its next point of yielding, once a request is cancelled."""

        def stop_if_in_vain() -> None:
            if self._inbox.is_cancelled(number):
                raise Cancelled

        with giving_way.arranged(stop_if_in_vain):
            yield

    def _help(self, request: Analyse, elaborated: Elaborated) -> None:
        """Decide the mutants that another worker lent, and send the evidence even on failure."""
        assert request.evidence is not None
        memory = unpack(request.evidence)
        try:
            self._run(request, elaborated, memory)
        finally:
            evidence = pack(memory, request.options.mutants)
            self._output.send(Happened(request.request, Learnt(evidence)))

    def _run(
        self,
        request: Analyse,
        elaborated: Elaborated,
        memory: Memory,
        checkpoints: Checkpoints | None = None,
    ) -> Report:
        inbox, output, number = self._inbox, self._output, request.request

        def emit(event: Event) -> None:
            if isinstance(event, Lent):
                inbox.asked.discard(number)
            if isinstance(event, Lent | Removed):
                event = replace(event, evidence=pack(memory, event.mutants))
            if isinstance(event, Attempted):
                event = Attempted(pack(memory, ()))
            if not inbox.is_cancelled(number):
                output.tell(number, event)
            if checkpoints is not None and isinstance(event, MutantFinding):
                checkpoints.found(event.origin)

        return self._engine.analyse(
            elaborated,
            request.options,
            memory,
            emit,
            cancelled=lambda: inbox.is_cancelled(number),
            attention=lambda: inbox.attention.get(number, frozenset()),
            asked=lambda: number in inbox.asked,
        )


def real_engine() -> WorkerTasks:
    """Return the tasks of real workers: the languages and the analysis of this package."""
    from mutproof.workspace import answering
    from mutproof.workspace.queries import Queries

    queries = Queries()

    def mutants(language: str, elaborated: Elaborated, options: Options) -> Listing:
        return queries.listing(language, elaborated, options)

    warm_up = [
        lambda name=name: queries.languages[name].prepare() for name in queries.languages.names()
    ]
    return WorkerTasks(queries.elaborated, mutants, answering.analyse, recall(), tuple(warm_up))


def main(arguments: list[str], engine: Callable[[], WorkerTasks] = real_engine) -> None:
    """Run the worker until its server ends or closes standard input."""
    lifeline.lead_group()
    if arguments:
        lifeline.die_with_parent(int(arguments[-1]))
    lifeline.be_nice()
    # Frames keep standard output to themselves: other output goes to standard error.
    frames = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    output, inbox = Output(frames), Inbox()

    def run() -> None:
        try:
            ready = engine()
        except BaseException:  # else nobody would hear of it
            traceback.print_exc()
            lifeline.end_group()
        solve(inbox, output, replace(ready, warm_up=()) if bootstrap.COLD in arguments else ready)

    with contextlib.suppress(ValueError):
        threading.stack_size(STACK_BYTES)
    threading.Thread(target=run, name="solving", daemon=True).start()
    try:
        read(sys.stdin.buffer, inbox)
        inbox.keeping.acquire(timeout=messages.KEEPING_S)
    finally:
        lifeline.end_group()
