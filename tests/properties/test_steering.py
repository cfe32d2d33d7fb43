"""Steered executions are executions, and keep to conditions that random ones do not meet."""

from __future__ import annotations

import random

from hypothesis import given

from mutproof.analyses.finding import MutantStatus
from mutproof.analyses.premises import premises
from mutproof.base.text import SourceText
from mutproof.languages.lustre import LANGUAGE
from mutproof.model import terms
from mutproof.model.evaluate import Evaluator
from mutproof.model.lower import Lowering
from mutproof.model.simulate import Simulator
from mutproof.model.steering import Steering
from mutproof.workspace.enumeration import enumerate_mutants
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
    for seed in range(16):
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


STAGES = (
    TANK.replace("ok = calm =>", "ok = calm => stage <= 6 and")
    .replace(
        "calm = (",
        "stage = 0 -> if e0 and pre stage < 6 then pre stage + 1 else pre stage;\n  calm = (",
    )
    .replace("drawn: int;", "drawn, stage: int;")
)


def test_what_fails_late_in_a_calm_environment_is_killed_by_a_short_execution() -> None:
    found = accepted(STAGES)
    mutants = {m.id: m for m in enumerate_mutants(found, options())}
    late = [m.id for m in mutants.values() if m.summary == "`<` → `<=`"]
    (decided,) = [f for f in report(found, options()).mutants if f.mutant in late]
    assert decided.status is MutantStatus.KILLED
    assert decided.steps == {"ok": 7}  # no execution that kills it is shorter


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
    elaborated = LANGUAGE.elaborate(LANGUAGE.parse(SourceText("test", LOOPS)))
    program = program_of(elaborated)
    simulator = Simulator(Lowering(program).system())
    source, steering = random.Random(1), Steering(simulator, ())

    for _ in range(20):
        choices, rows = steering.execution(source, 6)
        assert all(simulator.assumed(row, {}) for row in rows)
        ran = Evaluator(program).run(choices)
        assert ran.assumed
        assert {} == ran.violated
