"""Make counterexamples easier to read: inputs change between steps as seldom as possible.

Source: The JKind Model Checker, Gacek et al., CAV 2018, section 3 "smoothing". Greedy in place of
MaxSAT: each equality is kept if those kept so far allow it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.base.budget import Deadline
from mutproof.model.sorts import BOOL
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.solver import Answer, Effort, Formula, Solver, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.workshop import Workshop

CHECK = Effort(rlimit=500_000, timeout_s=1.0)
MOST_CHECKS_EACH = 60
MOST_CHECKS = 600
"""The most checks for one counterexample, and for all of a run."""


class Smoother:
    """Smooth the counterexamples of one system; mutable, keeps its solver.

    Counterexamples must come in the order of their lengths, as BMC finds them.
    """

    def __init__(
        self, system: TransitionSystem, deadline: Deadline, workshop: Workshop | None = None
    ) -> None:
        self._system = system
        self._deadline = deadline
        self._workshop = workshop or Workshop()
        self._solver = self._workshop.solver()
        self._unrolling: Unrolling | None = None
        self._left = MOST_CHECKS

    def smoothed(self, goals: Sequence[str], choices: Choices, step: int) -> Choices:
        """Return smoother choices on which the goals fail at the same step, or those given."""
        if step == 0 or self._left <= 0 or self._deadline.passed():
            return choices
        try:
            return self._smoothed(goals, step) or choices
        except SolvingError:
            return choices

    def _smoothed(self, goals: Sequence[str], step: int) -> Choices | None:
        solver = self._solver
        if self._unrolling is None or self._unrolling.frames > step + 1:
            self._unrolling = self._workshop.unrolling(self._system, initial=True)
            self._solver = solver = self._unrolling.solver
        unrolling = self._unrolling
        unrolling.frame(step)
        solver.push()
        try:
            for name in goals:
                term = self._system.property(name).term
                solver.add(solver.negation(unrolling.term(term, step)))
            kept = self._greedy(_wishes(solver, unrolling, step))
            if kept is None or solver.check(kept, CHECK) is not Answer.SAT:
                return None
            return unrolling.choices(step)
        finally:
            solver.pop()

    def _greedy(self, groups: list[list[Formula]]) -> list[Formula] | None:
        """Return many literals that are satisfiable together; None if the assertions are not."""
        solver = self._solver
        kept: list[Formula] = []
        if solver.check(kept, CHECK) is not Answer.SAT:
            return None
        # Whole steps first, then halves of those that cannot be added.
        queue = [group for group in reversed(groups) if group]
        for _ in range(MOST_CHECKS_EACH):
            if not queue or self._left <= 0 or self._deadline.passed():
                break
            group = queue.pop()
            self._left -= 1
            if solver.check([*kept, *group], CHECK) is Answer.SAT:
                kept.extend(group)
            elif len(group) > 1:
                middle = len(group) // 2
                queue.append(group[middle:])
                queue.append(group[:middle])
        return kept


def _wishes(solver: Solver, unrolling: Unrolling, last: int) -> list[list[Formula]]:
    """Return for each step, the last first, literals: a free variable does not change."""
    chosen = unrolling.system.chosen
    free = [name for name in unrolling.system.variables if name in chosen]
    groups = []
    for step in range(last, 0, -1):
        group = []
        for name in free:
            literal = solver.constant(f"?calm:{name}@{step}", BOOL)
            same = solver.equal(unrolling.variable(name, step - 1), unrolling.variable(name, step))
            solver.add(solver.implication(literal, same))
            group.append(literal)
        groups.append(group)
    return groups
