"""The mutation operators: one file per group, one line each here."""

from mutproof.analyses.mutation.mutator import Mutator
from mutproof.analyses.mutation.mutators import (
    branching,
    constants,
    exchange,
    insertion,
    literals,
    removal,
    replacement,
    structure,
    temporal,
)
from mutproof.base.registry import Registry

MUTATORS: Registry[Mutator] = Registry(
    "mutation operator",
    (
        *exchange.MUTATORS,
        *removal.MUTATORS,
        *branching.MUTATORS,
        *constants.MUTATORS,
        *temporal.MUTATORS,
        *structure.MUTATORS,
        *replacement.MUTATORS,
        *literals.MUTATORS,
        *insertion.MUTATORS,
    ),
)
