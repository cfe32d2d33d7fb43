"""Steered executions are executions, and keep to conditions that random ones do not meet."""

from __future__ import annotations

import random

from hypothesis import given

from mutproof.analyses.finding import MutantStatus
from mutproof.analyses.premises import premises
from mutproof.model import terms
from mutproof.model.evaluate import Evaluator
from mutproof.model.lower import Lowering
from mutproof.model.simulate import Simulator
from mutproof.model.steering import Steering
from mutproof.workspace.analysis import enumerate_mutants
from support import lustre_models
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import options, program_of, report
from support.profiles import profile

EVENTS = [f"e{number}" for number in range(12)]
ONE_EVENT = " or ".join(
    "(" + " and ".join(name if name == own else f"not {name}" for name in EVENTS) + ")"
    for own in EVENTS
)
TANK = f"""
node tank({"; ".join(f"{name}: bool" for name in EVENTS)}) returns (ok: bool);
var level, drawn: int; calm: bool;
let
  level = 0 -> if e0 then pre level + 1 else if e1 and pre level > 0 then pre level - 1
          else pre level;
  drawn = 0 -> if e1 and pre level > 0 then pre drawn + 1 else pre drawn;
  calm = ({ONE_EVENT}) and (true -> pre calm);
  ok = calm => level >= 0 and drawn >= 0;
  --%PROPERTY ok;
tel
"""


@profile(40)
@given(models(), sources())
def test_a_steered_execution_is_what_the_oracle_runs(model: Model, source: random.Random) -> None:
    program = program_of(accepted(model.text))
    system = Lowering(program).system()
    simulator = Simulator(system)
    wanted = premises(system, [stated.name for stated in system.properties]).values()
    choices, rows = Steering(simulator, [*wanted]).execution(source, 6)
    assert rows == simulator.run(choices)
    steps = Evaluator(program).run(choices).trace.steps
    for shown, row in zip(steps, rows, strict=True):
        named = simulator.named(row)
        assert shown == {name: named[name] for name in shown}


def test_conditions_hold_that_random_inputs_do_not_meet() -> None:
    system = Lowering(program_of(accepted(TANK))).system()
    simulator = Simulator(system)
    (calm,) = premises(system, ["ok"]).values()
    steering = Steering(simulator, [calm])
    held = simulator.compiler.compile_all([calm])[0]
    levels = set()
    for seed in range(6):
        source = random.Random(seed)
        _, rows = steering.execution(source, 12)
        assert not steering.strays(rows)
        assert all(held(row, row, {}) for row in rows[:6])
        levels |= {simulator.named(row)["level"] for row in rows}
        wild = [{name: source.random() < 0.5 for name in simulator.free} for _ in range(12)]
        assert steering.strays(simulator.run(lustre_models.Choices(tuple(wild), {})))
    assert {0, 1} <= levels


def test_conditions_that_never_hold_end_the_steering() -> None:
    system = Lowering(program_of(accepted(TANK))).system()
    steering = Steering(Simulator(system), [terms.FALSE])
    _, rows = steering.execution(random.Random(1), 4)
    assert steering.strays(rows)


def test_mutants_that_only_a_calm_environment_shows_are_killed_by_executions() -> None:
    found = accepted(TANK)
    mutants = {m.id: m for m in enumerate_mutants(found, options())}
    decided = report(found, options()).mutants
    killed = [f for f in decided if f.status is MutantStatus.KILLED]
    by_executions = [f for f in killed if f.how in {"simulation"}]
    assert killed
    assert {mutants[f.mutant].element.name for f in by_executions} >= {"level", "drawn"}
