"""Decide properties of infinite paths with an SMT solver, in systems of any size."""

from __future__ import annotations

from mutproof.solving.liveness.prove import (
    LinearFailure,
    LinearProof,
    LinearVerdict,
    prove_linear,
)

__all__ = ["LinearFailure", "LinearProof", "LinearVerdict", "prove_linear"]
