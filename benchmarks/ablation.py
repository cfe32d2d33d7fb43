"""What each way of deciding saves: everything is run with and without it, in pairs.

Leaving one out may turn a verdict into UNKNOWN, never change it; what saves less than a tenth of
the CPU time of every file has no place in the product.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import models
import runs
from report import Section

from mutproof.analyses import strategies
from mutproof.analyses.bench.paths import Paths
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.analyses.equivalence.looks import Looks
from mutproof.analyses.equivalence.pairs import Pairs
from mutproof.analyses.equivalence.suppositions import Suppositions
from mutproof.model.language import Elaborated
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options

WORTH = 0.1
"""The part of the CPU time of some file that a way of deciding must save."""

TIMES = 2
"""How often each file is run with and without; the least counts."""

SHOWN = 0.5
"""Seconds of CPU below which a file says nothing about what is saved."""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Name what can be left out: `instead` takes the place of an attribute."""

    name: str
    owner: Any
    attribute: str
    instead: Any

    @contextmanager
    def left_out(self) -> Iterator[None]:
        """Leave it out in the context."""
        before = vars(self.owner)[self.attribute]
        setattr(self.owner, self.attribute, self.instead)
        try:
            yield
        finally:
            setattr(self.owner, self.attribute, before)


def _nothing(*_: object, **__: object) -> None:
    """Do nothing."""


def rungs() -> Iterator[Shortcut]:
    """Yield the rungs of the default strategy, each left out of it."""
    strategy = strategies.STRATEGIES["default"]
    for name in dict.fromkeys(rung.name for rung in strategy.rungs):
        yield Shortcut(name, strategies, "STRATEGIES", {"default": strategy.without(name)})


SHORTCUTS = (
    *rungs(),
    Shortcut("paths that break proofs", Paths, "learn", _nothing),
    Shortcut("suppositions about survivors", Suppositions, "suppose", _nothing),
    Shortcut("delays of differences", Suppositions, "delay", _nothing),
    Shortcut("all states of products", Pairs, "visit", _nothing),
    Shortcut("search in many products", Looks, "_search_together", _nothing),
)
"""What may be left out, in the order in which it comes into play."""

Verdicts = Mapping[str, tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Cost:
    """Hold the seconds of CPU of a run, the questions it asked, and what it found."""

    seconds: float
    questions: int
    verdicts: Verdicts


def run(found: Elaborated, options: Options, limit_s: float) -> Cost | None:
    """Analyse a model from nothing; None where that takes longer than the limit."""
    verdicts: dict[str, tuple[object, ...]] = {}

    def emit(event: Event) -> None:
        if isinstance(event, PropertyFinding):
            verdicts[event.name] = (event.verdict,)
        elif isinstance(event, MutantFinding):
            same = None if event.equivalence is None else event.equivalence.status.value
            killed = None if event.undecided else event.killed_by
            verdicts[event.mutant] = (event.status, killed, same)

    until = time.monotonic() + limit_s
    begun = time.process_time()
    try:
        report = analyse(found, options, Memory(), emit, cancelled=lambda: time.monotonic() > until)
    except Cancelled:
        return None
    return Cost(time.process_time() - begun, report.statistics.solver_calls, verdicts)


OPEN = {PropertyVerdict.UNKNOWN, MutantStatus.UNKNOWN, None, "undetermined"}


def compared(with_it: Verdicts, without: Verdicts) -> tuple[int, int]:
    """Return how many verdicts are lost without something, and how many are other ones."""
    lost = changed = 0
    for name, parts in with_it.items():
        for part, other in zip(parts, without[name], strict=True):
            lost += part not in OPEN and other in OPEN
            changed += part not in OPEN and other not in OPEN and part != other
    return lost, changed


def measure(seconds: float, texts: Sequence[models.Text], limit_s: float) -> Section:
    """Measure on some models within some seconds; a model over the limit is left out."""
    section = Section("ablation", "What each way of deciding saves")
    deadline = time.monotonic() + seconds
    options = Options(level="paper", cores=False, equivalence="outputs", budget=runs.BUDGET)
    whole: dict[str, tuple[Elaborated, Cost]] = {}
    for text in texts:
        found = text.elaborated()
        cost = _least(lambda found=found: run(found, options, limit_s))  # type: ignore[misc]
        if cost is not None and time.monotonic() < deadline:
            whole[text.name] = found, cost
    rows = []
    for shortcut in SHORTCUTS:
        if time.monotonic() > deadline:
            section.say(f"There was no time for `{shortcut.name}`.")
            continue
        rows.append(_row(shortcut, whole, options, limit_s))
    section.say(
        f"{len(whole)} models, {sum(cost.seconds for _, cost in whole.values()):.1f} s of CPU with"
        " everything. Each line leaves one way out: CPU time without over with it, in total and"
        f" on the file (of {SHOWN} s or more) where that is most; questions likewise; verdicts that"
        " are lost, and that are others."
    )
    section.table(
        ["left out", "total", "most", "on", "questions", "lost", "changed"],
        rows,
    )
    idle = [row[0] for row in rows if isinstance(row[2], float) and row[2] < 1 / (1 - WORTH)]
    section.say(f"Saves less than a tenth of any file's time here: {', '.join(map(str, idle))}.")
    return section


def _row(
    shortcut: Shortcut,
    whole: Mapping[str, tuple[Elaborated, Cost]],
    options: Options,
    limit_s: float,
) -> list[object]:
    before = after = 0.0
    asked = answered = lost = changed = 0
    most, where = 0.0, ""
    for name, (found, cost) in whole.items():
        cost, without = _pair(shortcut, cost, partial(run, found, options, 4 * limit_s))
        if without is None:
            lost += len(cost.verdicts)
            most, where = float("inf"), name
            continue
        before, after = before + cost.seconds, after + without.seconds
        asked, answered = asked + cost.questions, answered + without.questions
        ratio = without.seconds / cost.seconds
        if cost.seconds >= SHOWN and ratio > most:
            most, where = ratio, name
        some = compared(cost.verdicts, without.verdicts)
        lost, changed = lost + some[0], changed + some[1]
    return [
        shortcut.name,
        after / max(before, 1e-9),
        most,
        where,
        answered / max(asked, 1),
        lost,
        changed,
    ]


def _pair(
    shortcut: Shortcut, cost: Cost, once: Callable[[], Cost | None]
) -> tuple[Cost, Cost | None]:
    """Run with and without in turn, as the machine's pace changes; return the least of each."""
    found: list[Cost | None] = []
    left_out: list[Cost | None] = []
    for _ in range(TIMES):
        with shortcut.left_out():
            left_out.append(once())
        if left_out[-1] is None:
            break  # it takes too long
        found.append(once())
    return _cheapest(found) or cost, _cheapest(left_out)


def _least(once: Callable[[], Cost | None]) -> Cost | None:
    return _cheapest([once() for _ in range(TIMES)])


def _cheapest(found: Sequence[Cost | None]) -> Cost | None:
    """Return the run of the least time, None where some took too long, or none was made."""
    costs = [cost for cost in found if cost is not None]
    is_whole = costs and len(costs) == len(found)
    return min(costs, key=lambda cost: cost.seconds) if is_whole else None
