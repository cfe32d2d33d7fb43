"""Constraints that equate the open values of calls that count as one call.

Memories are equal before the first step, and undefined variables at every step. An equality belongs
to the element whose call justifies it, as the arguments of that call do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.model import flat_names, sorts, terms
from mutproof.model.instances import Instance
from mutproof.model.lower_element import Lowered
from mutproof.model.program import Bodies, Element, ElementId, Program
from mutproof.model.sharing import Link, Sharing, places
from mutproof.model.sorts import Sort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
)

Variables = Mapping[str, SystemVariable]


@dataclass(slots=True)
class _Equalities:
    """Collect equalities, each once, and the variables that represent shared values; mutable."""

    constraints: dict[Constraint, None] = field(default_factory=dict)
    variables: dict[str, SystemVariable] = field(default_factory=dict)

    def lowered(self) -> Lowered:
        return Lowered(tuple(self.constraints), tuple(self.variables.values()))


class Linking:
    """State equalities for one program, also with other bodies; caches only."""

    def __init__(self, program: Program, instances: tuple[Instance, ...]) -> None:
        self.sharing = Sharing(instances)
        self._program = program
        self._instances = instances
        self._memories: tuple[Variables, dict[str, list[str]]] = ({}, {})

    def base(self, variables: Variables) -> Lowered:
        """Return the equalities of the program; `variables` are those of its elements."""
        stated = _Equalities()
        if not self.sharing.links:
            return stated.lowered()
        for prefix, own in self._memories_in(variables).items():
            for memory in own if prefix in self.sharing.links else ():
                self._memory(
                    stated, prefix, memory, self.sharing.links[prefix], variables=variables
                )
        for instance in self._instances:
            links = self.sharing.links.get(instance.prefix)
            for element in self._elements(instance) if links else ():
                if links and element.circular:
                    self._free(stated, instance, element, links)
        return stated.lowered()

    def under(
        self,
        bodies: Bodies,
        variables: Variables,
        added: Iterable[SystemVariable],
    ) -> Lowered:
        """Return the equalities with other bodies, without those of the program that still hold.

        The latter are justified by calls of other elements. `variables` are those of the
        program's system, `added` what the bodies add.
        """
        stated = _Equalities()
        if not self.concerns(bodies):
            return stated.lowered()
        open_values = self.sharing.under(bodies)
        calling = self._calling(bodies)
        new = {v.name: v for v in added if v.name not in variables}
        adding = next(iter(bodies))
        known = self._memories_in(variables)
        own: dict[str, tuple[Link, ...]] = {
            prefix: (
                Link(self.sharing.start(prefix, bodies), open_values.name(prefix, ""), element),
            )
            for prefix, element in calling.items()
        }
        for prefix, links in own.items():
            for memory in known.get(prefix, ()):
                self._memory(stated, prefix, memory, links, variables=variables)
        for prefix, memory in places(filter(flat_names.is_memory, new), self.sharing.keys):
            link = Link(prefix, open_values.name(prefix, ""), adding)
            self._memory(stated, prefix, memory, (link,), variables={**variables, **new})
        removed = {element for element, body in bodies.items() if body is None}
        for instance in self._instances:
            mine = instance.prefix in own
            if mine or (removed and instance.prefix in self.sharing.links):
                links = own.get(instance.prefix) or self.sharing.links[instance.prefix]
                for element in self._elements(instance):
                    if mine if element.circular else element in removed:
                        self._free(stated, instance, element, links)
        return stated.lowered()

    def concerns(self, bodies: Bodies) -> bool:
        """Tell whether there may be equalities with other bodies."""
        if not bodies:
            return False
        return bool(self.sharing.links) or self.sharing.under(bodies) is not self.sharing.base

    def widened(self, variables: Variables) -> dict[str, SystemVariable]:
        """Return variables, and all that stand for what elements leave open when removed."""
        stated = _Equalities()
        for instance in self._instances:
            links = self.sharing.links.get(instance.prefix, ())
            for element in self._elements(instance) if links else ():
                self._free(stated, instance, element, links)
        return {**variables, **stated.variables}

    # --- private ------------------------------------------------------------------------------

    def _elements(self, instance: Instance) -> tuple[Element, ...]:
        return self._program.component(instance.component).elements

    def _memories_in(self, variables: Variables) -> dict[str, list[str]]:
        """Return the memories among variables by prefix of their instance, named without it."""
        if self._memories[0] is not variables:
            found: dict[str, list[str]] = {}
            memories = filter(flat_names.is_memory, variables)
            for prefix, memory in places(memories, self.sharing.keys):
                found.setdefault(prefix, []).append(memory)
            self._memories = variables, found
        return self._memories[1]

    def _calling(self, bodies: Collection[Element]) -> dict[str, Element]:
        """Map instances beneath calls of elements, by prefix, to the outermost such element."""
        found: dict[str, Element] = {}
        for one in self._instances:
            if one.element is None or one.parent is None:
                continue
            if one.parent.prefix in found:
                found[one.prefix] = found[one.parent.prefix]
            elif one.element in bodies:
                found[one.prefix] = one.element
        return found

    def _memory(
        self,
        stated: _Equalities,
        prefix: str,
        memory: str,
        links: tuple[Link, ...],
        *,
        variables: Variables,
    ) -> None:
        """Equate a memory before the first step along `links`, the last of which comes first."""
        sort = variables[prefix + memory].sort
        for link in reversed(links):
            name, other = link.prefix + memory, link.other + memory
            if name == other:
                continue
            if flat_names.is_common(other):
                kind = SystemVariableKind.STATE
                stated.variables[other] = SystemVariable(other, sort, kind, shown=False)
                kept = terms.eq(terms.next_var(other, sort), terms.var(other, sort))
                stated.constraints[Constraint(ConstraintKind.TRANS, kept, None, other)] = None
            elif other not in variables:
                continue
            stated.constraints[_equality(ConstraintKind.INIT, name, other, sort, link=link)] = None

    def _free(
        self, stated: _Equalities, instance: Instance, element: Element, links: Iterable[Link]
    ) -> None:
        """Equate the targets of an element, which nothing defines here, along `links`."""
        for own, sort in self._leaves(instance, element):
            for link in links:
                name, other = link.prefix + own, link.other + own
                if name == other:
                    continue
                if flat_names.is_common(other):
                    # The targets of a circular equation are restricted by it; others are free.
                    free = SystemVariableKind.INPUT
                    kind = SystemVariableKind.DEFINED if element.circular else free
                    stated.variables[other] = SystemVariable(other, sort, kind, shown=False)
                stated.constraints[
                    _equality(ConstraintKind.INVAR, name, other, sort, link=link)
                ] = None

    def _leaves(self, instance: Instance, element: Element) -> Iterator[tuple[str, Sort]]:
        component = self._program.component(instance.component)
        for target in element.targets:
            for suffix, sort in sorts.leaves(component.variable(target).sort):
                yield target + suffix, sort


def _equality(kind: ConstraintKind, name: str, other: str, sort: Sort, *, link: Link) -> Constraint:
    equal = terms.eq(terms.var(name, sort), terms.var(other, sort))
    owner: ElementId = link.element.id
    path = "" if flat_names.is_common(link.prefix) else link.prefix[:-1]
    return Constraint(kind, equal, owner, name, path)
