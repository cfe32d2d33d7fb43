"""Where a change is said not to show, an execution is one of the changed program, step by step."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given

from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.model.infection import is_same
from mutproof.model.interpretation import interpretation
from mutproof.model.lower import Lowering
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.lustre_difference import text_of
from support.lustre_models import Model, accepted, choices_of, elaborated, models, sources
from support.lustre_mutants import program_of
from support.profiles import profile

STEPS = 5


def compared(text: str, source: random.Random) -> Counter[str]:
    """Check what is said of all mutants of a text on executions; count what was said."""
    found = elaborated(text)
    program = program_of(found)
    meaning = interpretation(program)
    system = Lowering(program).system()
    tried = [meaning.run(choices_of(source, system, steps)) for steps in (STEPS, 1, STEPS)]
    executions = [found for found in tried if found is not None and found.assumed]
    infection = meaning.infection(executions)
    assert infection is not None
    said: Counter[str] = Counter()
    for mutant in enumerate_mutants(found, Options(level="all")):
        bodies = mutated_bodies(program, mutant)
        infected = infection.of(bodies)
        for number, execution in enumerate(executions):
            same = infected is not None and is_same(infected, number)
            said["same" if same else "open"] += 1
            again = meaning.run(execution.trace.choices, bodies) if same else None
            if again is not None:
                assert execution.trace.steps == again.trace.steps, mutant
                assert execution.violated == again.violated, mutant
                assert again.assumed, mutant
    return said


@profile(60)
@given(models(), sources())
def test_mutants_of_small_models_that_change_no_value_run_alike(
    model: Model, source: random.Random
) -> None:
    accepted(model.text)
    compared(model.text, source)


@pytest.mark.usefixtures("deep_recursion")
def test_of_texts_with_all_that_is_easily_got_wrong() -> None:
    said: Counter[str] = Counter()
    for seed in range(40):
        said += compared(text_of(seed), random.Random(seed))

    assert said["same"] > 100
    assert said["open"] > 100


def test_of_a_function_without_parameters() -> None:
    said = compared(
        "function F() returns (y : bool);\n"
        "node main (i : bool) returns (o : bool);\n"
        "var p : bool;\n"
        "let\n  o = F() and i;\n  p = o => i;\n  --%PROPERTY p;\ntel;\n",
        random.Random(0),
    )
    assert said["same"]
    assert said["open"]
