"""What a save costs after one operator of an equation was edited, against a cold run."""

from __future__ import annotations

import time

import models
import runs
from models import Text
from report import Section, median, percentiles

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.languages import LANGUAGES
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.workspace.analysis import Memory, enumerate_mutants

SKIPPED = {"equation_remove", "equal_V", "init_V"}


def edits(found: Elaborated) -> list[tuple[ElementId, str]]:
    """Return, for each equation with an operator that can be exchanged, the text with one so."""
    content = found.parsed.source.content
    first: dict[ElementId, Mutant] = {}
    for mutant in enumerate_mutants(found, runs.options()):
        if mutant.replacement is not None and mutant.place is not None:
            first.setdefault(mutant.element, mutant)
    result = []
    for element, mutant in first.items():
        place = found.provenance.elements[element].place(mutant.path)
        if place is None or mutant.replacement is None:
            continue
        language = LANGUAGES["lustre"]
        new = language.print_replacement(mutant.source, mutant.path, mutant.replacement)
        whole = place.whole
        result.append((element, content[: whole.start] + new + content[whole.end :]))
    return result


def measure(seconds: float, files: int, most: int, limit_s: float) -> Section:
    """Measure within some seconds the largest files, and at most some edits of each.

    A file whose cold run takes more than `limit_s` seconds is left out.
    """
    section = Section("saves", "A save after a one-operator edit, against a cold run")
    deadline = time.monotonic() + seconds
    texts = sorted(models.mutated(), key=lambda text: -len(text.content))[:files]
    rows: list[list[object]] = []
    everything: list[float] = []
    unlike = compared = 0
    for position, text in enumerate(texts):
        found = text.elaborated()
        if found.program is None or time.monotonic() > deadline:
            continue
        end = time.monotonic() + (deadline - time.monotonic()) / (len(texts) - position)
        changed = edits(found)
        step = max(1, len(changed) // most)
        ratios: list[float] = []
        colds: list[float] = []
        memory = Memory()
        whole = runs.timed(found, runs.options(), memory, limit_s)
        if whole.report is None:
            rows.append([text.name, f"0/{len(changed)}", f"> {limit_s:g}", None, None, None])
            continue
        for _, content in changed[::step]:
            if time.monotonic() > end:
                break
            edited = Text(text.name, content)
            warm, cold = _seconds(edited, memory), _seconds(edited, Memory())
            colds.append(cold[0])
            ratios.append(warm[0] / cold[0])
            compared += len(cold[1])
            known = {name: (s, k) for name, (s, k) in cold[1].items() if s != "unknown"}
            unlike += sum(
                warm[1].get(name) != value and warm[1].get(name, ("",))[0] != "unknown"
                for name, value in known.items()
            )
            runs.timed(found, runs.options(), memory)  # the edit is undone
        if ratios:
            everything += ratios
            half, most_of, worst = percentiles(ratios, 50, 95, 100)
            rows.append(
                [text.name, f"{len(ratios)}/{len(changed)}", median(colds), half, most_of, worst]
            )
    section.table(
        ["file", "edits measured", "cold, median s", "p50", "p95", "largest"],
        rows,
    )
    if everything:
        half, most_of = percentiles(everything, 50, 95)
        section.say(
            f"Over all {len(everything)} edits: median {half:.3f}, p95 {most_of:.3f} of the cold"
            f" run, reading and checking the text included in both. Of {compared} verdicts found"
            f" both ways, {unlike} are not the same."
        )
    assert not unlike, "a save and a cold run disagree"
    return section


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
