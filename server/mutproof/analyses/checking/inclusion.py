"""Whether a model can show the values seen in another one, by other choices of what is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mutproof.model.sorts import Value
from mutproof.model.system import TransitionSystem
from mutproof.solving.solver import Answer, Effort, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

EACH = Effort(1_000_000, 2.0)


def impossible(
    model: TransitionSystem, seen: Sequence[Mapping[str, Value]], names: Sequence[str]
) -> int | None:
    """Return the 0-based step at which no execution of a model shows what was seen of some names.

    None if some execution does, or if that could not be decided.
    """
    unrolling = Unrolling(new_solver(), model, initial=True)
    solver = unrolling.solver
    try:
        for frame, row in enumerate(seen):
            unrolling.frame(frame)
            for name in names:
                sort = model.variables[name].sort
                literal = solver.literal_value(row[name], sort)
                solver.add(solver.equal(unrolling.variable(name, frame), literal))
            answer = solver.check((), EACH)
            if answer is not Answer.SAT:
                return frame if answer is Answer.UNSAT else None
    except SolvingError:
        pass
    return None
