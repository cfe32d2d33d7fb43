"""Executions that only one side allows for the values that memories have before the first step.

Both sides are run from the same ones. Some may be beyond the type of a variable, or contradict an
assertion, where only a side that reads them has no execution. If other values, or others of what
nothing defines, let it do what was seen, nothing tells it apart. Two models that call their
memories otherwise start from values of their own, and may show different ones for that alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mutproof.analyses.checking.replay import Difference
from mutproof.analyses.claims.observation import Observed
from mutproof.analyses.equivalence.induction import Search
from mutproof.analyses.equivalence.product import GOAL, Product, unprimed
from mutproof.base.budget import Budget, Deadline
from mutproof.model import slice as slicing
from mutproof.model import terms
from mutproof.model.execution import Execution
from mutproof.model.sorts import Value
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.engine import Task
from mutproof.solving.solver import Answer, Effort, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

EFFORT: Final = Effort(500_000, 2.0)
"""What the question may cost."""

BUDGET: Final = Budget(2_000_000, 4.0)
"""What a search for other differences may cost."""

STATES: Final = 6
"""In how many first states these are sought."""


def may_follow(system: TransitionSystem, found: Difference, compared: Iterable[Observed]) -> bool:
    """Tell whether the side that does not go on may do so from other first memories.

    It then has the inputs, and shows the values, that were seen on the other. True also if that is
    not known.
    """
    if not _open_values(system, ()):
        return False
    seen = found.model if found.allowed == "model" else found.mutant
    return _may_show(system, seen.steps, compared)


def tell_apart(
    here: TransitionSystem,
    there: TransitionSystem,
    executions: Iterable[tuple[Execution, Execution]],
    compared: Sequence[Observed],
) -> bool:
    """Tell whether a side shows in an execution what the other cannot, whatever it starts from.

    Executions are pairs on the same choices. False also if that is not known.
    """
    for one, other in executions:
        for system, seen in ((there, one), (here, other)):
            if seen.assumed and not (
                _open_values(system, compared) and _may_show(system, seen.trace.steps, compared)
            ):
                return True
    return False


def _may_show(
    system: TransitionSystem, steps: Sequence[Mapping[str, Value]], compared: Iterable[Observed]
) -> bool:
    known = {v.name for v in system.variables.values() if v.kind is SystemVariableKind.INPUT}
    known |= {one.name for one in compared if one.clock is None and one.name in system.variables}
    unrolling = Unrolling(new_solver(), system, initial=True)
    try:
        unrolling.frame(len(steps) - 1)
        for frame, step in enumerate(steps):
            for name in sorted(known & step.keys()):
                sort = system.variables[name].sort
                value = terms.eq(terms.var(name, sort), terms.const(step[name], sort))
                unrolling.solver.add(unrolling.term(value, frame))
        return unrolling.solver.check((), EFFORT) is not Answer.UNSAT
    except SolvingError:
        return True


def differing(valued: Product) -> Choices | None:
    """Return a short execution that both sides allow, on which they show different values.

    None if none is found. The product is one of values.
    """
    deadline = Deadline.after(BUDGET.timeout_s)
    task = Task(valued.system, {GOAL: valued.goal}, BUDGET, deadline)
    found = Search(task, valued.goal).explore(STATES)
    return None if found is None else unprimed(found)


def _open_values(system: TransitionSystem, shown: Iterable[Observed]) -> frozenset[str]:
    """Return what nothing computes and decides whether executions go on or what is shown.

    Inputs apart.

    These are memories without a first value, and variables without an equation.
    """
    limits = [one.term for one in system.constraints if one.defines is None and one.owner]
    names = [one.name for one in shown if one.name in system.variables]
    limits += [terms.var(name, system.variables[name].sort) for name in names]
    kinds = ConstraintKind.INIT, ConstraintKind.INVAR
    given = {one.defines for one in system.constraints if one.kind in kinds}
    return frozenset(
        name
        for name in slicing.cone_of_terms(system, limits) - given
        if system.variables[name].kind is not SystemVariableKind.INPUT
    )
