"""How often the cycle collector runs: terms, cases and verdicts are many, and none in a cycle."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLDS: Final = (20_000, 20, 50)
"""New objects before the youngest are looked at, and how often before older ones are.

With those of Python a fifth of the time of a hundred thousand mutants goes into collections that
find nothing; with these a fiftieth does, and the largest memory is the same.
"""


def collect_rarely() -> None:
    """Let the cycle collector of this process run rarely."""
    gc.set_threshold(*THRESHOLDS)
