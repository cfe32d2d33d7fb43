"""Decide properties of infinite paths with an SMT solver, in systems of any size."""

from __future__ import annotations

from mutproof.solving.liveness.prove import (
    LinearFailure,
    LinearProof,
    LinearVerdict,
    Way,
    always_proved,
    as_invariants,
    prove_linear,
    restated,
    with_goals,
)

__all__ = [
    "LinearFailure",
    "LinearProof",
    "LinearVerdict",
    "Way",
    "always_proved",
    "as_invariants",
    "prove_linear",
    "restated",
    "with_goals",
]
