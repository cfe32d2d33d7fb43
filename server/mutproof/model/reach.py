"""What decides some values of a system: sets of variables as bits, joined and compared at once."""

from __future__ import annotations

from mutproof.base.record import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """Hold variables that decide some values, and the definitions and updates of them, as bits."""

    variables: int
    definitions: int
    updates: int

    def __or__(self, other: Reach) -> Reach:
        """Return what decides the values of either."""
        return Reach(
            self.variables | other.variables,
            self.definitions | other.definitions,
            self.updates | other.updates,
        )

    def __le__(self, other: Reach) -> bool:
        """Tell whether another one has all variables of this one."""
        return not self.variables & ~other.variables

    def has(self, index: int) -> bool:
        """Tell whether the variable of an index decides some of the values."""
        return bool(self.variables >> index & 1)
