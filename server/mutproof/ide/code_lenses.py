"""Code lenses: verdicts of properties, roles of equations in proofs, scores of nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict, size_of_whole
from mutproof.analyses.suites.cover import cover
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide import survivors, traces
from mutproof.ide.placed import Freshness, PlacedProperty, ShownMutant, Tally, total
from mutproof.ide.shown import (
    AddProperties,
    FilePlace,
    MakeTests,
    Shown,
    ShowPlaces,
    ShowText,
    StartRun,
    Subject,
    SubjectKind,
)
from mutproof.ide.verdicts import Verdicts, in_cores
from mutproof.model.program import ElementId
from mutproof.workspace.report import Phase
from mutproof.workspace.suites.recorded import RecordedSuite


@dataclass(frozen=True, slots=True)
class Lens:
    """Hold a lens: a line of text above a place, and what a click on it shows.

    `key` names it among the lenses of a file. It shows at most `size` places, which are looked
    up when they are asked for.
    """

    span: Span
    key: str
    title: str
    size: int
    show: Callable[[], Shown]

    @property
    def shown(self) -> Shown:
        """Return what a click shows."""
        return self.show()


def lenses(verdicts: Verdicts) -> tuple[Lens, ...]:
    """Return all lenses of a file in the order of the text."""
    found = [
        *_of_components(verdicts),
        *(_of_property(prop, verdicts) for prop in verdicts.properties),
        *_of_elements(verdicts),
        *_of_suggestions(verdicts),
    ]
    return tuple(sorted(found, key=lambda lens: lens.span))


def property_title(prop: PlacedProperty, verdicts: Verdicts) -> str:
    """Return what is known of a property in one line."""
    worst = prop.worst()
    if worst is None:
        return _WAITING[prop.standing]
    title = _verdict_title(prop, worst, verdicts)
    return f"stale: {title}" if prop.standing is Freshness.STALE else title


_WAITING = {
    Freshness.QUEUED: "queued…",
    Freshness.RUNNING: "proving…",
    Freshness.ABSENT: "not proved yet",
    Freshness.STALE: "stale",
    Freshness.CURRENT: "",
}


def _verdict_title(prop: PlacedProperty, worst: PropertyFinding, verdicts: Verdicts) -> str:
    match worst.verdict:
        case PropertyVerdict.FALSIFIED:
            at = "" if worst.k is None else f" after {worst.k} step{'s' if worst.k != 1 else ''}"
            return f"falsified{at}"
        case PropertyVerdict.UNKNOWN:
            steps = f"{worst.depth} step{'s' if worst.depth != 1 else ''}"
            depth = f" · no violation in {steps}" if worst.depth else ""
            return f"unknown: {worst.reason or 'the budget is used up'}{depth}"
        case PropertyVerdict.COMPUTED:
            return f"computed: {worst.reason or worst.k}"
        case PropertyVerdict.PROVED if worst.vacuity:
            return f"holds vacuously: {worst.vacuity}"
        case PropertyVerdict.PROVED:
            return " · ".join(_proved_parts(prop, worst, verdicts))


def _proved_parts(
    prop: PlacedProperty, worst: PropertyFinding, verdicts: Verdicts
) -> tuple[str, ...]:
    how = [part for part in (worst.engine, "" if worst.k is None else f"k={worst.k}") if part]
    parts = [f"proved ({', '.join(how)})" if how else "proved"]
    if worst.core is not None:
        report = verdicts.analysed.report
        total = size_of_whole(
            verdicts.in_question, (one.finding for one in report.properties.values())
        )
        known = ", ".join(_core_counts(worst))
        parts.append(f"core {len(worst.core)}/{total}" + (f" ({known})" if known else ""))
    elif worst.cores is not None:
        parts.append(f"cores incomplete: {worst.cores.reason}")
    if verdicts.mutants:
        parts.append(_kills(prop, verdicts))
    return tuple(parts)


def _core_counts(finding: PropertyFinding) -> tuple[str, ...]:
    """Return the number of elements in every core, and in some core if all were searched for."""
    must = () if finding.must is None else (f"MUST {len(finding.must)}",)
    if finding.cores is None:
        return must
    counts = (*must, f"MAY {len(finding.cores.may)}")
    return counts if finding.cores.complete else (*counts, "incomplete")


def _kills(prop: PlacedProperty, verdicts: Verdicts) -> str:
    names = {finding.name for finding in prop.findings}
    killed = verdicts.killed_by(names)
    alone = sum(
        1 for m in killed if m.finding is not None and names.issuperset(m.finding.killed_by)
    )
    counted = verdicts.counted
    text = f"kills {len(killed)}/{counted.total}"
    if alone and len(verdicts.proved) > 1:
        text += f", {alone} alone"
    return f"{text} so far" if counted.pending else text


def _of_property(prop: PlacedProperty, verdicts: Verdicts) -> Lens:
    title = property_title(prop, verdicts)
    worst = prop.worst()
    size = 0
    if worst is not None and worst.verdict is PropertyVerdict.PROVED:
        size = len(in_cores(worst)) + len(_victims(prop, verdicts))
    key = f"property {prop.component}.{prop.name} {prop.span.start}"
    return Lens(prop.span, key, title, size, partial(_shown, prop, worst, verdicts))


def _shown(prop: PlacedProperty, worst: PropertyFinding | None, verdicts: Verdicts) -> Shown:
    if worst is not None and worst.verdict is PropertyVerdict.FALSIFIED and worst.trace is not None:
        return ShowText(
            f"{prop.name} is falsified",
            traces.explained(worst, verdicts.analysed.program),
            Subject(SubjectKind.PROPERTY, worst.name),
        )
    if worst is not None and worst.verdict is PropertyVerdict.PROVED:
        places = [*_core_places(worst, verdicts), *_kill_places(prop, verdicts)]
        if places:
            return ShowPlaces(f"{prop.name}: its core, and the mutants it kills", tuple(places))
    return StartRun()


def _core_places(finding: PropertyFinding, verdicts: Verdicts) -> list[FilePlace]:
    provenance = verdicts.analysed.elaborated.provenance
    must = set(finding.must or ())
    other = "core" if finding.cores is None else "MAY"
    return [
        FilePlace(provenance.head(e), f"{'MUST' if e in must else other}: {verdicts.label(e)}")
        for e in in_cores(finding)
        if e in provenance.elements
    ]


def _victims(prop: PlacedProperty, verdicts: Verdicts) -> tuple[ShownMutant, ...]:
    return verdicts.killed_by(finding.name for finding in prop.findings)


def _kill_places(prop: PlacedProperty, verdicts: Verdicts) -> list[FilePlace]:
    return [
        FilePlace(mutant.span, f"killed: {mutant.label}") for mutant in _victims(prop, verdicts)
    ]


def _of_elements(verdicts: Verdicts) -> list[Lens]:
    provenance = verdicts.analysed.elaborated.provenance
    owned = owners(verdicts)
    unneeded = frozenset(verdicts.unneeded)
    found = []
    for element, mutants in verdicts.by_element.items():
        counted = verdicts.tallies[element]
        parts = [*_membership(element, owned, unneeded), *_counts(counted, verdicts)]
        parts += _noticing(mutants)
        if any(mutant.standing is Freshness.STALE for mutant in mutants):
            parts.insert(0, "stale")
        if parts:
            heading = f"{verdicts.label(element)}: mutants that survive"
            key = f"element {element.component} {element.kind} {element.name}"
            show = partial(survivors.listed, heading, mutants)
            title, size = " · ".join(parts), counted.survived
            found.append(Lens(provenance.head(element), key, title, size, show))
    return found


Owners: TypeAlias = Mapping[str, Mapping[ElementId, list[str]]]
"""Names of properties, by how they need an element (MUST, MAY, `core`), and by element."""


def owners(verdicts: Verdicts) -> Owners:
    """Return the properties that need elements; `core` stands for MAY if not all are known."""
    owners: dict[str, dict[ElementId, list[str]]] = {"MUST": {}, "MAY": {}, "core": {}}
    for finding in verdicts.proved:
        must = dict.fromkeys(finding.must or ())
        for element in must:
            owners["MUST"].setdefault(element, []).append(finding.name)
        complete = finding.cores is not None and finding.cores.complete
        others = owners["MAY" if complete else "core"]
        for element in dict.fromkeys(in_cores(finding)):
            if element not in must:
                others.setdefault(element, []).append(finding.name)
    return owners


def _membership(element: ElementId, owners: Owners, unneeded: frozenset[ElementId]) -> list[str]:
    parts = [
        f"{what} of {_listed(owned[element])}" for what, owned in owners.items() if element in owned
    ]
    if not parts and element in unneeded:
        parts.append("in no core")
    return parts


def _listed(names: list[str], *, most: int = 4) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _counts(counted: Tally, verdicts: Verdicts) -> list[str]:
    if counted.total == 0:
        return [f"{counted.equivalent} equivalent"] if counted.equivalent else []
    pending = "not decided" if _is_over(verdicts) else "to decide"
    if counted.pending == counted.total:
        return [f"{counted.total} mutant{'' if counted.total == 1 else 's'} {pending}"]
    parts = [f"{counted.killed}/{counted.total} killed"]
    if counted.gaps:
        parts.append(f"{counted.gaps} gap{'' if counted.gaps == 1 else 's'}")
    others = counted.survived - counted.gaps - counted.undetermined
    if others:  # not classified yet
        parts.append(f"{others} survive{'s' if others == 1 else ''}")
    for count, word in (
        (counted.undetermined, "undetermined"),
        (counted.unknown, "unknown"),
        (counted.equivalent, "equivalent"),
        (counted.stillborn, "stillborn"),
        (counted.ignored, "ignored"),
        (counted.pending, pending),
    ):
        if count:
            parts.append(f"{count} {word}")
    return parts


def _is_over(verdicts: Verdicts) -> bool:
    """Tell whether the run is done."""
    return verdicts.analysed.report.phase is Phase.DONE


def _noticing(mutants: tuple[ShownMutant, ...]) -> list[str]:
    """Return how many properties and facts notice mutants; empty if facts were not asked for."""
    findings = [mutant.finding for mutant in mutants if mutant.finding is not None]
    if all(finding.facts is None for finding in findings):
        return []
    properties = len({name for finding in findings for name in finding.killed_by})
    facts = len({fact for finding in findings for fact in finding.facts or ()})
    noun = "property" if properties == 1 else "properties"
    return [f"noticed by {properties} {noun}, {facts} fact{'' if facts == 1 else 's'}"]


_STOPPED = {Phase.CANCELLED: "cancelled", Phase.FAILED: "broken off"}
"""What the lens of the main component says of a run that did not complete."""


def _of_components(verdicts: Verdicts) -> list[Lens]:
    provenance = verdicts.analysed.elaborated.provenance
    owned: dict[str, list[ElementId]] = {}
    for element in verdicts.by_element:
        owned.setdefault(element.component, []).append(element)
    found = []
    for name, span in provenance.components.items():
        elements = owned.get(name, [])
        counted = total(verdicts.tallies[element] for element in elements)
        report = verdicts.analysed.report
        stopped = _STOPPED.get(report.phase) if name == verdicts.analysed.program.main else None
        if not counted.total and not counted.equivalent and stopped is None:
            continue
        parts = _counts(counted, verdicts)
        if _is_over(verdicts) and not verdicts.proved and counted.pending:
            parts.insert(0, "nothing to measure: no property is proved")
        if counted.score is not None:
            parts.insert(0, f"score {counted.score:.0%}")
        left_out = report.left_out
        if left_out:
            parts.append(f"a sample, {left_out} of the file left out")
        if any(m.standing is Freshness.STALE for e in elements for m in verdicts.by_element[e]):
            parts.insert(0, "stale")
        if stopped is not None:
            parts.insert(0, f"{stopped} ({report.message})" if report.message else stopped)
        show = partial(_component_survivors, name, verdicts)
        title, size = " · ".join(parts), counted.survived
        found.append(Lens(span, f"component {name}", title, size, show))
    return found


def _of_suggestions(verdicts: Verdicts) -> list[Lens]:
    """Return the lens that offers the best set of suggested properties, if there is one."""
    best, provenance = (
        verdicts.analysed.suggestions.best_set,
        verdicts.analysed.elaborated.provenance,
    )
    component = best[0].component if best else ""
    if component not in provenance.components:
        return []
    gaps = len({name for one in best for name in one.kills})
    title = (
        f"close {gaps} gap{'' if gaps == 1 else 's'} with {len(best)}"
        f" propert{'y' if len(best) == 1 else 'ies'}"
    )
    return [Lens(provenance.components[component], "suggestions", title, 0, AddProperties)]


def sufficing(suite: RecordedSuite) -> int:
    """Return how many tests kill what all do; no solver is asked whether even fewer would."""
    place = {one.id: 1 << number for number, one in enumerate(suite.mutants)}
    kills = [sum(place.get(name, 0) for name in set(test.kills)) for test in suite.tests]
    return len(cover(kills, [len(test.steps) for test in suite.tests], effort=None).chosen)


def of_suite(
    verdicts: Verdicts, suite: RecordedSuite, enough: int, *, is_stale: bool
) -> Lens | None:
    """Return what is said of the tests that are kept beside a file, None without its component.

    `enough` is how many of them suffice.
    """
    span = verdicts.analysed.elaborated.provenance.components.get(suite.main)
    if span is None:
        return None
    count = len(suite.tests)
    title = f"{count} test{'' if count == 1 else 's'}, {enough} suffice{'s' if enough == 1 else ''}"
    return Lens(span, "suite", f"stale: {title}" if is_stale else title, 0, MakeTests)


def _component_survivors(name: str, verdicts: Verdicts) -> Shown:
    mutants = tuple(m for m in verdicts.mutants if m.record.element.component == name)
    return survivors.listed(f"{name}: mutants that survive", mutants)
