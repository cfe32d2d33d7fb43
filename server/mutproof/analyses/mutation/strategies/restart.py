"""The classical strategy: every mutant is a new model, proved from nothing.

Nothing that is known of the model or of other mutants is used: no certificate, no execution, no
verdict of an earlier version of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mutproof.analyses.finding import MutantFinding
from mutproof.analyses.means import Means
from mutproof.analyses.mutation import scratch
from mutproof.analyses.mutation.caseload import Baseline
from mutproof.analyses.mutation.docket import Docket
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.records import Records
from mutproof.analyses.mutation.strategy import Strategy


class Restart:
    """Decide mutants one by one; `load` holds their cases."""

    def __init__(
        self,
        baseline: Baseline,
        mutants: Sequence[Mutant],
        records: Records,
        means: Means,
        emit: Callable[[MutantFinding], None],
    ) -> None:
        self._docket = Docket(baseline, mutants, records, means, emit, largest_family=1)
        self.load = self._docket.load

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self._docket.solver_calls

    def run(self) -> None:
        """Decide every mutant; each is emitted once."""
        docket = self._docket
        docket.take_in()
        if docket.families is not None:
            docket.families.decide(docket.open())
            docket.finish_decided()
        for case in docket.open():
            docket.means.check_cancelled()
            if docket.families is not None:
                docket.families.decide_alone(case)
            if case.variant.name in docket:
                scratch.prove(docket, case)
                docket.finish(case.variant.name)
        docket.close()


STRATEGY = Strategy(
    "restart",
    "every mutant is proved from nothing by a fresh solver, as if it were another model",
    "classical mutation analysis by model checking",
    Restart,
)
