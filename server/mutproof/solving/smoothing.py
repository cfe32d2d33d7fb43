"""Make counterexamples easier to read: inputs change between steps as seldom as possible.

Source: The JKind Model Checker, Gacek et al., CAV 2018, section 3 "smoothing". Greedy in
place of MaxSAT: each wish is kept if the others kept so far allow it.
"""

from __future__ import annotations

from dataclasses import replace

from mutproof.base.budget import Deadline
from mutproof.model.sorts import BOOL
from mutproof.model.system import SystemVariableKind, TransitionSystem
from mutproof.solving.solver import Answer, Effort, Formula, Solver, SolvingError
from mutproof.solving.unroll import Unrolling, undefined_variables
from mutproof.solving.verdict import Refuted
from mutproof.solving.z3_solver import new_solver

CHECK = Effort(rlimit=500_000, timeout_s=1.0)
MOST_CHECKS = 120


def smoothed(system: TransitionSystem, goal: str, refuted: Refuted, deadline: Deadline) -> Refuted:
    """Return a counterexample of the same length with fewer changes, or the given one."""
    if refuted.step == 0:
        return refuted
    solver = new_solver()
    unrolling = Unrolling(solver, system, initial=True)
    try:
        unrolling.frame(refuted.step)
        term = system.property(goal).term
        solver.add(solver.negation(unrolling.term(term, refuted.step)))
        wishes = _wishes(solver, unrolling, refuted.step)
        best = _greedy(solver, wishes, deadline)
        if best is None or solver.check(best, CHECK) is not Answer.SAT:
            return refuted
        return replace(refuted, choices=unrolling.choices(refuted.step))
    except SolvingError:
        return refuted


def _wishes(solver: Solver, unrolling: Unrolling, last: int) -> list[list[tuple[Formula, Formula]]]:
    """Return, for each step from the last, literals that say which variables do not change."""
    undefined = undefined_variables(unrolling.system)
    free = [
        name
        for name, declared in unrolling.system.variables.items()
        if declared.kind is SystemVariableKind.INPUT or name in undefined
    ]
    groups = []
    for step in range(last, 0, -1):
        group = []
        for name in free:
            literal = solver.constant(f"?calm:{name}@{step}", BOOL)
            same = solver.equal(unrolling.variable(name, step - 1), unrolling.variable(name, step))
            solver.add(solver.implication(literal, same))
            group.append((literal, same))
        groups.append(group)
    return groups


def _greedy(
    solver: Solver, groups: list[list[tuple[Formula, Formula]]], deadline: Deadline
) -> list[Formula] | None:
    """Return literals that can be assumed together; None if not even nothing can be."""
    kept: list[Formula] = []
    left = MOST_CHECKS
    # Whole steps first, then the halves of those that do not fit.
    queue = [group for group in reversed(groups) if group]
    if solver.check(kept, CHECK) is not Answer.SAT:
        return None
    while queue and left > 0 and not deadline.passed():
        group = queue.pop()
        left -= 1
        if solver.check([*kept, *(literal for literal, _ in group)], CHECK) is Answer.SAT:
            kept.extend(literal for literal, _ in group)
        elif len(group) > 1:
            middle = len(group) // 2
            queue.append(group[middle:])
            queue.append(group[:middle])
    return kept
