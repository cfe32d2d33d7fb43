"""Whether a changed system only excludes executions of the model, as a stronger assertion does.

Then what holds on all executions of the model holds on all of the changed system, so that no such
property can notice. Asked is whether the changed system implies what the model alone states: in
every first state, in every state, and in every step. States need not be reachable, so that the
answer is sound and sometimes missing.
"""

from __future__ import annotations

from typing import Final

from mutproof.model.system import ConstraintKind, TransitionSystem
from mutproof.solving.solver import Answer, Effort, Formula, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

EFFORT: Final = Effort(500_000, 2.0)
"""What each of the questions may cost."""


def only_excludes(model: TransitionSystem, changed: TransitionSystem) -> bool:
    """Tell whether it is shown that each execution of a changed system is one of the model."""
    if (model.fairness, model.compassion) != (changed.fairness, changed.compassion):
        return False
    if model.properties != changed.properties:
        return False
    for name, declared in model.variables.items():
        if name not in changed.variables or changed.variables[name].sort != declared.sort:
            return False
    try:
        return all(_implied(model, changed, kind) for kind in ConstraintKind)
    except SolvingError:
        return False


def _implied(model: TransitionSystem, changed: TransitionSystem, kind: ConstraintKind) -> bool:
    """Tell whether the changed system implies what only the model states of that kind."""
    there = {(c.kind, c.term) for c in changed.constraints}
    lost = [c for c in model.constraints if c.kind is kind and (kind, c.term) not in there]
    # Where only the changed system defines a variable, only the model keeps it to its bounds.
    now_defined = [name for name in model.variables if name in changed.definers]
    bounded = [
        name
        for name in now_defined
        if name not in model.definers
        and kind is (ConstraintKind.INVAR if name in changed.equations else ConstraintKind.TRANS)
    ]
    if not lost and not bounded:
        return True
    unrolling = Unrolling(new_solver(), changed, initial=kind is ConstraintKind.INIT)
    last = int(kind is ConstraintKind.TRANS)
    unrolling.frame(last)
    solver = unrolling.solver
    stated: list[Formula] = [unrolling.term(c.term, 0) for c in lost]
    for name in bounded:
        value = unrolling.variable(name, last)
        within = solver.in_domain(value, model.variables[name].sort)
        stated += [] if within is None else [within]
    solver.add(solver.negation(solver.conjunction(stated)))
    return solver.check((), EFFORT) is Answer.UNSAT
