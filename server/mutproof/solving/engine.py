"""The record every engine fills in, and the task on which engines work side by side.

An engine is a generator: each step does a bounded amount of work and yields a finding. The
portfolio decides who works next, checks what is found, and keeps the task up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import TypeAlias

from mutproof.base.budget import Budget, Deadline
from mutproof.base.record import dataclass
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.solver import SPENT, Answer, Effort, Formula, Solver
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate, Proof
from mutproof.solving.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Falsified:
    """Report an execution: goals that fail at its 0-based last `step`."""

    goals: tuple[str, ...]
    choices: Choices
    step: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """Report a certificate; it is still to be checked.

    If it is not `sure`, a failed check is not counted as a fault of the engine. It is `drawn` where
    decision diagrams found it: they can decide the goals without it, too. It may be known of a
    `part` of the system.
    """

    certificate: Certificate
    sure: bool = True
    drawn: bool = False
    part: TransitionSystem | None = None


@dataclass(frozen=True, slots=True)
class Each:
    """Report proofs of single goals; they are still to be checked."""

    proofs: tuple[Proof, ...]


@dataclass(frozen=True, slots=True)
class LearntLemmas:
    """Report terms that hold in every reachable state.

    Together with the lemmas the task had, they are `k`-inductive.
    """

    lemmas: tuple[Term, ...]
    k: int


@dataclass(frozen=True, slots=True)
class Explored:
    """Report that no open goal fails in the first `depth` states of any execution."""

    depth: int


@dataclass(frozen=True, slots=True)
class Worked:
    """Report work without a result; `waiting`: for the findings of another engine.

    If it `proves` one part of a goal after the other, it goes on. If it is `away`, the task's
    Spacer process works for it, and it goes on when that has answered.
    """

    waiting: bool = False
    proves: bool = False
    away: bool = False


@dataclass(frozen=True, slots=True)
class Stuck:
    """Report why the engine can do no more."""

    reason: str


Finding: TypeAlias = Falsified | Candidate | Each | LearntLemmas | Explored | Worked | Stuck


FIRST_LIMIT = 400_000
"""The solver units of a first attempt at a check; engines multiply it when it runs out."""

MORE = 4

GOING_ON = 0.25
"""The share of what was spent so far in which another goal must be decided for work to go on."""


@dataclass(slots=True)
class Task:
    """Hold what is to be proved and what is known by now; mutated by the portfolio only."""

    system: TransitionSystem
    goals: dict[str, Term]  # still open
    budget: Budget
    deadline: Deadline
    cost: int = 0  # in the solver's units: the same in every run
    lemmas: list[Term] = field(default_factory=list)  # without duplicates: see `learn`
    lemma_k: int = 1
    depth: int = 0
    advice: Sequence[Term] = ()  # invariants of earlier runs: candidates, not lemmas
    spacer: SpacerProcess = field(default_factory=SpacerProcess)
    beside: bool = False  # engines work while it does
    workshop: Workshop = field(default_factory=Workshop)
    known: set[Term] = field(default_factory=set)

    def check(self, solver: Solver, assumptions: Sequence[Formula], limit: int) -> Answer:
        """Ask a solver within `limit` of its units, and charge what it spent."""
        left = self.deadline.on_the_clock_s()
        # Rounded, as each change of a solver's limits costs a call.
        timeout_s = 0.0 if left == float("inf") else max(0.1, round(left + 0.5))
        before = solver.spent
        answer = solver.check(assumptions, Effort(limit, timeout_s))
        self.charge(solver.spent - before)
        return answer

    def learn(self, lemmas: Sequence[Term], k: int) -> bool:
        """Add what is `k`-inductive together with the lemmas; tell whether any was new."""
        fresh = [lemma for lemma in dict.fromkeys(lemmas) if lemma not in self.known]
        self.lemmas.extend(fresh)
        self.known.update(fresh)
        self.lemma_k = max(self.lemma_k, k)
        return bool(fresh)

    def charge(self, units: int) -> None:
        """Count work as done, in the solver's units."""
        self.cost += max(1, units)

    def charge_cpu(self, seconds: float) -> None:
        """Count processor time of another process, where such time is limited."""
        if self.deadline.of_work:
            self.deadline = self.deadline.earlier(seconds)

    def go_on(self) -> None:
        """Put the end of the budget off as a goal is decided, if it is near."""
        left_s, budget = self.deadline.remaining_s(), self.budget
        more_s = max(0.0, GOING_ON * (budget.timeout_s - left_s) - left_s)
        units = int(self.cost * (1 + GOING_ON)) if budget.rlimit else 0
        self.deadline = self.deadline.earlier(-more_s)
        self.budget = Budget(max(budget.rlimit, units), budget.timeout_s + more_s)

    def exhausted(self) -> bool:
        """Tell whether the budget is used up."""
        return self.cost >= self.budget.rlimit > 0 or self.deadline.passed()


def ran_out(solver: Solver) -> bool:
    """Tell whether the last UNKNOWN came from the limit of units alone."""
    return solver.reason_unknown in SPENT


@dataclass(frozen=True, slots=True)
class Engine:
    """Describe a way of proving or refuting the goals of a task.

    `handicap`: how many solver units the others may spend before its first turn. `weight`: the time
    of one of its units relative to those of others, so that turns are divided by time. `advance`:
    how many units it may spend on advice, where there is some, before the others go on.
    """

    name: str
    summary: str
    run: Callable[[Task], Iterator[Finding]]
    handicap: int = 0
    weight: int = 1
    advance: int = 0
