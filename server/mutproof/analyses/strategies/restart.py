"""The classical strategy: every mutant is a new model, proved from nothing.

Nothing that is known of the model or of other mutants is used: no certificate, no execution, no
verdict of an earlier version of the file.
"""

from mutproof.analyses.deciding.rungs import (
    diagrams,
    engines,
    one_by_one,
)
from mutproof.analyses.deciding.strategy import Strategy

STRATEGY = Strategy(
    "restart",
    "every mutant is proved from nothing by a fresh solver, as if it were another model",
    "classical mutation analysis by model checking",
    (diagrams.EACH, one_by_one.ALONE, engines.ALONE, one_by_one.LATE),
)
