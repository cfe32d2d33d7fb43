"""What a way of deciding mutants provides, and what it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mutproof.analyses.finding import MutantFinding
from mutproof.analyses.means import Means
from mutproof.analyses.mutation.caseload import Baseline, Caseload
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.records import Records


class Run(Protocol):
    """Decide the mutants of one program; mutable, used once."""

    load: Caseload

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        ...

    def run(self) -> None:
        """Decide every mutant; each is emitted once."""
        ...


Start = Callable[[Baseline, Sequence[Mutant], Records, Means, Callable[[MutantFinding], None]], Run]
"""Take up the mutants of a program; verdicts go to the last argument."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """Describe a way of deciding mutants.

    Where two strategies both come to a verdict, it is the same; they differ in what it costs
    and in how many mutants stay unknown.
    """

    name: str
    summary: str
    source: str
    start: Start
