"""Every verdict has evidence that something else can check."""

from __future__ import annotations

import random

from hypothesis import given

from mutproof.analyses.claims.finding import MutantStatus
from mutproof.analyses.claims.variant import applied, content
from mutproof.model.evaluator import Evaluator
from mutproof.model.lower import Lowering
from mutproof.solving.certify import Checked, certify
from mutproof.workspace.analysis import Memory
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import BUDGET, bodies, options, program_of, report, variant
from support.profiles import profile


@profile(24)
@given(models(size=3), sources())
def test_survivors_have_certificates_and_killed_mutants_executions(
    model: Model, source: random.Random
) -> None:
    found = accepted(model.text)
    program = program_of(found)
    memory = Memory()
    outcome = report(found, options("paper"), memory)
    proved = {p.name for p in outcome.properties if p.verdict.value == "proved"}
    lowering = Lowering(program)
    system = lowering.system()
    for holds, _ in memory.proofs.proofs.values():
        assert Checked(True) == certify(system, holds.certificate, BUDGET)
        assert holds.support <= content(system)
    evaluator = Evaluator(program)
    by_id = {mutant.id: mutant for mutant in enumerate_mutants(found, options("paper"))}
    for finding in source.sample(outcome.mutants, min(8, len(outcome.mutants))):
        mutant = by_id[finding.mutant]
        changed = bodies(program, mutant)
        if finding.status is MutantStatus.KILLED:
            record = memory.records[mutant.id]
            assert set(finding.killed_by) == set(record.fails)
            for name, failure in record.fails.items():
                execution = evaluator.run(failure.choices, changed)
                assert execution.assumed
                assert failure.step == execution.violated[name]
        if finding.status is MutantStatus.SURVIVED:
            extended, without = variant(lowering, system, mutant)
            mutated = applied(extended, without)
            record = memory.records[mutant.id]
            # Properties of nodes that the mutant no longer calls are gone with them.
            assert {name for name in proved if "." not in name} <= set(record.holds)
            for holds in {id(h): h for h in record.holds.values()}.values():
                assert Checked(True) == certify(mutated, holds.certificate, BUDGET)
