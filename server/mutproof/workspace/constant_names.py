"""Names of constants in suggested properties: `limit`, where the equations concerned write that.

Terms of Lustre have the values of constants, whose names only places in the text know. Terms of
NuSMV have the names of macros.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field, replace
from typing import Final

from mutproof.analyses.suggesting.conjecture import Conjecture
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import terms, walk
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.program import Element, ElementId, ElementKind, Program
from mutproof.model.sorts import IntSort, RealSort, WordSort
from mutproof.model.terms import Term
from mutproof.model.written_names import NamedPlaces

_NAMED: Final = frozenset({Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.ADD, Op.SUB})
"""Operators whose operands may be names; divisors and indices stay numbers."""


@dataclass(frozen=True)
class ConstantNames:
    """Find the names that a text has for numbers; those of `unnamed` macros are not used.

    Immutable except for what was found once.
    """

    elaborated: Elaborated
    unnamed: Collection[ElementId] = ()
    _speaking: dict[str, Mapping[str, list[Element]]] = field(default_factory=dict)
    _known: dict[Element, tuple[tuple[Term, Term], ...]] = field(default_factory=dict)

    def applied(self, conjecture: Conjecture) -> Conjecture:
        """Return a conjecture with names for numbers that the equations concerned write by name.

        Those are equations that speak of a variable of the conjecture. A number for which they
        have several names, or none at some place, stays a number.
        """
        speaking = self._elements_of(conjecture.component)
        spoken = sorted(walk.variables(conjecture.term))
        written: dict[Term, set[Term]] = {}
        for element in dict.fromkeys(one for name in spoken for one in speaking.get(name, ())):
            for value, name in self._written(element):
                written.setdefault(value, set()).add(name)
        names = {value: next(iter(of)) for value, of in written.items() if len(of) == 1}
        return replace(
            conjecture,
            conditions=tuple(_named(term, names) for term in conjecture.conditions),
            claim=_named(conjecture.claim, names),
        )

    @property
    def _program(self) -> Program:
        assert self.elaborated.program is not None
        return self.elaborated.program

    def _elements_of(self, component: str) -> Mapping[str, list[Element]]:
        """Return the elements of a component that speak of each variable."""
        if component not in self._speaking:
            found: dict[str, list[Element]] = {}
            for element in self._program.component(component).elements:
                for name in {*element.targets, *walk.variables(element.body)}:
                    found.setdefault(name, []).append(element)
            self._speaking[component] = found
        return self._speaking[component]

    def _written(self, element: Element) -> tuple[tuple[Term, Term], ...]:
        """Return the numbers in an element, each with the name that it has there, or itself."""
        if element not in self._known:
            places = self.elaborated.provenance.elements[element.id].terms
            if self._program.traits.is_flattened or not isinstance(places, NamedPlaces):
                found = self._by_macros(element)
            else:
                found = _by_constants(element.body, places.names(element).element.body)
            self._known[element] = tuple(dict.fromkeys(found))
        return self._known[element]

    def _by_macros(self, element: Element) -> Iterator[tuple[Term, Term]]:
        if element.targets and element.targets[0] in self._macros:
            return
        for part in walk.subterms(element.body):
            value = self._macros.get(str(part.payload), part) if part.op is Op.VAR else part
            if _is_number(value):
                yield value, value if part.op is Op.VAR and part.payload in self._unnamed else part

    @cached_property
    def _unnamed(self) -> Collection[object]:
        """Return the names of macros that are not used."""
        elements = (element for element in self._program.elements())
        return {e.targets[0] for e in elements if e.targets and e.id in self.unnamed}

    @cached_property
    def _macros(self) -> Mapping[str, Term]:
        """Return the values of the macros that are numbers."""
        return {
            element.targets[0]: element.body
            for element in self._program.elements()
            if element.kind is ElementKind.DEFINE and _is_number(element.body)
        }


def _by_constants(plain: Term, written: Term) -> Iterator[tuple[Term, Term]]:
    stack = [(plain, written)]
    while stack:
        value, name = stack.pop()
        if _is_number(value):
            yield value, name
        elif len(value.args) == len(name.args):
            stack.extend(zip(value.args, name.args, strict=True))


def _named(term: Term, names: Mapping[Term, Term]) -> Term:
    """Return a term with the names of numbers that are compared, added or subtracted."""

    def with_names(part: Term, args: tuple[Term, ...]) -> Term:
        if part.op in _NAMED:
            args = tuple(names.get(arg, arg) for arg in args)
        return terms.rebuilt(part, args)

    return walk.fold(term, with_names)


def _is_number(term: Term) -> bool:
    return term.op is Op.CONST and isinstance(term.sort, IntSort | RealSort | WordSort)
