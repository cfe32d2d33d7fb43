"""The events of a running analysis: findings, progress, and mutants handed over."""

from __future__ import annotations

from typing import TypeAlias

from mutproof.analyses.advising.advice import AdviceFinding
from mutproof.analyses.claims.finding import (
    CertificateFinding,
    ModelFinding,
    MutantFinding,
    PropertyFinding,
    Statistics,
)
from mutproof.analyses.suggesting.finding import SuggestionsFinding
from mutproof.analyses.suites.suite import SuiteFinding
from mutproof.base.record import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Say how far a stage is: `done` of `total` steps.

    A `stage` is `prove`, `core`, `mutate`, `certify`, `equivalence`, `suggest` or `tests`.
    """

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Lent:
    """Name mutants that this analysis hands over to another one, with the `evidence` known of them.

    Workers fill in the evidence, encoded as bytes.
    """

    mutants: tuple[str, ...]
    evidence: bytes = b""


@dataclass(frozen=True, slots=True)
class Learnt:
    """Hold what an analysis of lent mutants found out, encoded as bytes, for the lender."""

    evidence: bytes


@dataclass(frozen=True, slots=True)
class Removed:
    """Name decided mutants without an element, with the `evidence` of them, for other workers.

    Workers fill in the evidence, encoded as bytes. Who emits this looks for no cores until others
    have decided their mutants.
    """

    mutants: tuple[str, ...]
    evidence: bytes = b""


@dataclass(frozen=True, slots=True)
class Attempted:
    """Say that all properties were tried, with the `evidence`, for workers that know less.

    Workers fill in the evidence, encoded as bytes.
    """

    evidence: bytes = b""


Event: TypeAlias = (
    ModelFinding
    | PropertyFinding
    | MutantFinding
    | CertificateFinding
    | SuggestionsFinding
    | AdviceFinding
    | SuiteFinding
    | Statistics
    | Progress
    | Lent
    | Learnt
    | Removed
    | Attempted
)
"""Some findings are sent again when more is known: a property with its core, a survivor with
whether it is equivalent or a gap, advice with more of it."""
