"""The transition system of a program has the executions that the oracle says it has."""

from __future__ import annotations

import random

from hypothesis import given

from mutproof.model.evaluate import evaluate
from mutproof.model.instances import calls
from mutproof.model.lower import Lowering, lower
from mutproof.model.simulate import Simulator
from mutproof.model.system import ConstraintKind
from mutproof.workspace.analysis import enumerate_mutants
from support.lustre_models import Model, accepted, choices_of, models, moved_text, sources
from support.lustre_mutants import bodies, mutated_system, options, program_of
from support.profiles import profile


@profile(150)
@given(models(), sources())
def test_the_system_runs_as_the_program_does(model: Model, source: random.Random) -> None:
    program = program_of(accepted(model.text))
    system = lower(program)
    simulator = Simulator(system)
    choices = choices_of(source, system)
    execution = evaluate(program, choices)
    rows = simulator.run(choices)

    for shown, row in zip(execution.trace.steps, rows, strict=True):
        named = simulator.named(row)
        assert shown == {name: named[name] for name in shown}
    assert execution.assumed == all(simulator.assumed(row, choices.functions) for row in rows)
    violated: dict[str, int] = {}
    for step, row in enumerate(rows):
        for name, holds in simulator.properties.items():
            if not holds(row, row, choices.functions):
                violated.setdefault(name, step)
    assert execution.violated == violated


@profile(40)
@given(models(), sources())
def test_text_that_only_moves_gives_the_same_system(model: Model, source: random.Random) -> None:
    before = lower(program_of(accepted(model.text)))
    after = lower(program_of(accepted(moved_text(source, model.text))))

    assert before.digest == after.digest


@profile(40)
@given(models(), sources())
def test_lowering_one_element_is_lowering_the_changed_program(
    model: Model, source: random.Random
) -> None:
    """A mutant is lowered alone; the whole mutated program gives the same constraints."""
    elaborated = accepted(model.text)
    program = program_of(elaborated)
    lowering = Lowering(program)
    mutants = enumerate_mutants(elaborated, options("all"))
    for mutant in source.sample(mutants, min(4, len(mutants))):
        element = program.by_id[mutant.element][0]
        if any(calls(element.body)):
            continue  # the instances of calls that are gone stay, and nothing reads them
        whole = lower(program.with_bodies(bodies(program, mutant)))
        alone = mutated_system(lowering, mutant)

        stated = {c.digest for c in alone.constraints if c.owner is not None}
        assert {c.digest for c in whole.constraints if c.owner is not None} == stated
        assert {c.digest for c in whole.constraints} <= {c.digest for c in alone.constraints}


@profile(40)
@given(models())
def test_everything_is_defined_once_and_read_where_it_is_declared(model: Model) -> None:
    system = lower(program_of(accepted(model.text)))
    defined = [(c.kind is ConstraintKind.INIT, c.defines) for c in system.constraints if c.defines]
    assert len(defined) == len(set(defined))
    Simulator(system)
