"""How often the cycle collector runs: terms, cases and verdicts are many, and none in a cycle."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLDS: Final = (20_000, 200, 10)
"""New objects before the youngest are looked at, and how often before older ones are.

With those of Python a fifth of the time of a hundred thousand mutants goes into collections that
find nothing; with these a fiftieth does, and the largest memory is the same. Older objects are
looked at after four million new ones: with a tenth of that, each of a hundred thousand mutants
took some ten microseconds longer than each of ten thousand.
"""


def collect_rarely() -> None:
    """Let the cycle collector of this process run rarely."""
    gc.set_threshold(*THRESHOLDS)
