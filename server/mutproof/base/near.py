"""Names that a mistyped name may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SEARCH_LIMIT: Final = 2_000
"""The most names among which a similar one is sought; the search is not cheap."""

_LONGEST: Final = 80
_ALIKE: Final = 0.66


def near(name: str, known: Iterable[str], most: int = 2) -> list[str]:
    """Return the known names that look like a name but for case, the most similar first."""
    from difflib import get_close_matches  # slow to import, and rarely needed

    spelled: dict[str, list[str]] = {}
    for each in dict.fromkeys(known):
        spelled.setdefault(each.lower(), []).append(each)
    if len(spelled) > SEARCH_LIMIT or len(name) > _LONGEST:
        return []
    close = get_close_matches(name.lower(), spelled, n=most, cutoff=_ALIKE)
    return [each for lower in close for each in spelled[lower]][:most]


def asked(close: Iterable[str]) -> str:
    """Return the question whether one of such names was meant; empty for none."""
    guesses = " or ".join(f"`{guess}`" for guess in close)
    return f"did you mean {guesses}?" if guesses else ""
