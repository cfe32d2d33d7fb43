"""How many attempts may fail in a row before an approach is given up."""

from __future__ import annotations

from mutproof.base.record import dataclass

PATIENCE = 12
"""How many cases in a row may fail before the attempts are given up."""


@dataclass
class Patience:
    """Count the attempts that are left before an approach is given up; mutable."""

    left: int = PATIENCE

    def note(self, *, useful: bool) -> None:
        """Note whether an attempt was useful; a useful one resets the count."""
        self.left = PATIENCE if useful else self.left - 1
