"""What each way of deciding saves: everything is run with and without it, in pairs.

Leaving one out may turn a verdict into UNKNOWN, never change it; what saves less than a tenth of
the CPU time of every file has no place in the product. All limits are CPU time, and each run is a
process of its own, so neither other work on the machine nor an earlier run counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import models
import runs
import saves
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

SHOWN = 0.5
"""Seconds of CPU below which a file says nothing about what is saved."""

TIMES = 2
"""How often a run of less than a second is measured with and without; the least counts."""

LONG = 3.0
"""Seconds of CPU from which a file is measured only for what earlier files do not speak for."""

PLAIN = 1.25
"""The ratio on some file from which no long file is asked."""

OVER = 2.0
"""The times of a whole run after which one without something is cut."""


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


def run(found: Elaborated, memory: Memory, limit_s: float) -> Cost | None:
    """Analyse a model; None where that takes longer than so many seconds of CPU."""
    verdicts: dict[str, tuple[object, ...]] = {}

    def emit(event: Event) -> None:
        if isinstance(event, PropertyFinding):
            verdicts[event.name] = (event.verdict,)
        elif isinstance(event, MutantFinding):
            same = None if event.equivalence is None else event.equivalence.status.value
            killed = None if event.undecided else event.killed_by
            verdicts[event.mutant] = (event.status, killed, same)

    begun = time.process_time()
    until = begun + limit_s
    try:
        report = analyse(
            found,
            OPTIONS,
            memory,
            emit,
            cancelled=lambda: time.process_time() > until,
        )
    except Cancelled:
        return None
    return Cost(time.process_time() - begun, report.statistics.solver_calls, verdicts)


OPTIONS = Options(level="paper", cores=False, equivalence="outputs", budget=runs.BUDGET)

OPEN = {PropertyVerdict.UNKNOWN, MutantStatus.UNKNOWN, None, "undetermined"}


def compared(with_it: Verdicts, without: Verdicts) -> tuple[int, int]:
    """Return how many verdicts are lost without something, and how many are other ones."""
    lost = changed = 0
    for name, parts in with_it.items():
        for part, other in zip(parts, without[name], strict=True):
            lost += part not in OPEN and other in OPEN
            changed += part not in OPEN and other not in OPEN and part != other
    return lost, changed


@dataclass(slots=True)
class Row:
    """Hold what leaving one way out costs: in all, and on the file where that is most."""

    shortcut: Shortcut
    before: float = 0.0
    after: float = 0.0
    asked: int = 0
    answered: int = 0
    lost: int = 0
    changed: int = 0
    most: float = 0.0
    where: str = ""
    cut: list[str] = field(default_factory=list)

    def add(self, name: str, cost: Cost, without: Cost | None) -> None:
        """Add a pair of runs of a file; None is one that was cut."""
        if without is None:
            self.cut.append(name)
            ratio = OVER
        else:
            self.before, self.after = self.before + cost.seconds, self.after + without.seconds
            self.asked, self.answered = (
                self.asked + cost.questions,
                self.answered + without.questions,
            )
            ratio = without.seconds / cost.seconds
            lost, changed = compared(cost.verdicts, without.verdicts)
            self.lost, self.changed = self.lost + lost, self.changed + changed
        if cost.seconds >= SHOWN and ratio > self.most:
            self.most, self.where = ratio, name

    def cells(self) -> list[object]:
        """Return what the table shows."""
        return [
            self.shortcut.name,
            self.after / max(self.before, 1e-9),
            self.most,
            self.where,
            len(self.cut),
            self.answered / max(self.asked, 1),
            self.lost,
            self.changed,
        ]


def measure(seconds: float, texts: Sequence[models.Text], limit_s: float) -> Section:
    """Measure on some models, smallest first, until so many seconds of CPU are spent.

    A model that takes longer than the limit is left out. Each is measured from nothing (in a
    process forked off, so that its memory stays empty), and, if it is not long, a save of it with
    one operator exchanged.
    """
    section = Section("ablation", "What each way of deciding saves")
    rows = [Row(shortcut) for shortcut in SHORTCUTS]
    for name in ("demo.lus", "traffic_light.smv"):  # what is imported late is no part of a run
        example = models.Text(name, (models.ROOT / "examples" / name).read_text())
        run(example.elaborated(), Memory(), limit_s)
    clock = Clock(seconds)
    whole: list[tuple[float, models.Text]] = []
    for text in texts:
        found = text.elaborated()
        cost = clock.spent(partial(run, found, Memory(), limit_s))
        if cost is not None:
            whole.append((cost.seconds, text))
    done: list[str] = []
    total = 0.0
    for once, text in sorted(whole, key=lambda pair: (pair[0], pair[1].name)):
        if clock.is_over:
            section.say(f"There was no time for `{text.name}` ({once:.1f} s).")
            continue
        found = text.elaborated()
        _fill(rows, text.name, partial(run, found, Memory()), clock)
        done.append(f"{text.name} {once:.1f}")
        total += once
        edited = _edited(text, found) if once < LONG else None
        if edited is not None:
            memory = Memory()
            run(found, memory, limit_s)
            name = f"{text.name}, saved"
            _fill(rows, name, partial(run, edited, memory), clock)
    section.say(
        f"{len(done)} models, {total:.0f} s of CPU with everything ({', '.join(done)}), and a save"
        f" of each that takes less than {LONG:g} s. Each line leaves one way out: CPU time without"
        f" over with it, in total and on the file (of {SHOWN} s or more) where that is most"
        f" ({OVER:g} stands for a run that was cut there; files of {LONG:g} s or more are asked"
        f" only where no other gave {PLAIN:g}); how many were cut; questions likewise; verdicts"
        " that are lost, and that are others."
    )
    section.table(
        ["left out", "total", "most", "on", "cut", "questions", "lost", "changed"],
        [row.cells() for row in rows],
    )
    idle = [row.shortcut.name for row in rows if row.most < 1 / (1 - WORTH)]
    section.say(f"Saves less than a tenth of any file's time here: {', '.join(idle) or 'none'}.")
    return section


def _edited(text: models.Text, found: Elaborated) -> Elaborated | None:
    """Return what a text means with one operator exchanged; None where there is no such edit."""
    changed = [content for _, content in saves.edits(found)]
    for content in changed[len(changed) // 2 :]:
        edited = models.Text(text.name, content).elaborated()
        if edited.program is not None:
            return edited
    return None


def _fill(
    rows: Sequence[Row], name: str, once: Callable[[float], Cost | None], clock: Clock
) -> None:
    cost = clock.spent(partial(once, float("inf")))
    assert cost is not None
    for row in rows:
        is_long = cost.seconds >= LONG
        if clock.is_over or (is_long and row.most >= PLAIN):
            continue
        limit = max(OVER * cost.seconds, 1.0)
        found, left_out = [cost], []
        for _ in range(1 if cost.seconds >= 1 else TIMES):
            if not is_long:
                found.append(clock.spent(partial(once, float("inf"))) or cost)
            with row.shortcut.left_out():
                left_out.append(clock.spent(partial(once, limit)))
        least = [each for each in left_out if each is not None]
        pair = found if is_long else found[1:]  # those that were run in turn with the others
        row.add(name, min(pair, key=_seconds), min(least, key=_seconds) if least else None)


def _seconds(cost: Cost) -> float:
    return cost.seconds


class Clock:
    """Run measurements in processes of their own, and count the CPU time that they take."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds

    @property
    def is_over(self) -> bool:
        """Tell whether no time is left."""
        return self._left <= 0

    def spent(self, once: Callable[[], Cost | None]) -> Cost | None:
        """Return what a run in a process forked off costs; None where it was cut."""

        def work(send: Callable[[object], None]) -> None:
            begun = time.process_time()
            cost = once()
            send((cost, time.process_time() - begun))

        child = runs.Child(work)
        try:
            cost, seconds = child.receive()
        finally:
            child.close()
        self._left -= seconds
        return cost  # type: ignore[no-any-return]
