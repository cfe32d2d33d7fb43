"""Batches of claims decided together: those that change the same element, or a few elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mutproof.analyses.claims.claim import Claim
from mutproof.model.program import ElementId


def groups(claims: Iterable[Claim]) -> list[list[Claim]]:
    """Return the claims that change the same element, element by element."""
    found: dict[frozenset[ElementId], list[Claim]] = {}
    for claim in claims:
        found.setdefault(claim.variant.removed, []).append(claim)
    return list(found.values())


def together(
    found: Iterable[list[Claim]],
    most: int,
    apart: Callable[[list[Claim]], bool] = lambda _: False,
) -> Iterator[list[Claim]]:
    """Merge consecutive groups, as long as a merged group has at most `most` claims.

    Groups to be kept `apart` are yielded alone, and at once.
    """
    joined: list[Claim] = []
    for group in found:
        if apart(group):
            yield group
            continue
        if joined and len(joined) + len(group) > most:
            yield joined
            joined = []
        joined = [*joined, *group]
    if joined:
        yield joined
