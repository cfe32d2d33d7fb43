"""What a save costs after one operator of an equation was edited, against a cold run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import models
import runs
from models import Text
from report import Section, median, percentiles

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.workspace.analysis import Memory
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.sources import language_of


def edits(found: Elaborated) -> list[tuple[ElementId, str]]:
    """Return, for each equation with an operator that can be exchanged, the text with one so."""
    content = found.parsed.source.content
    language = language_of(found.parsed.source.name)
    assert language is not None
    first: dict[ElementId, Mutant] = {}
    for mutant in enumerate_mutants(found, runs.options()):
        if mutant.replacement is not None and mutant.place is not None:
            first.setdefault(mutant.element, mutant)
    result = []
    for element, mutant in first.items():
        places = found.provenance.elements[element]
        place = places.place(mutant.path)
        if place is None or mutant.replacement is None:
            continue
        new = language.replacement(places.terms, mutant.source, mutant.path, mutant.replacement)
        whole = place.whole
        result.append((element, content[: whole.start] + new + content[whole.end :]))
    return result


def measure(seconds: float, files: int, most: int, limit_s: float) -> Section:
    """Measure within some seconds the largest files, and at most some edits of each.

    A file whose cold run takes more than `limit_s` seconds is left out. Every cold run has a
    process of its own, in which nothing was analysed before, but everything is imported. What
    somebody waits for who runs the command is measured beside it, for one edit of each file.
    """
    section = Section("saves", "A save after a one-operator edit, against a cold run")
    deadline = time.monotonic() + seconds
    texts = sorted(models.mutated(), key=lambda text: -len(text.content))[:files]
    rows: list[list[object]] = []
    everything: list[float] = []
    of_commands: list[float] = []
    unlike = compared = 0
    for position, text in enumerate(texts):
        found = text.elaborated()
        if found.program is None or time.monotonic() > deadline:
            continue
        end = time.monotonic() + (deadline - time.monotonic()) / (len(texts) - position)
        changed = [content for _, content in edits(found)]
        chosen = changed[:: max(1, len(changed) // most)]
        saves = runs.Child(lambda send, t=text, c=chosen: _saves(t, c, limit_s, send))
        ratios: list[float] = []
        colds: list[float] = []
        mine: list[float] = []
        if saves.receive() is None:
            rows.append([text.name, f"0/{len(changed)}", f"> {limit_s:g}", *[None] * 6])
            saves.close()
            continue
        for content in chosen:
            if time.monotonic() > end:
                break
            warm = saves.receive()
            edited = Text(text.name, content)
            alone = runs.Child(lambda send, t=edited: send(_seconds(t, Memory())))
            cold = alone.receive()
            alone.close()
            mine.append(warm[0])
            colds.append(cold[0])
            ratios.append(warm[0] / cold[0])
            compared += len(cold[1])
            known = {name: value for name, value in cold[1].items() if value[0] != "unknown"}
            unlike += sum(
                warm[1].get(name) != value and warm[1].get(name, ("",))[0] != "unknown"
                for name, value in known.items()
            )
        saves.close()
        if ratios:
            everything += ratios
            half, most_of, worst = percentiles(ratios, 50, 95, 100)
            command = _command(Text(text.name, chosen[0]))
            of_commands.append(mine[0] / command)
            times = [median(mine), median(colds), command]
            measured = f"{len(ratios)}/{len(changed)}"
            rows.append([text.name, measured, *times, half, most_of, worst])
    headings = ["save, s", "cold, s", "command, s", "p50", "p95", "largest"]
    section.table(["file", "edits measured", *headings], rows)
    if everything:
        half, most_of = percentiles(everything, 50, 95)
        section.say(
            f"Over all {len(everything)} edits: median {half:.3f}, p95 {most_of:.3f} of the cold"
            f" run, reading and checking the text included in both. Of {compared} verdicts found"
            f" both ways, {unlike} are not the same."
        )
        half, most_of = percentiles(of_commands, 50, 95)
        section.say(
            "Times are medians, and p50, p95 and the largest those of save over cold run. Over what"
            f" the command takes on the first of these edits (one worker, no cache), start-up and"
            f" report included: median {half:.3f}, p95 {most_of:.3f}."
        )
    assert not unlike, "a save and a cold run disagree"
    return section


def _command(text: Text) -> float:
    """Return the seconds that the command takes on a text, from nothing to its report."""
    budget = runs.BUDGET
    limits = ["--rlimit", str(budget.rlimit), "--timeout", f"{budget.timeout_s:g}"]
    options = ["--level", "paper", "--no-cache", "--jobs", "1", *limits]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, text.name)
        path.write_text(text.content, encoding="utf-8")
        command = [sys.executable, "-m", "mutproof", "mutate", *options, str(path)]
        # As installed, Python finds its own code compiled.
        compiled = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        started = time.perf_counter()
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=compiled)
        seconds = time.perf_counter() - started
    assert done.returncode in {0, 2, 3, 4}, done.stderr
    return seconds


def _saves(text: Text, changed: Sequence[str], limit_s: float, send: Callable[[Any], None]) -> None:
    """Send true once the text is decided, none if that took too long; then what edits take."""
    found, memory = text.elaborated(), Memory()
    whole = runs.timed(found, runs.options(), memory, limit_s)
    send(None if whole.report is None else True)
    for content in changed if whole.report is not None else ():
        send(_seconds(Text(text.name, content), memory))
        runs.timed(found, runs.options(), memory)  # the edit is undone


def _seconds(text: Text, memory: Memory) -> tuple[float, dict[str, tuple[str, tuple[str, ...]]]]:
    """Return what an analysis takes, with reading the text, and its verdicts."""
    started = time.perf_counter()
    found = text.elaborated()
    parsing = time.perf_counter() - started
    if found.program is None:
        return parsing, {}
    run = runs.timed(found, runs.options(), memory)
    verdicts = {name: (f.status.value, f.killed_by) for name, f in run.decided.items()}
    return parsing + run.seconds, verdicts
