"""Proof from nothing: all engines on the system of one mutant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedExecution, OfferedProof, Rung
from mutproof.model import walk
from mutproof.model.program import PropertyKind
from mutproof.model.terms import Term
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved, Refuted

MANY_GOALS = 24
"""From how many properties on one proof of them is not divided among them: that would take most of
the time, and edits that concern one then concern all."""


MOST_ADVICE = 150
"""How many lemmas an engine is advised of: each may cost a question whether it is inductive."""


def _advised(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    """Yield what engines find when advised by the lemmas of other proofs.

    These are the model's, kept ones, and those of mutants, of which some were found at great cost.
    """
    for claim in claims:
        known = [h.certificate for h in context.baseline.proofs.values()]
        if (record := context.records.get(claim.name)) is not None:
            known += [h.certificate for h in record.holds.values()]
        known += reversed(context.learned)
        found = dict.fromkeys(lemma for certificate in known for lemma in certificate.lemmas)
        lemmas = [*found][:MOST_ADVICE]
        names = context.system.variables.keys()
        advice = [lemma for lemma in lemmas if walk.variables(lemma) <= names]
        yield from _found(context, claim, tuple(advice))


def _alone(context: Context, claims: Sequence[Claim]) -> Iterator[Candidate]:
    for claim in claims:
        yield from _found(context, claim, ())


def _found(context: Context, claim: Claim, advice: tuple[Term, ...]) -> Iterator[Candidate]:
    """Yield what engines find of open invariants; record reason and depth of those left open."""
    system = applied(context.system, claim.variant)
    goals = [
        p.name
        for p in system.properties
        if p.name in claim.open and p.kind is PropertyKind.INVARIANT
    ]
    if not goals:
        return
    context.calls += 1
    options = context.means.asking(advice=advice, cores=False)
    is_many = len(goals) >= MANY_GOALS
    options = replace(options, together=is_many, goes_on=is_many, of_work=True)
    outcome = portfolio.prove(system, context.means.middle, options, goals=goals)
    depths: list[int] = []
    for name, verdict in outcome.verdicts.items():
        depth = 0
        match verdict:
            case Proved():
                yield OfferedProof(claim, system, name, verdict)
            case Refuted(choices=choices, engine=engine):
                reason = "the counterexample could not be replayed"
                yield OfferedExecution(claim, choices, engine, reason)
            case _:
                claim.reason, depth = verdict.reason, verdict.depth
        if name in claim.open:
            depths.append(depth)
    if depths:
        claim.depth = max(claim.depth, min(depths))


ADVISED = Rung("proof from nothing", Cost.ENGINE, lambda context: context, _advised, at_once=1)

ALONE = Rung("proof from nothing", Cost.ENGINE, lambda context: context, _alone, at_once=1)
"""The same without lemmas of other proofs."""
