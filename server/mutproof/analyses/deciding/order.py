"""In which portions claims are decided: those that change the same element, or a few elements."""

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
    """Yield groups that follow each other as one, as long as that has at most so many claims.

    Those to be kept `apart` do not wait for others.
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
