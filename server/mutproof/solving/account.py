"""What this process has spent on solvers so far: the same in every run, unlike a clock.

Solvers charge what they use; a phase of an analysis is measured by what was spent before it.
"""

from __future__ import annotations

from typing import Final

CHECK_UNITS: Final = 3_000
"""What a check costs beside the solver's units: to build the question and to read the answer."""

CONTEXT_UNITS: Final = 10_000
"""What a new context costs, with the terms that are translated in it."""

SPACER_UNITS: Final = 8
"""How many units of other engines take the time of one unit of Spacer."""


class Account:
    """Count solver units, and how often a clock ended work before its units did; it only grows.

    Results of work that a clock ended depend on the machine and its load, not on the model alone.
    """

    def __init__(self) -> None:
        self.spent = 0
        self.late = 0

    def charge(self, units: int) -> None:
        """Count units as spent."""
        self.spent += units

    def note_late(self) -> None:
        """Count that a clock ended some work."""
        self.late += 1


ACCOUNT: Final = Account()
"""The account of this process."""
