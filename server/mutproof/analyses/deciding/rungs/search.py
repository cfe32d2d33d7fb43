"""Bounded search for executions that violate properties, shared by mutants of a few elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import AnyRung, Candidate, Cost, Rung

FIRST_DEPTH = 2
"""How deep all mutants are searched before any is searched deeper: most fail soon."""

DEPTH = 4


def _search(depth: int) -> Callable[[Context, Sequence[Claim]], Iterator[Candidate]]:
    def propose(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Search in the bench, which has each execution replayed before it asks for the next."""
        context.bench().search(claims, depth, found=context.found)
        yield from ()

    return propose


def _rung(name: str, depth: int) -> AnyRung:
    return Rung(
        name,
        Cost.SEARCH,
        lambda context: context,
        _search(depth),
        lambda _, claim: claim.variant.is_local,
        by_element=True,
    )


SHALLOW = _rung("bounded search", FIRST_DEPTH)
DEEPER = _rung("deeper bounded search", DEPTH)
