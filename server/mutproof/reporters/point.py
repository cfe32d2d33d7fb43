"""Points of a report: places of a file with a rule, a message and a lasting identity.

Formats for editors, reviews and code scanning show the same points, each in its own words for
severity. Text that merely moves changes no identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.base.diagnostics import Severity
from mutproof.base.digest import digest_parts
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import counted
from mutproof.model.program import ElementId
from mutproof.reporters import matrix, pairs, survivors
from mutproof.reporters.fate import MISSED, OPEN, MutantFate, fate, unmeasured
from mutproof.reporters.matrix import MatrixMark
from mutproof.reporters.reported_file import Acceptance, PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation


class Grade(Enum):
    """Rank points by severity."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Point:
    """Hold a remark about a place.

    `rule` is a diagnostic's code, a mutation operator or one of PROPERTY_RULES. `is_open`:
    something is not known. `identity` is the same in later runs of the file. `placed` is the mutant
    and `found` the property that it is about, None for what it is not; `accepted` says that a
    baseline accepts it. `related` are the parts of the pair of mutants that it is about.
    """

    span: Span
    rule: str
    grade: Grade
    title: str
    message: str
    identity: str
    is_open: bool = False
    placed: PlacedMutant | None = None
    accepted: Acceptance | None = None
    found: PropertyFinding | None = None
    related: tuple[PlacedMutant, ...] = ()


PAIR_RULES: Final = {
    pairs.PairOutcome.MASKED: ("pair-masked", "Two mutants are killed, but not both at once"),
    pairs.PairOutcome.TOGETHER: ("pair-killed", "Two mutants survive, but not both at once"),
}
"""The rules about pairs of mutants by their outcome, with explanations."""

PROPERTY_RULES: Final = {
    "property-falsified": "A property does not hold: some execution violates it",
    "property-unknown": "Neither a proof nor a violation of a property was found in the budget",
    "property-vacuous": "A property is proved, and could not have failed",
    "nothing-to-measure": "No mutant is decided, as no property could notice one",
    "property-core": "A property is proved, and these elements suffice for that",
    "element-in-no-core": "No core that was found of a proved property has an element",
}
"""The rules about properties and cores, with explanations."""

_MOST_CORES: Final = 3  # of a property, in one line
_SEVERITIES = {
    Severity.ERROR: Grade.ERROR,
    Severity.WARNING: Grade.WARNING,
    Severity.INFORMATION: Grade.NOTE,
}


def of_properties(file: ReportedFile) -> list[Point]:
    """Return the points about a file and its properties, in source order."""
    found = [*_diagnostics(file), *_properties(file)]
    return sorted(found, key=lambda point: point.span)


def of_mutants(file: ReportedFile, presentation: Presentation, *, every: bool) -> list[Point]:
    """Return these, and the mutants that are missed or unknown, in source order.

    Without `every`, gaps that another one implies are left out. Where no property takes part, one
    point stands for all mutants.
    """
    found = [*_diagnostics(file), *_properties(file)]
    nothing = unmeasured(file)
    if nothing:
        found.append(_unmeasured(file, nothing))
    for placed in () if nothing else file.placed:
        if every or survivors.is_shown(file, placed, presentation):
            found += _mutant(file, placed, presentation, every=every)
    found += _pairs(file)
    return sorted(found, key=lambda point: point.span)


def of_cores(file: ReportedFile) -> list[Point]:
    """Return the points about properties and their cores, in source order."""
    found = [*_diagnostics(file), *_properties(file), *_cores(file)]
    return sorted(found, key=lambda point: point.span)


def core_words(file: ReportedFile, found: PropertyFinding) -> str:
    """Return what a property needs in a phrase, empty where that was not asked."""
    if found.core is None:
        return "" if found.cores is None else f"needs: {matrix.summary(found.cores)}"
    about = "" if found.cores is None else f" ({matrix.summary(found.cores)})"
    every = (found.core,) if found.cores is None else found.cores.cores
    shown = " or ".join(f"[{_names(file, one)}]" for one in every[:_MOST_CORES])
    more = f" or {len(every) - _MOST_CORES} more" if len(every) > _MOST_CORES else ""
    return f"needs {shown}{more}; in every core: {_names(file, matrix.needed(found))}{about}"


def _cores(file: ReportedFile) -> Iterator[Point]:
    for found in file.properties:
        if words := core_words(file, found):
            yield Point(
                file.property_span(found),
                "property-core",
                Grade.NOTE,
                "what a property needs",
                f"{found.name} {words}",
                digest_parts("property-core", found.name).hex(),
                found=found,
            )
    shown = matrix.matrix(file)
    for row in shown.rows if shown.properties else ():
        if all(mark is MatrixMark.NONE for mark in row.marks):
            yield Point(
                file.element_span(row.element),
                "element-in-no-core",
                Grade.NOTE,
                "element in no core",
                f"no core found of a proved property has {row.title}",
                digest_parts("element-in-no-core", row.name).hex(),
            )


def _names(file: ReportedFile, elements: Iterable[ElementId]) -> str:
    return ", ".join(file.element_label(element) for element in elements) or "nothing"


def _diagnostics(file: ReportedFile) -> Iterator[Point]:
    for one in file.diagnostics:
        if one.severity in _SEVERITIES:
            message = f"{one.message}\n{one.help}" if one.help else one.message
            identity = digest_parts("diagnostic", one.code, one.message).hex()
            grade = _SEVERITIES[one.severity]
            yield Point(one.span, one.code, grade, one.code, message, identity)


def _properties(file: ReportedFile) -> Iterator[Point]:
    for found in file.properties:
        match found.verdict:
            case PropertyVerdict.FALSIFIED:
                steps = "" if found.k is None else f" after {counted(found.k, 'step')}"
                rule, grade, said = "property-falsified", Grade.ERROR, f"falsified{steps}"
            case PropertyVerdict.UNKNOWN:
                reason = found.reason or "no reason given"
                rule, grade, said = "property-unknown", Grade.NOTE, f"unknown: {reason}"
            case PropertyVerdict.PROVED if found.vacuity:
                said = f"proved vacuously: {found.vacuity}"
                rule, grade = "property-vacuous", Grade.WARNING
            case _:
                continue
        yield Point(
            file.property_span(found),
            rule,
            grade,
            rule.replace("-", " "),
            f"{found.name} is {said}",
            digest_parts(rule, found.name).hex(),
            is_open=rule == "property-unknown",
            found=found,
        )


def _unmeasured(file: ReportedFile, why: str) -> Point:
    return Point(
        file.property_span(file.properties[0]),
        "nothing-to-measure",
        Grade.NOTE,
        "mutants not decided",
        why,
        digest_parts("nothing-to-measure").hex(),
        is_open=True,
    )


def _mutant(
    file: ReportedFile, placed: PlacedMutant, presentation: Presentation, *, every: bool
) -> Iterator[Point]:
    known = fate(placed.finding)
    if known not in MISSED and known not in OPEN:
        return
    operator = placed.mutant.operator
    message = f"{placed.mutant.summary} in {file.element_title(placed.mutant.element)}"
    message += f" {said(placed)}"
    if not every:
        message += survivors.more_like(file, placed, presentation)
    yield Point(
        placed.shown,
        operator,
        Grade.WARNING if known in MISSED else Grade.NOTE,
        f"mutant survives ({operator})" if known in MISSED else f"mutant {known.value}",
        message,
        placed.mutant.mutant,
        is_open=known in OPEN,
        placed=placed,
        accepted=file.accepted.get(placed.mutant.mutant),
    )


def _pairs(file: ReportedFile) -> Iterator[Point]:
    """Yield the pairs of which the verdict does not follow from those of their parts."""
    for pair in pairs.of(file):
        if pair.outcome in PAIR_RULES:
            rule, _ = PAIR_RULES[pair.outcome]
            first, second = pair.parts
            message = f"{first.mutant.summary} together with {second.mutant.summary}"
            message += f" at {second.place} {pair.outcome.value}"
            yield Point(
                first.shown,
                rule,
                Grade.NOTE,
                rule.replace("-", " "),
                f"{message} ({pair.alone})" if pair.known == "" else f"{message}: {pair.known}",
                pair.whole.mutant.mutant,
                related=pair.parts,
            )


def said(placed: PlacedMutant) -> str:
    """Return what is known of a mutant that is missed or unknown, as the end of a sentence."""
    finding = placed.finding
    compared = finding.equivalence
    match fate(finding):
        case MutantFate.UNKNOWN:
            return f"is unknown: {finding.reason or 'no reason given'}"
        case MutantFate.SURVIVED if not finding.covered_by:
            return "survives: no proved property reads it"
        case MutantFate.SURVIVED:
            return "survives: no proved property notices"
        case _:
            assert compared is not None
            words = survivors.words(compared)
            if compared.status is EquivalenceStatus.GAP:
                words = words.removeprefix("gap, ")
            return f"survives: {words}"
