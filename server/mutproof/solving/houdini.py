"""Reduce candidate invariants to those that are inductive together.

Source: Houdini, Flanagan and Leino, FME 2001; over k states, Kahsai, Ge and Tinelli,
NASA Formal Methods 2011.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from mutproof.base.record import dataclass
from mutproof.model.sorts import BOOL
from mutproof.model.terms import Term
from mutproof.solving.engine import FIRST_LIMIT, MORE, Finding, Task, Worked
from mutproof.solving.solver import Answer, Formula, Solver, SolvingError
from mutproof.solving.unroll import Unrolling

Search = Generator[Finding, None, list[Term]]
"""A generator that works in small steps, so that engines can alternate; it returns the result."""

READING_COST = 50
"""What evaluating one candidate in a model is taken to cost, in solver units."""


def inductive(task: Task, candidates: Sequence[Term], *, k: int = 1) -> Search:
    """Find the candidates that together with the task's lemmas are k-inductive.

    Returns none of them if the limits do not suffice; what it returns has been checked.
    """
    task_lemmas = tuple(task.lemmas)
    known = set(task_lemmas)
    left = list(dict.fromkeys(c for c in candidates if c not in known))
    try:
        for initial in (True, False):
            left = yield from _filtered(task, left, task_lemmas, k, initial=initial)
            if not left:
                return []
    except SolvingError:
        return []
    return left


def _filtered(
    task: Task, candidates: list[Term], lemmas: Sequence[Term], k: int, *, initial: bool
) -> Search:
    """Drop candidates that a model of the base (`initial`), or of the step, makes false."""
    finite = task.system.is_of_words
    unrolling = task.workshop.unrolling(task.system, initial=initial, finite=finite)
    solver = unrolling.solver
    supposed = {
        term: solver.constant(f"?suppose:{index}", BOOL) for index, term in enumerate(candidates)
    }
    left = candidates
    scene = _Scene(task, solver, unrolling, supposed)
    for number in range(k if initial else k + 1):
        unrolling.frame(number)
        for lemma in lemmas:
            solver.add(unrolling.term(lemma, number))
        if initial or number == k:
            left = yield from _survivors(scene, left, number)
            if not left:
                return []
        for term in left:
            formula = unrolling.term(term, number)
            solver.add(solver.implication(supposed[term], formula))
    return left


@dataclass(frozen=True, slots=True)
class _Scene:
    task: Task
    solver: Solver
    unrolling: Unrolling
    supposed: dict[Term, Formula]


def _survivors(scene: _Scene, candidates: list[Term], frame: int) -> Search:
    """Return the candidates that hold in the frame if they hold in the frames before."""
    task, solver, supposed = scene.task, scene.solver, scene.supposed
    left = candidates
    limit = FIRST_LIMIT
    formulas = {term: scene.unrolling.term(term, frame) for term in candidates}
    while left and not task.exhausted():
        solver.push()
        solver.add(solver.negation(solver.conjunction([formulas[term] for term in left])))
        answer = task.check(solver, [supposed[term] for term in left], limit)
        if answer is Answer.SAT:
            task.charge(READING_COST * len(left))
            left = [term for term in left if solver.value(formulas[term], BOOL)]
        solver.pop()
        yield Worked()
        if answer is Answer.UNSAT:
            return left
        if answer is Answer.UNKNOWN:
            if limit > FIRST_LIMIT:
                return []
            limit *= MORE
    return []
