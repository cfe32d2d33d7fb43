"""Conditions for a NuSMV program to be a model at all, decided here where that is cheap.

An obligation is a Boolean term that must be true for all values of the variables it reads,
reachable or not. Small ones are decided by trying all values; the others are for a solver.
Mutants are checked by the same functions: a mutant that breaks an obligation is stillborn.
Source: NuSMV 2.6 user manual §2.3.8; it reports these when it builds the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from itertools import product

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.compile import Compiler
from mutproof.model.operators import Op
from mutproof.model.passes.definedness import Definedness, Hazard, Intervals, hazards, in_range
from mutproof.model.passes.flattener import Flattener
from mutproof.model.passes.macros import Macros
from mutproof.model.program import Component, Element, ElementId, Property
from mutproof.model.semantics import DivisionByZero
from mutproof.model.sorts import Sort, Value, WordSort
from mutproof.model.terms import Term

MOST_VALUATIONS = 65_536
MOST_STEPS = 5_000_000


@dataclass(frozen=True, slots=True)
class ValidityObligation:
    """Demand that `term` is valid; its variables are scalars, in this state and the next.

    It belongs to one occurrence of an element, to the property of that name, or to fairness.
    """

    hazard: Hazard
    term: Term
    element: ElementId | None = None
    instance: str = ""
    property: str = ""


class Obligations:
    """Find the obligations of one component; mutable caches only."""

    def __init__(self, component: Component) -> None:
        self._macros = Macros(component, every=True)
        self._flattener = Flattener(component)
        self._bounds = Intervals(self._flattener.scalars)
        self._hazards: dict[Term, int] = {}
        self._inside: dict[Sort, dict[Term, Term]] = {}
        self._definedness = {hazard: Definedness(hazard) for hazard in Hazard}

    def with_macros(self, bodies: Mapping[str, Term]) -> Obligations:
        """Return the same finder for a component in which some macros have other bodies.

        It shares what this one has found of terms that read none of these.
        """
        other = copy(self)
        other._macros = self._macros.varied(bodies)  # noqa: SLF001 - its own copy
        return other

    def without_macros(self, names: frozenset[str]) -> Obligations:
        """Return the same finder for a component in which some macros may have any values."""
        other = copy(self)
        other._macros = self._macros.without(names)  # noqa: SLF001 - its own copy
        return other

    def of_value(self, body: Term) -> Iterator[Term]:
        """Yield what must hold for a term to have a value."""
        for _, condition in self._conditions(self._macros.expanded(body)):
            yield condition

    def value(self, body: Term) -> Term:
        """Return a term without macros, which has the value of another wherever that has one."""
        return self._flat(self._macros.expanded(body))

    @property
    def scalars(self) -> dict[str, Sort]:
        """Return the declared sorts of all scalar variables, by flat name."""
        return dict(self._flattener.scalars)

    def of_element(self, element: Element, body: Term) -> Iterator[ValidityObligation]:
        """Yield the obligations of an occurrence of an element with another body.

        A macro has none of its own: what uses it has.
        """
        if element.targets and element.targets[0] in self._macros.bodies:
            return
        expanded = self._macros.expanded(body)
        for hazard, condition in self._conditions(expanded):
            yield ValidityObligation(hazard, condition, element.id, element.instance)
        if element.targets:
            sort = self._flattener.sort_of(element.targets[0])
            inside = self._inside.setdefault(sort, {})
            condition = self._flat(in_range(expanded, sort, self._bounds, inside))
            if condition is not terms.TRUE:
                yield ValidityObligation(Hazard.RANGE, condition, element.id, element.instance)

    def of_property(self, stated: Property) -> Iterator[ValidityObligation]:
        """Yield the obligations of a property: each of its states must have a value."""
        for hazard, condition in self._conditions(self._macros.expanded(stated.term)):
            yield ValidityObligation(hazard, condition, property=stated.name)

    def of_fairness(self, term: Term) -> Iterator[ValidityObligation]:
        """Yield the obligations of a fairness condition: it must have a value in each state."""
        for hazard, condition in self._conditions(self._macros.expanded(term)):
            yield ValidityObligation(hazard, condition)

    def of_operator(self, root: Term, operator: Term, hazard: Hazard) -> list[Term]:
        """Return when a term has a value as far as one operator goes, in this state or the next.

        The operator is part of the term, or of a macro that the term reads; there is nothing that
        the term lacks where it never has the operator.
        """
        expanded = self._macros.expanded(root)
        found = dict.fromkeys(
            self._macros.expanded(operator, shifted=shifted) for shifted in (False, True)
        )
        conditions = (self._flat(Definedness(hazard, only).condition(expanded)) for only in found)
        return [condition for condition in conditions if condition is not terms.TRUE]

    def _conditions(self, expanded: Term) -> Iterator[tuple[Hazard, Term]]:
        for hazard in hazards(expanded, self._hazards):
            condition = self._flat(self._definedness[hazard].condition(expanded))
            if condition is not terms.TRUE:
                yield hazard, condition

    def _flat(self, term: Term) -> Term:
        value = self._flattener.flat(term)
        assert isinstance(value, Term)
        return value


def fairness_terms(component: Component) -> Iterator[Term]:
    """Yield the fairness conditions of a component, justice first, then compassion."""
    yield from component.fairness
    for pair in component.compassion:
        yield from pair


_READS = frozenset({Op.VAR, Op.NEXT_VAR})
_verdicts: Memo[bool | None] = Memo(50_000)


def decide(term: Term, scalars: dict[str, Sort], *, steps: int = MOST_STEPS) -> bool | None:
    """Tell whether a term holds for all values of its variables; None if that takes too long.

    `steps` bounds the number of valuations times the size of the term. Answers are kept by
    content for the whole process.
    """
    if term.op is Op.CONST:
        return bool(term.payload)
    found: dict[tuple[str, Op], range | tuple[Value, ...]] = {}
    count = 1
    for part in walk.subterms(term):
        if part.op not in _READS or (str(part.payload), part.op) in found:
            continue
        domain = _domain(scalars[str(part.payload)])
        if domain is None or (count := count * len(domain)) > MOST_VALUATIONS:
            return None  # most large terms read many variables
        found[str(part.payload), part.op] = domain
    if count * walk.size(term) > steps:
        return None
    read = sorted(found, key=lambda item: (item[0], item[1].value))
    known = [found[item] for item in read]
    key = (term.digest, tuple(repr(scalars[name]) for name, _ in read))
    return _verdicts.get(key, lambda: _enumerate(term, read, known))


def cost(term: Term, scalars: dict[str, Sort]) -> int:
    """Return how many steps `decide` would take."""
    count = 1
    for name in walk.variables(term):
        domain = _domain(scalars[name])
        count *= MOST_VALUATIONS if domain is None else len(domain)
    return count * walk.size(term)


def _domain(sort: Sort) -> range | tuple[Value, ...] | None:
    """Return the values of a sort; None if there are too many to try."""
    match sort:
        case sorts.IntSort(low, high) if low is not None and high is not None:
            return range(low, high + 1) if high - low < MOST_VALUATIONS else None
        case WordSort(width, signed) if width <= 16:
            low_word = -(1 << (width - 1)) if signed else 0
            return range(low_word, low_word + (1 << width))
        case _:
            return sorts.domain(sort)


def _enumerate(
    term: Term, read: list[tuple[str, Op]], domains: list[range | tuple[Value, ...]]
) -> bool | None:
    index = {name: number for number, name in enumerate(dict.fromkeys(n for n, _ in read))}
    function = Compiler(index).compile_all([term])[0]
    now: list[Value] = [False] * len(index)
    after: list[Value] = [False] * len(index)
    rows = [(after if op is Op.NEXT_VAR else now, index[name]) for name, op in read]
    try:
        for valuation in product(*domains):
            for (row, position), value in zip(rows, valuation, strict=True):
                row[position] = value
            if not function(now, after, {}):
                return False
    except (DivisionByZero, ArithmeticError, ValueError):
        return None
    return True
