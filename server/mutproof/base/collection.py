"""How often the cycle collector runs: terms, cases and verdicts are many, and none in a cycle."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLDS: Final = (250_000, 16, 10)
"""Thresholds of the three generations. With Python's own, a fifth of the time of a hundred thousand
mutants goes into collections that find nothing; with these a fiftieth does, and peak memory is
the same. Older objects are collected after four million new ones: with a tenth of that, each of
a hundred thousand mutants took some ten microseconds longer than each of ten thousand."""


def collect_rarely() -> None:
    """Let the cycle collector of this process run rarely."""
    gc.set_threshold(*THRESHOLDS)
