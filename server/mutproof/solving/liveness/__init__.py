"""Decide properties of infinite paths with an SMT solver, in systems of any size.

What decides is imported when it is first used: most models have no such property.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mutproof.solving.liveness.verdict import LinearFailure, LinearProof, LinearVerdict, Way

if TYPE_CHECKING:
    from mutproof.solving.liveness.invariants import (
        always_proved,
        as_invariants,
        with_goals,
        within,
    )
    from mutproof.solving.liveness.prove import prove_linear

__all__ = [
    "LinearFailure",
    "LinearProof",
    "LinearVerdict",
    "Way",
    "always_proved",
    "as_invariants",
    "prove_linear",
    "with_goals",
    "within",
]


def __getattr__(name: str) -> Any:
    """Return a function of `prove` or `invariants`, which no submodule is called."""
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from mutproof.solving.liveness import invariants, prove

    return getattr(prove if name == "prove_linear" else invariants, name)
