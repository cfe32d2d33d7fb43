"""The strategy of everyday use: the cheapest argument that decides a mutant comes first."""

from mutproof.analyses.mutation.campaign import Campaign
from mutproof.analyses.mutation.strategy import Strategy

STRATEGY = Strategy(
    "default",
    "cores, executions and the proofs of the model decide many mutants at once; only what is left"
    " is proved from scratch; verdicts are kept between saves",
    "engine of mutproof",
    Campaign,
)
