"""How long something is tried that is of no use."""

from __future__ import annotations

from mutproof.base.record import dataclass

PATIENCE = 12
"""How many cases in a row what is left of certificates is tried on though it proves nothing."""


@dataclass
class Patience:
    """Tell how much longer something is tried that is of no use; mutable."""

    left: int = PATIENCE

    def note(self, *, useful: bool) -> None:
        """Note whether an attempt was of use."""
        self.left = PATIENCE if useful else self.left - 1
