"""Elements in their instances during an execution, and the definitions of variables there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.code import Code
from mutproof.model.instances import Instance, child_prefix
from mutproof.model.operators import Op
from mutproof.model.program import Element, Program, VariableKind
from mutproof.model.terms import Site, Term

Call: TypeAlias = tuple[Site, Term, bool]
"""The site of a call, the call, and whether it has a clock."""


@dataclass(eq=False, slots=True)
class Spot:
    """Hold one element in one instance, and the values of its subterms now and before.

    `outputs` keeps the names of what calls in the body give.
    """

    instance: Instance
    element: Element
    body: Term | None
    code: Code | None
    values: list[Any]
    last: list[Any] | None = None
    outputs: dict[Term, tuple[str, ...]] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """Return what stands before the names of the variables of the instance."""
        return self.instance.prefix

    def output_names(self, call: Term) -> tuple[str, ...]:
        """Return the names of the variables that a call in the body gives."""
        found = self.outputs.get(call)
        if found is None:
            assert isinstance(call.payload, Site)
            prefix = child_prefix(self.prefix, self.element, call.payload)
            found = tuple(prefix + name for name in call.payload.outputs)
            self.outputs[call] = found
        return found


Spots: TypeAlias = "Sequence[Spot] | Mapping[int, Spot]"
"""Spots by their places."""


@dataclass(frozen=True, slots=True)
class Source:
    """Say what defines a variable: a term of a body, or one part of its value.

    `place` is that of the spot in the list.
    """

    place: int
    spot: Spot
    term: Term
    part: int | None = None


class Sources:
    """Hold what defines the variables of a program, by the places of spots in a list; mutable."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._definitions: dict[str, int] = {}
        self._inputs: dict[str, tuple[int, Term]] = {}

    def copy(self) -> Sources:
        """Return a copy."""
        other = Sources(self._program)
        other._definitions, other._inputs = dict(self._definitions), dict(self._inputs)
        return other

    def add(self, place: int, spot: Spot, calls: Iterable[Call]) -> list[str]:
        """Add what a body defines: its targets, and inputs of the nodes that it calls.

        Return their names.
        """
        targets = [spot.prefix + target for target in spot.element.defines]
        self._definitions.update(dict.fromkeys(targets, place))
        inputs = {
            name: (place, call.args[index])
            for site, call, _ in calls
            for index, name in enumerate(self._given(spot, site))
        }
        self._inputs.update(inputs)
        return [*targets, *inputs]

    def remove(self, spot: Spot, calls: Iterable[Call]) -> list[str]:
        """Remove what `add` added; return the names."""
        targets = [spot.prefix + target for target in spot.element.defines]
        inputs = [name for site, _, _ in calls for name in self._given(spot, site)]
        for name in targets:
            self._definitions.pop(name, None)
        for name in inputs:
            self._inputs.pop(name, None)
        return [*targets, *inputs]

    def _given(self, spot: Spot, site: Site) -> list[str]:
        prefix = child_prefix(spot.prefix, spot.element, site)
        inputs = self._program.component(site.component).of_kind(VariableKind.INPUT)
        return [prefix + variable.name for variable in inputs]

    def defines(self, name: str) -> bool:
        """Tell whether anything defines a variable."""
        return name in self._inputs or name in self._definitions

    def of(self, name: str, spots: Spots) -> Source | None:
        """Return what defines a variable in spots, None if nothing does."""
        if name in self._inputs:
            place, term = self._inputs[name]
            return Source(place, spots[place], term)
        if name not in self._definitions:
            return None
        place = self._definitions[name]
        spot = spots[place]
        body, targets = spot.body, spot.element.targets
        assert body is not None
        if len(targets) == 1:
            return Source(place, spot, body)
        part = targets.index(name[len(spot.prefix) :])
        if body.op is Op.TUPLE:  # parts of a tuple term are computed independently
            return Source(place, spot, body.args[part])
        return Source(place, spot, body, part)
