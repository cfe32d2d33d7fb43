"""Whether a few of many sets cover everything, asked of a solver that counts."""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.model.sorts import BOOL
from mutproof.solving.solver import Answer, Effort
from mutproof.solving.z3_context import raw_array
from mutproof.solving.z3_solver import Z3Solver


class Covering:
    """Ask how few sets are enough; one thread, mutable.

    `needs` lists for everything that is to be covered the numbers of the sets that do so.
    """

    def __init__(self, needs: Sequence[Sequence[int]], count: int) -> None:
        self._solver = Z3Solver(logic="QF_FD")
        self._taken = [self._solver.constant(f"take{n}", BOOL) for n in range(count)]
        for able in needs:
            self._solver.add(self._solver.disjunction([self._taken[n] for n in able]))

    def within(self, most: int, effort: Effort) -> tuple[Answer, tuple[int, ...]]:
        """Return whether at most `most` sets cover everything, and the numbers of such sets."""
        solver = self._solver
        context, count = solver.context, len(self._taken)
        solver.push()
        try:
            if count:
                solver.add(context.call("atmost", count, raw_array(self._taken), most))
            answer = solver.check((), effort)
            if answer is not Answer.SAT:
                return answer, ()
            chosen = [n for n, one in enumerate(self._taken) if solver.value(one, BOOL) is True]
            return answer, tuple(chosen)
        finally:
            solver.pop()
