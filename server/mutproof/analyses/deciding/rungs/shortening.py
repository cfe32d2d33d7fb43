"""Find shorter executions that kill, where random ones or those of other mutants did.

The first execution found is reported at once, a shorter one when it is known. The search goes from
short to long, over all mutants, until it has cost a share of what deciding them did; what it did
not reach is not reported as shortest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.bench.bench import BATCH
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.findings import has_shortest, is_shortest
from mutproof.analyses.deciding.order import groups, together
from mutproof.analyses.deciding.rung import Candidate, Cost, Rung, Shorter

SHARE = 0.1
LEAST = 1_500_000
"""What is spent in any case, in solver units; beyond, a share of what deciding the mutants cost."""
LEAST_KEPT = 100_000
"""The same for executions that were kept: an edit may have made shorter ones. New ones get no less,
but only their part of the former where shorter ones of kept ones are not known either: there they
are dear."""
EACH = 200_000
"""The most that one question costs."""
DEPTHS = (2, 4, 8, 16, 32, 64)


def _applies(context: Context, claim: Claim) -> bool:
    """Tell whether a shorter execution may exist: finite, and not yet known to be shortest.

    Properties of infinite paths are for `lassos`.
    """
    return (
        not context.temporal.issuperset(claim.fails)
        and claim.variant.is_local
        and claim.variant.stated is not None
        and not is_shortest(context, claim)
        and not has_shortest(context, claim)
    )


def _shorten(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    kept = [claim for claim in claims if claim.name in context.known]
    new = [claim for claim in claims if claim.name not in context.known]
    own = LEAST * len(new) // max(1, len(claims))
    yield from _shortened(context, new, max(LEAST_KEPT, own))
    yield from _shortened(context, kept, LEAST_KEPT)


def _shortened(context: Context, claims: Sequence[Claim], least: int) -> Iterator[Candidate]:
    goals = {claim.name: claim.fails.keys() - context.temporal for claim in claims}
    left = {claim.name: (claim, Claim(claim.variant, set(goals[claim.name]))) for claim in claims}
    limits = {
        claim.name: min(claim.fails[goal].step for goal in goals[claim.name]) for claim in claims
    }
    for _ in _searched(context, [probe for _, probe in left.values()], limits, least):
        for name, (claim, probe) in list(left.items()):
            if not probe.open or probe.depth >= limits[name]:
                del left[name]
                yield Shorter(claim, probe, frozenset(goals[name]))
    for name, (claim, probe) in left.items():
        if not probe.open:
            yield Shorter(claim, probe, frozenset(goals[name]))


def _searched(
    context: Context, probes: list[Claim], limits: Mapping[str, int], least: int
) -> Iterator[None]:
    """Search for shorter executions; yield after each depth, until all is found or spent."""
    if not probes:
        return
    bench = context.bench()
    spent = bench.questions.spent
    most = spent + max(least, int((spent - context.begun.spent) * SHARE))
    own = bench.questions.effort
    bench.questions.effort = replace(own, rlimit=min(own.rlimit or EACH, EACH))
    try:
        for depth in DEPTHS:
            left = [probe for probe in probes if probe.open and probe.depth < limits[probe.name]]
            for group in together(groups(left), BATCH):
                context.means.check_cancelled()
                if bench.questions.spent > most:
                    return
                deepest = min(depth, max(limits[probe.name] for probe in group))
                bench.search(group, deepest, found=_enough, most=limits)
            yield
    finally:
        bench.questions.effort = own


def _enough(claim: Claim) -> None:
    """Close a claim: its first violation is a shortest one."""
    claim.open = set()


SHORTER = Rung("shorter executions", Cost.AFTERWARDS, lambda context: context, _shorten, _applies)
