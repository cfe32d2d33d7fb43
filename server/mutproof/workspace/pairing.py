"""Which pairs of mutants to decide, once it is known what became of each alone.

Of all pairs few are worth a question. Chosen are those whose parts no property notices, and those
whose parts one property alone notices, and the same one. Parts that cannot meet are left out:
where no proved property depends on both, what notices the pair notices a part. First come parts
of one element, of two of which one reads the other, and of two that something reads together.

Source: Jia and Harman, Higher order mutation testing, Information and Software Technology 51,
2009 (subsuming and decoupled mutants); Offutt, Investigations of the software testing coupling
effect, TOSEM 1, 1992.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import TypeAlias

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.pairs import is_disjoint
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.model import walk
from mutproof.model.language import Elaborated
from mutproof.model.program import Element, ElementId, Program, VariableKind
from mutproof.model.provenance import Provenance
from mutproof.model.terms import Term
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options

Pair: TypeAlias = tuple[Mutant, Mutant]

GAPS = "gaps"
"""The kind of pairs whose parts no property notices; others are named by the property."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Hold the identities of both parts of each chosen pair; `more`: others were left out."""

    names: tuple[tuple[str, str], ...]
    more: bool


def chosen(elaborated: Elaborated, options: Options, findings: Iterable[MutantFinding]) -> Pairing:
    """Return the pairs to decide, the most telling first, by what is known of single mutants."""
    if elaborated.program is None:
        return Pairing((), more=False)
    known = {finding.mutant: finding for finding in findings}
    mutants = [m for m in enumerate_mutants(elaborated, options) if m.id in known]
    candidates = _Candidates(elaborated.program, elaborated.provenance, mutants, known)
    found = list(islice(candidates.pairs(), options.most_pairs + 1))
    names = tuple((one.id, other.id) for one, other in found[: options.most_pairs])
    return Pairing(names, len(found) > options.most_pairs)


def kind_of(finding: MutantFinding) -> str:
    """Return the kind of pairs that a mutant can be part of; empty if there is none.

    Equivalent mutants are none, nor are survivors known to be neither gap nor equivalent.
    """
    match finding.status:
        case MutantStatus.SURVIVED:
            compared = finding.equivalence
            is_gap = compared is None or compared.status is EquivalenceStatus.GAP
            return GAPS if is_gap and not finding.is_withdrawn else ""
        case MutantStatus.KILLED if len(finding.killed_by) == 1 and not finding.undecided:
            return f"{MutantStatus.KILLED.value} {finding.killed_by[0]}"
        case _:
            return ""


def are_apart(provenance: Provenance, first: Mutant, second: Mutant) -> bool:
    """Tell whether both changes can be made, in terms and in the text."""
    one, other = _span(provenance, first), _span(provenance, second)
    overlap = one == other or (one.start < other.end and other.start < one.end)
    return is_disjoint(first, second) and not overlap


class _Candidates:
    """Yield the pairs that may be worth deciding, in order; caches only."""

    def __init__(
        self,
        program: Program,
        provenance: Provenance,
        mutants: Sequence[Mutant],
        findings: Mapping[str, MutantFinding],
    ) -> None:
        self._program = program
        self._provenance = provenance
        self._findings = findings
        self._kinds: dict[str, dict[ElementId, list[Mutant]]] = {}
        for mutant in mutants:
            kind = kind_of(findings[mutant.id])
            if kind:
                self._kinds.setdefault(kind, {}).setdefault(mutant.element, []).append(mutant)
        # Identities are as good as random: neighbours in this order are of any operators.
        for of_kind in self._kinds.values():
            for alike in of_kind.values():
                alike.sort(key=lambda mutant: mutant.id)

    def pairs(self) -> Iterator[Pair]:
        """Yield pairs of one element or of near ones, then those that meet later."""
        for is_near in (True, False):
            gaps = [name for name in self._kinds if name == GAPS]
            killed = [name for name in self._kinds if name != GAPS]
            yield from in_turns(
                in_turns(self._of_elements(name, is_near=is_near) for name in names)
                for names in (gaps, killed)
            )

    def _of_elements(self, kind: str, *, is_near: bool) -> Iterator[Pair]:
        """Yield pairs of a kind; pairs of elements take turns, so that many have some."""
        elements = self._kinds[kind]

        def groups() -> Iterator[Iterator[Pair]]:
            for element, alike in elements.items() if is_near else ():
                yield self._checked(_spread(alike, alike), element, element)
            for one, other in self._graph.near(elements) if is_near else self._apart(elements):
                yield self._checked(_spread(elements[one], elements[other]), one, other)

        return in_turns(groups())

    def _apart(self, elements: Collection[ElementId]) -> Iterator[tuple[ElementId, ElementId]]:
        near = frozenset(self._graph.near(elements))
        return (pair for pair in combinations(elements, 2) if pair not in near)

    def _checked(self, pairs: Iterable[Pair], one: ElementId, other: ElementId) -> Iterator[Pair]:
        """Yield the pairs that can be made in the text and whose parts can meet."""
        for first, second in pairs:
            if one != other and not self._meet(first, second):
                continue
            if are_apart(self._provenance, first, second):
                yield first, second

    def _meet(self, first: Mutant, second: Mutant) -> bool:
        """Tell whether some proved property may depend on both, as far as is known."""
        covering = [frozenset(self._findings[m.id].covered_by) for m in (first, second)]
        return not covering[0].isdisjoint(covering[1]) or any(
            self._graph.reads_more(mutant) for mutant in (first, second)
        )

    @cached_property
    def _graph(self) -> _ReadingGraph:
        return _ReadingGraph(self._program)


class _ReadingGraph:
    """Tell which elements read what others define; caches only.

    Names are qualified by their component. An element without a target restricts all it reads.
    """

    def __init__(self, program: Program) -> None:
        self._inputs = {
            component.name: [v.name for v in component.of_kind(VariableKind.INPUT)]
            for component in program.components
        }
        self._reads: dict[ElementId, frozenset[tuple[str, str]]] = {}
        self._stated = [
            frozenset(_read(component.name, stated.term))
            for component in program.components
            for stated in component.properties
        ]
        self._defining: dict[tuple[str, str], dict[ElementId, None]] = {}
        for identity, occurrences in program.by_id.items():
            self._reads[identity] = frozenset(
                n for e in occurrences for n in _read(e.id.component, e.body)
            )
            for name in (name for element in occurrences for name in self._defined(element)):
                self._defining.setdefault(name, {})[identity] = None

    def _defined(self, element: Element) -> Iterator[tuple[str, str]]:
        component = element.id.component
        for target in element.targets:
            yield component, target.partition("[")[0]
        for site in walk.sites(element.body):
            yield from ((site.component, name) for name in self._inputs[site.component])
        if not element.targets:
            yield from _read(component, element.body)

    def near(self, elements: Collection[ElementId]) -> list[tuple[ElementId, ElementId]]:
        """Return pairs of elements of which one reads the other, or that something reads both.

        They are in the order of the elements; pairs that read each other come first.
        """
        places = {element: place for place, element in enumerate(elements)}
        direct: dict[tuple[int, int], None] = {}
        common: dict[tuple[int, int], None] = {}
        for one, place in places.items():
            own = self._read_by(self._reads[one], places)
            direct.update(dict.fromkeys(_ordered(place, at) for at in own))
        for names in (*self._reads.values(), *self._stated):
            common.update(dict.fromkeys(combinations(self._read_by(names, places), 2)))
        ordered = [*sorted(direct), *sorted(pair for pair in common if pair not in direct)]
        listed = [*places]
        return [(listed[one], listed[other]) for one, other in ordered if one != other]

    def _read_by(
        self, names: Iterable[tuple[str, str]], places: Mapping[ElementId, int]
    ) -> list[int]:
        """Return the places of the elements that define some of the names, in order."""
        found = {one for name in names for one in self._defining.get(name, ()) if one in places}
        return sorted(places[one] for one in found)

    def reads_more(self, mutant: Mutant) -> bool:
        """Tell whether a change reads what its element does not."""
        if mutant.replacement is None:
            return False
        return not self._reads[mutant.element].issuperset(
            _read(mutant.element.component, mutant.replacement)
        )


def in_turns(groups: Iterable[Iterator[Pair]]) -> Iterator[Pair]:
    """Yield the first of each group, then the second of each, and so on; groups are made late."""
    left: list[Iterator[Pair]] = []
    for group in groups:
        for found in islice(group, 1):
            left.append(group)
            yield found
    while left:
        again, left = left, []
        for group in again:
            for found in islice(group, 1):
                left.append(group)
                yield found


def _spread(ones: Sequence[Mutant], others: Sequence[Mutant]) -> Iterator[Pair]:
    """Yield all pairs, each once, so that each mutant comes again as late as possible."""
    if ones is others:
        for distance in range(1, len(ones)):
            yield from ((ones[at], ones[at + distance]) for at in range(len(ones) - distance))
        return
    for distance in range(len(others)):
        for at, one in enumerate(ones):
            yield one, others[(at + distance) % len(others)]


def _ordered(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


def _read(component: str, term: Term) -> Iterator[tuple[str, str]]:
    """Yield the names that a term of a component reads, array elements by that of the array."""
    for name in sorted(walk.variables(term)):
        yield component, name.partition("[")[0]
    for site in walk.sites(term):
        for output in site.outputs:
            yield site.component, output


def _span(provenance: Provenance, mutant: Mutant) -> Span:
    if mutant.replacement is None:
        return provenance.whole(mutant.element)
    return provenance.text(mutant.element, mutant.path)
