"""The statistics of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    Origin,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)


def counted(
    properties: Collection[PropertyFinding],
    mutants: Collection[MutantFinding],
    *,
    calls: int = 0,
    seconds: float = 0.0,
    refused: int = 0,
) -> Statistics:
    """Count findings.

    `calls` are questions to solvers, `refused` proofs and executions that did not pass their check.
    """
    by_verdict = {v: sum(1 for f in properties if f.verdict is v) for v in PropertyVerdict}
    return Statistics(
        **of_mutants([(found.status, found.origin) for found in mutants]),
        solver_calls=calls,
        properties_proved=by_verdict[PropertyVerdict.PROVED],
        properties_falsified=by_verdict[PropertyVerdict.FALSIFIED],
        properties_unknown=by_verdict[PropertyVerdict.UNKNOWN],
        properties_kept=sum(found.origin is not Origin.DECIDED for found in properties),
        seconds=seconds,
        defects=sum(f.defect is not None for f in properties)
        + sum(f.is_withdrawn for f in mutants),
        refused=refused,
    )


def of_mutants(found: Collection[tuple[MutantStatus, Origin]]) -> dict[str, int]:
    """Return the fields of `Statistics` that count mutants, by their statuses and origins."""
    status = Counter(status for status, _ in found)
    origin = Counter(origin for _, origin in found)
    return {
        "mutants": len(found),
        **{each.value: status[each] for each in MutantStatus},
        **{each.value: origin[each] for each in Origin},
    }
