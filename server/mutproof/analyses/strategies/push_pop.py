"""The strategy of the first paper: one solver, in which the changed element is exchanged."""

from mutproof.analyses.deciding.rungs import (
    diagrams,
    exchange,
    one_by_one,
)
from mutproof.analyses.deciding.strategy import Strategy

STRATEGY = Strategy(
    "push-pop",
    "Algorithm 1 of the first paper, sound: one solver for the model, in which one element after"
    " the other is exchanged for its mutants; search, filter the invariants, induction, search",
    "Todorov, Taha and Boulanger, NFM 2020, algorithm 1 and section 5.2",
    (diagrams.EACH, one_by_one.TEMPORAL, exchange.EXCHANGED),
)
