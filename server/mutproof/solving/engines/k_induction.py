"""k-induction: goals that hold in k states in a row hold in the next.

Goals are proved together; those that a model of the step falsifies are left out and tried
again with a larger k. Lemmas are assumed in every state. The base case is BMC's.

Source: Sheeran, Singh and Stålmarck, FMCAD 2000; several properties at once, Kahsai and
Tinelli, PDMC 2011.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.model.sorts import BOOL
from mutproof.model.terms import Term
from mutproof.solving.engine import (
    FIRST_LIMIT,
    MORE,
    Engine,
    Finding,
    Holds,
    Stuck,
    Task,
    Worked,
    ran_out,
)
from mutproof.solving.solver import Answer, Formula
from mutproof.solving.unroll import Unrolling
from mutproof.solving.verdict import Certificate
from mutproof.solving.z3_solver import new_solver

AGAIN = "out of units"


def run(task: Task) -> Iterator[Finding]:
    """Try k = 1, 2, and so on, never ahead of what BMC has explored."""
    step = _Step(task)
    k = 1
    while task.goals:
        while task.depth < k:
            yield Worked(waiting=True)
            if not task.goals:
                return
        proved, reason = step.attempt(k)
        if proved:
            yield Holds(Certificate(max(k, task.lemma_k), tuple(task.lemmas), proved))
            continue
        if reason == AGAIN:
            yield Worked()
            continue
        if reason:
            yield Stuck(f"k = {k}: {reason}")
            return
        yield Worked()
        k += 1


class _Step:
    """Keep the solver of the induction step; mutable."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._solver = new_solver()
        self._unrolling = Unrolling(self._solver, task.system, initial=False)
        self._limit = FIRST_LIMIT
        self._lemmas = 0
        self._frames = 0
        self._hypotheses: dict[str, Formula] = {}
        self._supposed: dict[str, int] = {}

    def attempt(self, k: int) -> tuple[tuple[str, ...], str]:
        """Return the goals that are proved together with this k, and why it is not known."""
        task, solver = self._task, self._solver
        self._prepare(k)
        candidates: dict[str, Term] = dict(task.goals)
        while candidates:
            formulas = {name: self._unrolling.term(term, k) for name, term in candidates.items()}
            solver.push()
            solver.add(solver.negation(solver.conjunction(list(formulas.values()))))
            answer = task.check(solver, [self._hypotheses[n] for n in candidates], self._limit)
            if answer is Answer.SAT:
                kept = {
                    name: candidates[name]
                    for name, found in formulas.items()
                    if solver.value(found, BOOL)
                }
            solver.pop()
            if answer is Answer.UNSAT:
                return tuple(candidates), ""
            if answer is Answer.UNKNOWN:
                if ran_out(solver):
                    self._limit *= MORE
                    return (), AGAIN
                return (), solver.reason_unknown
            candidates = kept
        return (), ""

    def _prepare(self, k: int) -> None:
        """Add the frames up to k, the lemmas in all of them, the goals in all before k."""
        task, solver, unrolling = self._task, self._solver, self._unrolling
        unrolling.frame(k)
        for number in range(k + 1):
            first = self._lemmas if number < self._frames else 0
            for lemma in task.lemmas[first:]:
                solver.add(unrolling.term(lemma, number))
        self._lemmas, self._frames = len(task.lemmas), k + 1
        for name, term in task.goals.items():
            if name not in self._hypotheses:
                self._hypotheses[name] = solver.constant(f"?goal:{name}", BOOL)
            for number in range(self._supposed.get(name, 0), k):
                solver.add(solver.implication(self._hypotheses[name], unrolling.term(term, number)))
            self._supposed[name] = k


ENGINE = Engine("k-induction", "induction over k states, strengthened by lemmas", run)
