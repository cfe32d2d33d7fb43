"""Verdicts on properties of infinite paths."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices, Trace
from mutproof.solving.verdict import Certificate, Unknown


class Way(Enum):
    """Say which safety property excludes the failures of a property."""

    INVARIANT = "invariant"
    IMPOSSIBLE = "no execution begins like a failure"
    SAFETY = "safety of the product"
    COUNTING = "k-liveness"
    DECREASING = "a number that decreases"
    ENDING = "paths end"
    RETURNING = "liveness to safety"


@dataclass(frozen=True, slots=True)
class LinearProof:
    """Prove a property: a safety property `goal` of `system` that excludes its failures.

    `rests_on` are elements that the certificate needs, None: not known. It proves the property
    whatever the other elements say: what states the goal restricts no execution of the system,
    and RETURNING compares finitely many values, whichever variables have them. `most` is the k
    of COUNTING, and the number of states that no path of ENDING has.
    """

    system: TransitionSystem
    goal: str
    certificate: Certificate
    rests_on: frozenset[ElementId] | None
    way: Way
    most: int = 0

    @property
    def how(self) -> str:
        """Return the `how` of the proof, in words."""
        counts = self.way in {Way.COUNTING, Way.ENDING}
        return f"{self.way.value}, k = {self.most}" if counts else self.way.value


@dataclass(frozen=True, slots=True)
class LinearFailure:
    """Refute a property by an infinite fair path: a lasso, given by all its states, or a beginning.

    All paths that begin like that break the property, and there are some.
    """

    choices: Choices
    trace: Trace
    how: str = "lasso"


LinearVerdict: TypeAlias = LinearProof | LinearFailure | Unknown
