"""Parts of large programs that suffice to determine the effect of changed elements on properties.

An excerpt keeps whole elements, and with each element all that it reads at any time. What was left
out is not declared in it: an evaluator that needed it would fail, not guess.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from mutproof.base.digraph import reached
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.bounds import Bounds
from mutproof.model.passes import operands
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    ElementKind,
    Program,
)
from mutproof.model.terms import Term


@dataclass(frozen=True, slots=True)
class _PropertyPlace:
    """Identify a property by its component and its 0-based number there."""

    component: str
    number: int


class Excerpts:
    """Make excerpts of one program that have at most a share of its elements; caches only."""

    def __init__(self, program: Program, share: float = 0.5) -> None:
        self._program = program
        self._share = share
        self._defining: dict[tuple[str, str], Element] = {}
        self._callers: dict[str, list[Element]] = {}
        for component in program.components:
            for element in component.elements:
                for target in element.targets:
                    self._defining[component.name, target] = element
                for site in walk.sites(element.body):
                    self._callers.setdefault(site.component, []).append(element)
        self._place = {
            element: place
            for component in program.components
            for place, element in enumerate(component.elements)
        }
        self._variables = {
            component.name: self._placed(component) for component in program.components
        }
        self._elements = tuple(dict.fromkeys(program.elements()))
        self._number = {element: number for number, element in enumerate(self._elements)}
        self._needs = [
            self._numbers(self._read(element.id.component, element.body))
            for element in self._elements
        ]
        self._said: dict[_PropertyPlace, tuple[Element, ...]] = {
            _PropertyPlace(component.name, number): self._read(component.name, stated.term)
            for component in program.components
            for number, stated in enumerate(component.properties)
        }
        self._stated: dict[_PropertyPlace, tuple[int, ...]] = {
            one: self._numbers(dict.fromkeys((*self._running(one.component), *needed)))
            for one, needed in self._said.items()
        }
        self._small: set[_PropertyPlace] = set()  # those that alone do not read too much
        self._deciding_much: set[int] = set()  # what the others read
        self._readers: list[list[int]] = [[] for _ in self._elements]
        for reader, numbers in enumerate(self._needs):
            for number in numbers:
                self._readers[number].append(reader)
        self._states: dict[int, list[_PropertyPlace]] = {}
        for stated, numbers in self._stated.items():
            for number in numbers:
                self._states.setdefault(number, []).append(stated)
        main = program.component(program.main)
        self._always = [e for e in main.elements if e.kind is ElementKind.ASSERT]
        bounded = Bounds(program, ()).matter({})
        self._always += [
            e
            for e in program.elements()
            if e.circular or (bounded and operands.may_leave(e.body, clocked=True))
        ]
        for name in dict.fromkeys(element.id.component for element in self._always):
            self._always += self._running(name)
        self._restricting = self._closure(self._numbers(self._always))
        self._known: dict[frozenset[ElementId], Program | None] = {}

    def of(self, changed: Iterable[Element]) -> Program | None:
        """Return all that changed elements, and the properties they can affect, depend on.

        None if that is more than the share of the program.
        """
        elements = list(changed)
        key = frozenset(element.id for element in elements)
        if key not in self._known:
            self._known[key] = self._about(self._numbers(elements))
        return self._known[key]

    def _about(self, changed: Sequence[int]) -> Program | None:
        if not self._deciding_much.isdisjoint(changed):
            return None
        affected = self._affected(changed)
        if not self._restricting.isdisjoint(changed):
            affected = dict.fromkeys(self._stated)  # there may be executions that were none
        for one in affected:
            if one not in self._small:
                needed = self._closure(self._stated[one])
                if self._is_too_much(needed):
                    self._deciding_much |= needed
                    return None
                self._small.add(one)
        said = (number for one in affected for number in self._stated[one])
        kept = self._closure([*changed, *self._numbers(self._always), *said])
        if self._is_too_much(kept):
            return None
        return self._cut({self._elements[number] for number in kept}, affected)

    def _is_too_much(self, kept: Collection[int]) -> bool:
        return len(kept) > self._share * len(self._elements)

    def _numbers(self, elements: Iterable[Element]) -> tuple[int, ...]:
        return tuple([self._number[element] for element in elements])

    def below(self, elements: Iterable[ElementId]) -> Program:
        """Return elements with all that they read, and the properties that read nothing else.

        `elements` must include those that call their components; of other calls the properties
        are not told. All that may restrict executions is kept.
        """
        kept = {self._elements[number] for number in self._restricting}
        stack = [e for each in dict.fromkeys(elements) for e in self._program.by_id[each]]
        while stack:
            element = stack.pop()
            if element not in kept:
                kept.add(element)
                stack += self._read(element.id.component, element.body)
        called = {site.component for element in kept for site in walk.sites(element.body)}
        called.add(self._program.main)
        stated = dict.fromkeys(
            one
            for one, needed in self._said.items()
            if one.component in called and kept.issuperset(needed)
        )
        return self._cut(kept, stated)

    def _running(self, component: str) -> list[Element]:
        """Return the elements that call a component, directly or through others."""

        def callers(name: str) -> Iterable[Element]:
            return self._callers.get(name, ())

        return [*reached(callers(component), lambda caller: callers(caller.id.component))]

    def _read(self, component: str, term: Term) -> tuple[Element, ...]:
        """Return the elements that define what a term of a component reads."""
        found: dict[Element, None] = {}
        for name in sorted(walk.variables(term)):
            if (component, name) in self._defining:
                found[self._defining[component, name]] = None
        for site in walk.sites(term):
            for output in site.outputs:
                if (site.component, output) in self._defining:
                    found[self._defining[site.component, output]] = None
        return tuple(found)

    def _affected(self, elements: Iterable[int]) -> dict[_PropertyPlace, None]:
        """Return the properties that read elements, directly or through others."""
        found = reached(elements, self._readers.__getitem__)
        return {one: None for number in found for one in self._states.get(number, ())}

    def _closure(self, elements: Iterable[int]) -> set[int]:
        """Return elements with all that they need, directly or through others."""
        return set(reached(elements, self._needs.__getitem__))

    def _placed(self, component: Component) -> tuple[dict[str, int], frozenset[int]]:
        """Return the places of the variables by name, and those that no element defines."""
        places = {variable.name: place for place, variable in enumerate(component.variables)}
        free = [p for name, p in places.items() if (component.name, name) not in self._defining]
        return places, frozenset(free)

    def _cut(self, kept: set[Element], affected: Mapping[_PropertyPlace, None]) -> Program:
        touched: dict[str, list[Element]] = {self._program.main: []}
        for element in kept:
            touched.setdefault(element.id.component, []).append(element)
        stated: dict[str, list[int]] = {}
        for one in affected:
            stated.setdefault(one.component, []).append(one.number)
        components = [
            self._part(component, touched[component.name], stated.get(component.name, ()))
            for component in self._program.components
            if component.name in touched
        ]
        main, functions = self._program.main, self._program.functions
        return Program(self._program.traits, tuple(components), main, functions)

    def _part(
        self, component: Component, kept: Collection[Element], numbers: Collection[int]
    ) -> Component:
        """Return a component with some of its elements and properties, in its order."""
        elements = tuple(sorted(kept, key=self._place.__getitem__))
        places, free = self._variables[component.name]
        defined = [places[target] for e in elements for target in e.targets if target in places]
        variables = tuple(component.variables[place] for place in sorted({*free, *defined}))
        stated = tuple(component.properties[number] for number in sorted(numbers))
        return replace(component, variables=variables, elements=elements, properties=stated)
