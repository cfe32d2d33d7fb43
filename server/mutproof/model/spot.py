"""Where elements stand in an execution, and what gives variables their values there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.code import Code
from mutproof.model.instances import Instance, child_prefix
from mutproof.model.operators import Op
from mutproof.model.program import Element, Program, VariableKind
from mutproof.model.terms import Site, Term

Call: TypeAlias = tuple[Site, Term, bool]
"""Where a node is called, the call, and whether it has a clock."""


@dataclass(eq=False, slots=True)
class Spot:
    """Hold one element in one instance, and the values of its subterms now and before."""

    instance: Instance
    element: Element
    body: Term | None
    code: Code | None
    values: list[Any]
    last: list[Any] | None = None

    @property
    def prefix(self) -> str:
        """Return what stands before the names of the variables of the instance."""
        return self.instance.prefix


@dataclass(frozen=True, slots=True)
class Source:
    """Say what defines a variable: a term of a body, or one part of its value."""

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
        """Return another one that says the same."""
        other = Sources(self._program)
        other._definitions, other._inputs = dict(self._definitions), dict(self._inputs)
        return other

    def add(self, place: int, spot: Spot, calls: Iterable[Call]) -> None:
        """Add what a body defines: its targets, and the inputs of the nodes that it calls."""
        for target in spot.element.defines:
            self._definitions[spot.prefix + target] = place
        for site, call, _ in calls:
            for index, name in enumerate(self._given(spot, site)):
                self._inputs[name] = place, call.args[index]

    def remove(self, spot: Spot, calls: Iterable[Call]) -> None:
        """Take away what `add` added."""
        for target in spot.element.defines:
            self._definitions.pop(spot.prefix + target, None)
        for site, _, _ in calls:
            for name in self._given(spot, site):
                self._inputs.pop(name, None)

    def _given(self, spot: Spot, site: Site) -> list[str]:
        prefix = child_prefix(spot.prefix, spot.element, site)
        inputs = self._program.component(site.component).of_kind(VariableKind.INPUT)
        return [prefix + variable.name for variable in inputs]

    def of(self, name: str, spots: Sequence[Spot]) -> Source | None:
        """Return what defines a variable in spots, None if nothing does."""
        if name in self._inputs:
            place, term = self._inputs[name]
            return Source(spots[place], term)
        if name not in self._definitions:
            return None
        spot = spots[self._definitions[name]]
        body, targets = spot.body, spot.element.targets
        assert body is not None
        if len(targets) == 1:
            return Source(spot, body)
        part = targets.index(name[len(spot.prefix) :])
        # The parts of a written tuple do not wait for each other.
        return Source(spot, body.args[part]) if body.op is Op.TUPLE else Source(spot, body, part)
