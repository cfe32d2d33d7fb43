"""Properties that are suggested: how many gaps they close, and what a run of its own says of them.

Every suggestion of a best set is written into the file, and the file is analysed as any other:
each must be proved there, and kill what it is said to kill.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import models
from report import Section, median, percentiles

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.analyses.equivalence.behaviours import Decided, behaviours
from mutproof.analyses.suggesting.finding import Suggestion
from mutproof.base.budget import Budget
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.editing import edited
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId, Program, VariableKind
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.findings import Report
from mutproof.workspace.insertion import insertion
from mutproof.workspace.options import Options

OPTIONS = Options(cores=False, equivalence="outputs", suggest=True, budget=Budget(timeout_s=10.0))


ELEMENTS = 4
"""Of how many elements of each model it is measured what their suggestions alone take."""


@dataclass
class Totals:
    """Collect what is counted over all models; mutable."""

    classes: int = 0
    on_outputs: int = 0
    closed_on_outputs: int = 0
    closed: Counter[str] = field(default_factory=Counter)  # by the form of what closes a class
    left: Counter[str] = field(default_factory=Counter)
    best: int = 0
    literals: list[float] = field(default_factory=list)
    elements: list[float] = field(default_factory=list)  # seconds for the suggestions of each
    gaps: int = 0
    closed_gaps: int = 0
    restating: int = 0
    closed_restating: int = 0
    undecided_there: int = 0
    unchecked: int = 0


def measure(seconds: float, files: int, most_s: float) -> Section:
    """Suggest for so many models of each language, each within some seconds."""
    section = Section("suggestions", "Suggested properties")
    deadline = time.monotonic() + seconds
    rows: list[list[object]] = []
    totals = Totals()
    late: list[str] = []
    for text in models.varied(files):
        left = min(most_s, deadline - time.monotonic())
        memory, found = Memory(), text.elaborated()
        report = _report(found, left, memory=memory) if left > 1 else None
        if report is None:
            late.append(text.name)
            continue
        elements = {one.id: one.element for one in enumerate_mutants(found, OPTIONS)}
        row = _row(found, report, elements, totals, most_s=most_s)
        if row is not None:
            _alone(found, report, elements, totals, memory=memory)
            rows.append([text.name, *row])
    head = ["model", "gaps", "classes", "closed", "share", "best set", "search s"]
    section.table(head, rows)
    closed = sum(totals.closed.values())
    forms = ", ".join(f"{count} by {form}" for form, count in totals.closed.most_common())
    section.say(
        f"Classes are gaps that are one function. {closed} of {totals.classes} classes"
        f" ({_percent(closed, totals.classes)}) have a suggestion that kills all of their mutants"
        f" ({forms}); of those in equations of outputs {totals.closed_on_outputs}"
        f" of {totals.on_outputs} ({_percent(totals.closed_on_outputs, totals.on_outputs)})."
        f" Best sets have {totals.best} properties"
        f" ({_percent(totals.best, totals.classes)} of the classes) and close"
        f" {totals.closed_gaps} of {totals.gaps} gaps; {totals.restating} that restate an element"
        f" would make that {totals.closed_restating}. Median number of literals:"
        f" {median(totals.literals) or 0:.0f}."
    )
    half, most = percentiles(totals.elements, 50, 95) if totals.elements else (0.0, 0.0)
    section.say(
        f"Suggestions of one element, once its gaps are known, take {half:.2f} s (median of"
        f" {len(totals.elements)} elements, p95 {most:.1f} s); the first comes no later."
    )
    section.say(
        "Each property of a best set was written into the file, and a run on that file alone"
        " proved it and saw it kill what it is said to kill"
        f" ({totals.undecided_there} mutants stay undecided there,"
        f" {totals.unchecked} files were not checked in time)."
    )
    if late:
        section.say(f"Not in time: {', '.join(late)}.")
    for reason, count in totals.left.most_common():
        section.say(f"* {count} classes left: {reason}")
    return section


def _percent(part: int, whole: int) -> str:
    return f"{part / max(whole, 1):.0%}"


def _row(
    found: Elaborated,
    report: Report,
    elements: Mapping[str, ElementId],
    totals: Totals,
    *,
    most_s: float,
) -> tuple[object, ...] | None:
    """Return what the table says of a model, None where there is no gap."""
    suggested, program = report.suggestions, found.program
    assert program is not None
    decided = (
        Decided(one.mutant, elements[one.mutant], one.status, one.equivalence)
        for one in report.mutants
        if one.mutant in elements
    )
    classes = behaviours(decided, program).all
    if suggested is None or not classes:
        return None
    best = suggested.best_set
    complete = suggested.chosen(restating=True)
    both = tuple(one for one in suggested.suggestions if one in best or one in complete)
    wrong = _wrong(found, both, most_s, totals)
    assert not wrong, f"{found.parsed.source.name}: {wrong}"
    why = dict(suggested.left)
    closed = 0
    for one in classes:
        closing = [s for s in suggested.suggestions if set(one.mutants) & set(s.kills)]
        is_closed = set(one.mutants) <= {name for s in closing for name in s.kills}
        on_output = _is_of_output(program, one.element)
        totals.on_outputs += on_output
        if is_closed:
            closed += 1
            totals.closed_on_outputs += on_output
            totals.closed[min(map(_form, closing), key=FORMS.index)] += 1
        else:
            totals.left[next(why[name] for name in one.mutants if name in why)] += 1
    gaps = sum(len(one.mutants) for one in classes)
    totals.classes += len(classes)
    totals.best += len(best)
    totals.literals += [len(one.conditions) + 1 for one in best]
    totals.gaps += gaps
    totals.closed_gaps += len({name for one in best for name in one.kills})
    totals.restating += sum(one.restates for one in complete)
    totals.closed_restating += len({name for one in complete for name in one.kills})
    share = _percent(closed, len(classes))
    return gaps, len(classes), closed, share, len(best), suggested.seconds


def _is_of_output(program: Program, element: ElementId) -> bool:
    """Tell whether an element is an equation of an output of its node."""
    if program.traits.is_flattened:
        return False  # its modules have none
    component = program.component(element.component)
    outputs = {variable.name for variable in component.of_kind(VariableKind.OUTPUT)}
    return any(not outputs.isdisjoint(one.targets) for one in program.by_id[element])


FORMS = (
    "a claim without conditions",
    "a claim under conditions",
    "temporal logic",
    "the equation again",
)


def _form(one: Suggestion) -> str:
    if one.restates:
        return FORMS[3]
    if one.logic != "invariant":
        return FORMS[2]
    return FORMS[1] if one.conditions else FORMS[0]


def _alone(
    found: Elaborated,
    report: Report,
    elements: Mapping[str, ElementId],
    totals: Totals,
    *,
    memory: Memory,
) -> None:
    """Measure the suggestions of some elements each, where the verdicts on gaps are known."""
    gaps = [
        elements[one.mutant]
        for one in report.mutants
        if one.equivalence is not None and one.equivalence.status is EquivalenceStatus.GAP
    ]
    several = [*dict.fromkeys(name for element in gaps for name in element.called)]
    for name in several[:: max(1, len(several) // ELEMENTS)][:ELEMENTS]:
        again = _report(found, 60.0, replace(OPTIONS, elements=(name,)), memory=memory)
        if again is not None and again.suggestions is not None and again.suggestions.suggestions:
            totals.elements.append(again.suggestions.seconds)


def _report(
    found: Elaborated, seconds: float, options: Options = OPTIONS, *, memory: Memory | None = None
) -> Report | None:
    """Return what an analysis finds, None where that takes longer."""
    deadline = time.monotonic() + seconds
    known = Memory() if memory is None else memory
    try:
        return analyse(
            found, options, known, lambda _: None, cancelled=lambda: time.monotonic() > deadline
        )
    except Cancelled:
        return None


def _wrong(
    found: Elaborated, best: Sequence[Suggestion], most_s: float, totals: Totals
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
        totals.unchecked += 1
        return []
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
    totals.undecided_there += sum(m.status is MutantStatus.UNKNOWN for m in unseen)
    wrong = [f"{one.name} is not proved" for one in best if one.name not in proved]
    return wrong + [
        f"{one.name} does not kill {mutant}"
        for one in best
        for mutant in one.kills
        if (mutant, one.name) not in killed
    ]
