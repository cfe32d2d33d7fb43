"""Prove one mutant from scratch: all engines on its own system."""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.analyses.mutation.docket import Docket
from mutproof.analyses.variant import Case, applied
from mutproof.model.program import PropertyKind
from mutproof.model.terms import Term
from mutproof.solving import portfolio
from mutproof.solving.verdict import Certificate, Proved, Refuted


def prove(docket: Docket, case: Case, advice: Sequence[Term] = ()) -> list[Certificate]:
    """Decide the open invariants of a case, and return the certificates found on the way.

    `advice` are candidates for invariants. What stays open gets its reason and depth.
    """
    system = applied(docket.system, case.variant)
    goals = [
        p.name
        for p in system.properties
        if p.name in case.open and p.kind is PropertyKind.INVARIANT
    ]
    if not goals:
        return []
    docket.calls += 1
    options = docket.means.asking(advice=tuple(advice), cores=False)
    outcome = portfolio.prove(system, docket.means.middle, options, goals=goals)
    found: list[Certificate] = []
    depths: list[int] = []
    for name, verdict in outcome.verdicts.items():
        match verdict:
            case Proved(certificate=certificate):
                holds = docket.means.notary.proved(system, verdict, docket.means.middle)
                if holds is None:
                    case.reason = "the proof could not be checked again"
                    depths.append(0)
                    continue
                case.prove((name,), holds)
                found.append(certificate)
            case Refuted():
                violated = docket.replayer.confirm(case.variant, verdict.choices, verdict.engine)
                if violated is None:
                    case.reason = "the counterexample could not be replayed"
                    depths.append(0)
                else:
                    case.refute(violated)
            case _:
                case.reason = verdict.reason
                depths.append(verdict.depth)
    if depths:
        case.depth = max(case.depth, min(depths))
    return found
