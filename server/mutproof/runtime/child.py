"""The worker process: reads requests, analyses, streams events.

Entry point `python -m mutproof.runtime.child PARENT`, with the process id of the server. The
main thread reads, so that a cancellation or the end of the server is noticed while the other
thread solves. The worker derives everything from the text it is sent; identities are made of
contents, so they agree with the server's. What it finds out it keeps for the workers that come
after it. Nothing but frames goes to standard output.
"""

from __future__ import annotations

import contextlib
import gc
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO, Final, TypeAlias

from mutproof.analyses.attention import Attention
from mutproof.base.text import SourceText
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.runtime import lifeline, messages
from mutproof.runtime.collection import collect_rarely
from mutproof.runtime.messages import (
    Analyse,
    Attend,
    Cancel,
    Ended,
    Expect,
    Forget,
    Happened,
    Listed,
    Message,
)
from mutproof.runtime.recall import Recall, recall
from mutproof.workspace.analysis import Cancelled, Event, Memory, Report
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing

Request: TypeAlias = Analyse | Expect | Forget

STACK_BYTES: Final = 256 * 1024 * 1024
"""The stack of the solving thread; only what is touched becomes memory."""

WORTH_KEEPING_S: Final = 5.0
"""Seconds of work after which it is kept even if nobody wants the rest."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Hold what a worker runs: reading a text, listing its mutants, deciding them, recalling.

    `warm_up` does in advance, in small steps, what the first request would have to wait for.
    """

    elaborate: Callable[[str, SourceText], Elaborated]
    mutants: Callable[[str, Elaborated, Options], Listing]
    analyse: Callable[
        [Elaborated, Options, Memory, Callable[[Event], None], Callable[[], bool], Attention],
        Report,
    ]
    recall: Recall = field(default_factory=lambda: Recall(None))
    warm_up: tuple[Callable[[], object], ...] = ()


class Output:
    """Write frames, whole, from any thread; mutable, owns the stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """Write a message; if nobody reads any more, this process has no purpose and ends."""
        data = messages.frame(message)
        try:
            with self._lock:
                self._stream.write(data)
                self._stream.flush()
        except OSError:
            lifeline.end_group()


@dataclass(slots=True)
class Inbox:
    """Hold requests that wait, those no longer wanted, and what is; shared by two threads."""

    requests: queue.SimpleQueue[Request] = field(default_factory=queue.SimpleQueue)
    cancelled: set[int] = field(default_factory=set)
    attention: dict[int, frozenset[ElementId]] = field(default_factory=dict)

    def put(self, message: Message) -> None:
        """Take in what the server sent."""
        match message:
            case Analyse() | Expect() | Forget():
                self.requests.put(message)
            case Cancel(request):
                self.cancelled.add(request)
            case Attend(request, elements):
                self.attention[request] = elements
            case _:
                print(f"unexpected: {message!r:.200}", file=sys.stderr)  # noqa: T201 - the log


def solve(inbox: Inbox, output: Output, engine: Engine) -> None:
    """Answer requests until the process ends; runs on the solving thread."""
    memories: dict[str, Memory] = {}
    try:
        for step in engine.warm_up:
            if inbox.requests.empty():
                step()
        while True:
            request = inbox.requests.get()
            if isinstance(request, Expect):
                _foresee(request, engine)
                continue
            if isinstance(request, Forget):
                memories.pop(request.key, None)
                gc.collect()
                continue
            output.send(_answer(request, memories, inbox, output, engine))
            inbox.cancelled.discard(request.request)
            inbox.attention.pop(request.request, None)
    except BaseException:
        traceback.print_exc()
        lifeline.end_group()


def _foresee(expected: Expect, engine: Engine) -> None:
    """Read a text and make its mutants; the engine remembers them until they are asked for."""
    with contextlib.suppress(Exception):  # said when they are asked for
        elaborated = engine.elaborate(expected.language, SourceText(expected.name, expected.text))
        if elaborated.program is not None:
            engine.mutants(expected.language, elaborated, expected.options)


def _answer(
    request: Analyse, memories: dict[str, Memory], inbox: Inbox, output: Output, engine: Engine
) -> Ended:
    number = request.request

    def cancelled() -> bool:
        return number in inbox.cancelled

    def attention() -> frozenset[ElementId]:
        return inbox.attention.get(number, frozenset())

    def emit(event: Event) -> None:
        if not cancelled():
            output.send(Happened(number, event))

    try:
        if cancelled():
            return Ended(number, "cancelled")
        source = SourceText(request.name, request.text)
        elaborated = engine.elaborate(request.language, source)
        if elaborated.program is None:
            return Ended(number, "no-program")
        listing = engine.mutants(request.language, elaborated, request.options)
        output.send(Listed(number, listing))
        program, known = elaborated.program, memories.get(request.key)
        recalled = engine.recall.read(request.name, program) if known is None else None
        memory = memories[request.key] = known or recalled or Memory()
        before, started = _extent(memory), time.monotonic()

        def keep(*, changed: bool) -> None:
            engine.recall.write(
                request.name,
                program,
                memory,
                mutants=len(listing.mutants),
                changed=changed,
                share=request.options.share,
            )

        options = request.options
        try:
            report = engine.analyse(elaborated, options, memory, emit, cancelled, attention)
        except Cancelled:
            if time.monotonic() - started > WORTH_KEEPING_S:
                keep(changed=True)
            raise
        except Exception:
            if recalled is None:
                raise
            traceback.print_exc()
            # Whatever is wrong with what was recalled, there is a way without it.
            memory = memories[request.key] = Memory()
            output.send(Listed(number, listing))
            report = engine.analyse(elaborated, options, memory, emit, cancelled, attention)
        done = report.statistics
        worked = done.solver_calls + done.decided + done.reproved > 0
        keep(changed=worked or _extent(memory) != before)
    except Cancelled:
        return Ended(number, "cancelled")
    except Exception as error:
        traceback.print_exc()
        return Ended(number, "failed", f"{type(error).__name__}: {error}")
    return Ended(number, "cancelled" if cancelled() else "done")


def _extent(memory: Memory) -> tuple[int, ...]:
    """Return how much is remembered, by kind."""
    return (
        len(memory.proofs.faults),
        len(memory.proofs.idle),
        len(memory.records),
        len(memory.records.obligations),
        len(memory.cores),
        len(memory.survivors.kept),
    )


def read(stream: BinaryIO, inbox: Inbox) -> None:
    """Take in messages until the stream ends."""
    while True:
        header = stream.read(messages.LENGTH_BYTES)
        if len(header) < messages.LENGTH_BYTES:
            return
        length = messages.body_length(header)
        body = stream.read(length)
        if len(body) < length:
            return
        inbox.put(messages.unframe(body))


def real_engine() -> Engine:
    """Return what workers run: the languages and the analysis of this package."""
    from mutproof.workspace import analysis
    from mutproof.workspace.queries import Queries

    queries = Queries()

    def mutants(language: str, elaborated: Elaborated, options: Options) -> Listing:
        return queries.listing(language, elaborated, options)

    # An empty text is wrong in every language; to read it takes the tables of the grammar.
    warm_up = [
        lambda name=name: queries.parsed(name, SourceText("", ""))
        for name in queries.languages.names()
    ]
    return Engine(queries.elaborated, mutants, analysis.analyse, recall(), tuple(warm_up))


def main(arguments: list[str], engine: Callable[[], Engine] = real_engine) -> None:
    """Run the worker until its server ends or closes standard input."""
    lifeline.lead_group()
    if arguments:
        lifeline.die_with_parent(int(arguments[0]))
    lifeline.be_nice()
    collect_rarely()
    # Whatever else prints must not get between the frames.
    frames = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    output, inbox = Output(frames), Inbox()

    def run() -> None:
        solve(inbox, output, engine())

    with contextlib.suppress(ValueError):
        threading.stack_size(STACK_BYTES)
    threading.Thread(target=run, name="solving", daemon=True).start()
    try:
        read(sys.stdin.buffer, inbox)
    finally:
        lifeline.end_group()


if __name__ == "__main__":
    main(sys.argv[1:])
