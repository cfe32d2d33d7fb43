"""Look for an infinite fair path that returns to one of its states: ever longer lassos.

Source: Biere, Cimatti, Clarke and Zhu, Symbolic model checking without BDDs, TACAS 1999.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mutproof.base.budget import Deadline
from mutproof.model import linear, sorts
from mutproof.model.compile import Compiler, Row
from mutproof.model.sorts import BOOL, Value
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.solving.engine import MORE, ran_out
from mutproof.solving.liveness.product import Product, remembered
from mutproof.solving.solver import Answer, Effort, Formula
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

EVERY_LENGTH = 24
"""Up to this many steps every length is tried; a longer lasso can be gone round more often."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Say what a search came to: a path, or that it cannot go on; else it may go on later."""

    steps: tuple[Mapping[str, Value], ...] = ()
    loop: int | None = None
    stuck: str = ""


class LassoSearch:
    """Search the product of one property; mutable, goes on where it stopped."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._solver = new_solver()
        self._unrolling = Unrolling(self._solver, product.whole, initial=True)
        self._same = remembered(product.whole)
        self._last = 0
        self._limit = 0
        self._stuck = ""

    @property
    def depth(self) -> int:
        """Return the number of steps of the lassos that were tried in vain."""
        return self._last

    def search(self, rlimit: int, deadline: Deadline, least: int = 0) -> Effects:
        """Try longer and longer lassos, from `least` steps on, within the limits."""
        self._last = max(self._last, least)
        self._limit = rlimit
        begun = self._solver.spent
        while not self._stuck and not deadline.passed():
            if self._solver.spent - begun > rlimit:
                break
            answer = self._try(deadline)
            if answer is not None:
                return answer
        return Effects(stuck=self._stuck)

    def _try(self, deadline: Deadline) -> Effects | None:
        """Try lassos of one length; None to go on with the next."""
        solver, unrolling, last = self._solver, self._unrolling, self._last
        unrolling.frame(last + 1)
        effort = Effort(self._limit, max(0.1, min(deadline.remaining_s(), 1e6)))
        solver.push()
        try:
            returns = self._closed(last)
            answer = solver.check((), effort)
            if answer is Answer.SAT:
                loop = next(i for i, found in enumerate(returns) if solver.value(found, BOOL))
                steps = tuple(unrolling.valuation(number) for number in range(last + 1))
                return Effects(steps, loop)
            reason = solver.reason_unknown
        finally:
            solver.pop()
        if answer is Answer.UNKNOWN:
            if not ran_out(solver) and "timeout" not in reason:
                self._stuck = f"lassos of {last + 1} steps: {reason}"
            return Effects(stuck=self._stuck)
        self._last = last + 1 if last < EVERY_LENGTH else last * (MORE + 1) // MORE
        return None

    def _closed(self, last: int) -> list[Formula]:
        """Ask that the frame after `last` is an earlier one, and for justice from there on.

        The result says, for each frame, whether the path returns to it.
        """
        solver, unrolling = self._solver, self._unrolling
        returns: list[Formula] = []
        inside: list[Formula] = []
        for number in range(last + 1):
            here = solver.constant(f"?return:{last}:{number}", BOOL)
            same = [
                solver.equal(
                    unrolling.variable(declared.name, number),
                    unrolling.variable(declared.name, last + 1),
                )
                for declared in self._same
            ]
            solver.add(solver.implication(here, solver.conjunction(same)))
            returns.append(here)
            within = solver.constant(f"?inside:{last}:{number}", BOOL)
            cause = solver.disjunction([here, *inside[-1:]])
            solver.add(solver.implication(within, cause))
            inside.append(within)
        solver.add(solver.disjunction(returns))
        for often in self._product.justice:
            met = [
                solver.conjunction([within, unrolling.term(often, number)])
                for number, within in enumerate(inside)
            ]
            solver.add(solver.disjunction(met))
        return returns


def shown(system: TransitionSystem, found: Effects) -> Trace:
    """Return a path of a product as an execution of the system."""
    steps = tuple(
        {name: step[name] for name in system.variables if name in step} for step in found.steps
    )
    chosen = system.chosen
    choices = Choices(
        tuple({name: value for name, value in step.items() if name in chosen} for step in steps)
    )
    return Trace(replace(choices, loop=found.loop), steps, found.loop)


def denies(system: TransitionSystem, formula: Term, trace: Trace) -> bool:
    """Tell whether an execution is an infinite fair path on which a formula is false.

    Nothing of the search is used for it: terms are evaluated.
    """
    loop = trace.loop
    if loop is None:
        return False
    names = {name: index for index, name in enumerate(trace.steps[0])}
    compiler = Compiler(names)
    rows: list[Row] = [[step[name] for name in names] for step in trace.steps]
    following = [*rows[1:], rows[loop]]

    def along(term: Term) -> list[bool]:
        (function,) = compiler.compile_all([term])
        return [bool(function(r, n, {})) for r, n in zip(rows, following, strict=True)]

    for constraint in system.constraints:
        if constraint.defines is not None and constraint.defines not in names:
            continue
        truths = along(constraint.term)
        if not (truths[0] if constraint.kind is ConstraintKind.INIT else all(truths)):
            return False
    for name in names:
        declared = system.variables[name]
        if declared.kind is not SystemVariableKind.DEFINED and not all(
            sorts.contains(declared.sort, step[name]) for step in trace.steps
        ):
            return False
    if not all(any(along(often)[loop:]) for often in system.fairness):
        return False
    for asked, given in system.compassion:
        if any(along(asked)[loop:]) and not any(along(given)[loop:]):
            return False
    return not linear.holds(formula, along, loop)
