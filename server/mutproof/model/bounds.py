"""Variables that an unguarded `pre` could take out of their types, where they may not be.

A value that nothing bounds before the first step (`passes.operands`) can reach a variable of a
subrange or an enumeration. Where that variable then has no value of its type, there is no
execution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import instances, sorts
from mutproof.model.instances import Instance
from mutproof.model.passes import operands
from mutproof.model.program import Bodies, Element, Program, VariableKind
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term

MOST_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Bounded:
    """Hold variables with their sorts, by the prefix of their instance."""

    variables: Mapping[str, Sequence[tuple[str, Sort]]]

    def names(self) -> list[str]:
        """Return the names of the variables."""
        return [name for limited in self.variables.values() for name, _ in limited]

    def hold(self, active: AbstractSet[str], values: Mapping[str, Any]) -> bool:
        """Tell whether these variables, in the instances that run, have values of their sorts."""
        return all(
            sorts.contains(sort, values[name])
            for prefix, limited in self.variables.items()
            if prefix in active
            for name, sort in limited
        )


class Bounds:
    """Find these variables for any bodies of elements; keeps what it found for each body."""

    def __init__(self, program: Program, found: tuple[Instance, ...]) -> None:
        self._program = program
        self._instances = found
        self._leaving: Memo[bool] = Memo(MOST_KEPT)

    def matter(self, bodies: Bodies) -> bool:
        """Tell whether there are such variables."""
        return self._typed and (
            any(element not in bodies for element in self._leaving_themselves)
            or any(b is not None and self._leaves(b, clocked=True) for b in bodies.values())
        )

    def bounded(self, bodies: Bodies) -> Bounded:
        """Return these variables."""
        found: dict[str, list[tuple[str, Sort]]] = {}
        for instance in self._instances if self.matter(bodies) else ():
            component = self._program.component(instance.component)
            clocked = instances.clock_of(instance) is not None
            for element in component.elements:
                body = bodies.get(element, element.body)
                if body is None:
                    continue
                if self._leaves(body, clocked=clocked):
                    mine = found.setdefault(instance.prefix, [])
                    for name in element.targets:
                        mine.append((instance.prefix + name, component.variable(name).sort))
                for site, call, _ in instances.calls(body):
                    prefix = instances.child_prefix(instance.prefix, element, site)
                    inputs = self._program.component(site.component).of_kind(VariableKind.INPUT)
                    for variable, argument in zip(inputs, call.args, strict=True):
                        if self._leaves(argument, clocked=clocked):
                            given = prefix + variable.name, variable.sort
                            found.setdefault(prefix, []).append(given)
        return Bounded(found)

    def _leaves(self, body: Term, *, clocked: bool) -> bool:
        return self._leaving.get((body, clocked), lambda: operands.may_leave(body, clocked=clocked))

    @cached_property
    def _leaving_themselves(self) -> tuple[Element, ...]:
        """Return the elements whose unmutated bodies may have values out of bounds."""
        return tuple(e for e in self._program.elements() if self._leaves(e.body, clocked=True))

    @cached_property
    def _typed(self) -> bool:
        return any(
            operands.is_bounded(variable.sort)
            for component in self._program.components
            for variable in component.variables
        )
