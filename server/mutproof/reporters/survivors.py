"""Survivors in reports: equivalent, a gap with both executions, or undetermined."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Final

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.analyses.equivalence.behaviours import Behaviour
from mutproof.base.text import counted
from mutproof.model.program import ElementId
from mutproof.reporters import comparisons, encoding
from mutproof.reporters.comparisons import Sides
from mutproof.reporters.fate import ACCEPTABLE, fate, unmeasured
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.style import Style

_MOST_NAMES = 3
_MOST_PLACES = 8
MEANING = {
    EquivalenceStatus.EQUIVALENT: "quiet",
    EquivalenceStatus.GAP: "warning",
    EquivalenceStatus.UNDETERMINED: "unsure",
}
_SIDES: Final = Sides()


# --- words ------------------------------------------------------------------------------------


def words(found: Equivalence, sides: Sides = _SIDES) -> str:
    """Return what is known in a phrase: "gap, y differs first at step 2"."""
    match found.status:
        case EquivalenceStatus.EQUIVALENT:
            return f"equivalent on {found.observation} ({found.explained})"
        case EquivalenceStatus.GAP:
            return f"gap, {_first_difference(found, sides)}"
        case _:
            return f"undetermined on {found.observation}: {_unknown(found)}"


def _first_difference(found: Equivalence, sides: Sides = _SIDES) -> str:
    if found.model is None:
        return f"{found.how} at step {found.step}"
    if found.allowed:
        what = f"only {sides.one(is_model=found.allowed == 'model')} allows step {found.step}"
        return f"a restriction: {what}" if found.restricts else what
    names = ", ".join(found.differing[:_MOST_NAMES])
    more = len(found.differing) - _MOST_NAMES
    names += f" and {more} more" if more > 0 else ""
    verb = "differs" if len(found.differing) == 1 else "differ"
    # Unless it is known to be shortest, a shorter execution may exist.
    return f"{names} {verb} {'first ' if found.shortest else ''}at step {found.step}"


def _unknown(found: Equivalence) -> str:
    reason = found.reason or "no reason given"
    if not found.depth:
        return reason
    return f"{reason}, no difference in {found.depth} step{'' if found.depth == 1 else 's'}"


def counts(file: ReportedFile, presentation: Presentation) -> Counter[EquivalenceStatus] | None:
    """Return the numbers of survivors by status, of those asked for if some were by their ids.

    None if they were not compared.
    """
    survivors = [p for p in _survivors(file) if _is_wanted(p, presentation)]
    known = [p.finding.equivalence for p in survivors if p.finding.equivalence is not None]
    if not known:
        return None
    found = Counter(equivalence.status for equivalence in known)
    found[EquivalenceStatus.UNDETERMINED] += len(survivors) - len(known)
    return found


def _survivors(file: ReportedFile) -> list[PlacedMutant]:
    return [p for p in file.placed if p.finding.status is MutantStatus.SURVIVED]


def _is_wanted(placed: PlacedMutant, presentation: Presentation) -> bool:
    """Tell whether a mutant was asked for, as all are unless some are by their ids."""
    wanted = presentation.mutants
    return not wanted or not wanted.isdisjoint((placed.mutant.mutant, placed.mutant.shown))


def sums(file: ReportedFile, presentation: Presentation) -> str:
    """Return the numbers of survivors that are equivalent, gaps or undetermined; or nothing."""
    found = counts(file, presentation)
    if found is None:
        return ""
    parts = []
    style = presentation.style
    for status in EquivalenceStatus:
        noun = "gaps" if status is EquivalenceStatus.GAP and found[status] != 1 else status.value
        text = f"{found[status]} {noun}"
        parts.append(style.paint(MEANING[status], text) if found[status] else text)
    total = sum(found.values())
    everything = counted(len(_survivors(file)), "survivor")
    many = f"{total} of {everything}" if presentation.mutants else everything
    return f"{file.so_far}{many}: {', '.join(parts)}"


def _none(file: ReportedFile, presentation: Presentation) -> str:
    """Return a sentence for a file of which nothing is compared."""
    left = sum(_is_wanted(placed, presentation) for placed in _survivors(file))
    if left:
        return f"{file.so_far}{counted(left, 'survivor')}: not compared"
    if not presentation.mutants:
        return unmeasured(file) or f"{file.so_far}no survivors"
    known = {p.mutant.shown: p.finding for p in file.placed if _is_wanted(p, presentation)}
    others = [f"{name} is {found.status.value}" for name, found in known.items()]
    return f"{file.so_far}no survivor that was asked for{': ' if others else ''}{', '.join(others)}"


# --- behaviours -------------------------------------------------------------------------------


def encoded_behaviour(file: ReportedFile, mutant: str) -> dict[str, object]:
    """Return for JSON the behaviour of a gap; nothing for other mutants.

    Gaps with the same `id` are proved to compute one function. `impliedBy` is the id of a behaviour
    such that each of `tests` tests that shows that one shows this one too; null if there is none.
    `shown` tells whether reports for users show this mutant by default.
    """
    found = file.behaviours.of.get(mutant)
    if found is None:
        return {}
    return {
        "behaviour": {
            "id": found.name,
            "impliedBy": found.implied_by or None,
            **({"tests": found.tests} if found.implied_by else {}),
            "shown": stands_for_others(found, mutant),
        }
    }


def stands_for_others(found: Behaviour, mutant: str) -> bool:
    """Tell whether a gap is the first of a behaviour that no other one implies."""
    return not found.implied_by and found.mutants[0] == mutant


def _shows_each(presentation: Presentation) -> bool:
    return presentation.all_mutants or bool(presentation.mutants)


def is_shown(file: ReportedFile, placed: PlacedMutant, presentation: Presentation) -> bool:
    """Tell whether a mutant has a line of its own."""
    found = file.behaviours.of.get(placed.mutant.mutant)
    if found is None or _shows_each(presentation):
        return True
    if file.baseline is not None and placed.mutant.mutant not in file.baseline:
        return True  # an accepted gap must not hide a new one
    return stands_for_others(found, placed.mutant.mutant)


def more_like(file: ReportedFile, placed: PlacedMutant, presentation: Presentation) -> str:
    """Return in words how many other gaps a gap stands for; empty for none."""
    found = file.behaviours.of.get(placed.mutant.mutant)
    if found is None or file.baseline is not None or _shows_each(presentation):
        return ""
    return f", {found.alike} more like it" if found.alike else ""


def left_out(file: ReportedFile, presentation: Presentation) -> list[str]:
    """Return sentences on behaviours where gaps are not shown, and on gaps that restrict."""
    found = file.behaviours
    hidden = sum(not is_shown(file, placed, presentation) for placed in file.placed)
    if not hidden:
        return _restrictions(file, presentation)
    implied = len(found.all) - len(found.minimal)
    follow = "" if not implied else f", {implied} of which follow from others"
    if implied == 1:
        follow = ", 1 of which follows from another"
    shown = counted(len(found.of) - hidden, "gap")
    are = f"the {len(found.of)} gaps are {counted(len(found.all), 'behaviour')}{follow}"
    lines = [f"{are}: {shown} shown, --all-mutants shows all"]
    return lines + _restrictions(file, presentation)


def _restrictions(file: ReportedFile, presentation: Presentation) -> list[str]:
    """Return a sentence on gaps that only exclude executions, if there are any."""
    gaps = (p.finding.equivalence for p in _survivors(file) if _is_wanted(p, presentation))
    number = sum(1 for gap in gaps if gap is not None and gap.restricts)
    if not number:
        return []
    what = "gap is a restriction" if number == 1 else "gaps are restrictions"
    excludes = "it only excludes" if number == 1 else "they only exclude"
    found = f"{number} {what}: {excludes} executions, which no property of all executions notices"
    return [f"{found}; review what is assumed there (`mutproof explain restriction`)"]


def hidden(file: ReportedFile, presentation: Presentation) -> Counter[ElementId]:
    """Return how many gaps of each element have no line of their own, as others stand for them."""
    return Counter(
        placed.mutant.element for placed in file.placed if not is_shown(file, placed, presentation)
    )


def stood_for(number: int) -> str:
    """Return a phrase on gaps that have no line of their own."""
    others = "another stands" if number == 1 else "others stand"
    return f"{counted(number, 'gap')} that {others} for"


# --- text -------------------------------------------------------------------------------------


def text(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a line for each survivor, with both executions of each gap."""
    parts: list[str] = []
    style = presentation.style
    for file in files:
        if file.report is None or file.elaborated is None or file.elaborated.program is None:
            continue
        lines = [style.paint("strong", file.shown_path)]
        for placed in asked(file):
            found = placed.finding.equivalence
            assert found is not None
            if not is_shown(file, placed, presentation):
                continue
            lines.append(_line(placed, found, style) + more_like(file, placed, presentation))
            sides = Sides(element=placed.mutant.element)
            lines += comparisons.table(found, file.elaborated.program, sides, presentation)
        lines += ["", sums(file, presentation) or _none(file, presentation)]
        lines += [*left_out(file, presentation), *file.notes]
        if presentation.timings:
            lines += ["", f"time {file.report.statistics.seconds:.2f} s"]
        if not file.finished:
            lines.append(style.paint("bad", "incomplete: the run was given up"))
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def asked(file: ReportedFile) -> list[PlacedMutant]:
    """Return the survivors of which something is known, in source order."""
    return [placed for placed in file.placed if placed.finding.equivalence is not None]


def _line(placed: PlacedMutant, found: Equivalence, style: Style) -> str:
    status = style.paint(MEANING[found.status], found.status.name)
    match found.status:
        case EquivalenceStatus.EQUIVALENT:
            what = f"(on {found.observation}: {found.explained})"
        case EquivalenceStatus.GAP:
            what = f"({_first_difference(found)})"
        case _:
            what = f"(on {found.observation}: {_unknown(found)})"
    name = style.paint("quiet", f"[{placed.mutant.shown}]")
    mutant = placed.mutant
    return f"{status} at {placed.place} {mutant.operator} {mutant.summary} {what} {name}"


# --- JSON -------------------------------------------------------------------------------------


def to_json(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return the survivors of each file, with both executions of each gap."""
    return encoding.one_or_many(files, partial(_encoded_file, presentation=presentation))


def _encoded_file(file: ReportedFile, presentation: Presentation) -> dict[str, object]:
    program = None if file.elaborated is None else file.elaborated.program
    total = counts(file, presentation) or Counter()
    return {
        "file": file.path,
        "survivors": [
            {
                "id": placed.mutant.shown,
                **encoding.place(placed.place),
                "operator": placed.mutant.operator,
                "summary": placed.mutant.summary,
                "replacement": placed.replacement,
                **comparisons.encoded(placed.finding.equivalence, program, presentation),
                **encoded_behaviour(file, placed.mutant.mutant),
            }
            for placed in asked(file)
            if placed.finding.equivalence is not None and program is not None
        ],
        "counts": {status.value: total[status] for status in EquivalenceStatus},
        "diagnostics": encoding.diagnostics(file),
        **({"notes": list(file.notes)} if file.notes else {}),
    }


def acceptances(file: ReportedFile) -> list[str]:
    """Return how many survivors the baseline accepts, and where others are; nothing without one."""
    if file.baseline is None:
        return []
    lines = [f"accepted by the baseline: {counted(len(file.baseline), 'survivor')}"]
    others = [
        placed
        for placed in file.placed
        if fate(placed.finding) in ACCEPTABLE and placed.mutant.mutant not in file.baseline
    ]
    if others:
        places = [str(place) for place in dict.fromkeys(one.place for one in others)]
        more = f" and {len(places) - _MOST_PLACES} more places" if places[_MOST_PLACES:] else ""
        shown = ", ".join(places[:_MOST_PLACES])
        lines.append(f"not accepted: {counted(len(others), 'survivor')}, at {shown}{more}")
    return lines
