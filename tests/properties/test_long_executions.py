"""Mutants that fail only after many steps are killed by executions, not by long searches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from mutproof.analyses.bench.executions import Executions
from mutproof.analyses.bench.short_execution import ShortExecution
from mutproof.analyses.bench.solvers import Solvers
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.deciding.rungs.random_executions import STEPS as STEPS_AT_FIRST
from mutproof.model import long_executions
from mutproof.model.compile import Row
from mutproof.model.evaluator import Evaluator
from mutproof.model.interpretation import interpretation
from mutproof.model.simulate import Simulator, simulator
from mutproof.model.sorts import IntSort
from mutproof.model.system import SystemVariable, SystemVariableKind
from mutproof.model.trace import Choices
from mutproof.model.variation import Variation
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import accepted, elaborated
from support.lustre_mutants import bodies, options, program_of, report

PLACES = 25
STEPS = 160

SLOW = """\
node top(go: bool; x: int) returns (n, s: int; full, ok, calm: bool);
let
  s = x + (0 -> pre s);
  n = 0 -> if go then (if pre n < 50 then pre n + 1 else pre n) else 0;
  full = n >= 50;
  ok = n <= 50 or s = s + 1;
  calm = not full => n < 50;
  --%PROPERTY ok;
  --%PROPERTY calm;
tel;
"""


def found_of(text: str) -> dict[str, MutantFinding]:
    """Return the findings of mutants by element and change."""
    found = accepted(text)
    mutants = {m.id: m for m in enumerate_mutants(found, options("default"))}
    return {
        f"{mutants[f.mutant].element.name}: {mutants[f.mutant].summary}": f
        for f in report(found, options("default")).mutants
    }


def noting_what_is_shortened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the claims are added of which executions are shortened."""
    shortened: list[str] = []
    before = Executions._shortened

    def noted(
        self: Executions, claim: Claim, violated: AbstractSet[str], choices: Choices
    ) -> Choices:
        shortened.append(claim.name)
        return before(self, claim, violated, choices)

    monkeypatch.setattr(Executions, "_shortened", noted)
    return shortened


def test_a_counter_overflows_in_a_long_execution() -> None:
    found = found_of(SLOW)["n: `<` → `<=`"]
    assert (MutantStatus.KILLED, "simulation") == (found.status, found.how)
    assert found.steps["ok"] in range(51, 56)  # shorter than it was drawn


def test_what_is_undefined_is_drawn_too() -> None:
    found = found_of(SLOW)["full: equation removed"]
    assert (MutantStatus.KILLED, "simulation") == (found.status, found.how)
    assert found.steps["calm"] in range(50, 56)


def register(places: int) -> str:
    """Return a register that holds at most 1, with a property of its last place."""
    names = [f"s{number}" for number in range(places)]
    later = "".join(f"  s{n} = 0 -> pre s{n - 1};\n" for n in range(1, places))
    return (
        "node top(a: bool) returns (ok: bool);\n"
        f"var {', '.join(names)}: int;\nlet\n  s0 = if a then 1 else 0;\n{later}"
        f"  ok = {names[-1]} <= 1;\n  --%PROPERTY ok;\ntel;\n"
    )


def test_an_execution_is_shortened_for_the_first_of_the_mutants_that_it_kills(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = elaborated(register(PLACES))
    program = program_of(found)
    meaning = interpretation(program)
    baseline = Baseline(meaning, meaning.system(), {}, {})
    load = Mutants(baseline, enumerate_mutants(found, options())).lowered(lambda: None)
    claims = [Claim(claim.variant, frozenset({"ok"})) for claim in load.claims.values()]
    shortened = noting_what_is_shortened(monkeypatch)
    shown = [*Executions(load.system).random(claims, 3, STEPS, 2)]
    assert len(shown) > PLACES
    assert len(shortened) <= 3
    for claim, choices, _ in shown:
        execution = Evaluator(program).run(choices, bodies(program, load.by_name[claim.name]))
        assert execution is not None, claim.name
        assert "ok" in execution.violated, claim.name
        assert len(choices.steps) <= 2 * PLACES, claim.name


def test_what_kills_a_place_without_equation_is_what_killed_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = elaborated(register(PLACES).replace("if a then 1 else 0", "0"))
    program = program_of(found)
    meaning = interpretation(program)
    listed = enumerate_mutants(found, options())
    removed = [m for m in listed if m.summary == "equation removed" and m.element.name[0] == "s"]
    load = Mutants(Baseline(meaning, meaning.system(), {}, {}), removed).lowered(lambda: None)
    claims = [Claim(claim.variant, {"ok"}) for claim in load.claims.values()]
    run: list[Iterable[str]] = []
    before = Variation.violations

    def noted(
        self: Variation, rows: Iterable[Row], functions: Any, names: Iterable[str], start: int = 0
    ) -> dict[str, int]:
        run.append(names)
        return before(self, rows, functions, names, start)

    shortened = noting_what_is_shortened(monkeypatch)
    monkeypatch.setattr(Variation, "violations", noted)
    executions = Executions(load.system)
    shown: dict[str, Choices] = {}
    for some in (claims[:10], claims[10:]):
        shown.update((one.name, found) for one, found, _ in executions.random(some, 24, STEPS, 2))
    assert PLACES == len(claims) == len(shown)
    assert len(run) <= PLACES + 3
    assert len(shortened) == 1
    for claim in claims:
        changed = bodies(program, load.by_name[claim.name])
        assert "ok" in Evaluator(program).run(shown[claim.name], changed).violated


def test_equal_steps_of_a_lent_execution_are_the_very_same() -> None:
    number = SystemVariable("s0", IntSort(), SystemVariableKind.DEFINED)
    other = replace(number, name="s1")
    steps = tuple({"a": n > 3, "s0": n // 3} for n in range(9))
    short = ShortExecution.of(Choices(steps), [], ["s0"])
    lent = short.lent(["s1"], {"s0": number, "s1": other})
    assert [{"a": n > 3, "s1": n // 3} for n in range(9)] == [*lent.steps]
    assert len({id(step) for step in lent.steps}) == 4
    assert short.lent(["s0"], {"s0": number}).steps == steps


def test_what_is_far_from_a_property_is_killed_before_solvers_are_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a place without an equation no certificate of the model is left."""
    asked: set[str] = set()

    def noted(
        self: Solvers, batch: Sequence[Claim], bundles: object, paths: object, found: object
    ) -> Iterator[object]:
        asked.update(claim.name for claim in batch)
        return sieved(self, batch, bundles, paths, found)

    sieved: Any = Solvers.sieved
    monkeypatch.setattr(Solvers, "sieved", noted)
    found = accepted(register(PLACES))
    removed = {
        f"s{number}": mutant.id
        for mutant in enumerate_mutants(found, options("default"))
        for number in range(PLACES)
        if (mutant.element.name, mutant.summary) == (f"s{number}", "equation removed")
    }
    shown = {f.mutant: f for f in report(found, options("default")).mutants}
    assert {MutantStatus.KILLED} == {shown[mutant].status for mutant in removed.values()}
    late = {name for name, mutant in removed.items() if mutant in asked}
    assert late.isdisjoint(f"s{number}" for number in range(PLACES - STEPS_AT_FIRST))
    assert asked


def test_no_execution_is_tried_that_is_too_short_for_a_change_to_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = elaborated(register(PLACES))
    meaning = interpretation(program_of(found))
    baseline = Baseline(meaning, meaning.system(), {}, {})
    load = Mutants(baseline, enumerate_mutants(found, options())).lowered(lambda: None)
    tried: list[int] = []
    run = Simulator.run

    def noted(self: Simulator, choices: Choices, *others: Any) -> list[Row]:
        tried.append(len(choices.steps))
        return run(self, choices, *others)

    monkeypatch.setattr(Simulator, "run", noted)
    executions = Executions(load.system)
    for claim in load.claims.values():
        variation = executions.variation_of(claim)
        assert variation is not None
        soonest = variation.soonest
        assert soonest is not None
        long = Choices(({"x": 1},) * STEPS)
        tried.clear()
        short = executions._shortened(claim, {"ok"}, long)
        assert min(tried) > soonest["ok"]
        assert len(short.steps) > soonest["ok"]


def test_executions_are_long_enough_for_a_change_to_show_at_the_end_of_a_register() -> None:
    found = elaborated(register(2 * STEPS))
    mutants = [m for m in enumerate_mutants(found, options()) if m.element.name == "s1"]
    chosen = replace(options(), only=tuple(m.id for m in mutants))
    killed = [f for f in report(found, chosen).mutants if f.status is MutantStatus.KILLED]
    assert killed
    assert {"simulation"} == {f.how for f in killed}
    assert all(f.steps["ok"] >= 2 * STEPS - 2 for f in killed)


def test_no_more_executions_are_drawn_than_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[long_executions.Habits] = []
    draw = long_executions.abiding

    def noted(
        runner: Simulator, source: Random, steps: int, own: long_executions.Habits
    ) -> tuple[Choices, list[Row]]:
        drawn.append(own)
        return draw(runner, source, steps, own)

    monkeypatch.setattr(long_executions, "abiding", noted)
    found = accepted(SLOW)
    listed = enumerate_mutants(found, options())
    meaning = interpretation(program_of(found))
    load = Mutants(Baseline(meaning, meaning.system(), {}, {}), listed).lowered(lambda: None)
    (late,) = (m.id for m in listed if (m.element.name, m.summary) == ("n", "`<` → `<=`"))
    executions = Executions(load.system)
    for _ in range(2):
        assert [*executions.random([Claim(load.claims[late].variant, {"ok"})], 24, STEPS, 2)]
        assert 2 == len(drawn)  # the first one spares the mutant


TIMER = """\
node top(sense: bool; speed: int) returns (t: int; pace, late, apart: bool);
var before: int; felt: bool;
let
  assert 3 <= speed and speed <= 9;
  before = 0 -> pre t;
  felt = sense and before >= 90 and speed > 0;
  pace = not felt and before >= 300;
  t = if felt or pace then 0 else before + 1;
  late = t <= 300;
  apart = not (felt and pace);
  --%PROPERTY late;
  --%PROPERTY apart;
tel;
"""


def test_a_timer_runs_out_where_inputs_have_asserted_ranges() -> None:
    found = elaborated(TIMER)
    program = program_of(found)
    meaning = interpretation(program)
    listed = enumerate_mutants(found, options())
    baseline = Baseline(meaning, meaning.system(), {}, {})
    load = Mutants(baseline, listed).lowered(lambda: None)
    stated = frozenset({"late", "apart"})
    wanted = ("pace: `>=` → `>`", "pace: `and` → its right operand")
    claims = [
        Claim(load.claims[m.id].variant, stated)
        for m in listed
        if f"{m.element.name}: {m.summary}" in wanted
    ]
    assert len(claims) == 2
    steps = long_executions.timer_steps(load.system)
    for claim in claims:
        shown = [*Executions(load.system).random([claim], 24, steps, 2)]
        assert shown, claim.name
        execution = Evaluator(program).run(shown[0][1], bodies(program, load.by_name[claim.name]))
        assert execution is not None
        assert stated & execution.violated.keys()
        assert min(execution.violated.values()) >= 300


FILTER = """\
node top(x, y: real) returns (s: real; small: bool);
let
  assert 0.0 <= x and x <= 20.0 and 0.0 <= y and y <= 20.0;
  s = if (0.0 -> pre s) + (x - y) / 10.0 > 40.0 then 40.0
      else if (0.0 -> pre s) + (x - y) / 10.0 < -40.0 then -40.0
      else (0.0 -> pre s) + (x - y) / 10.0;
  small = s <= 60.0 and s >= -60.0;
  --%PROPERTY small;
tel;
"""


def test_a_sum_leaves_its_bounds_with_inputs_at_the_ends_of_their_ranges() -> None:
    found = found_of(FILTER)
    killed = found["s: `if` condition → `false`"]
    assert (MutantStatus.KILLED, "simulation") == (killed.status, killed.how)
    assert killed.steps["small"] >= 30


def test_assertions_hold_in_long_executions() -> None:
    program = program_of(elaborated(TIMER))
    runs = simulator(interpretation(program).system())
    source = Random(3)
    for own in long_executions.variety(runs, source):
        choices, rows = long_executions.abiding(runs, source, 40, own)
        assert (40, 40) == (len(choices.steps), len(rows))
        assert runs.fulfils(choices)
        assert Evaluator(program).run(choices) is not None


def test_limits_of_timers_are_constants() -> None:
    system = interpretation(program_of(elaborated(TIMER))).system()
    assert long_executions.timer_steps(system) == 300 + 75
    small = interpretation(program_of(elaborated(SLOW.replace("50", "49")))).system()
    assert long_executions.timer_steps(small) == 0


def test_what_kills_far_mutants_is_tried_on_near_ones_before_proofs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    before = Solvers.surviving

    def noted(self: Solvers, case: Claim, certificates: Any) -> Any:
        asked.append(case.name)
        return before(self, case, certificates)

    monkeypatch.setattr(Solvers, "surviving", noted)
    found = found_of(register(PLACES))
    removed = [
        f for name, f in found.items() if name.endswith("equation removed") and name[0] == "s"
    ]
    assert len(removed) == PLACES
    assert {(MutantStatus.KILLED, "simulation")} == {(f.status, f.how) for f in removed}
    assert not {f.mutant for f in removed} & {*asked}


def pulsed(count: int) -> str:
    """Return a counter of pulses that is full at some number, and a timer that runs while it is."""
    return (
        "node top(go: bool) returns (n, t: int; low, ok: bool);\nlet\n"
        "  n = 0 -> if go and pre n < 9 then pre n + 1 else pre n;\n"
        f"  t = 0 -> if go then 0 else if pre n = {count} then pre t + 1 else pre t;\n"
        "  low = t <= 100 or t = t;\n  ok = low;\n  --%PROPERTY ok;\ntel;\n"
    )


@pytest.mark.parametrize("count", [1, 3, 5, 8])
def test_few_pulses_and_then_nothing_kill_what_counts_them(count: int) -> None:
    found = elaborated(pulsed(count))
    program = program_of(found)
    meaning = interpretation(program)
    baseline = Baseline(meaning, meaning.system(), {}, {})
    chosen = [m for m in enumerate_mutants(found, options()) if m.element.name == "low"]
    load = Mutants(baseline, chosen).lowered(lambda: None)
    claims = [Claim(claim.variant, frozenset({"ok"})) for claim in load.claims.values()]
    executions = Executions(load.system)
    killed = {
        habits: {c.name for c, _, _ in executions.random(claims, 24, STEPS, 2, habits=habits)}
        for habits in (long_executions.variety, long_executions.pulsing)
    }
    late = {m.id for m in chosen if m.summary == "`or` → its left operand"}
    assert len(late) == 1
    assert late <= killed[long_executions.pulsing]
    if count > 1:
        assert late.isdisjoint(killed[long_executions.variety])


@pytest.mark.parametrize(("limit", "is_late"), [(5, False), (500, True)])
def test_pulses_are_tried_where_a_timer_may_run_out(
    limit: int, is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Simulator] = []

    def noted(simulator: Simulator, _source: Random) -> Iterator[long_executions.Habits]:
        asked.append(simulator)
        yield from ()

    monkeypatch.setattr(long_executions, "pulsing", noted)
    found = found_of(
        "node top(go: bool; by: int) returns (x, y: int; ok: bool);\nlet\n"
        "  x = 0 -> if go then pre x + by else pre x;\n"
        "  y = 0 -> if go then pre y + by else pre y;\n"
        f"  ok = x > {limit} => y > {limit};\n  --%PROPERTY ok;\ntel;\n"
    )
    assert MutantStatus.SURVIVED in {one.status for one in found.values()}
    assert is_late is bool(asked)


def test_pulses_are_few_and_early() -> None:
    system = interpretation(program_of(elaborated(pulsed(3)))).system()
    habits = [*long_executions.pulsing(simulator(system), Random(1))]
    assert [*range(1, long_executions.PULSES + 1)] == sorted({own.pulses for own in habits})
    for own in habits:
        choices, rows = long_executions.abiding(simulator(system), Random(2), STEPS, own)
        usual = own.usual["go"][0] > 0
        at = [n for n, step in enumerate(choices.steps) if bool(step["go"]) is not usual]
        assert own.pulses == len(at)
        assert max(at) < STEPS // 4
        assert STEPS == len(rows)
