"""Find shorter infinite paths that kill, where diagrams or solvers found some.

This is for properties of linear time; `shortening` does the same for invariants. No single path
shows that a property of branching time fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.scope import scope
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.findings import has_shortest
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedExecution, Rung, Shorter
from mutproof.solving.liveness.shortest import shortened

HOW = "lasso"

MOST = 3_000_000
"""How much is spent on all mutants, in solver units."""
EACH = 500_000
"""The most that one property of a mutant costs."""
FARTHEST = 24
"""The most states of a lasso for which a shorter one is searched."""


def _goals(context: Context, claim: Claim) -> list[str]:
    """Return the properties that an infinite path violates, but not at its first state."""
    return [
        name
        for name, failure in claim.fails.items()
        if name in context.temporal
        and failure.choices.loop is not None
        and 0 < failure.step < FARTHEST
        and not failure.support
    ]


def _applies(context: Context, claim: Claim) -> bool:
    return (
        context.relational
        and claim.variant.stated is not None
        and bool(_goals(context, claim))
        and not has_shortest(context, claim)
    )


def _shorten(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    """Yield shorter paths, for the shortest known ones first, until the effort is spent."""
    left = MOST
    for claim in sorted(claims, key=lambda one: min(f.step for f in one.fails.values())):
        probe, settled = Claim(claim.variant, set(claim.fails)), set[str]()
        for name in _goals(context, claim):
            context.means.check_cancelled()
            if left <= 0:
                return
            part = scope(applied(context.system, claim.variant), (name,))
            length = claim.fails[name].step + 1
            found = shortened(part, name, length - 1, min(EACH, left))
            left -= max(found.cost, 1)
            if found.choices is not None:
                yield OfferedExecution(probe, found.choices, HOW, part=part, goal=name)
                length = probe.fails[name].step + 1 if name in probe.fails else length
            if found.depth >= length - 1:
                settled.add(name)
        if probe.fails or settled:
            yield Shorter(claim, probe, frozenset(settled))


LASSOS = Rung("shorter lassos", Cost.AFTERWARDS, lambda context: context, _shorten, _applies)
