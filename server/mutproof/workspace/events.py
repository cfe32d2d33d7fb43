"""What an analysis tells while it goes on, as a stream: findings, progress, what it parts with."""

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
    """Name mutants that this analysis leaves to another one; `evidence` is what is known of them.

    Workers fill in the evidence, as bytes.
    """

    mutants: tuple[str, ...]
    evidence: bytes = b""


@dataclass(frozen=True, slots=True)
class Learnt:
    """Hand over what an analysis of lent mutants found out, as bytes."""

    evidence: bytes


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
)
"""Some are sent twice: a property first with its verdict, then with its core; a survivor first
as such, then with what it is; advice as far as it is known, then with more."""
