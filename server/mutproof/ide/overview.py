"""All verdicts of a file in tables: nodes, elements, properties, and how these relate.

Views of a whole file are made of it; the mutants are requested element by element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide import code_lenses, survivors
from mutproof.ide.placed import Freshness, PlacedProperty, ShownMutant, Tally, total
from mutproof.ide.verdicts import Verdicts
from mutproof.model.program import ElementId


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """Hold a property: its verdict (empty while there is none), and the same in words.

    `traced` names the finding that has an execution, empty for none.
    """

    name: str
    component: str
    span: Span
    verdict: str
    said: str
    is_stale: bool
    kills: int
    traced: str


@dataclass(frozen=True, slots=True)
class ElementRow:
    """Hold an element with its counts, and its role for properties, by their index.

    `marks` are MUST, MAY, or `core` where not all cores are known; `kills` count its mutants.
    """

    key: str
    label: str
    span: Span
    head: Span
    counted: Tally
    is_stale: bool
    marks: Mapping[int, str]
    kills: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class ComponentRow:
    """Hold a node or module with the counts of all its elements."""

    name: str
    span: Span
    counted: Tally
    elements: tuple[ElementRow, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """Hold all verdicts of a file."""

    properties: tuple[PropertyRow, ...]
    components: tuple[ComponentRow, ...]


@dataclass(frozen=True, slots=True)
class MutantRow:
    """Hold a mutant: its status in one word (empty while it has none) and in a sentence.

    `behaviour` names the class of gaps that it belongs to, empty for none.
    """

    mutant: str
    label: str
    operator: str
    span: Span
    status: str
    said: str
    is_stale: bool
    behaviour: str
    is_traced: bool


def key(element: ElementId) -> str:
    """Return the name of an element among those of a file."""
    return f"{element.component} {element.kind} {element.name}"


def overview(verdicts: Verdicts) -> Overview:
    """Return the tables of a file, in the order of the text."""
    properties = verdicts.properties
    numbers: dict[str, list[int]] = {}
    for number, prop in enumerate(properties):
        for finding in prop.findings:
            numbers.setdefault(finding.name, []).append(number)
    marks = _marks(verdicts, numbers)
    kills: dict[ElementId, Counter[int]] = {}
    killed_by: Counter[int] = Counter()
    for mutant in verdicts.killed:
        names = () if mutant.finding is None else mutant.finding.killed_by
        found = {number for name in names for number in numbers.get(name, ())}
        kills.setdefault(mutant.record.element, Counter()).update(found)
        killed_by.update(found)
    provenance = verdicts.analysed.elaborated.provenance
    owned: dict[str, list[ElementId]] = {}
    for element in verdicts.by_element:
        owned.setdefault(element.component, []).append(element)
    components = []
    for name, span in provenance.components.items():
        elements = sorted(owned.get(name, ()), key=provenance.whole)
        if elements:
            rows = tuple(
                _element(verdicts, each, marks.get(each, {}), kills.get(each, {}))
                for each in elements
            )
            counted = total(row.counted for row in rows)
            components.append(ComponentRow(name, span, counted, rows))
    listed = (_property(verdicts, p, killed_by[number]) for number, p in enumerate(properties))
    return Overview(tuple(listed), tuple(components))


def mutants(verdicts: Verdicts, wanted: str | None) -> tuple[MutantRow, ...]:
    """Return the mutants of the element with a key; of all elements for None."""
    return tuple(
        _mutant(verdicts, mutant)
        for element, own in verdicts.by_element.items()
        if wanted is None or key(element) == wanted
        for mutant in own
    )


def _marks(
    verdicts: Verdicts, numbers: Mapping[str, Iterable[int]]
) -> Mapping[ElementId, Mapping[int, str]]:
    """Return the mark of each element for each property: the strongest of all instances."""
    found: dict[ElementId, dict[int, str]] = {}
    for word, owned in code_lenses.owners(verdicts).items():
        for element, names in owned.items():
            for name in names:
                for number in numbers.get(name, ()):
                    found.setdefault(element, {}).setdefault(number, word)
    return found


def _property(verdicts: Verdicts, prop: PlacedProperty, kills: int) -> PropertyRow:
    worst = prop.worst()
    verdict = "" if worst is None else worst.verdict.value
    if worst is not None and worst.verdict is PropertyVerdict.PROVED and worst.vacuity:
        verdict = "vacuous"
    return PropertyRow(
        prop.name,
        prop.component,
        prop.span,
        verdict,
        code_lenses.property_title(prop, verdicts),
        prop.standing is Freshness.STALE,
        kills,
        "" if worst is None or worst.trace is None else worst.name,
    )


def _element(
    verdicts: Verdicts, element: ElementId, marks: Mapping[int, str], kills: Mapping[int, int]
) -> ElementRow:
    provenance = verdicts.analysed.elaborated.provenance
    return ElementRow(
        key(element),
        verdicts.label(element),
        provenance.whole(element),
        provenance.head(element),
        verdicts.tallies[element],
        any(mutant.standing is Freshness.STALE for mutant in verdicts.by_element[element]),
        marks,
        kills,
    )


def _mutant(verdicts: Verdicts, mutant: ShownMutant) -> MutantRow:
    known, finding = mutant.equivalence, mutant.finding
    status = "" if mutant.status is None else mutant.status.value
    said = "" if finding is None else ", ".join(finding.killed_by) or finding.reason
    match None if known is None else known.status:
        case EquivalenceStatus.GAP if known is not None:
            status, said = "gap", survivors.difference(known)
        case EquivalenceStatus.EQUIVALENT if known is not None:
            status, said = "equivalent", known.explained
        case EquivalenceStatus.UNDETERMINED if known is not None:
            said = survivors.reason(known)
    behaviour = verdicts.behaviours.of.get(mutant.record.mutant)
    traced = finding is not None and finding.trace is not None
    return MutantRow(
        mutant.record.mutant,
        mutant.label,
        mutant.record.operator,
        mutant.span,
        status,
        said,
        mutant.standing is Freshness.STALE,
        "" if behaviour is None else behaviour.name,
        traced or (known is not None and known.mutant is not None),
    )
