"""What an analysis may use and must heed: effort, helpers, and the wish to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.claims.attention import Attention, nowhere
from mutproof.analyses.claims.lending import Lending
from mutproof.base.budget import Budget
from mutproof.base.record import dataclass
from mutproof.model.terms import Term
from mutproof.solving import portfolio
from mutproof.solving.engines import ENGINES
from mutproof.solving.spacer_process import SpacerProcess

SIMULATION = "simulation"
"""The engine that runs executions."""


@dataclass(frozen=True)
class Means:
    """Hold the budget of the hardest question, solvers that are kept, and the check for a stop.

    `check_cancelled` raises when nobody wants the answer any more; `attention` tells what is
    wanted first, `lending` hands over mutants.
    """

    budget: Budget
    spacer: SpacerProcess
    benches: Benches
    check_cancelled: Callable[[], None]
    attention: Attention = nowhere
    lending: Lending = field(default_factory=Lending)
    notary: Notary = field(default_factory=Notary)

    @property
    def small(self) -> Budget:
        """Return the budget of one of many similar questions."""
        return self._part(0.05, 5.0)

    @property
    def middle(self) -> Budget:
        """Return the budget of a question that only few of many cases come to."""
        return self._part(0.1, 15.0)

    def asking(
        self, *engines: str, advice: tuple[Term, ...] = (), cores: bool = True
    ) -> portfolio.PortfolioOptions:
        """Return options to ask some engines, where no counterexample is shown to users.

        If none is named: all but the one that runs executions, as those who ask have run some.
        """
        return portfolio.PortfolioOptions(
            engines=engines or tuple(name for name in ENGINES.names() if name != SIMULATION),
            advice=advice,
            smooth=False,
            spacer=self.spacer,
            cores=cores,
            heed=self.check_cancelled,
            check=self.notary.check,
        )

    def _part(self, share: float, seconds: float) -> Budget:
        """Return a share of the solver units; the time limit is only a backstop."""
        units = self.budget.scaled(share).rlimit
        return Budget(units, min(self.budget.timeout_s, seconds))
