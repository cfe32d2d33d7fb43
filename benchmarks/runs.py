"""Timed runs of the analysis; start-up, reading and parsing are never part of a time."""

from __future__ import annotations

import gc
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.base.budget import Budget
from mutproof.model.language import Elaborated
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options

BUDGET = Budget(100_000_000, 30.0)
"""The budget of all runs: a mutant alone has a tenth of the units; clock is a backstop."""

NAMES = {
    MutantStatus.KILLED: "killed",
    MutantStatus.SURVIVED: "survived",
    MutantStatus.UNKNOWN: "unknown",
    MutantStatus.STILLBORN: "stillborn",
}


@dataclass(frozen=True, slots=True)
class Timed:
    """Hold a run: its seconds, and its report, None where it was stopped."""

    seconds: float
    report: Report | None
    decided: Mapping[str, MutantFinding]

    @property
    def counts(self) -> Counter[str]:
        """Return how many mutants have each verdict."""
        return Counter(NAMES.get(f.status, "ignored") for f in self.decided.values())


def options(level: str = "paper", strategy: str = "default", *, mutate: bool = True) -> Options:
    """Return what is asked of a run: mutants without cores."""
    return Options(level=level, cores=False, mutate=mutate, budget=BUDGET, strategy=strategy)


def timed(
    found: Elaborated, chosen: Options, memory: Memory, limit_s: float = float("inf")
) -> Timed:
    """Run an analysis; it is stopped at the limit."""
    decided: dict[str, MutantFinding] = {}

    def emit(event: Event) -> None:
        if isinstance(event, MutantFinding):
            decided[event.mutant] = event

    gc.collect()
    started = time.perf_counter()
    try:
        report = analyse(
            found, chosen, memory, emit, cancelled=lambda: time.perf_counter() - started > limit_s
        )
    except Cancelled:
        return Timed(time.perf_counter() - started, None, decided)
    return Timed(time.perf_counter() - started, report, decided)


def proved(found: Elaborated, limit_s: float = float("inf")) -> tuple[Timed, Memory]:
    """Prove the properties; return the memory with the proofs too."""
    memory = Memory()
    return timed(found, options(mutate=False), memory, limit_s), memory


def only_proofs(memory: Memory) -> Memory:
    """Return a memory that knows the proofs of another, and nothing of mutants."""
    return Memory(proofs=memory.proofs)


def conflicts(one: Mapping[str, MutantFinding], other: Mapping[str, MutantFinding]) -> list[str]:
    """Return the mutants of which two runs both know something, and not the same."""
    open_ = {MutantStatus.UNKNOWN, MutantStatus.IGNORED}
    found = []
    for name, finding in one.items():
        second = other.get(name)
        if second is None or {finding.status, second.status} & open_:
            continue
        whole = not finding.undecided and not second.undecided
        if finding.status is not second.status or (whole and finding.killed_by != second.killed_by):
            found.append(name)
    return found


class Child:
    """Run a function in a process forked off, and receive what it sends."""

    def __init__(self, work: Callable[[Callable[[Any], None]], None]) -> None:
        context = multiprocessing.get_context("fork")
        self._values, sent = context.Pipe(duplex=False)
        self._process = context.Process(target=lambda: work(sent.send), daemon=True)
        self._process.start()
        sent.close()

    def receive(self) -> Any:
        """Wait for the next value."""
        return self._values.recv()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
