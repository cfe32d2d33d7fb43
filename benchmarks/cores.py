"""What cores cost over the proof alone: one core as `prove` reports it, and all minimal ones."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import models
import psutil
import runs
from report import Section, median

from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report

SEARCHES = ("brief", "all")
"""The searches for cores that are measured; see `Options.core_search`."""


def measure(seconds: float, limit_s: float) -> Section:
    """Measure models until the seconds are over; runs of more than the limit are stopped.

    Models that are not proved within a fifth of the limit are left out.
    """
    section = Section("cores", "Cores over the proof alone")
    until = time.monotonic() + seconds
    rows: list[tuple[str, list[float], str]] = []
    for text in models.cored():
        if time.monotonic() > until:
            break
        runs.proved(text.elaborated(), limit_s / 5)  # what it imports is not measured
        proof, found = _measured(text, "", limit_s / 5)
        if found is None or any(p.verdict is not PropertyVerdict.PROVED for p in found.properties):
            continue
        times = [_measured(text, search, limit_s) for search in SEARCHES]
        last = times[-1][1]
        whole = last is not None and all(p.cores and p.cores.complete for p in last.properties)
        ratios = [spent / proof for spent, _ in times]
        rows.append((text.name, [proof, *ratios], "yes" if whole else "no"))
    section.say(
        f"CPU time with other processes, start-up excluded; {len(rows)} models, runs of all cores"
        f" stopped after {limit_s:g} s; one core: as `prove` reports it, for a share of the effort."
    )
    medians = ["median", *(median([row[1][i] for row in rows]) for i in range(3)), ""]
    head = ["model", "proof s", "with one core ÷ proof", "with all ÷ proof", "all found"]
    section.table(head, [medians, *([name, *figures, whole] for name, figures, whole in rows)])
    return section


def _measured(text: models.Text, search: str, limit_s: float) -> tuple[float, Report | None]:
    """Return the CPU seconds of a run with a search for cores (empty: none), and its report."""
    options = replace(runs.options(mutate=False), cores=bool(search))
    if search:
        options = replace(options, core_search=search)
    found = text.elaborated()
    runs.proved(models.cells(1).elaborated())  # or this run would know executions of the last one
    begun = _cpu_s()
    report = runs.timed(found, options, Memory(), limit_s).report
    return _cpu_s() - begun, report


def _cpu_s() -> float:
    """Return the CPU seconds of this process and of its children, living and dead."""
    ended = os.times()
    spent = time.process_time() + ended.children_user + ended.children_system
    for child in psutil.Process().children(recursive=True):
        times = child.cpu_times()
        spent += times.user + times.system
    return spent
