"""Steered executions are executions, and keep to assertions that random ones do not meet."""

from __future__ import annotations

import random

from hypothesis import given

from mutproof.model.evaluator import Evaluator
from mutproof.model.lower import Lowering
from mutproof.model.simulate import Simulator
from mutproof.model.steering import Steering
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import program_of
from support.profiles import profile
from support.reading import elaborated_in


@profile(40)
@given(models(), sources())
def test_a_steered_execution_is_what_the_oracle_runs(model: Model, source: random.Random) -> None:
    program = program_of(accepted(model.text))
    system = Lowering(program).system()
    simulator = Simulator(system)
    choices, rows = Steering(simulator).execution(source, 6)
    assert rows == simulator.run(choices)
    steps = Evaluator(program).run(choices).trace.steps
    for shown, row in zip(steps, rows, strict=True):
        named = simulator.named(row)
        assert shown == {name: named[name] for name in shown}


LOOPS = """
node held(g: bool; x: int) returns (y: int);
let y = if g then y else x; tel;
node main(g, c: bool; x: int) returns (p: bool);
var a, b, d, e: int;
let
  a = if g then b + 7 else x;
  b = if g then d * 3 else a + 9;
  d = if g then x else b - 30;
  e = condact(c, held(g, a), 0);
  p = held(g, x) = held(g, x) and (g or held(g, x + 50) = x + 50) and e = e;
  --%PROPERTY p;
tel
"""


def test_loops_are_solved_where_a_few_guesses_do() -> None:
    elaborated = elaborated_in("lustre", LOOPS)
    program = program_of(elaborated)
    simulator = Simulator(Lowering(program).system())
    source, steering = random.Random(1), Steering(simulator)

    for _ in range(20):
        choices, rows = steering.execution(source, 6)
        assert all(simulator.assumed(row, {}) for row in rows)
        ran = Evaluator(program).run(choices)
        assert ran.assumed
        assert {} == ran.violated
