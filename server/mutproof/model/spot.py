"""Where elements stand in an execution, and what gives variables their values there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mutproof.model.code import Code
from mutproof.model.instances import Instance, child_prefix
from mutproof.model.operators import Op
from mutproof.model.program import Element, Program, VariableKind
from mutproof.model.terms import Site, Term


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
    """Hold what defines the variables of a program; mutable while it is filled."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._definitions: dict[str, Spot] = {}
        self._inputs: dict[str, Source] = {}

    def add(self, spot: Spot, calls: Iterable[tuple[Site, Term, bool]]) -> None:
        """Add what a body defines: its targets, and the inputs of the nodes that it calls."""
        for target in spot.element.defines:
            self._definitions[spot.prefix + target] = spot
        for site, call, _ in calls:
            prefix = child_prefix(spot.prefix, spot.element, site)
            callee = self._program.component(site.component)
            for index, variable in enumerate(callee.of_kind(VariableKind.INPUT)):
                self._inputs[prefix + variable.name] = Source(spot, call.args[index])

    def of(self, name: str) -> Source | None:
        """Return what defines a variable, None if nothing does."""
        if name in self._inputs:
            return self._inputs[name]
        spot = self._definitions.get(name)
        if spot is None:
            return None
        body, targets = spot.body, spot.element.targets
        assert body is not None
        if len(targets) == 1:
            return Source(spot, body)
        part = targets.index(name[len(spot.prefix) :])
        # The parts of a written tuple do not wait for each other.
        return Source(spot, body.args[part]) if body.op is Op.TUPLE else Source(spot, body, part)
