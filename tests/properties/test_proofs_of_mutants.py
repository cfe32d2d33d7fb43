"""Every proof of a mutant is one for a fresh solver too, also after edits."""

from __future__ import annotations

import random

from hypothesis import given

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.claims.records import Records
from mutproof.analyses.deciding.ladder import Ladder
from mutproof.analyses.proving import proofs as proving
from mutproof.analyses.proving.proofs import Proofs
from mutproof.analyses.strategies import STRATEGIES
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.language import Elaborated
from mutproof.solving import certify
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, models, operator_edit, sources
from support.lustre_mutants import BUDGET, options, program_of
from support.profiles import profile


def proved(found: Elaborated, memory: ProofMemory, means: Means) -> tuple[Interpretation, Proofs]:
    meaning = interpretation(program_of(found))
    return meaning, proving.prove(meaning, meaning.system(), memory, means, emit=lambda _: None)


@profile(5)
@given(models(size=3), sources())
def test_a_fresh_solver_checks_every_proof_of_a_mutant(model: Model, source: random.Random) -> None:
    records, memory = Records(), ProofMemory()
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    for _ in range(3):
        found = accepted(model.text)
        meaning, proofs = proved(found, memory, means)
        system = meaning.system()
        baseline = Baseline(meaning, system, proofs.holds, proofs.cores)
        mutants = enumerate_mutants(found, options("default")) if proofs.holds else ()
        rungs = STRATEGIES["default"].rungs
        ladder = Ladder(rungs, baseline, mutants, records, means=means, emit=lambda _: None)
        ladder.run()

        for claim in ladder.mutants.claims.values():
            whole = ladder.mutants.applied(claim)
            for goal, evidence in claim.holds.items():
                assert goal in evidence.certificate.goals
                assert certify.certify(whole, evidence.certificate, BUDGET).ok, (goal, evidence)
        model = operator_edit(source, model)
    means.spacer.close()
