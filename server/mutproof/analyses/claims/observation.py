"""Which variables are compared between a model and a changed one.

A scalar output that is a property proved of the model and of the survivor is true on both sides, so
it is not compared. All others are: the other parts of a structured output, and properties that were
left out, fail or are unknown. If the main component has no other outputs, all its variables are
compared instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from enum import Enum

from mutproof.base.record import dataclass
from mutproof.model import sorts
from mutproof.model.instances import clock_of
from mutproof.model.lower import Lowering
from mutproof.model.operators import Op
from mutproof.model.program import VariableKind
from mutproof.model.terms import Term


class Scope(Enum):
    """Say what is compared; the value is how a verdict speaks of it ("equivalent on ...")."""

    OUTPUTS = "outputs"
    ALL = "all variables"


@dataclass(frozen=True, slots=True)
class Interface:
    """Name the variables that a tester sets and those that a tester sees; empty: not given."""

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observed:
    """Name a scalar variable, and the clock without which it has no value; None: it always has."""

    name: str
    clock: str | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """Hold the variables that must be equal in every state."""

    scope: Scope
    variables: tuple[Observed, ...]

    def without(self, prefixes: Iterable[str]) -> Observation:
        """Return the observation without the variables of the instances of these prefixes."""
        gone = tuple(prefixes)
        if not gone:
            return self
        kept = tuple(found for found in self.variables if not found.name.startswith(gone))
        return replace(self, variables=kept)


def observation(
    lowering: Lowering, scope: Scope, outputs: Sequence[str] = (), true: Collection[Term] = ()
) -> Observation:
    """Return what a scope means for a program; `OUTPUTS` without any is `ALL`.

    `true` are terms over scalar variables that are proved of both sides. Given names of `outputs`
    stand for the outputs; a name that does not exist stands for nothing.
    """
    if outputs:
        everything = observation(lowering, Scope.ALL).variables
        chosen = (found for found in everything if any(is_part(found.name, n) for n in outputs))
        return Observation(Scope.OUTPUTS, tuple(chosen))
    if scope is Scope.OUTPUTS:
        names = tuple(Observed(name) for name in output_names(lowering, true))
        if names:
            return Observation(Scope.OUTPUTS, names)
    found: list[Observed] = []
    for instance in lowering.instances:
        clock = clock_of(instance)
        guard = None if clock is None else str(clock.payload)
        for variable in lowering.program.component(instance.component).variables:
            if instance.prefix or variable.kind is not VariableKind.INPUT:
                found.extend(
                    Observed(instance.prefix + variable.name + suffix, guard)
                    for suffix, _ in sorts.leaves(variable.sort)
                )
    return Observation(Scope.ALL, tuple(found))


def output_names(lowering: Lowering, true: Collection[Term] = ()) -> tuple[str, ...]:
    """Return the scalar outputs of the main component without those that are always `true`."""
    main = lowering.program.component(lowering.program.main)
    proved = {str(term.payload) for term in true if term.op is Op.VAR}
    names = (
        variable.name + suffix
        for variable in main.of_kind(VariableKind.OUTPUT)
        for suffix, _ in sorts.leaves(variable.sort)
    )
    return tuple(name for name in names if name not in proved)


def is_part(name: str, whole: str) -> bool:
    """Tell whether a scalar variable is a variable or a part of it."""
    return name == whole or name.startswith((f"{whole}[", f"{whole}."))
