"""Complete a counterexample of a slice to one of the whole system.

Assertions outside the cone of a property cannot make it hold, but they can end every
execution before it fails; and they restrict inputs that the slice does not know.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.base.budget import Budget
from mutproof.model.system import SystemVariableKind, TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.engine import Falsified
from mutproof.solving.solver import Answer, Effort, Formula, Solver, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.workshop import Workshop


def restricts_more(whole: TransitionSystem, part: TransitionSystem) -> bool:
    """Tell whether constraints outside the part can exclude executions of it."""
    kept = frozenset(part.constraints)
    return any(c.defines is None and c not in kept for c in whole.constraints)


def completed(
    workshop: Workshop, whole: TransitionSystem, found: Falsified, budget: Budget
) -> Choices | None:
    """Return choices for the whole system on which the goals fail at the same step.

    The given choices are kept where that is possible. None: no execution was found.
    """
    effort = Effort(budget.rlimit, budget.timeout_s)
    try:
        unrolling = workshop.unrolling(whole, initial=True)
        solver = unrolling.solver
        unrolling.frame(found.step)
        for name in found.goals:
            solver.add(solver.negation(unrolling.term(whole.property(name).term, found.step)))
        solver.push()
        for formula in _chosen(solver, unrolling, found.choices):
            solver.add(formula)
        answer = solver.check((), effort)
        if answer is not Answer.SAT:
            solver.pop()
            answer = solver.check((), effort)
        return unrolling.choices(found.step) if answer is Answer.SAT else None
    except SolvingError:
        return None


def _chosen(solver: Solver, unrolling: Unrolling, choices: Choices) -> Iterator[Formula]:
    variables = unrolling.system.variables
    for number, values in enumerate((choices.before, *choices.steps)):
        frame = max(0, number - 1)
        for name, value in values.items():
            declared = variables[name]
            if number > 0 or declared.kind is SystemVariableKind.STATE:
                literal = solver.literal_value(value, declared.sort)
                yield solver.equal(unrolling.variable(name, frame), literal)
