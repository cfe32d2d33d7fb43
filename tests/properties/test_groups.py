"""Variants that remove different elements are decided together as each is alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.bench.bench import Bench
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.order import groups, together
from mutproof.model.lower import Lowering
from mutproof.solving import certify, portfolio
from mutproof.solving.verdict import Proved
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, models
from support.lustre_mutants import BUDGET, options, program_of, variant
from support.profiles import profile


@profile(10)
@given(models(size=3), st.integers(2, 12))
def test_what_is_proved_of_variants_together_is_proved_of_each(model: Model, most: int) -> None:
    found = accepted(model.text)
    lowering = Lowering(program_of(found))
    system = lowering.system()
    proved = portfolio.prove(system, BUDGET).verdicts
    certificates = [v.certificate for v in proved.values() if isinstance(v, Proved)]
    if not certificates:
        return
    variants: list[Variant] = []
    for mutant in enumerate_mutants(found, options("default"))[:16]:
        extended, own = variant(lowering, system, mutant)
        if extended.variables == system.variables:
            variants.append(own)
    goals = {goal for certificate in certificates for goal in certificate.goals}

    def cases() -> list[Claim]:
        return [Claim(own, set(goals)) for own in variants]

    def none(*_: object) -> None:
        return None

    def bench() -> Bench:
        return Bench(system, BUDGET, none, Checker(Bench(system, BUDGET, none)))

    mixed, apart = cases(), cases()
    for batch in together(groups(mixed), most):
        bench().certify(batch, certificates, partly=False)
    for case in apart:
        bench().certify([case], certificates, partly=False)

    for case, alone in zip(mixed, apart, strict=True):
        assert alone.open == case.open
        for evidence in case.holds.values():
            whole = applied(system, case.variant)
            assert certify.certify(whole, evidence.certificate, BUDGET).ok
            owners = {c.owner for c in whole.constraints if c.digest in evidence.support}
            named = [owner for owner in owners if owner is not None]
            assert certify.certify(whole, evidence.certificate, BUDGET, owners=named).ok
