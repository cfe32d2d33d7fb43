"""Families of mutants in decision diagrams against one run for each mutant."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import families
import models
import runs
from report import Section, median

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.base.budget import Deadline
from mutproof.model.interpretation import interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import PropertyKind
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import Undecided
from mutproof.workspace.enumeration import enumerate_mutants

FEWEST = 12
"""Models with fewer mutants say nothing of families."""


def measure(seconds: float, files: int, most: int) -> Section:
    """Compare models with proved temporal properties; at most some mutants of each."""
    section = Section("temporal", "Families of NuSMV mutants against one by one")
    deadline = time.monotonic() + seconds
    rows: list[list[object]] = []
    ratios: list[float] = []
    differing = 0
    for text in models.finite():
        left = deadline - time.monotonic()
        if len(rows) >= files or left < 1:
            break
        found = text.elaborated()
        if found.program is None:
            continue
        outcome = _compared(found, most, min(left / 2, seconds / files * 4))
        if outcome is None:
            continue
        specs, count, quick, slow, known, unlike, whole = outcome
        differing += unlike
        ratio = slow / quick
        ratios.append(ratio)
        remark = "" if whole else "one by one stopped: a lower bound"
        rows.append([text.name, specs, count, quick, slow, ratio, known, remark])
    head = ["model", "properties", "mutants", "family s", "one by one s", "ratio"]
    section.table([*head, "verdicts of both", "remarks"], rows)
    together, apart = (sum(float(str(row[column])) for row in rows) for column in (3, 4))
    section.say(
        f"{len(rows)} models; median ratio {median(ratios) or 0:.2f}, total"
        f" {apart / max(1e-9, together):.2f}; {differing} verdicts differ."
    )
    assert not differing, "families decide otherwise than runs of their own"
    return section


def generated(most: int) -> Section:
    """Compare on token rings and counters, with small changes instead of mutants."""
    section = Section("families", "Families of small changes on generated NuSMV models")
    head = f"{'model':32} {'specs':>5} {'changes':>7} {'apart s':>8} {'family s':>8} {'ratio':>6}"
    lines = ["```", f"{head} {'known':>6} {'of':>6} {'differ':>6}"]
    options = argparse.Namespace(seconds=30.0, largest=64, most=most)
    made = {
        "ring3": families.ring(3),
        "ring5": families.ring(5),
        "counters4": families.counters(4),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, content in made.items():
            path = Path(folder, f"{name}.smv")
            path.write_text(content)
            lines.append(families.measured(path, options))
    section.lines += [*lines, "```"]
    return section


def _compared(
    found: Elaborated, most: int, seconds: float
) -> tuple[int, int, float, float, int, int, bool] | None:
    """Return sizes, the seconds of both ways and how verdicts compare; None: nothing to do."""
    program = found.program
    assert program is not None
    meaning = interpretation(program)
    system = meaning.system()
    if all(p.kind is PropertyKind.INVARIANT for p in system.properties):
        return None
    proof, memory = runs.proved(found, seconds)
    if proof.report is None:
        return None
    holds = {
        f.name: memory.proofs.proofs[f.name][0]
        for f in proof.report.properties
        if f.verdict is PropertyVerdict.PROVED and f.name in memory.proofs.proofs
    }
    names = [
        p.name
        for p in system.properties
        if p.name in holds and p.kind is not PropertyKind.INVARIANT
    ]
    if not names:
        return None
    mutants = enumerate_mutants(found, runs.options("default"))[:most]
    load = Mutants(Baseline(meaning, system, holds, {}), mutants).lowered(lambda: None)
    alternatives = {
        name: Alternative(claim.variant.removed, claim.variant.constraints)
        for name, claim in load.claims.items()
        if claim.variant.is_local and not load.arrived[name].refused
    }
    if len(alternatives) < FEWEST:
        return None
    times, outcomes = [], []
    for largest in (64, 1):
        begun = time.perf_counter()
        outcomes.append(
            check_family(load.system, alternatives, names, Deadline.after(seconds), largest=largest)
        )
        times.append(time.perf_counter() - begun)
    known = unlike = 0
    for name in alternatives:
        for goal in names:
            one, other = (outcome.verdicts[name][goal] for outcome in outcomes)
            if not isinstance(one, Undecided) and not isinstance(other, Undecided):
                known += 1
                unlike += type(one) is not type(other)
    whole = not outcomes[1].reason
    return len(names), len(alternatives), times[0], times[1], known, unlike, whole
