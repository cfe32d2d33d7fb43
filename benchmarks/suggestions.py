"""Properties that are suggested: how many gaps they close, and what a run of its own says of them.

Every suggestion of a best set is written into the file, and the file is analysed as any other:
each must be proved there, and kill what it is said to kill.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace

import models
from report import Section, median

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.analyses.suggesting.finding import Suggestion
from mutproof.base.budget import Budget
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.editing import edited
from mutproof.model.language import Elaborated
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.findings import Report
from mutproof.workspace.insertion import insertion
from mutproof.workspace.options import Options

OPTIONS = Options(cores=False, equivalence="outputs", suggest=True, budget=Budget(timeout_s=10.0))


def measure(seconds: float, files: int, most_s: float) -> Section:
    """Suggest for so many models of each language, each within some seconds."""
    section = Section("suggestions", "Suggested properties")
    deadline = time.monotonic() + seconds
    rows: list[list[object]] = []
    counts: Counter[str] = Counter()
    conditions: list[float] = []
    reasons: Counter[str] = Counter()
    for text in models.varied(files):
        left = min(most_s, deadline - time.monotonic())
        if left < 1:
            counts["models not begun"] += 1
            continue
        found = text.elaborated()
        report = _report(found, left)
        if report is None:
            rows.append([text.name, "not in time", "", "", "", "", ""])
            continue
        suggested = report.suggestions
        gaps = [
            mutant.mutant
            for mutant in report.mutants
            if mutant.equivalence is not None and mutant.equivalence.status is EquivalenceStatus.GAP
        ]
        if suggested is None or not gaps:
            continue
        best = [one for one in suggested.suggestions if one.name in suggested.best]
        closed = {name for one in best for name in one.kills}
        wrong = _wrong(found, best, most_s, counts)
        if wrong == ["not checked in time"]:
            counts[wrong.pop()] += 1
        assert not wrong, f"{text.name}: {wrong}"
        counts["gaps"] += len(gaps)
        counts["closed"] += len(closed)
        counts["properties"] += len(best)
        conditions += [len(one.conditions) for one in best]
        reasons.update(reason for _, reason in suggested.left)
        share = f"{len(closed) / len(gaps):.0%}"
        rows.append(
            [
                text.name,
                len(gaps),
                len(closed),
                share,
                len(best),
                suggested.seconds,
                report.statistics.seconds,
            ]
        )
    head = ["model", "gaps", "closed", "share", "properties", "search s", "all s"]
    section.table(head, rows)
    section.say(
        f"{counts['closed']} of {counts['gaps']} gaps are closed by {counts['properties']}"
        f" properties, of {median(conditions) or 0:.0f} conditions (median), each proved, and"
        " seen to kill what it is said to kill, by a run on the file that it was written to"
        f" ({counts['undecided there']} mutants stay undecided there,"
        f" {counts['not checked in time']} files are not checked in time)."
    )
    for reason, count in reasons.most_common():
        section.say(f"* {count} left: {reason}")
    return section


def _report(found: Elaborated, seconds: float, options: Options = OPTIONS) -> Report | None:
    """Return what an analysis finds, None where that takes longer."""
    deadline = time.monotonic() + seconds
    try:
        return analyse(
            found, options, Memory(), lambda _: None, cancelled=lambda: time.monotonic() > deadline
        )
    except Cancelled:
        return None


def _wrong(
    found: Elaborated, best: list[Suggestion], most_s: float, counts: Counter[str]
) -> list[str]:
    """Return what is said of suggestions, and not so where they are written into the file."""
    if not best:
        return []
    source = found.parsed.source
    assert found.program is not None
    language = LANGUAGES[found.program.language]
    content = edited(source.content, insertion(language, found, best))
    written = language.elaborate(language.parse(SourceText(source.name, content)))
    wanted = tuple(dict.fromkeys(name for one in best for name in one.kills))
    options = replace(
        OPTIONS,
        suggest=False,
        equivalence="",
        properties=tuple(one.name for one in best),
        mutants=wanted,
    )
    report = _report(written, most_s, options)
    if report is None:
        return ["not checked in time"]
    proved = {p.declared for p in report.properties if p.verdict is PropertyVerdict.PROVED}
    killed = {
        (mutant.mutant, name.rpartition(".")[2])
        for mutant in report.mutants
        for name in (*mutant.killed_by, *mutant.undecided)
    }
    killed |= {
        (mutant.mutant, one.name)
        for mutant in report.mutants
        if mutant.status is MutantStatus.UNKNOWN
        for one in best
    }
    unseen = [m for m in report.mutants if m.status is not MutantStatus.KILLED]
    counts["undecided there"] += sum(m.status is MutantStatus.UNKNOWN for m in unseen)
    wrong = [f"{one.name} is not proved" for one in best if one.name not in proved]
    return wrong + [
        f"{one.name} does not kill {mutant}"
        for one in best
        for mutant in one.kills
        if (mutant, one.name) not in killed
    ]
