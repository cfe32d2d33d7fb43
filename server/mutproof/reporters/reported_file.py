"""What a report says of one file: findings joined with the places they have in today's text.

Findings name elements and mutants; here, and only here, reports look up where these are. Knows
no format and prints nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from mutproof.analyses.claims.finding import (
    Confirmation,
    ModelFinding,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
    size_of_whole,
)
from mutproof.analyses.equivalence.behaviours import Behaviours, Decided, behaviours
from mutproof.base.diagnostics import Diagnostic
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.base.span import Position, Span
from mutproof.base.text import SourceText, counted, visible
from mutproof.model.editing import TextEdit, separated
from mutproof.model.language import Elaborated, Language
from mutproof.model.passes import inline
from mutproof.model.program import ElementId, ElementKind
from mutproof.model.roles import asked_about, without_effect
from mutproof.model.trace import Trace
from mutproof.reporters.disposition import ClosedGap, Disposition
from mutproof.workspace.explaining import part_order
from mutproof.workspace.faults import fault_span
from mutproof.workspace.findings import Report
from mutproof.workspace.report import Listing, MutantPlace

_UNPROVED: Final = frozenset({PropertyVerdict.FALSIFIED, PropertyVerdict.UNKNOWN})


@dataclass(frozen=True, slots=True)
class PlacedMutant:
    """Join a mutant, what is known of it, and where it is.

    `place` is the reported place (1-based): an operator, value or name, to which all reports and
    editors point. `shown` begins there and ends with the change. `edit` turns the source into the
    mutant. So does
    `replacement` in the place of `region`, which starts at the reported place if the change lies
    wholly after it, else where `edit` starts.
    """

    mutant: MutantPlace
    finding: MutantFinding
    place: Position
    shown: Span
    region: Span
    replacement: str
    edit: TextEdit


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Say that a gap is accepted, why, since which day (YYYY-MM-DD) and until which; else empty.

    `disposition` is what is to be done about it.
    """

    reason: str = ""
    date: str = ""
    expires: str = ""
    disposition: Disposition = Disposition.JUSTIFY

    @property
    def words(self) -> str:
        """Return it in a phrase."""
        until = f" until {self.expires}" if self.expires else ""
        plan = "" if self.disposition is Disposition.JUSTIFY else f" to {self.disposition.words}"
        return visible(f"accepted{until}{plan}: {self.reason or 'no reason given'}")


@dataclass(frozen=True, slots=True)
class CertifiedVerdict:
    """Say what another solver made of the certificate in `file`, or why there is none."""

    confirmation: Confirmation
    file: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PairedMutants:
    """Hold what was found of pairs of mutants; `found` is None where none was chosen.

    In `found`, the mutants are pairs. `left_out`: more could be chosen.
    """

    found: ReportedFile | None = None
    left_out: bool = False

    @property
    def placed(self) -> tuple[PlacedMutant, ...]:
        """Return the pairs in source order of their first changes."""
        return () if self.found is None else self.found.placed


@dataclass(frozen=True)
class ReportedFile:
    """Hold the contents of a report on one file.

    `report` is None where the text has no meaning that could be analysed; `diagnostics` say
    why. `listing` describes the mutants that the findings name and lists the design. `finished`
    is false for a run that did not reach its end: the report then holds what was found until
    then. `certificates` are by mutant (empty for the model) and property; None: not asked.
    `baseline` are gaps that a baseline accepts, by mutant; None where there is no baseline.
    `closed` are those that it accepts, and that are none any more. `pairs` of mutants are apart
    from mutants, and change nothing that is counted of these; None: not asked.
    """

    source: SourceText
    language: Language | None
    elaborated: Elaborated | None
    diagnostics: tuple[Diagnostic, ...]
    report: Report | None = None
    listing: Listing | None = None
    finished: bool = True
    certificates: Mapping[tuple[str, str], CertifiedVerdict] | None = None
    baseline: Mapping[str, Acceptance] | None = None
    closed: tuple[ClosedGap, ...] = ()
    pairs: PairedMutants | None = None

    @property
    def path(self) -> str:
        """Return the name of the file as the user wrote it."""
        return self.source.name

    @property
    def shown_path(self) -> str:
        """Return the name of the file for display, without control characters."""
        return visible(self.source.name)

    @cached_property
    def alike(self) -> frozenset[str]:
        """Return the mutants that have place and operator in common with another one."""
        groups: dict[tuple[Position, str], list[str]] = {}
        for one in self.placed:
            groups.setdefault((one.place, one.mutant.operator), []).append(one.mutant.mutant)
        return frozenset(name for some in groups.values() if len(some) > 1 for name in some)

    @property
    def main(self) -> str:
        """Return the component that the properties are about; empty for a text without meaning."""
        program = None if self.elaborated is None else self.elaborated.program
        return "" if program is None else program.main

    @property
    def so_far(self) -> str:
        """Return the prefix of each sum of a run that did not complete."""
        return "" if self.finished else "so far "

    @property
    def accepted(self) -> Mapping[str, Acceptance]:
        """Return the gaps that are accepted, by mutant."""
        return self.baseline or {}

    @cached_property
    def properties(self) -> tuple[PropertyFinding, ...]:
        """Return the findings on properties in the order of the report."""
        return () if self.report is None else self.report.properties

    @property
    def unproved(self) -> tuple[PropertyFinding, ...]:
        """Return the properties that are falsified or unknown; what has a number is neither."""
        return tuple(one for one in self.properties if one.verdict in _UNPROVED)

    @property
    def defects(self) -> int:
        """Return how many verdicts were withdrawn."""
        own = 0 if self.report is None else self.report.statistics.defects
        pairs = None if self.pairs is None else self.pairs.found
        return own if pairs is None else own + pairs.defects

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Return notes on the model as a whole, as sentences."""
        if self.report is None:
            return ()
        found = [note for note, _ in self.faults]
        if self.defects:
            verdicts = "a verdict was" if self.defects == 1 else f"{self.defects} verdicts were"
            found.append(f"{verdicts} withdrawn, contradicted by an execution: please report this")
        found += [self.left_alone] if self.left_alone else []
        return tuple(found)

    @property
    def unnoted(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics without those that `notes` say."""
        faults = () if self.report is None else self.report.model
        noted = {fault.message for fault in faults}
        return tuple(found for found in self.diagnostics if found.message not in noted)

    @property
    def left_alone(self) -> str:
        """Return a phrase on the mutants left out because the change does not concern them."""
        if self.listing is None or not self.listing.unconcerned:
            return ""
        many = counted(self.listing.unconcerned, "mutant")
        return visible(f"{many} left out that {self.listing.change} does not concern")

    @property
    def faults(self) -> tuple[tuple[str, Trace | None], ...]:
        """Return the faults of the model as sentences, with executions."""
        found = () if self.report is None else self.report.model
        return tuple((self._fault_note(fault), fault.trace) for fault in found)

    def _fault_note(self, fault: ModelFinding) -> str:
        place = self.fault_place(fault)
        return fault.message if place is None else f"{self.shown_path}:{place}: {fault.message}"

    def fault_place(self, fault: ModelFinding) -> Position | None:
        """Return the place of something in the model, None for the whole of it."""
        if fault.place is None or self.elaborated is None:
            return None
        return self.source.position(fault_span(self.elaborated, fault).start)

    @cached_property
    def placed(self) -> tuple[PlacedMutant, ...]:
        """Return the mutants in source order: by reported place, then as they were made."""
        if self.report is None:
            return ()
        mutants = {} if self.listing is None else {m.mutant: m for m in self.listing.mutants}
        placed = [self.placed_with(mutants[f.mutant], f) for f in self.report.mutants]
        return tuple(sorted(placed, key=lambda mutant: mutant.place))

    def placed_with(self, mutant: MutantPlace, finding: MutantFinding) -> PlacedMutant:
        """Return a mutant with where it is and what is known of it."""
        assert self.elaborated is not None
        provenance = self.elaborated.provenance
        start = provenance.head(mutant.element).start
        if mutant.place is not None:
            at = provenance.elements[mutant.element].place(mutant.place)
            start = start if at is None else at.token.start
        if mutant.replacement is None:
            edit = TextEdit(provenance.whole(mutant.element), "")
        else:
            span = provenance.text(mutant.element, mutant.path)
            edit = separated(self.source.content, TextEdit(span, mutant.replacement))
        region, replacement = _from_place(self.source, start, edit)
        shown = Span(start, max(start, region.end))
        place = self.source.position(start)
        return PlacedMutant(mutant, finding, place, shown, region, replacement, edit)

    @cached_property
    def behaviours(self) -> Behaviours:
        """Return the classes of the gaps, the most telling ones first."""
        if self.elaborated is None or self.elaborated.program is None:
            return Behaviours()
        decided = (
            Decided(p.mutant.mutant, p.mutant.element, p.finding.status, p.finding.equivalence)
            for p in self.placed
        )
        return behaviours(decided, self.elaborated.program)

    @cached_property
    def functions(self) -> Mapping[tuple[ElementId, str], list[PlacedMutant]]:
        """Return the mutants of which that was asked by element and function, in source order."""
        found: dict[tuple[ElementId, str], list[PlacedMutant]] = {}
        for placed in self.placed:
            if placed.finding.function is not None:
                key = placed.mutant.element, placed.finding.function
                found.setdefault(key, []).append(placed)
        return found

    @cached_property
    def duplicates(self) -> Mapping[str, PlacedMutant | None]:
        """Return the earlier mutant that each duplicated one is; None for what is the model."""
        return {
            one.mutant.mutant: alike[0] if function else None
            for (_, function), alike in self.functions.items()
            for one in alike[1 if function else 0 :]
        }

    @cached_property
    def design(self) -> tuple[ElementId, ...]:
        """Return the elements of the design, in source order."""
        return () if self.listing is None else self.listing.design

    @cached_property
    def in_question(self) -> tuple[ElementId, ...]:
        """Return the elements of the design of which cores tell whether they are needed."""
        program = None if self.elaborated is None else self.elaborated.program
        return self.design if program is None else asked_about(program, self.design)

    @cached_property
    def compared(self) -> tuple[ElementId, ...]:
        """Return these, or those of all instances where cores tell instances apart."""
        known = () if self.elaborated is None else self.elaborated.provenance.elements
        of_instances = any(e not in known for found in self.properties for e in found.core or ())
        if not of_instances or self._inlined is None:
            return self.in_question
        design, origins = frozenset(self.design), self._inlined.origins
        program = self._inlined.program
        idle = without_effect(program)
        every = asked_about(program, program.by_id)
        return tuple(e for e in every if e not in idle and origins.get(e, e) in design)

    @cached_property
    def size_of_whole(self) -> int:
        """Return of how many elements the cores of properties are parts."""
        return size_of_whole(self.compared, self.properties)

    def in_order(self, findings: Iterable[PropertyFinding]) -> tuple[PropertyFinding, ...]:
        """Return findings on properties in source order, those of instances as declared."""
        assert self.elaborated is not None
        program = self.elaborated.program
        stated = () if program is None else program.component(program.main).properties
        ranks = {prop.name: number for number, prop in enumerate(stated)}

        def rank(finding: PropertyFinding) -> tuple[Position, int, object]:
            name = finding.name
            return self.property_place(finding), ranks.get(name, len(ranks)), part_order(name)

        return tuple(sorted(findings, key=rank))

    def property_place(self, finding: PropertyFinding) -> Position:
        """Return the place of the name in the property statement, the file's start if none."""
        return self.source.position(self.property_span(finding).start)

    def property_span(self, finding: PropertyFinding) -> Span:
        """Return the name in the property statement."""
        assert self.elaborated is not None
        return self.elaborated.provenance.properties.get(self.property_key(finding), Span(0, 0))

    def property_key(self, finding: PropertyFinding) -> str:
        """Return the key of a property in the provenance, of instances that of its declaration."""
        assert self.elaborated is not None
        key = f"{finding.component}.{finding.declared}"
        if key not in self.elaborated.provenance.properties and self._inlined is not None:
            component, declared = self._inlined.properties.get(finding.name, ("", ""))
            key = f"{component}.{declared}"
        return key

    def element_place(self, element: ElementId) -> Position:
        """Return the place of the left-hand side of an element.

        An element of one node instance is where it is written, an argument where the call is.
        """
        return self.source.position(self.element_span(element).start)

    def element_span(self, element: ElementId) -> Span:
        """Return the left-hand side of an element, or what stands in its place."""
        assert self.elaborated is not None
        provenance = self.elaborated.provenance
        if element not in provenance.elements and self._inlined is not None:
            element = self._inlined.origins.get(element, element)
        return provenance.head(element)

    @cached_property
    def _inlined(self) -> inline.Inlined | None:
        """Return the program with nodes inlined, for findings about instances; None without one."""
        program = None if self.elaborated is None else self.elaborated.program
        return None if program is None else inline.inlined(program)

    def element_name(self, element: ElementId) -> str:
        """Return an element's name for people: qualified where it is not of the main component."""
        assert self.elaborated is not None
        program = self.elaborated.program
        name = element.name if program is None else program.shown(element)
        if element.kind in {ElementKind.INIT_ASSIGN.value, ElementKind.NEXT_ASSIGN.value}:
            name = f"{element.kind}({element.name})"
        return name if element.component == self.main else f"{element.component}.{name}"

    def element_title(self, element: ElementId) -> str:
        """Return an element's name beside its place: constraints go by their kind."""
        return self.element_name(element).partition("#")[0]

    def element_label(self, element: ElementId) -> str:
        """Return an element's name in lists without places: constraints say their line too."""
        name, title = self.element_name(element), self.element_title(element)
        return name if name == title else f"{title} of line {self.element_place(element).line}"

    def kills(self, name: str) -> tuple[int, int]:
        """Return how many mutants the property kills, and how many no other property kills."""
        killed = [placed.finding for placed in self.placed if name in placed.finding.killed_by]
        return len(killed), sum(1 for finding in killed if finding.killed_by == (name,))

    def count(self, status: MutantStatus) -> int:
        """Return the number of mutants of a status."""
        return sum(1 for placed in self.placed if placed.finding.status is status)


def _from_place(source: SourceText, start: int, edit: TextEdit) -> tuple[Span, str]:
    """Return an edit as one that starts at `start`, if the text before that stays."""
    if start <= edit.span.start:
        kept = source.content[start : edit.span.start]
        return Span(start, max(start, edit.span.end)), kept + edit.text
    kept = source.content[edit.span.start : start]
    for prefix in (kept, kept.rstrip()):
        rest = edit.text.removeprefix(prefix)
        # what goes on without a space may be the same name: `x` of `x1`
        apart = prefix == kept or rest[:1] in {"", " "}
        if start <= edit.span.end and edit.text.startswith(prefix) and apart:
            return Span(start, edit.span.end), rest
    return edit.span, edit.text
