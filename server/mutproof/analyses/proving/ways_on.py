"""Whether some state has no successor: by a growing list of ways to choose the next inputs.

A way sets the next inputs to values or keeps the last ones. If in each state some way of the list
works, there is no end. A state in which none works has another way, which joins the list, or no
successor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum

from mutproof.analyses.checking.means import Means
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms
from mutproof.model.sorts import Value
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.solver import Answer, Effort, Formula
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

MOST_WAYS = 12
"""How many ways are tried at once."""

Way = Mapping[str, "Value | None"]
"""The next values of the inputs, by name; None: as in the step before."""


class EndKind(Enum):
    """Say whether states without a successor were found."""

    NONE = "none"  # every execution of so many steps goes on
    STUCK = "stuck"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ExecutionEnd:
    """Hold an answer, with an execution to the state where there is one."""

    found: EndKind
    choices: Choices | None = None


class WaysOn:
    """Look for states of a system without a successor; keeps the ways it learns. Mutable."""

    def __init__(self, system: TransitionSystem, means: Means, ways: Iterable[Way]) -> None:
        self._system = system
        self._means = means
        self._ways = [*ways]
        checks = [c.term for c in system.constraints if c.defines is None]
        self._check = terms.conjunction(checks)
        defining = tuple(c for c in system.constraints if c.defines is not None)
        self._free = replace(system, constraints=defining)
        self._effort = Effort(means.small.rlimit, means.small.timeout_s)
        self.spent = 0

    def after(self, steps: int, *, initial: bool) -> ExecutionEnd:
        """Return whether some execution of exactly this many steps cannot go on.

        Executions start in an initial state or, if not `initial`, in any state; then there is none
        to show.

        Raises:
            SolvingError: the solver fails, or a value cannot be represented.
        """
        unrolling = Unrolling(new_solver(), self._system, initial=initial)
        unrolling.frame(steps - 1)
        solver = unrolling.solver
        failing = [self._fails(unrolling, way, n) for n, way in enumerate(self._ways)]
        try:
            while True:
                self._means.check_cancelled()
                answer = solver.check(failing, self._effort)
                if answer is Answer.UNSAT:
                    # The copies of the ways must be satisfiable, else the answer says nothing.
                    possible = solver.check((), self._effort) is Answer.SAT
                    return ExecutionEnd(EndKind.NONE if possible else EndKind.UNKNOWN)
                if answer is Answer.UNKNOWN or len(failing) > MOST_WAYS:
                    return ExecutionEnd(EndKind.UNKNOWN)
                way = self._way_from(unrolling.valuation(steps - 1))
                if isinstance(way, EndKind):
                    stuck = initial and way is EndKind.STUCK
                    return ExecutionEnd(way, unrolling.choices(steps - 1) if stuck else None)
                self._ways.append(way)
                failing.append(self._fails(unrolling, way, len(failing)))
        finally:
            self.spent += solver.spent

    def _fails(self, unrolling: Unrolling, way: Way, number: int) -> Formula:
        """Return a literal that implies that a way does not lead on from the last state."""
        solver, last = unrolling.solver, unrolling.frames - 1
        copy = Unrolling(solver, self._free, initial=False, label=f"way {number}:")
        copy.frame(1)
        for name in self._system.variables:
            solver.add(solver.equal(copy.variable(name, 0), unrolling.variable(name, last)))
        for name, value in way.items():
            here = copy.variable(name, 1)
            there = copy.variable(name, 0)
            if value is not None:
                there = solver.literal_value(value, self._system.variables[name].sort)
            solver.add(solver.equal(here, there))
        literal = solver.constant(f"?fails:{number}", sorts.BOOL)
        solver.add(solver.implication(literal, solver.negation(copy.term(self._check, 1))))
        return literal

    def _way_from(self, state: Mapping[str, Value]) -> Way | EndKind:
        """Return choices that lead on from a state, STUCK if none do, or UNKNOWN."""
        unrolling = Unrolling(new_solver(), self._system, initial=False)
        unrolling.frame(1)
        solver = unrolling.solver
        for name, value in state.items():
            literal = solver.literal_value(value, self._system.variables[name].sort)
            solver.add(solver.equal(unrolling.variable(name, 0), literal))
        answer = solver.check((), self._effort)
        self.spent += solver.spent
        if answer is not Answer.SAT:
            return EndKind.STUCK if answer is Answer.UNSAT else EndKind.UNKNOWN
        following = unrolling.valuation(1)
        return {name: following[name] for name in self._system.chosen if name in following}
