"""What is to be proved: goals of a system slice, with a digest as the key of results."""

from __future__ import annotations

from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import slice as slicing
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term


@dataclass(frozen=True)
class Obligation:
    """Ask whether goals (names of properties) hold in every reachable state of a system."""

    system: TransitionSystem
    goals: tuple[str, ...]

    @cached_property
    def terms(self) -> dict[str, Term]:
        """Return the term of every goal."""
        return {name: self.system.property(name).term for name in self.goals}


def obligation(system: TransitionSystem, goals: tuple[str, ...]) -> Obligation:
    """Return the obligation to prove goals over the part of the system that they depend on."""
    return Obligation(slicing.cone(system, goals), goals)
