"""Facts hold in every execution of the model; mutants break them in executions that show it."""

from __future__ import annotations

import json
import random

from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.suggesting.facts import Facts, value_of
from mutproof.base.budget import Budget
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Program
from mutproof.reporters.noticed import Notice, encoded, notice
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.lustre_models import accepted, choices_of, models
from support.profiles import profile
from support.reading import analysed

TEXT = """\
node n(a: bool; x: int) returns (y: int; z: int);  -- `x > 5` and `x >= 5` are the same here
var ok: bool;
let
  y = if a then 1 else 2;
  z = if x > 5 then 5 else x;
  ok = z <= 5;
  --%PROPERTY ok;
tel;
"""


def facts_of(program: Program) -> Facts:
    meaning = interpretation(program)
    means = Means(Budget(), SpacerProcess(), Benches(), lambda: None)
    return Facts(Baseline(meaning, meaning.system(), {}, {}), means)


@profile(12)
@given(models(size=3), st.integers(0, 999))
def test_facts_hold_in_executions_of_the_model(model, seed: int) -> None:
    program = accepted(model.text).program
    assert program is not None
    facts, source = facts_of(program), random.Random(seed)
    meaning = interpretation(program)
    runs = [choices_of(source, meaning.system(), 6) for _ in range(8)]
    assert () == facts.broken({}, runs), model.text


def test_what_is_broken_is_false_in_an_execution_of_the_mutant() -> None:
    elaborated = accepted(TEXT)
    program = elaborated.program
    assert program is not None
    facts, broken = facts_of(program), 0
    meaning, source = interpretation(program), random.Random(3)
    runs = [choices_of(source, meaning.system(), 6) for _ in range(40)]
    for mutant in enumerate_mutants(elaborated, Options()):
        bodies = mutated_bodies(program, mutant)
        found = facts.broken(bodies, runs)
        broken += len(found)
        ran = [meaning.run(choices, bodies) for choices in (*runs, *facts._random)]
        steps = [step for one in ran if one is not None for step in one.trace.steps]
        for fact in found:
            assert any(value_of(fact, step) is False for step in steps)
    assert broken > 0


def _analysed(*, invariants: bool) -> tuple[MutantFinding, ...]:
    options = Options(equivalence="outputs", cores=False, invariants=invariants)
    return analysed(accepted(TEXT), options).mutants


def test_facts_notice_what_no_property_does_and_change_no_verdict() -> None:
    with_facts, without = _analysed(invariants=True), _analysed(invariants=False)
    assert [(m.mutant, m.status, m.killed_by) for m in without] == [
        (m.mutant, m.status, m.killed_by) for m in with_facts
    ]
    assert {None} == {m.facts for m in without}
    noticed = {notice(m) for m in with_facts}
    assert {Notice.PROPERTY, Notice.FACTS} <= noticed
    alone = next(m for m in with_facts if notice(m) is Notice.FACTS)
    assert MutantStatus.SURVIVED is alone.status
    assert {"noticedBy": "facts alone", "facts": list(alone.facts or ())} == json.loads(
        json.dumps(encoded(alone))
    )
    assert {} == encoded(without[0])
    same = next(m for m in with_facts if notice(m) is Notice.CANNOT)
    assert {"noticedBy": "nobody can", "facts": []} == encoded(same)
