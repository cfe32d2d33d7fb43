"""Search and induction on one product: shortest differences, proofs that there are none.

One solver holds executions from the first states, another paths from any state; both grow.

Source: Algorithm 1 of Donaldson, He, Kroening and Rümmer, FMICS 2011; the signal equalities,
van Eijk, DATE 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mutproof.base.record import dataclass
from mutproof.model.sorts import BOOL
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import houdini
from mutproof.solving.engine import FIRST_LIMIT, MORE, Task, ran_out
from mutproof.solving.solver import Answer, Formula, Solver, SolvingError
from mutproof.solving.unroll import Unrolling


@dataclass(frozen=True, slots=True)
class Lemmas:
    """Hold terms that are k-inductive together."""

    terms: tuple[Term, ...] = ()
    k: int = 1


class Search:
    """Look for the shortest execution that violates the goal; mutable.

    `depth` is the number of first states that are known to satisfy it; `reason` says why no
    more is known. `check_cancelled` is called before every question and may raise.
    """

    def __init__(
        self,
        task: Task,
        goal: Term,
        check_cancelled: Callable[[], None] = lambda: None,
        depth: int = 0,
    ) -> None:
        self._check_cancelled = check_cancelled
        self.depth = depth
        self.reason = ""
        self._task = task
        self._goal = goal
        self._unrolling: Unrolling | None = None

    def explore(self, depth: int) -> Choices | None:
        """Return the choices of a shortest violation within `depth` states, None if none is found.

        `depth` is reached unless `reason` says otherwise.
        """
        try:
            while self.depth < depth and not self.reason:
                self._check_cancelled()
                found = self._next()
                if found is not None:
                    return found
        except SolvingError as error:
            self.reason = str(error)
        return None

    def _next(self) -> Choices | None:
        if self._unrolling is None:
            task = self._task
            self._unrolling = task.workshop.unrolling(task.system, initial=True)
        unrolling, solver = self._unrolling, self._unrolling.solver
        unrolling.frame(self.depth)
        formula = unrolling.term(self._goal, self.depth)
        solver.push()
        solver.add(solver.negation(formula))
        answer = asked(self._task, solver, ())
        choices = unrolling.choices(self.depth) if answer is Answer.SAT else None
        solver.pop()
        if answer is Answer.UNSAT:
            solver.add(formula)
            self.depth += 1
        elif answer is Answer.UNKNOWN:
            self.reason = solver.reason_unknown
        return choices


class Step:
    """Try the induction step of the goal with growing k and growing lemmas; mutable."""

    def __init__(self, task: Task, goal: Term) -> None:
        self._task = task
        self._goal = goal
        self._unrolling: Unrolling | None = None
        self._supposed: list[Formula] = []  # literals by frame: the goal holds there
        self._added: set[tuple[Term, int]] = set()

    def holds(self, k: int, lemmas: Sequence[Term]) -> bool:
        """Tell whether the goal in k states, with lemmas in all, forces it in the next.

        Lemmas must hold in every reachable state; they stay for later questions.
        """
        try:
            return self._holds(k, lemmas)
        except SolvingError:
            return False

    def _holds(self, k: int, lemmas: Sequence[Term]) -> bool:
        if self._unrolling is None:
            # Guarded frames can stay for smaller k: those beyond it then need no successors.
            task = self._task
            self._unrolling = task.workshop.unrolling(task.system, initial=False, guarded=True)
        unrolling, solver = self._unrolling, self._unrolling.solver
        unrolling.frame(k)
        for number in range(k + 1):
            for lemma in lemmas:
                if (lemma, number) not in self._added:
                    self._added.add((lemma, number))
                    solver.add(unrolling.term(lemma, number))
        for number in range(len(self._supposed), k):
            literal = solver.constant(f"?suppose:{number}", BOOL)
            solver.add(solver.implication(literal, unrolling.term(self._goal, number)))
            self._supposed.append(literal)
        solver.push()
        solver.add(solver.negation(unrolling.term(self._goal, k)))
        answer = asked(self._task, solver, [*unrolling.guards(k), *self._supposed[:k]])
        solver.pop()
        return answer is Answer.UNSAT


def asked(task: Task, solver: Solver, assumptions: Sequence[Formula]) -> Answer:
    """Ask with small limits first, within what is left of the task."""
    limit = FIRST_LIMIT
    answer = task.check(solver, assumptions, limit)
    while answer is Answer.UNKNOWN and ran_out(solver) and not task.exhausted():
        limit *= MORE
        answer = task.check(solver, assumptions, limit)
    return answer


def inductive(task: Task, candidates: Sequence[Term], known: Lemmas, k: int) -> Lemmas:
    """Return what is known with those of the candidates that are k-inductive upon it."""
    task.lemmas[:] = known.terms
    search = houdini.inductive(task, candidates, k=k)
    while True:
        try:
            next(search)
        except StopIteration as stop:
            found: list[Term] = stop.value
            break
    if not found:
        return known
    return Lemmas((*known.terms, *found), max(k, known.k))


def readable(system: TransitionSystem, names: frozenset[str]) -> bool:
    """Tell whether a system has all the variables."""
    return names <= system.variables.keys()
