"""Whether executions of a relational system go on, from any state, so that they are fair.

A solver is asked whether some state has no successor, or none in which a fairness condition is
true. Where all have, each execution begins an infinite fair one. No value is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.model import terms
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import implied
from mutproof.solving.solver import Answer, Effort, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

UNITS = 1_000_000
"""The most that one of the questions costs, in solver units."""

SECONDS = 2.0
"""The same in seconds, as a backstop."""


def goes_on(system: TransitionSystem, units: int = UNITS) -> bool:
    """Tell whether it is shown that each execution begins an infinite fair one.

    Each fairness condition, and what each fair pair asks for, must be true after some step from
    any state, so that a path can meet them in turns. `units` limits each question.
    """
    if system.goes_on:
        return True
    if not (system.fairness or system.compassion) and implied.all_are_implied(system):
        return True
    effort = Effort(units, SECONDS)
    wanted = [terms.TRUE, *system.fairness, *(given for _, given in system.compassion)]
    return system.relational and all(
        is_total(system, effort, then=then) for then in dict.fromkeys(wanted)
    )


def is_total(
    system: TransitionSystem,
    effort: Effort,
    known: Sequence[Term] = (),
    *,
    then: Term = terms.TRUE,
) -> bool:
    """Tell whether a solver shows that each initial state, and each that follows one, goes on.

    States of which something `known` does not hold are left out; `then` is true in some successor.
    """
    try:
        for places in (((0, False),), ((1, False), (0, True))):
            asked = (
                stuck(system, frame, known, initial=initial, then=then) for frame, initial in places
            )
            if all(one.solver.check((), effort) is Answer.UNSAT for one in asked):
                return True
        return False
    except SolvingError:
        return False


def stuck(
    system: TransitionSystem,
    frame: int,
    known: Sequence[Term] = (),
    *,
    initial: bool,
    then: Term = terms.TRUE,
) -> Unrolling:
    """Return a solver that seeks a state after `frame` steps without successor where `then`.

    Raises:
        SolvingError: a term has no counterpart in the solver.
    """
    unrolling = Unrolling(new_solver(), system, initial=initial)
    unrolling.frame(frame)
    solver, after = unrolling.solver, frame + 1
    for term in known:
        for earlier in range(after):
            solver.add(unrolling.term(term, earlier))
    step = [
        unrolling.term(constraint.term, frame if constraint.kind is ConstraintKind.TRANS else after)
        for constraint in system.constraints
        if constraint.kind is not ConstraintKind.INIT
    ]
    step.append(unrolling.term(then, after))
    values = {name: unrolling.variable(name, after) for name in system.variables}
    for name, declared in system.variables.items():
        bounds = solver.in_domain(values[name], declared.sort)
        if bounds is None:
            continue
        if name not in system.definers:
            step.append(bounds)
        elif declared.kind is SystemVariableKind.STATE:  # definitions keep within bounds
            for earlier in range(after):
                here = solver.in_domain(unrolling.variable(name, earlier), declared.sort)
                assert here is not None
                solver.add(here)
    solver.add(solver.for_all([*values.values()], solver.negation(solver.conjunction(step))))
    return unrolling
