"""Defects of mutproof: verdicts that an execution contradicts, by kind."""

from __future__ import annotations

from enum import Enum


class Defect(Enum):
    """Name the kind of checked verdict that an execution contradicts: a defect of mutproof.

    The verdict is then withdrawn and becomes UNKNOWN.
    """

    PROOF = "refuted-proof"
    SURVIVOR = "refuted-survivor"
    EQUIVALENCE = "refuted-equivalence"

    def reason(self, what: str, step: int) -> str:
        """Return what is to be said: an execution shows `what` at a 0-based step."""
        return (
            f"defect of mutproof ({self.value}): an execution contradicts it, {what} at step {step}"
        )
