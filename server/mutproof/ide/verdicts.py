"""Verdicts joined with their places in the text: what diagnostics, lenses and hovers read.

During a run a file gets new verdicts many times a second: each table is computed on first use, and
reuses the unchanged rows of the table before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from operator import is_

from mutproof.analyses.claims.finding import MutantStatus, PropertyFinding, PropertyVerdict
from mutproof.analyses.equivalence.behaviours import Behaviours, Decided, behaviours
from mutproof.analyses.mutation.suppress import FaultyDirective
from mutproof.base.digest import Digest
from mutproof.base.giving_way import give_way
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide.layout import PlacedMutants, layout
from mutproof.ide.placed import Freshness, PlacedProperty, ShownMutant, Tally, tally, total
from mutproof.model.program import Component, ElementId
from mutproof.model.roles import asked_about
from mutproof.model.trace import Trace
from mutproof.workspace.explaining import part_order
from mutproof.workspace.report import Phase
from mutproof.workspace.snapshot import Analysed


@dataclass(frozen=True)
class Earlier:
    """Hold the tables of an earlier report, whose unchanged rows are kept."""

    layout: PlacedMutants | None = None
    mutants: tuple[ShownMutant, ...] = ()
    by_element: Mapping[ElementId, tuple[ShownMutant, ...]] = field(default_factory=dict)
    tallies: Mapping[ElementId, Tally] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdicts:
    """Look up verdicts and places of one analysed version; computes each table once."""

    analysed: Analysed
    earlier: Earlier = field(default_factory=Earlier, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Reuse the earlier layout if it is of this version; else discard the earlier tables."""
        known = self.earlier.layout
        if known is not None and known.is_of(self.analysed):
            self.__dict__["layout"] = known
        elif known is not None:
            self.__dict__["earlier"] = Earlier()

    def followed(self, analysed: Analysed) -> Verdicts:
        """Return the verdicts of a later report, reusing what they share with these."""
        tables = self.__dict__
        names = ("layout", "mutants", "by_element", "tallies")
        known = {name: tables[name] for name in names if name in tables}
        if "mutants" not in known:
            known = {field.name: getattr(self.earlier, field.name) for field in fields(Earlier)}
        return Verdicts(analysed, Earlier(**known))

    @cached_property
    def layout(self) -> PlacedMutants:
        """Return the places of the mutants."""
        return layout(self.analysed.elaborated, self.analysed.report.places)

    @cached_property
    def mutants(self) -> tuple[ShownMutant, ...]:
        """Return the mutants that still have a place, in the order of the text."""
        return tuple(map(self._placed, range(len(self.layout.entries))))

    def prepare(self) -> Verdicts:
        """Look up all mutants, yielding to other threads in between; return these verdicts.

        Meant for another thread: no table is locked meanwhile.
        """
        found = []
        for index in range(len(self.layout.entries)):
            give_way()
            found.append(self._placed(index))
        self.__dict__["mutants"] = tuple(found)
        return self

    def _placed(self, index: int) -> ShownMutant:
        """Return a mutant with its status; the same object as earlier if nothing changed."""
        span, record = self.layout.entries[index]
        known = self.analysed.report.mutants.get(record.mutant)
        finding, status, standing = None, None, self._pending
        if known is not None:
            finding = known.finding
            status = finding.status
            standing = Freshness.CURRENT if known.basis == self._basis else Freshness.STALE
        if self._suppressed and record.mutant in self._suppressed:
            status = MutantStatus.IGNORED
        elif status is MutantStatus.IGNORED:
            finding, status, standing = None, None, Freshness.ABSENT
        if self.earlier.mutants:
            old = self.earlier.mutants[index]
            if old.finding is finding and old.standing is standing and old.status is status:
                return old
        return ShownMutant(record, span, finding, standing, status)

    @cached_property
    def by_id(self) -> Mapping[str, ShownMutant]:
        """Return the mutants by id."""
        return {mutant.record.mutant: mutant for mutant in self.mutants}

    @cached_property
    def by_element(self) -> Mapping[ElementId, tuple[ShownMutant, ...]]:
        """Return the mutants of every element."""
        found, mutants, before = {}, self.mutants, self.earlier.by_element
        for element, indices in self.layout.groups.items():
            own = tuple([mutants[index] for index in indices])
            old = before.get(element, ())
            is_same = len(old) == len(own) and all(map(is_, old, own))
            found[element] = old if is_same else own
        return found

    @cached_property
    def tallies(self) -> Mapping[ElementId, Tally]:
        """Return the counts of the mutants of every element."""
        before, known = self.earlier.by_element, self.earlier.tallies
        return {
            element: known[element]
            if element in known and before.get(element) is mutants
            else tally(mutants)
            for element, mutants in self.by_element.items()
        }

    @cached_property
    def counted(self) -> Tally:
        """Return the counts of all mutants."""
        return total(self.tallies.values())

    @cached_property
    def killed(self) -> tuple[ShownMutant, ...]:
        """Return the killed mutants in the order of the text."""
        return tuple([m for m in self.mutants if m.status is MutantStatus.KILLED])

    @cached_property
    def behaviours(self) -> Behaviours:
        """Return the classes of the gaps, the most informative ones first."""
        decided = (
            Decided(m.record.mutant, m.record.element, m.status, m.equivalence)
            for m in self.mutants
        )
        return behaviours(decided, self.analysed.program)

    @cached_property
    def _killed_starts(self) -> tuple[int, ...]:
        return tuple([mutant.span.start for mutant in self.killed])

    @cached_property
    def _killed_siblings(
        self,
    ) -> Mapping[ElementId, tuple[tuple[int, ...], tuple[ShownMutant, ...]]]:
        """Return the killed mutants of each element, with the offsets at which they begin."""
        found: dict[ElementId, list[ShownMutant]] = {}
        for mutant in self.killed:
            found.setdefault(mutant.record.element, []).append(mutant)
        return {
            element: (tuple([mutant.span.start for mutant in killed]), tuple(killed))
            for element, killed in found.items()
        }

    @cached_property
    def _victims(self) -> Mapping[str, tuple[ShownMutant, ...]]:
        found: dict[str, list[ShownMutant]] = {}
        for mutant in self.killed:
            if mutant.finding is not None:
                for name in mutant.finding.killed_by:
                    found.setdefault(name, []).append(mutant)
        return {name: tuple(mutants) for name, mutants in found.items()}

    def killed_by(self, names: Iterable[str]) -> tuple[ShownMutant, ...]:
        """Return the mutants that one of the named properties kills, in the order of the text."""
        killers = [name for name in dict.fromkeys(names) if name in self._victims]
        if len(killers) == 1:
            return self._victims[killers[0]]
        found = {m.record.mutant for name in killers for m in self._victims[name]}
        return tuple([mutant for mutant in self.killed if mutant.record.mutant in found])

    def nearest_killed(self, mutant: ShownMutant) -> ShownMutant | None:
        """Return the killed mutant nearest to another one, of the same element if possible."""
        starts, killed = self._killed_siblings.get(mutant.record.element, ((), ()))
        if not killed:
            starts, killed = self._killed_starts, self.killed
        at = mutant.span.start
        # The first one at or after `at`, and the first at the place before it.
        behind = bisect_left(starts, at)
        near = list(killed[behind : behind + 1])
        if behind > 0:
            near.insert(0, killed[bisect_left(starts, starts[behind - 1])])
        return min(near, key=lambda other: abs(other.span.start - at), default=None)

    def touching(self, span: Span) -> tuple[ShownMutant, ...]:
        """Return the mutants that have a character or an end in common with a span, in order."""
        touched = self.layout.touching(span)
        if "mutants" in self.__dict__:
            return tuple([self.mutants[index] for index in touched])
        return tuple([self._placed(index) for index in touched])

    @cached_property
    def stating(self) -> Mapping[str, PlacedProperty]:
        """Return the place of every property that was decided, by the name of its finding."""
        found: dict[str, PlacedProperty] = {}
        for prop in self.properties:
            for finding in prop.findings:
                found.setdefault(finding.name, prop)
        return found

    @cached_property
    def properties(self) -> tuple[PlacedProperty, ...]:
        """Return the properties the text states, in order, with their findings."""
        provenance = self.analysed.elaborated.provenance
        known: dict[str, list[tuple[PropertyFinding, bool]]] = {}
        for entry in self.analysed.report.properties.values():
            key = f"{entry.finding.component}.{entry.finding.declared}"
            current = self.analysed.is_current(entry.basis)
            known.setdefault(key, []).append((entry.finding, current))
        for instances in known.values():
            instances.sort(key=lambda one: part_order(one[0].name))
        # A property of a NuSMV module is one property for each instance, all at one place.
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
                standing = Freshness.CURRENT
            else:
                standing = Freshness.STALE
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
    def in_question(self) -> tuple[ElementId, ...]:
        """Return the design elements of which cores tell whether they are needed."""
        return asked_about(self.analysed.program, self.analysed.report.design)

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
        return tuple(e for e in self.in_question if e not in needed and e in elements)

    @property
    def suppressed(self) -> Mapping[str, str]:
        """Return the reasons of the mutants that comments of the text suppress."""
        return self.layout.suppressed

    @property
    def faulty_suppressions(self) -> tuple[FaultyDirective, ...]:
        """Return the suppressing comments with something wrong."""
        return self.layout.faulty_suppressions

    @cached_property
    def _basis(self) -> Digest:
        return self.analysed.basis

    @cached_property
    def _suppressed(self) -> Mapping[str, str]:
        return self.layout.suppressed

    @cached_property
    def _pending(self) -> Freshness:
        match self.analysed.report.phase:
            case Phase.QUEUED:
                return Freshness.QUEUED
            case Phase.PROVING | Phase.MUTATING:
                return Freshness.RUNNING
            case _:
                return Freshness.ABSENT

    def _written(self, span: Span) -> str:
        return " ".join(self.analysed.source.slice(span).split())

    def holder(self, element: ElementId) -> Component | None:
        """Return the component that holds an element: NuSMV flattens its modules into `main`."""
        program = self.analysed.program
        found = self.component(element.component)
        held = found is not None and any(e.id == element for e in found.elements)
        return found if held or element not in program.by_id else self.component(program.main)

    def label(self, element: ElementId) -> str:
        """Return a short name of an element for users."""
        match element.kind:
            case "init" | "next":
                return f"{element.kind}({element.name})"
            case "INIT" | "TRANS" | "INVAR" | "assert":
                provenance = self.analysed.elaborated.provenance
                if element not in provenance.elements:
                    return element.kind
                line = self.analysed.source.position(provenance.head(element).start).line
                return f"{element.kind} of line {line}"
            case _:
                return self.analysed.program.shown(element)

    def subject(self, element: ElementId) -> str:
        """Return a description of an element for use in a sentence."""
        match element.kind:
            case "equation":
                return f"the equation of {self.label(element)}"
            case "init" | "next" | "current":
                return f"the assignment to {self.label(element)}"
            case "define":
                return f"the definition of {element.name}"
            case "INIT" | "TRANS" | "INVAR" | "assert":
                return f"the {self.label(element)}"
            case _:
                return f"the {element.kind} {self.label(element)}"

    def component(self, name: str) -> Component | None:
        """Return the component of a name, if there is one."""
        for component in self.analysed.program.components:
            if component.name == name:
                return component
        return None

    def shown_trace(self) -> Trace | None:
        """Return the trace whose values hovers show: that of the first falsified property.

        If none is falsified, the first path that shows an existential property.
        """
        findings = [finding for prop in self.properties for finding in prop.findings]
        findings.sort(key=lambda finding: finding.verdict is not PropertyVerdict.FALSIFIED)
        return next((found.trace for found in findings if found.trace is not None), None)


def in_cores(finding: PropertyFinding) -> tuple[ElementId, ...]:
    """Return the elements of the cores found of a property, MUST first."""
    if finding.cores is not None:
        return (*finding.cores.must, *finding.cores.may)
    return finding.core or ()
