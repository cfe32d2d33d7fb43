"""Decide properties of infinite paths with an SMT solver, in systems of any size."""

from __future__ import annotations

from mutproof.solving.liveness.prove import (
    LinearFailure,
    LinearProof,
    LinearVerdict,
    Way,
    prove_linear,
    restated,
)

__all__ = ["LinearFailure", "LinearProof", "LinearVerdict", "Way", "prove_linear", "restated"]
