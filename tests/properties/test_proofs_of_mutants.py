"""Every proof of a mutant is one for a fresh solver too, also after edits."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from mutproof.analyses import proofs as proving
from mutproof.analyses.bench import Bench
from mutproof.analyses.benches import Benches
from mutproof.analyses.finding import MutantStatus
from mutproof.analyses.means import Means
from mutproof.analyses.mutation import frugal
from mutproof.analyses.mutation.campaign import Campaign
from mutproof.analyses.mutation.caseload import Baseline
from mutproof.analyses.mutation.records import Records
from mutproof.analyses.proof_memory import ProofMemory
from mutproof.analyses.proofs import Proofs
from mutproof.analyses.sharpening import questions_on, sharpened
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.language import Elaborated
from mutproof.solving import certify
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, models, operator_edit, sources
from support.lustre_mutants import BUDGET, options, program_of, report
from support.profiles import profile


def proved(found: Elaborated, memory: ProofMemory, means: Means) -> tuple[Interpretation, Proofs]:
    meaning = interpretation(program_of(found))
    return meaning, proving.prove(meaning, meaning.system(), memory, means, lambda _: None)


@profile(8)
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
        run = Campaign(baseline, mutants, records, means, lambda _: None)
        run.run()

        for case in run.load.cases.values():
            whole = run.load.applied(case)
            for goal, evidence in case.holds.items():
                assert goal in evidence.certificate.goals
                assert certify.certify(whole, evidence.certificate, BUDGET).ok, (goal, evidence)
        model = operator_edit(source, model)
    means.spacer.close()


@profile(20)
@given(models(size=4), sources())
def test_a_sharpened_proof_holds_with_the_elements_it_names(
    model: Model, source: random.Random
) -> None:
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    meaning, proofs = proved(accepted(model.text), ProofMemory(), means)
    means.spacer.close()
    system = meaning.system()
    bench, workshop = Bench(system, BUDGET, lambda *_: None), Workshop()
    for name, holds in proofs.holds.items():
        before, core = holds.certificate, proofs.cores[name]
        first = source.sample(sorted(core), len(core))

        for questions in (bench.questions, questions_on(workshop, system, before, core)):
            after, left = sharpened(questions, before, core, first)

            assert before.goals == after.goals
            assert before.k == after.k
            assert set(after.lemmas) <= set(before.lemmas)
            assert left <= core
            assert certify.certify(system, after, BUDGET, owners=left).ok


TEXT = """
node top(up: bool) returns (ok: bool);
var n: int;
let
  n = 0 -> if up and pre n < 3 then pre n + 1 else pre n;
  ok = n <= 3;
  --%PROPERTY ok;
tel;
"""


def test_a_sharpened_proof_that_a_fresh_solver_refuses_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frugal, "MANY", 1)
    expected = [(f.mutant, f.status) for f in report(accepted(TEXT)).mutants]
    asked = []

    def too_sharp(_: object, certificate: Certificate, *__: object) -> object:
        asked.append(certificate)
        return certificate, frozenset()

    monkeypatch.setattr(frugal, "sharpened", too_sharp)
    found = [(f.mutant, f.status) for f in report(accepted(TEXT)).mutants]

    assert asked
    assert expected == found
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} == {status for _, status in found}
