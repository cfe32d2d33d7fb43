"""Text reports: one line for each finding, in source order, then the sums.

The lines of mutants are those of Figure 5 of the first paper, with the step or depth added. They
are grouped by element, with mutants that no property notices first.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from mutproof.analyses.claims.finding import (
    EFFORT_ENDED,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.base.text import counted
from mutproof.model.program import ElementId
from mutproof.model.trace import Trace
from mutproof.reporters import (
    certified,
    disposition,
    duplicates,
    matrix,
    noticed,
    pairs,
    survivors,
    traces,
    unmutated,
)
from mutproof.reporters.excerpt import pointed
from mutproof.reporters.fate import MISSED, OPEN, fate, score, score_of, unmeasured
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter
from mutproof.reporters.style import Style

_MORE = {
    "out of solver units": "more solver units (--rlimit)",
    "out of memory": "more memory (--memory)",
    "has no bounds; it speaks of more than single paths": "types with bounds",
}
_MEANING = {
    MutantStatus.KILLED: "good",
    MutantStatus.SURVIVED: "warning",
    MutantStatus.UNKNOWN: "unsure",
    MutantStatus.STILLBORN: "quiet",
    MutantStatus.IGNORED: "quiet",
    PropertyVerdict.PROVED: "good",
    PropertyVerdict.FALSIFIED: "bad",
    PropertyVerdict.UNKNOWN: "unsure",
    PropertyVerdict.COMPUTED: "good",
}


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a line for each property, with its counterexample or witness if it has one."""
    return _all(files, presentation, _proved)


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return the core of every property and which element belongs to which."""
    return _all(files, presentation, _cores)


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a line for each mutant, then what the properties kill."""
    return _all(files, presentation, _mutants)


# --- properties -------------------------------------------------------------------------------


def _proved(file: ReportedFile, presentation: Presentation) -> list[str]:
    lines: list[str] = []
    for found in file.properties:
        lines.append(property_line(file, found, presentation))
        if found.trace is not None and file.elaborated is not None and file.elaborated.program:
            rows = traces.table(
                found.trace,
                file.elaborated.program,
                found,
                presentation.style,
                width=presentation.width - 2,
            )
            if found.verdict is not PropertyVerdict.FALSIFIED:
                lines.append("  witness, an execution that shows it:")
            lines.extend(f"  {row}".rstrip() for row in rows)
    lines.append("")
    lines.append(_property_sums(file, presentation))
    lines += _hints(file)
    lines += _notes(file)
    lines += certified.sums(file, presentation.style)
    if presentation.statistics and file.report is not None:
        lines.extend(_statistics(file.report.statistics, presentation, mutants=False))
    return lines


def property_line(file: ReportedFile, found: PropertyFinding, presentation: Presentation) -> str:
    """Return verdict, name, place, engine, depth, time and core of a property in one line."""
    style = presentation.style
    verdict = style.paint(_MEANING[found.verdict], found.verdict.name)
    facts = [found.engine] if found.engine else []
    match found.verdict:
        case PropertyVerdict.PROVED:
            facts += [] if found.k is None else [f"k = {found.k}"]
            facts += [f"vacuously: {found.vacuity}"] if found.vacuity else []
        case PropertyVerdict.FALSIFIED:
            facts += [] if found.k is None else [counted(found.k, "step")]
        case PropertyVerdict.COMPUTED:
            facts.append(found.reason or f"answer {found.k}")
        case PropertyVerdict.UNKNOWN:
            facts += [found.reason] if found.reason else []
            if found.depth is not None:
                facts.append(f"no violation in {counted(found.depth, 'step')}")
    if presentation.timings:
        facts.append(found.time)
    if found.core is not None:
        facts.append(f"core {len(found.core)}/{file.size_of_whole}")
        facts += [] if found.core else [matrix.NEEDS_NOTHING]
        if found.cores is not None and not found.cores.minimal:
            facts.append("not known to be minimal")
            if found.cores.reason not in {"", EFFORT_ENDED}:
                facts[-1] += f" ({found.cores.reason})"
    facts += certified.facts(file, "", (found.name,))
    place = f"({file.shown_path}:{file.property_place(found)})"
    return f"{verdict} {found.name} {style.paint('quiet', place)} {', '.join(facts)}".rstrip()


def _property_sums(file: ReportedFile, presentation: Presentation) -> str:
    counts = {
        verdict: sum(1 for found in file.properties if found.verdict is verdict)
        for verdict in PropertyVerdict
    }
    parts = [
        _painted_count(presentation.style, _MEANING[verdict], count, verdict.value)
        for verdict, count in counts.items()
        if count or verdict is not PropertyVerdict.COMPUTED
    ]
    return f"{file.so_far}{counted(len(file.properties), 'property')}: {', '.join(parts)}"


def _hints(file: ReportedFile) -> list[str]:
    """Return what may help where properties are unknown, and where cores may be smaller."""
    hints: list[str] = []
    unknown = [p.reason for p in file.properties if p.verdict is PropertyVerdict.UNKNOWN]
    if file.finished and unknown:
        more = " or ".join(dict.fromkeys(map(_more, unknown)))
        hints.append(f"what is unknown may need {more}, or a property that says more of the states")
    cores = [found.cores for found in file.properties if found.cores is not None]
    large = sum(1 for core in cores if not core.minimal and core.reason == EFFORT_ENDED)
    if large:
        hints.append(
            f"{counted(large, 'core')} may be smaller: --minimal-core goes on until none is"
        )
    return hints


def _more(reason: str) -> str:
    """Return what there was too little of, by the reason why a property is unknown."""
    found = (more for spent, more in _MORE.items() if spent in reason)
    return next(found, "more time (--timeout, --file-timeout)")


def _notes(file: ReportedFile) -> list[str]:
    """Return the lines about faults of the model, each execution only once."""
    lines: list[str] = []
    shown: list[Trace] = []
    for note, trace in file.faults:
        lines.append(note)
        if trace is not None and trace in shown:
            lines.append("  (the execution above)")
        elif trace is not None:
            shown.append(trace)
            lines += [f"  {row}" for row in traces.whole(trace)]
    return [*lines, *file.notes[len(file.faults) :]]


# --- cores ------------------------------------------------------------------------------------


def _cores(file: ReportedFile, presentation: Presentation) -> list[str]:
    lines: list[str] = []
    style = presentation.style
    for found in file.properties:
        lines.append(property_line(file, found, presentation))
        if found.cores is not None:
            lines += matrix.core_lines(file, found.cores, style)
        elif found.core is not None:
            names = matrix.core_names(file, found.core)
            lines.append(f"  INDUCTIVE VALIDITY CORE: {style.paint('strong', names)}")
        if found.core is not None:
            needed = [file.element_label(element) for element in matrix.needed(found)]
            lines.append(f"  MUST: {', '.join(needed) or 'nothing'}")
    shown = matrix.matrix(file)
    lines += file.notes
    if shown.properties and shown.rows:
        lines += ["", *matrix.table(shown, style, presentation.width)]
    return lines


# --- mutants ----------------------------------------------------------------------------------


def _mutants(file: ReportedFile, presentation: Presentation) -> list[str]:
    lines: list[str] = []
    if file.left_alone and not file.placed and not file.closed:
        idle = [found for found in file.properties if not found.takes_part]
        lines = [property_line(file, found, presentation) + ": takes no part" for found in idle]
        return [*lines, *_notes(file), *_endings(file, presentation)]
    for found in file.properties:
        if found.core is not None:
            names = matrix.core_names(file, found.core)
            lines.append(f"INDUCTIVE VALIDITY CORE of {found.name}: {names}")
        elif found.cores is not None:
            lines.append(f"INDUCTIVE VALIDITY CORE of {found.name}: {matrix.summary(found.cores)}")
        facts = certified.facts(file, "", (found.name,))
        lines.extend(f"CERTIFICATE of {found.name}: {fact}" for fact in facts)
        if not found.takes_part:
            lines.append(property_line(file, found, presentation) + ": takes no part")
    if nothing := unmeasured(file):
        lines += ["", nothing] if lines else [nothing]
        return [*lines, *unmutated.lines(file), *_notes(file), *_endings(file, presentation)]
    return [*lines, *_by_element(file, presentation), "", *_mutant_sums(file, presentation)]


def _by_element(file: ReportedFile, presentation: Presentation) -> list[str]:
    """Return the mutants to show, under headings of their elements, most important first."""
    style = presentation.style
    elements: dict[ElementId, list[PlacedMutant]] = {}
    for placed in file.placed:
        elements.setdefault(placed.mutant.element, []).append(placed)
    lines: list[str] = []
    hidden = survivors.hidden(file, presentation)
    for element, mutants in elements.items():
        shown = [one for one in mutants if survivors.is_shown(file, one, presentation)]
        found = score_of(fate(one.finding) for one in mutants)
        of = f", {found.killed} of {found.valid} killed" if found.valid else ""
        of += f", {survivors.stood_for(hidden[element])}" if hidden[element] else ""
        place = style.paint("quiet", f"at {file.element_place(element)}{of}")
        lines += ["", f"{style.paint('strong', file.element_title(element))} {place}"]
        shown.sort(key=lambda one: (_rank(file, one), one.place))
        for (_, number), group in groupby(shown, lambda one: (_rank(file, one), one.place.line)):
            there = list(group)
            lines += [_mutant(file, placed, presentation) for placed in there]
            columns = [placed.place.column for placed in there if _is_to_see(file, placed)]
            rows = pointed(file.source, number, columns, style=style, meaning="warning")
            lines += (f"  {row}" for row in rows)
    return lines


def _rank(file: ReportedFile, placed: PlacedMutant) -> int:
    """Return the sort key of a mutant: gaps first, those that imply others before the rest."""
    found = fate(placed.finding)
    if found not in MISSED | OPEN:
        return 4
    if placed.mutant.mutant in file.accepted:
        return 3
    if found in OPEN:
        return 2
    behaviour = file.behaviours.of.get(placed.mutant.mutant)
    follows = behaviour is not None and not survivors.stands_for_others(
        behaviour, placed.mutant.mutant
    )
    return int(follows)


def _mutant(file: ReportedFile, placed: PlacedMutant, presentation: Presentation) -> str:
    """Return the line of a mutant with all facts about it."""
    facts = certified.facts(file, placed.mutant.mutant, [f.name for f in file.properties])
    line = mutant_line(file, placed, presentation.style)
    line += survivors.more_like(file, placed, presentation) + noticed.words(placed.finding)
    line += duplicates.words(file, placed.mutant.mutant)
    accepted = file.accepted.get(placed.mutant.mutant)
    if accepted is not None:
        line += presentation.style.paint("quiet", f" [{accepted.words}]")
    return ", ".join([line, *facts])


def _is_to_see(file: ReportedFile, placed: PlacedMutant) -> bool:
    """Tell whether a mutant needs attention: missed or open, and not accepted."""
    found = fate(placed.finding)
    return found in MISSED | OPEN and placed.mutant.mutant not in file.accepted


def mutant_line(file: ReportedFile, placed: PlacedMutant, style: Style) -> str:
    """Return status, place, operator and killers of a mutant, as Figure 5 of the first paper."""
    finding = placed.finding
    status = style.paint(_MEANING[finding.status], finding.status.name)
    line = f"{status} at {placed.place} {placed.mutant.operator}"
    note = _note(placed)
    if finding.killed_by:
        which = f" {placed.mutant.summary}" if placed.mutant.mutant in file.alike else ""
        line += f"{which} by [{', '.join(finding.killed_by)}]"
    return f"{line} {style.paint('quiet', note)}" if note else line


def _note(placed: PlacedMutant) -> str:
    finding = placed.finding
    match finding.status:
        case MutantStatus.KILLED:
            return _killed_note(finding)
        case MutantStatus.SURVIVED:
            facts = [finding.how] if finding.how else []
            facts += [] if finding.k is None else [f"k = {finding.k}"]
            shown = f" ({', '.join(facts)})" if facts else ""
            known = finding.equivalence
            what = "" if known is None else f": {survivors.words(known)}"
            return f"{placed.mutant.summary}{shown}{what}"
        case MutantStatus.UNKNOWN:
            depth = (
                ""
                if finding.depth is None
                else f", no violation in {counted(finding.depth, 'step')}"
            )
            return f"{placed.mutant.summary}: {finding.reason or 'no reason given'}{depth}"
        case _:
            return f"{placed.mutant.summary}: {finding.reason}".rstrip(": ")


def _killed_note(finding: MutantFinding) -> str:
    steps = [finding.steps[name] for name in finding.killed_by if name in finding.steps]
    shortest = "shortest " if finding.shortest else ""
    facts = [f"{shortest}k = {min(steps) + 1}"] if steps else []
    if finding.how:
        facts.append(finding.how)
    if finding.undecided:
        why = f": {finding.reason}" if finding.reason else ""
        facts.append(f"undecided: {', '.join(finding.undecided)}{why}")
    return f"({', '.join(facts)})" if facts else ""


def _mutant_sums(file: ReportedFile, presentation: Presentation) -> list[str]:
    style = presentation.style
    counts = {status: file.count(status) for status in MutantStatus}
    parts = [
        _painted_count(style, _MEANING[status], count, status.value)
        for status, count in counts.items()
    ]
    scored, total = score([file]), len(file.placed)
    left_out = 0 if file.listing is None else file.listing.left_out
    sample = f" of {total + left_out} (a sample)" if left_out else ""
    lines = [f"{file.so_far}{counted(total, 'mutant')}{sample}: {', '.join(parts)}"]
    of = "survived"
    known = survivors.counts(file, presentation)
    if known is not None:
        lines.append(survivors.sums(file, presentation))
        lines += survivors.left_out(file, presentation)
        of = "gaps+undetermined"
    ratio = style.paint("strong", _ratio(scored.killed, scored.valid))
    lines.append(
        f"score {file.so_far}{ratio} killed/(killed+{of}+unknown)"
        f" · raw ratio {_ratio(scored.killed, total)} killed/all"
    )
    lines += duplicates.sums(file)
    lines += survivors.acceptances(file)
    if file.closed:
        lines.append(f"closed since the baseline: {disposition.sums(file.closed)}")
    lines += [*unmutated.lines(file), *_notes(file)]
    lines += certified.sums(file, style)
    proved = [f for f in file.properties if f.verdict is PropertyVerdict.PROVED]
    if proved:
        rows = [["property", "place", "kills", "alone"]]
        for found in proved:
            kills, alone = file.kills(found.name)
            rows.append([found.name, str(file.property_place(found)), str(kills), str(alone)])
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines += ["", style.paint("quiet", _row(rows[0], widths))]
        for found, row in zip(proved, rows[1:], strict=True):
            vacuous = style.paint("warning", f"  vacuously: {found.vacuity}")
            lines.append(_row(row, widths) + (vacuous if found.vacuity else ""))
    lines += [*noticed.table(file), *pairs.lines(file, presentation)]
    return [*lines, *_endings(file, presentation)]


def _endings(file: ReportedFile, presentation: Presentation) -> list[str]:
    """Return the lines with time and statistics, if wanted."""
    lines: list[str] = []
    if file.report is not None:
        statistics = file.report.statistics
        if presentation.timings:
            lines += ["", f"time {statistics.seconds:.2f} s"]
        if presentation.statistics:
            lines.extend(_statistics(statistics, presentation, mutants=True))
    return lines


def _statistics(statistics: Statistics, presentation: Presentation, *, mutants: bool) -> list[str]:
    """Return a table of how the verdicts of a run were obtained."""
    rows = [("verdicts", "count")]
    if mutants:
        rows += [
            ("kept", str(statistics.kept)),
            ("replayed", str(statistics.replayed)),
            ("re-proved", str(statistics.reproved)),
            ("decided", str(statistics.decided)),
        ]
    rows += [
        ("properties kept", str(statistics.properties_kept)),
        ("solver calls", str(statistics.solver_calls)),
        ("refused by checks", str(statistics.refused)),
    ]
    name, count = (max(len(row[i]) for row in rows) for i in range(2))
    header, *rest = (f"{row[0].ljust(name)}  {row[1].rjust(count)}" for row in rows)
    return ["", presentation.style.paint("quiet", header), *rest]


# --- shared -----------------------------------------------------------------------------------


def _all(
    files: tuple[ReportedFile, ...],
    presentation: Presentation,
    write: Callable[[ReportedFile, Presentation], list[str]],
) -> str:
    parts: list[str] = []
    for file in files:
        if file.report is None:
            continue
        lines = [presentation.style.paint("strong", file.shown_path), *write(file, presentation)]
        if not file.finished:
            lines.append(presentation.style.paint("bad", _incomplete(file)))
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _incomplete(file: ReportedFile) -> str:
    total = 0 if file.listing is None else len(file.listing.mutants)
    decided = f", {len(file.placed)} of {counted(total, 'mutant')} decided" if total else ""
    return f"incomplete: the run was given up{decided}"


def _row(cells: list[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _ratio(part: int, whole: int) -> str:
    return f"{part}/{whole}" + (f" = {100 * part / whole:.1f} %" if whole else "")


def _painted_count(style: Style, meaning: str, count: int, noun: str) -> str:
    text = f"{count} {noun}"
    return style.paint(meaning, text) if count else text


REPORTER = Reporter("text", prove, core, mutate, survivors.text)
