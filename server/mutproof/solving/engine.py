"""The record every engine fills in, and the task on which engines work side by side.

An engine is a generator: each step does a bounded amount of work and yields a finding. The
portfolio decides who works next, checks what is found, and keeps the task up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mutproof.base.budget import Deadline
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.solver import Effort
from mutproof.solving.verdict import Certificate


@dataclass(frozen=True, slots=True)
class Falsified:
    """Report an execution: goals that fail at its 0-based last `step`."""

    goals: tuple[str, ...]
    choices: Choices
    step: int


@dataclass(frozen=True, slots=True)
class Holds:
    """Report a certificate; it is still to be checked."""

    certificate: Certificate


@dataclass(frozen=True, slots=True)
class Learnt:
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
    """Report that time was spent and nothing was found; `waiting` for what another finds."""

    waiting: bool = False


@dataclass(frozen=True, slots=True)
class Stuck:
    """Report why the engine can do no more."""

    reason: str


Finding: TypeAlias = Falsified | Holds | Learnt | Explored | Worked | Stuck


@dataclass(slots=True)
class Task:
    """Hold what is to be proved and what is known by now; mutated by the portfolio only."""

    system: TransitionSystem
    goals: dict[str, Term]  # still open
    effort: Effort  # of one check
    deadline: Deadline
    lemmas: list[Term] = field(default_factory=list)
    lemma_k: int = 1
    depth: int = 0
    advice: Sequence[Term] = ()  # invariants of earlier runs: candidates, not lemmas

    def check_effort(self) -> Effort:
        """Return the limits of the next check: never past the deadline."""
        left = self.deadline.remaining_s()
        if left == float("inf"):
            return self.effort
        # Coarse steps: changing the limits of a solver costs a call.
        left = max(0.05, round(left, 1))
        limit = min(self.effort.timeout_s, left) if self.effort.timeout_s else left
        return Effort(self.effort.rlimit, limit)


@dataclass(frozen=True, slots=True)
class Engine:
    """Describe a way of proving or refuting the goals of a task."""

    name: str
    summary: str
    run: Callable[[Task], Iterator[Finding]]
