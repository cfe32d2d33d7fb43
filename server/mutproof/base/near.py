"""Names that a mistyped name may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SEARCH_LIMIT: Final = 2_000
"""The most names among which a similar one is sought; the search is not cheap."""

_LONGEST: Final = 80
_ALIKE: Final = 0.75


def near(name: str, known: Iterable[str], most: int = 2) -> list[str]:
    """Return the known names that look like a name, the most similar first."""
    from difflib import get_close_matches  # slow to import, and rarely needed

    candidates = list(dict.fromkeys(known))
    if len(candidates) > SEARCH_LIMIT or len(name) > _LONGEST:
        return []
    return get_close_matches(name, candidates, n=most, cutoff=_ALIKE)


def asked(close: Iterable[str]) -> str:
    """Return the question whether one of such names was meant; empty for none."""
    guesses = " or ".join(f"`{guess}`" for guess in close)
    return f"did you mean {guesses}?" if guesses else ""
