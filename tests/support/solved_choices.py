"""Executions that a system allows, some of whose values are random: found by the solver."""

from __future__ import annotations

import random
from contextlib import suppress

from mutproof.model import terms
from mutproof.model.sampling import interesting_values, random_value
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.solver import Answer, Effort, NotRepresentableError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

MOST_RANDOM = 3
"""How many values are random."""


def solved_choices(
    source: random.Random, system: TransitionSystem, steps: int = 6
) -> Choices | None:
    """Return choices that assertions and loops allow, some of them random; None: not found."""
    solver = new_solver()
    unrolling = Unrolling(solver, system, initial=True)
    unrolling.frame(steps - 1)
    effort = Effort(200_000, 2.0)
    values = interesting_values(system)
    names = sorted(system.chosen)
    for step in source.sample(range(steps), min(MOST_RANDOM, steps)) if names else ():
        declared = system.variables[source.choice(names)]
        value = terms.const(random_value(declared.sort, source, values), declared.sort)
        solver.push()
        solver.add(unrolling.term(terms.eq(terms.var(declared.name, declared.sort), value), step))
        if solver.check((), effort) is not Answer.SAT:
            solver.pop()
    if solver.check((), effort) is not Answer.SAT:
        return None
    with suppress(NotRepresentableError):
        return unrolling.choices(steps - 1, system=system)
    return None
