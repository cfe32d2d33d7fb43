"""Executions that only one side allows for the values that memories have before the first step.

Both sides are run from the same ones. Some may be beyond the type of a variable, where only a side
that reads them has no execution. If other values let it do what was seen, nothing tells it apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mutproof.analyses.checking.replay import Difference
from mutproof.analyses.claims.observation import Observed
from mutproof.model import slice as slicing
from mutproof.model import terms
from mutproof.model.program import ElementKind
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem
from mutproof.solving.solver import Answer, Effort, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

EFFORT: Final = Effort(500_000, 2.0)
"""What the question may cost."""

_EQUATION = ElementKind.EQUATION.value


def may_follow(system: TransitionSystem, found: Difference, compared: Iterable[Observed]) -> bool:
    """Tell whether the side that does not go on may do so from other first memories.

    It then has the inputs, and shows the values, that were seen on the other. True also if that is
    not known.
    """
    if not _open_memories(system):
        return False
    known = {v.name for v in system.variables.values() if v.kind is SystemVariableKind.INPUT}
    known |= {one.name for one in compared if one.clock is None and one.name in system.variables}
    seen = found.model if found.allowed == "model" else found.mutant
    unrolling = Unrolling(new_solver(), system, initial=True)
    try:
        unrolling.frame(found.step)
        for frame, step in enumerate(seen.steps):
            for name in sorted(known & step.keys()):
                sort = system.variables[name].sort
                value = terms.eq(terms.var(name, sort), terms.const(step[name], sort))
                unrolling.solver.add(unrolling.term(value, frame))
        return unrolling.solver.check((), EFFORT) is not Answer.UNSAT
    except SolvingError:
        return True


def _open_memories(system: TransitionSystem) -> frozenset[str]:
    """Return the memories without a first value on which it depends whether types are kept to."""
    of_types = [
        one.term
        for one in system.constraints
        if one.defines is None and one.owner is not None and one.owner.kind == _EQUATION
    ]
    begun = {one.defines for one in system.constraints if one.kind is ConstraintKind.INIT}
    return frozenset(
        name
        for name in slicing.cone_of_terms(system, of_types)
        if name not in begun and system.variables[name].kind is SystemVariableKind.STATE
    )
