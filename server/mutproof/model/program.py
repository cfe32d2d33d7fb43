"""A program as a front end hands it over: typed, named, and without positions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import TypeAlias

from mutproof.base.digest import DIGEST_BYTES, Digest, digest_parts, shortened
from mutproof.base.giving_way import by_steps
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from mutproof.model.traits import Traits

LEAST_DIGITS = 6
"""The least number of hexadecimal digits shown of the digest that names a constraint."""

_DIGEST = re.compile(rf"(?<=#)[0-9a-f]{{{2 * DIGEST_BYTES}}}")


class VariableKind(Enum):
    """Say what gives a variable its values."""

    INPUT = "input"  # free at every step (Lustre input, NuSMV IVAR)
    OUTPUT = "output"  # Lustre output
    LOCAL = "local"  # Lustre local
    STATE = "state"  # NuSMV VAR
    FROZEN = "frozen"  # NuSMV FROZENVAR
    DEFINE = "define"  # NuSMV DEFINE


class ElementKind(Enum):
    """Say what an element of the model is."""

    EQUATION = "equation"  # Lustre: targets = body, at every step
    ASSERT = "assert"  # Lustre: body holds at every step
    INIT_ASSIGN = "init"  # NuSMV: init(target) := body
    NEXT_ASSIGN = "next"  # NuSMV: next(target) := body
    CURRENT_ASSIGN = "current"  # NuSMV: target := body
    DEFINE = "define"  # NuSMV: DEFINE target := body
    INIT = "INIT"
    TRANS = "TRANS"
    INVAR = "INVAR"


ASSIGNS = frozenset({ElementKind.INIT_ASSIGN, ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN})


class PropertyKind(Enum):
    """Say in which logic a property is written."""

    INVARIANT = "invariant"  # Lustre property, NuSMV INVARSPEC
    CTL = "ctl"
    LTL = "ltl"
    COMPUTE = "compute"
    PSL = "psl"


class Role(Enum):
    """Tell the system from what is stated about it."""

    DESIGN = "design"
    SPECIFICATION = "specification"


@dataclass(frozen=True, slots=True, order=True)
class ElementId:
    """Name an element so that edits elsewhere do not change the name.

    `name` is the assigned variables joined by commas; for constraints, a digest of the content
    and, for equal ones, their number. Occurrences of one source element in several module
    instances share the id and are mutated together.
    """

    component: str
    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.component}.{self.name}"

    @property
    def called(self) -> tuple[str, ...]:
        """Return what users may call it: its name, that with its component, or one of several.

        Constraints are also called by their kind.
        """
        names = (self.name, str(self), *self.name.split(","))
        if "#" in self.name:
            names = (*names, self.kind, f"{self.component}.{self.kind}")
        if self.kind not in {ElementKind.INIT_ASSIGN.value, ElementKind.NEXT_ASSIGN.value}:
            return names
        assigned = f"{self.kind}({self.name})"
        return (*names, assigned, f"{self.component}.{assigned}")


@dataclass(frozen=True, slots=True)
class Variable:
    """Declare a variable of a component; bounds of its sort restrict its values."""

    name: str
    sort: Sort
    kind: VariableKind


@dataclass(frozen=True, slots=True)
class Element:
    """Hold an element of the model, the unit of mutation and removal.

    `targets` are the names of the variables it defines (none for constraints); with several,
    `body` is of tuple sort. `instance` is the path of the module instance it occurs in (NuSMV,
    empty for Lustre, where calls are in the terms). `guard` is the condition under which a
    NEXT_ASSIGN acts, None for always: at a step at which no guard of the assignments to a
    variable holds, the variable keeps its value (NuSMV processes). `circular` marks an equation
    whose targets need themselves in the same step (`model.loops`): they are free, and it
    restricts their values.
    """

    id: ElementId
    kind: ElementKind
    targets: tuple[str, ...]
    body: Term
    instance: str = ""
    guard: Term | None = None
    circular: bool = False

    def __hash__(self) -> int:
        return hash((self.id.component, self.id.name, self.instance, self.body))

    @property
    def digest(self) -> Digest:
        """Return the digest of the element: name and content."""
        return digest_parts(
            self.id.component,
            self.id.kind,
            self.id.name,
            self.instance,
            self.body.digest,
            b"" if self.guard is None else self.guard.digest,
            *([b"circular"] if self.circular else []),
        )

    @property
    def defines(self) -> tuple[str, ...]:
        """Return the variables that it defines."""
        return () if self.circular else self.targets

    @property
    def restricts(self) -> bool:
        """Tell whether it restricts executions and defines no variable (Lustre)."""
        return self.circular or self.kind is ElementKind.ASSERT

    @property
    def owner(self) -> str:
        """Return the name after which the calls in the element are named."""
        return self.targets[0] if self.targets else self.id.name


Bodies: TypeAlias = Mapping[Element, Term | None]
"""Other bodies for single occurrences of elements; None removes one."""


@dataclass(frozen=True, slots=True)
class Property:
    """State a property of a component: a Boolean or temporal term."""

    name: str
    term: Term
    kind: PropertyKind = PropertyKind.INVARIANT


@dataclass(frozen=True, slots=True)
class Component:
    """Hold a Lustre node or a (flattened) NuSMV model."""

    name: str
    variables: tuple[Variable, ...]
    elements: tuple[Element, ...]
    properties: tuple[Property, ...] = ()
    fairness: tuple[Term, ...] = ()
    compassion: tuple[tuple[Term, Term], ...] = ()
    core_candidates: tuple[str, ...] | None = None  # `--%IVC`; None if absent
    _named: dict[str, Variable] = field(
        default_factory=dict, init=False, repr=False, compare=False, hash=False
    )  # by name, filled by the first lookup

    def of_kind(self, kind: VariableKind) -> tuple[Variable, ...]:
        """Return the variables of a kind in declaration order."""
        return tuple(variable for variable in self.variables if variable.kind is kind)

    @property
    def unchanging(self) -> frozenset[str]:
        """Return the variables that never change: frozen ones and those with only one value."""
        stored = (v for v in self.variables if v.kind is not VariableKind.DEFINE)
        return frozenset(
            v.name
            for v in stored
            if v.kind is VariableKind.FROZEN or sorts.only_value(v.sort) is not None
        )

    def scalars(self, kind: VariableKind) -> tuple[str, ...]:
        """Return the names of all scalars in the variables of a kind, in declaration order."""
        return tuple(
            variable.name + suffix
            for variable in self.of_kind(kind)
            for suffix, _ in sorts.leaves(variable.sort)
        )

    def variable(self, name: str) -> Variable:
        """Return the variable of that name.

        Raises:
            KeyError: the component declares no such variable.
        """
        if not self._named:
            for variable in reversed(self.variables):
                self._named[variable.name] = variable
        return self._named[name]


@dataclass(frozen=True, slots=True)
class Function:
    """Declare an uninterpreted function: same arguments, same results, at every step."""

    name: str
    inputs: tuple[Sort, ...]
    outputs: tuple[Sort, ...]


@dataclass(frozen=True)
class Program:
    """Hold all components of a file and name the main one."""

    traits: Traits
    components: tuple[Component, ...]
    main: str
    functions: tuple[Function, ...] = ()
    _by_name: dict[str, Component] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {c.name: c for c in self.components})

    @property
    def language(self) -> str:
        """Return the name of the language it is written in, for digests and look-up."""
        return self.traits.name

    def component(self, name: str) -> Component:
        """Return the component of that name.

        Raises:
            KeyError: there is none.
        """
        return self._by_name[name]

    def elements(self) -> Iterator[Element]:
        """Yield all elements of all components in source order."""
        for component in self.components:
            yield from component.elements

    @cached_property
    def by_id(self) -> dict[ElementId, tuple[Element, ...]]:
        """Return the occurrences of every element, in source order."""
        found: dict[ElementId, list[Element]] = {}
        for element in self.elements():
            found.setdefault(element.id, []).append(element)
        return {identity: tuple(occurrences) for identity, occurrences in found.items()}

    def shown(self, element: ElementId) -> str:
        """Return the name of an element for users: digests are as short as this program allows."""
        return _DIGEST.sub(lambda found: self._short.get(found[0], found[0]), element.name)

    def called(self, element: ElementId) -> tuple[str, ...]:
        """Return what users may call an element: as it calls itself, or as it is shown."""
        shown = self.shown(element)
        return (*element.called, shown, f"{element.component}.{shown}")

    @cached_property
    def _short(self) -> dict[str, str]:
        constraints = (e.id.name for e in self.elements() if not e.targets)
        return shortened((d for name in constraints for d in _DIGEST.findall(name)), LEAST_DIGITS)

    @cached_property
    def digest(self) -> Digest:
        """Return the digest of the whole program."""
        parts: list[bytes | str | int] = [self.language, self.main, repr(self.functions)]
        for component in by_steps(self.components):
            parts.append(repr((component.name, component.variables)))
            parts.extend(element.digest for element in by_steps(component.elements))
            for stated in by_steps(component.properties):
                parts.extend((stated.name, stated.kind.value, stated.term.digest))
            parts.extend((len(component.fairness), *(t.digest for t in component.fairness)))
            for left, right in component.compassion:
                parts.extend((left.digest, right.digest))
        return digest_parts(*parts)

    def with_bodies(self, bodies: Bodies) -> Program:
        """Return the program with other bodies for some elements; None removes the element."""
        components = []
        for component in self.components:
            if any(element in bodies for element in component.elements):
                elements = []
                for element in component.elements:
                    body = bodies.get(element, element.body)
                    if body is not None:
                        elements.append(
                            element if body is element.body else replace(element, body=body)
                        )
                component = Component(
                    component.name,
                    component.variables,
                    tuple(elements),
                    component.properties,
                    component.fairness,
                    component.compassion,
                    component.core_candidates,
                )
            components.append(component)
        return Program(self.traits, tuple(components), self.main, self.functions)

    def without_properties(self, names: Collection[str]) -> Program:
        """Return the program without some properties of its main component."""
        if not names:
            return self
        main = self.component(self.main)
        kept = tuple(stated for stated in main.properties if stated.name not in names)
        changed = replace(main, properties=kept)
        components = tuple(changed if one is main else one for one in self.components)
        return Program(self.traits, components, self.main, self.functions)


def constraint_id(component: str, kind: ElementKind, body: Term, earlier: int) -> ElementId:
    """Return the id of a constraint; `earlier` counts equal constraints before it."""
    name = f"{kind.value}#{body.digest.hex()}"
    return ElementId(component, kind.value, name if earlier == 0 else f"{name}#{earlier}")
