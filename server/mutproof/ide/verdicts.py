"""Verdicts joined with their places in the text: what diagnostics, lenses and hovers read.

A verdict is never shown without saying of which text it speaks: `Standing` tells current ones
from stale ones and from those that do not exist yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from mutproof.analyses.equivalence.finding import Equivalence, EquivalenceStatus
from mutproof.analyses.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.analyses.mutation import suppress
from mutproof.analyses.mutation.suppress import Directive, Suppressible
from mutproof.base.span import Span
from mutproof.model.program import Component, ElementId
from mutproof.model.trace import Trace
from mutproof.workspace.report import MutantPlace, Phase
from mutproof.workspace.snapshot import Analysed


class Standing(Enum):
    """Say whether a verdict speaks of the text that is shown."""

    CURRENT = "current"
    STALE = "stale"  # found for an earlier version
    QUEUED = "queued"  # none yet, the file waits
    RUNNING = "running"  # none yet, a run is going on
    ABSENT = "absent"  # none, and none is coming


@dataclass(frozen=True, slots=True)
class PlacedMutant:
    """Join a mutant, its place, and what is known of it."""

    record: MutantPlace
    span: Span
    finding: MutantFinding | None
    standing: Standing
    status: MutantStatus | None

    @property
    def label(self) -> str:
        """Return the change in words."""
        return self.record.summary or self.record.operator

    @property
    def equivalence(self) -> Equivalence | None:
        """Return what is known of a survivor beside that it survived; None while nothing is."""
        if self.status is not MutantStatus.SURVIVED or self.finding is None:
            return None
        return self.finding.equivalence

    @property
    def is_equivalent(self) -> bool:
        """Tell whether it is proved that no property can notice the change."""
        known = self.equivalence
        return known is not None and known.status is EquivalenceStatus.EQUIVALENT


@dataclass(frozen=True, slots=True)
class PlacedProperty:
    """Join a property, its place, and what is known of it; `findings` are per instance."""

    component: str
    name: str
    span: Span
    findings: tuple[PropertyFinding, ...]
    standing: Standing

    @property
    def verdict(self) -> PropertyVerdict | None:
        """Return the worst verdict of the instances; None while there is none."""
        verdicts = {finding.verdict for finding in self.findings}
        for verdict in (
            PropertyVerdict.FALSIFIED,
            PropertyVerdict.UNKNOWN,
            PropertyVerdict.COMPUTED,
            PropertyVerdict.PROVED,
        ):
            if verdict in verdicts:
                return verdict
        return None

    def worst(self) -> PropertyFinding | None:
        """Return the first finding of the worst verdict."""
        for finding in self.findings:
            if finding.verdict is self.verdict:
                return finding
        return None


@dataclass(frozen=True)
class Tally:
    """Count mutants by what is known of them; `gaps` and `undetermined` are among `survived`.

    Equivalent ones are not: no property can ever kill them.
    """

    killed: int = 0
    survived: int = 0
    unknown: int = 0
    stillborn: int = 0
    ignored: int = 0
    pending: int = 0
    equivalent: int = 0
    gaps: int = 0
    undetermined: int = 0

    @property
    def total(self) -> int:
        """Return the number of mutants that count: not stillborn, ignored or equivalent."""
        return self.killed + self.survived + self.unknown + self.pending

    @property
    def score(self) -> float | None:
        """Return killed / (killed + survived + unknown); None while something is pending.

        Source: DESIGN §1 (score).
        """
        decided = self.killed + self.survived + self.unknown
        return None if self.pending or not decided else self.killed / decided


@dataclass(frozen=True)
class Verdicts:
    """Look up verdicts and places of one analysed version; computes each table once."""

    analysed: Analysed

    @cached_property
    def mutants(self) -> tuple[PlacedMutant, ...]:
        """Return the mutants that still have a place, in the order of the text."""
        report = self.analysed.report
        pending = self._pending
        placed = []
        for record in report.places.values():
            span = self.place(record)
            if span is None:
                continue
            known = report.mutants.get(record.mutant)
            finding = None if known is None else known.finding
            if known is None:
                standing = pending
            elif self.analysed.is_current(known.basis):
                standing = Standing.CURRENT
            else:
                standing = Standing.STALE
            status = None if finding is None else finding.status
            if record.mutant in self.suppressed:
                status = MutantStatus.IGNORED
            elif status is MutantStatus.IGNORED:
                finding, status, standing = None, None, Standing.ABSENT
            placed.append(PlacedMutant(record, span, finding, standing, status))
        placed.sort(key=lambda mutant: mutant.span)
        return tuple(placed)

    @cached_property
    def by_id(self) -> Mapping[str, PlacedMutant]:
        """Return the mutants by id."""
        return {mutant.record.mutant: mutant for mutant in self.mutants}

    @cached_property
    def by_element(self) -> Mapping[ElementId, tuple[PlacedMutant, ...]]:
        """Return the mutants of every element."""
        found: dict[ElementId, list[PlacedMutant]] = {}
        for mutant in self.mutants:
            found.setdefault(mutant.record.element, []).append(mutant)
        return {element: tuple(mutants) for element, mutants in found.items()}

    @cached_property
    def properties(self) -> tuple[PlacedProperty, ...]:
        """Return the properties the text states, in order, with their findings."""
        provenance = self.analysed.elaborated.provenance
        known: dict[str, list[tuple[PropertyFinding, bool]]] = {}
        for entry in self.analysed.report.properties.values():
            key = f"{entry.finding.component}.{entry.finding.declared}"
            current = self.analysed.is_current(entry.basis)
            known.setdefault(key, []).append((entry.finding, current))
        # A property of a NuSMV module is one for each instance; all of them stand at one place.
        stated_at: dict[tuple[str, Span], list[str]] = {}
        for component in self.analysed.program.components:
            for stated in component.properties:
                span = provenance.properties.get(f"{component.name}.{stated.name}")
                if span is not None:
                    stated_at.setdefault((component.name, span), []).append(stated.name)
        placed = []
        for (owner, span), names in stated_at.items():
            entries = [entry for name in names for entry in known.get(f"{owner}.{name}", [])]
            if not entries:
                standing = self._pending
            elif all(current for _, current in entries):
                standing = Standing.CURRENT
            else:
                standing = Standing.STALE
            findings = tuple(finding for finding, _ in entries)
            name = names[0] if len(names) == 1 else self._written(span)
            placed.append(PlacedProperty(owner, name, span, findings, standing))
        placed.sort(key=lambda prop: prop.span)
        return tuple(placed)

    @cached_property
    def proved(self) -> tuple[PropertyFinding, ...]:
        """Return the findings of proved properties."""
        return tuple(
            known.finding
            for known in self.analysed.report.properties.values()
            if known.finding.verdict is PropertyVerdict.PROVED
        )

    @cached_property
    def unneeded(self) -> tuple[ElementId, ...]:
        """Return the design elements that no proof needs; nothing until all cores are known."""
        cores = [finding.core for finding in self.proved]
        report = self.analysed.report
        if report.phase is not Phase.DONE or not cores or report.run != self.analysed.basis:
            return ()
        if any(core is None for core in cores):
            return ()
        needed = {element for finding in self.proved for element in in_cores(finding)}
        elements = self.analysed.elaborated.provenance.elements
        return tuple(e for e in report.design if e not in needed and e in elements)

    @cached_property
    def suppressed(self) -> Mapping[str, str]:
        """Return the reasons of the mutants that comments of the text suppress."""
        return self._suppression[0]

    @cached_property
    def unused_suppressions(self) -> tuple[Directive, ...]:
        """Return the suppressing comments that suppress nothing."""
        return self._suppression[1] if self.analysed.report.places else ()

    @cached_property
    def _suppression(self) -> tuple[Mapping[str, str], tuple[Directive, ...]]:
        source = self.analysed.source
        if not suppress.directives(source):
            return {}, ()
        found = []
        for record in self.analysed.report.places.values():
            span = self.place(record)
            if span is not None:
                line = source.position(span.start).line
                found.append(Suppressible(record.mutant, record.operator, line))
        return suppress.reasons(source, found)

    @property
    def _pending(self) -> Standing:
        match self.analysed.report.phase:
            case Phase.QUEUED:
                return Standing.QUEUED
            case Phase.PROVING | Phase.MUTATING:
                return Standing.RUNNING
            case _:
                return Standing.ABSENT

    def place(self, record: MutantPlace) -> Span | None:
        """Return where a mutant is reported; None if its element is gone."""
        provenance = self.analysed.elaborated.provenance
        places = provenance.elements.get(record.element)
        if places is None:
            return None
        if record.place is not None:
            found = places.place(record.place)
            if found is not None:
                return found.token
        return places.head.shifted(places.base)

    def _written(self, span: Span) -> str:
        return " ".join(self.analysed.source.slice(span).split())

    def holder(self, element: ElementId) -> Component | None:
        """Return the component that holds an element: NuSMV flattens its modules into `main`."""
        program = self.analysed.program
        found = self.component(element.component)
        held = found is not None and any(e.id == element for e in found.elements)
        return found if held or element not in program.by_id else self.component(program.main)

    def label(self, element: ElementId) -> str:
        """Return a short name of an element for people."""
        match element.kind:
            case "init" | "next":
                return f"{element.kind}({element.name})"
            case "INIT" | "TRANS" | "INVAR":
                provenance = self.analysed.elaborated.provenance
                if element not in provenance.elements:
                    return element.kind
                line = self.analysed.source.position(provenance.head(element).start).line
                return f"{element.kind} of line {line}"
            case _:
                return element.name

    def subject(self, element: ElementId) -> str:
        """Return what an element is, in words that can stand in a sentence."""
        match element.kind:
            case "equation":
                return f"the equation of {element.name}"
            case "init" | "next" | "current":
                return f"the assignment to {self.label(element)}"
            case "define":
                return f"the definition of {element.name}"
            case "INIT" | "TRANS" | "INVAR":
                return f"the {self.label(element)}"
            case _:
                return f"the {element.kind} {element.name}"

    def component(self, name: str) -> Component | None:
        """Return the component of a name, if there is one."""
        for component in self.analysed.program.components:
            if component.name == name:
                return component
        return None

    def shown_trace(self) -> Trace | None:
        """Return the trace whose values hovers show: that of the first falsified property.

        Where none is falsified it is the first path that a property asks for and finds.
        """
        findings = [finding for prop in self.properties for finding in prop.findings]
        findings.sort(key=lambda finding: finding.verdict is not PropertyVerdict.FALSIFIED)
        return next((found.trace for found in findings if found.trace is not None), None)


def tally(mutants: Iterable[PlacedMutant]) -> Tally:
    """Count mutants by status."""
    counts = dict.fromkeys(MutantStatus, 0)
    survivors = dict.fromkeys(EquivalenceStatus, 0)
    pending = 0
    for mutant in mutants:
        if mutant.status is None:
            pending += 1
            continue
        counts[mutant.status] += 1
        if mutant.equivalence is not None:
            survivors[mutant.equivalence.status] += 1
    equivalent = survivors[EquivalenceStatus.EQUIVALENT]
    return Tally(
        counts[MutantStatus.KILLED],
        counts[MutantStatus.SURVIVED] - equivalent,
        counts[MutantStatus.UNKNOWN],
        counts[MutantStatus.STILLBORN],
        counts[MutantStatus.IGNORED],
        pending,
        equivalent,
        survivors[EquivalenceStatus.GAP],
        survivors[EquivalenceStatus.UNDETERMINED],
    )


def in_cores(finding: PropertyFinding) -> tuple[ElementId, ...]:
    """Return the elements of the cores found of a property, MUST first."""
    if finding.cores is not None:
        return (*finding.cores.must, *finding.cores.may)
    return finding.core or ()


def killed_by(mutants: Iterable[PlacedMutant], names: Iterable[str]) -> tuple[PlacedMutant, ...]:
    """Return the killed mutants that one of the named properties kills."""
    wanted = set(names)
    return tuple(
        mutant
        for mutant in mutants
        if mutant.status is MutantStatus.KILLED
        and mutant.finding is not None
        and not wanted.isdisjoint(mutant.finding.killed_by)
    )
