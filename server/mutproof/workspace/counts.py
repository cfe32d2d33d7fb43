"""The statistics of a run."""

from __future__ import annotations

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
    by_status = {s: sum(1 for f in mutants if f.status is s) for s in MutantStatus}
    by_origin = {o: sum(1 for f in mutants if f.origin is o) for o in Origin}
    by_verdict = {v: sum(1 for f in properties if f.verdict is v) for v in PropertyVerdict}
    return Statistics(
        mutants=len(mutants),
        killed=by_status[MutantStatus.KILLED],
        survived=by_status[MutantStatus.SURVIVED],
        unknown=by_status[MutantStatus.UNKNOWN],
        stillborn=by_status[MutantStatus.STILLBORN],
        ignored=by_status[MutantStatus.IGNORED],
        reused=by_origin[Origin.REUSED],
        replayed=by_origin[Origin.REPLAYED],
        reproved=by_origin[Origin.REPROVED],
        decided=by_origin[Origin.DECIDED],
        solver_calls=calls,
        properties_proved=by_verdict[PropertyVerdict.PROVED],
        properties_falsified=by_verdict[PropertyVerdict.FALSIFIED],
        properties_unknown=by_verdict[PropertyVerdict.UNKNOWN],
        properties_reused=sum(found.origin is not Origin.DECIDED for found in properties),
        seconds=seconds,
        defects=sum(f.defect is not None for f in properties)
        + sum(f.is_withdrawn for f in mutants),
        refused=refused,
    )
