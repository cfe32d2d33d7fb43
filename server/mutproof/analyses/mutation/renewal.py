"""Other proofs of an edited model, where those that were kept rest on much more than before.

A proof that is adapted to an edit may just about stand: more mutants concern it, and fewer are
proved by it, than by one that is found from nothing.
"""

from __future__ import annotations

from dataclasses import replace

from mutproof.analyses.mutation.caseload import Baseline
from mutproof.analyses.mutation.docket import Docket
from mutproof.model.program import ElementId
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved

MANY = 24
GROWTH = 1.5
"""How many mutants must be open for another proof to be looked for, and how many times more than
in the version before the proofs must concern."""


def renewed(docket: Docket, baseline: Baseline, concerned: int) -> Baseline:
    """Return the proofs of a model, other ones where those rest on less than the known ones.

    `concerned` is the number of mutants that change what these rest on.
    """
    left = docket.open()
    if not docket.known or len(left) < MANY or concerned < GROWTH * docket.records.concerned:
        return baseline
    asked = {name for case in left for name in case.open}
    goals = [name for name in portfolio.invariant_names(baseline.system) if name in asked]
    means = docket.means
    docket.calls += 1
    options = means.asking()
    outcome = portfolio.prove(baseline.system, means.middle, options, goals=goals)
    proofs, cores = dict(baseline.proofs), dict(baseline.cores)
    for name, found in outcome.verdicts.items():
        if not isinstance(found, Proved) or not _is_better(name, found, cores[name]):
            continue
        evidence = means.notary.proved(baseline.system, found, means.small)
        if evidence is not None and found.core is not None:
            proofs[name], cores[name] = evidence, found.core
    return replace(baseline, proofs=proofs, cores=cores)


def _is_better(name: str, found: Proved, core: frozenset[ElementId]) -> bool:
    """Tell whether a proof of one property is said to rest on less."""
    return (
        found.core is not None
        and len(found.core) < len(core)
        and found.certificate.goals == (name,)
    )
