"""How much the properties of this project are tried: the same examples on every machine."""

from __future__ import annotations

from hypothesis import HealthCheck, settings


def profile(examples: int) -> settings:
    """Return settings for that many examples, none of them left to chance or to the clock."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
