"""Strategies against each other, and mutation against proof, file by file."""

from __future__ import annotations

import time

import models
import runs
from report import Plot, Section, median
from runs import Timed

from mutproof.analyses.strategies import STRATEGIES
from mutproof.model.language import Elaborated
from mutproof.workspace.analysis import Memory

REPEAT_BELOW_S = 0.5


def measure(seconds: float, limit_s: float) -> Section:
    """Compare within some seconds; a strategy is stopped after `limit_s` seconds on a file."""
    section = Section("strategies", "Strategies against each other")
    deadline = time.monotonic() + seconds
    names = STRATEGIES.names()
    others = [name for name in names if name != "default"]
    total = dict.fromkeys(names, 0.0)
    whole = dict.fromkeys(names, 0.0)
    unknown = dict.fromkeys(names, 0)
    rows: list[list[object]] = []
    rates, shares, worst = [], [], []
    stopped = differing = left_out = 0
    texts = sorted(models.mutated(), key=lambda text: len(text.content))
    for text in texts:
        found = text.elaborated()
        if found.program is None:
            continue
        if time.monotonic() > deadline:
            left_out += 1
            continue
        proof, memory = runs.proved(found, limit_s)
        if proof.report is None or not proof.report.statistics.properties_proved:
            rows.append([text.name, *[None] * (5 + len(others)), "no property proved"])
            continue
        outcomes = {name: _best(found, memory, name, limit_s) for name in names}
        reference = outcomes["default"]
        notes = []
        for name, outcome in outcomes.items():
            total[name] += outcome.seconds
            largest = max(len(one.decided) for one in outcomes.values())
            whole[name] += outcome.seconds * largest / max(1, len(outcome.decided))
            missing = len(reference.decided) - len(outcome.decided)
            unknown[name] += outcome.counts["unknown"] + max(0, missing)
            clashes = runs.conflicts(reference.decided, outcome.decided)
            differing += len(clashes)
            if outcome.report is None:
                stopped += 1
                notes.append(f"{name} stopped at {len(outcome.decided)}")
        cells = [outcomes[name].seconds / reference.seconds for name in others]
        worst.append(min(outcomes[name].seconds for name in others) / reference.seconds)
        count = len(reference.decided)
        rates.append(count / reference.seconds)
        shares.append(reference.seconds / proof.seconds)
        unknowns = " / ".join(str(outcomes[name].counts["unknown"]) for name in names)
        rows.append([text.name, count, *cells, rates[-1], shares[-1], unknowns, "; ".join(notes)])
    head = ["file", "mutants", *(f"{n} ÷ default" for n in others)]
    head += ["mutants/s", "mutation ÷ proof", f"unknown ({' / '.join(names)})", "remarks"]
    section.table(head, rows)
    ratios = ", ".join(
        f"{name} ÷ default = {total[name] / max(total['default'], 1e-9):.1f}" for name in others
    )
    section.say(
        f"In total: {ratios} (a lower bound where a strategy was stopped after {limit_s:g} s on a"
        f" file: {stopped} times; {left_out} files left out for lack of time). Unknown or not"
        f" reached: {', '.join(f'{name} {unknown[name]}' for name in names)}. Verdicts on which two"
        f" strategies disagree: {differing}."
    )
    guessed = ", ".join(
        f"{name} ÷ default = {whole[name] / max(whole['default'], 1e-9):.1f}" for name in others
    )
    section.say(f"With stopped runs prolonged as if their other mutants took as long: {guessed}.")
    section.say(
        f"Median mutants per second of `default` in one process: {median(rates) or 0:.0f}. Median"
        f" of mutation time over proof time: {median(shares) or 0:.2f}. Slowest file against the"
        f" better of the other two: {min(worst, default=0):.2f} times as fast."
    )
    points: dict[str, list[tuple[float, float]]] = {
        name: [(float(row[1]), float(str(row[2 + n]))) for row in rows if isinstance(row[1], int)]
        for n, name in enumerate(others)
    }
    if all(points.values()):
        plot = Plot("strategies.svg", "mutants of the file", "time over that of default", points)
        section.plots.append(plot)
    assert not differing, "strategies disagree"
    return section


def _best(found: Elaborated, memory: Memory, name: str, limit_s: float) -> Timed:
    """Return the faster of some runs where one is short."""
    chosen = runs.options(strategy=name)
    first = runs.timed(found, chosen, runs.only_proofs(memory), limit_s)
    again = 2 if first.seconds < REPEAT_BELOW_S else 0
    repeated = [runs.timed(found, chosen, runs.only_proofs(memory)) for _ in range(again)]
    return min([first, *repeated], key=lambda run: run.seconds)
