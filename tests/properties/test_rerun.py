"""A mutant that runs on from the execution of its model gives what a whole run gives.

Compared are the values of all variables at all steps, what is violated, and what is allowed.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given

from mutproof.model import sorts, terms
from mutproof.model.code import Entries
from mutproof.model.evaluate import evaluate
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.lower import lower
from mutproof.model.program import Bodies, Element, Program
from mutproof.model.relevance import Relevance
from mutproof.model.rerun import rerun
from mutproof.model.spot import Spot
from mutproof.model.step_values import ShownStep, StepValues
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, choices_of, models, sources
from support.lustre_mutants import bodies, free_choices, options, program_of
from support.profiles import profile


def rerun_of(evaluator: Evaluator, choices: Choices, changed: Bodies) -> list[ShownStep] | None:
    """Return the steps of a mutant, computed from those of the model; None if that cannot be."""
    dependents = evaluator.dependents
    if dependents is None:
        return None
    return rerun(dependents, evaluator.steps(choices), choices, changed)


def check_rerun(evaluator: Evaluator, program: Program, choices: Choices, changed: Bodies) -> bool:
    """Compare a mutant's steps with a whole run; return whether there was anything to compare."""
    found = rerun_of(evaluator, choices, changed)
    if found is None:
        return False
    whole = evaluate(program, choices, changed)
    assert [repr(values) for values in whole.trace.steps] == [repr(one.values) for one in found]
    violated: dict[str, int] = {}
    for step, one in enumerate(found):
        violated = {**dict.fromkeys(one.violated, step), **violated}
    assert violated == whole.violated
    assert all(one.allowed for one in found) == whole.assumed
    again = evaluator.run(choices, changed)  # the model ran on these choices, so that this is one
    assert repr(again.trace.steps) == repr(whole.trace.steps)
    assert [*again.violated.items()] == [*whole.violated.items()]
    assert again.assumed == whole.assumed
    return True


@profile(120)
@given(models(), sources())
def test_mutants_run_on_as_they_run(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    program = program_of(found)
    system = lower(program)
    evaluator = Evaluator(program)
    choices, other = choices_of(source, system), choices_of(source, system)
    steps = (*choices.steps[:2], *other.steps[2:])  # recorded up to there
    runs = [choices, Choices(steps, choices.before, choices.functions)]
    mutants = enumerate_mutants(found, options("all"))
    compared = 0
    for number in (1, 1, 1, 1, 1, 1, 1, 1, 2, 3):
        changed: dict[Element, Term | None] = {}
        for mutant in source.sample(mutants, min(number, len(mutants))):
            changed.update(bodies(program, mutant))
        run = free_choices(source, program, source.choice(runs), changed)
        compared += check_rerun(evaluator, program, run, changed)
    assert compared or not mutants


def check_goals(
    evaluator: Evaluator, program: Program, choices: Choices, changed: Bodies, goals: frozenset[str]
) -> bool:
    """Compare what decides some properties with a whole run; return whether more was left out."""
    dependents = evaluator.dependents
    if dependents is None:
        return False
    deciding = partial(Relevance(dependents).of, goals)
    found = rerun(dependents, evaluator.steps(choices), choices, changed, deciding=deciding)
    if found is None:
        return False
    whole = evaluate(program, choices, changed)
    violated: dict[str, int] = {}
    for number, (one, values) in enumerate(zip(found, whole.trace.steps, strict=True)):
        violated = {**dict.fromkeys(one.violated, number), **violated}
        shown = {name: value for name, value in values.items() if name in one.values}
        assert repr(shown) == repr(one.values)
    assert {n: step for n, step in whole.violated.items() if n in goals} == violated
    assert whole.assumed == all(one.allowed for one in found)
    again = Evaluator(program).run(choices, changed, goals=goals)  # nothing is recorded there
    assert violated == {n: step for n, step in again.violated.items() if n in goals}
    assert whole.assumed == again.assumed
    for values, some in zip(whole.trace.steps, again.trace.steps, strict=True):
        assert repr({name: value for name, value in values.items() if name in some}) == repr(some)
    by = {goal: len(goal) * 7 % len(found) for goal in sorted(goals)}  # any steps
    check_until(evaluator, program, choices, changed, by)
    return any(len(one.values) < len(v) for one, v in zip(found, whole.trace.steps, strict=True))


def check_until(
    evaluator: Evaluator, program: Program, choices: Choices, changed: Bodies, by: dict[str, int]
) -> None:
    """Compare what decides properties up to some steps with a whole run."""
    whole = evaluate(program, choices, changed)
    found = evaluator.run(choices, changed, goals=frozenset(by), by=by)
    expected = {n: step for n, step in whole.violated.items() if step <= by.get(n, -1)}
    assert expected == {n: step for n, step in found.violated.items() if step <= by[n]}
    assert found.violated.items() <= whole.violated.items()
    assert whole.assumed == found.assumed
    assert found.trace.length >= min([*by.values(), len(choices.steps) - 1]) + 1
    for values, some in zip(whole.trace.steps, found.trace.steps, strict=False):
        assert repr({name: value for name, value in values.items() if name in some}) == repr(some)


@profile(120)
@given(models(), sources())
def test_what_decides_some_properties_runs_on_as_the_whole_does(
    model: Model, source: random.Random
) -> None:
    found = accepted(model.text)
    program = program_of(found)
    evaluator = Evaluator(program)
    choices = choices_of(source, lower(program))
    mutants = enumerate_mutants(found, options("all"))
    named = sorted(p.name for p in lower(program).properties)
    for _ in range(12 if mutants else 0):
        changed = bodies(program, source.choice(mutants))
        run = free_choices(source, program, choices, changed)
        goals = frozenset(source.sample(named, source.randint(0, min(2, len(named)))))
        check_goals(evaluator, program, run, changed, goals)


CLOCKED = """
node counter(reset: bool; by: int) returns (n: int; odd: bool);
let
  n = if reset then 0 else (0 -> pre n) + by;
  odd = n mod 2 = 1;
  --%PROPERTY odd;
tel;
node twice(on, reset: bool; by: int) returns (n: int);
var odd: bool;
let
  n, odd = condact(on, counter(reset, by), by, false);
tel;
node top(on, reset: bool; by: int) returns (ok, small: bool);
var n, m: int; odd: bool; row: int[3];
let
  n = condact(reset -> on, twice(on, false -> pre reset, by), 5);
  m, odd = condact(not on, counter(false -> pre odd, by -> pre (pre n)), n, true);
  row = [n, m, by div (n - 3)];
  ok = row[0] < 20 or pre odd;
  small = row[by] < 9;
  assert by < 100;
  assert row[1] < 50;
  --%MAIN;
  --%PROPERTY ok;
  --%PROPERTY small;
tel;
"""


def test_most_mutants_of_a_clocked_model_run_on() -> None:
    found = accepted(CLOCKED)
    program = program_of(found)
    source = random.Random(5)
    evaluator = Evaluator(program)
    choices = choices_of(source, lower(program))
    mutants = enumerate_mutants(found, options("all"))
    compared = [
        check_rerun(evaluator, program, free_choices(source, program, choices, changed), changed)
        for changed in (bodies(program, mutant) for mutant in mutants)
    ]
    assert len(compared) / 2 < sum(compared) < len(compared)


def test_what_does_not_decide_a_property_is_left_out() -> None:
    found = accepted(CLOCKED.replace("  assert row[1] < 50;\n", ""))
    program = program_of(found)
    source = random.Random(7)
    evaluator = Evaluator(program)
    choices = choices_of(source, lower(program))
    compared = []
    for mutant in enumerate_mutants(found, options("all")):
        changed = bodies(program, mutant)
        run = free_choices(source, program, choices, changed)
        for goal in ("ok", "counter@m.odd", "twice@n.counter@n.odd"):
            goals = frozenset((goal,))
            compared.append(check_goals(evaluator, program, run, changed, goals))
    assert len(compared) / 2 < sum(compared)


REGISTER = (
    f"node top(a: bool) returns ({', '.join(f's{n}' for n in range(9))}: int; ok, far: bool);\n"
    "let\n  s0 = if a then 1 else 0;\n"
    + "".join(f"  s{n} = 0 -> pre s{n - 1};\n" for n in range(1, 9))
    + "  ok = s4 < 2;\n  far = s8 < 2;\n  --%PROPERTY ok;\n  --%PROPERTY far;\ntel;\n"
)


def test_in_a_register_only_what_moves_on_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(accepted(REGISTER))
    element = next(e for e in program.elements() if e.targets == ("s2",))
    choices, evaluator = Choices(({"a": True},) * 9), Evaluator(program)
    evaluator.steps(choices)
    computed: list[str] = []
    fill = StepValues.fill

    def noted(self: StepValues, spot: Spot, entries: Entries) -> None:
        computed.extend(spot.element.targets)
        fill(self, spot, entries)

    monkeypatch.setattr(StepValues, "fill", noted)
    goals = frozenset(("ok", "far"))
    changed = {element: terms.int_(5)}
    found = evaluator.run(choices, changed, goals=goals, by={"ok": 2, "far": 6})
    assert {"ok": 2, "far": 6} == found.violated
    assert 3 == found.trace.length
    assert "far" not in found.trace.steps[0]
    assert len(computed) < 40
    computed.clear()
    assert found.violated == evaluator.run(choices, changed, goals=goals).violated
    assert len(computed) > 80


@profile(30)
@given(sources())
def test_of_a_long_conjunction_only_what_differs_is_computed(source: random.Random) -> None:
    count = 40
    conjuncts = [f"x{n} = x{n + 1}" for n in range(count - 1)]
    conjuncts += source.choice([[], ["x0 < 2"], ["x0 < 2", "not a", "x3 div x0 < 9", "true"]])
    source.shuffle(conjuncts)
    found = accepted(
        f"node top(a: bool) returns ({', '.join(f'x{n}' for n in range(count))}: int; p: bool);\n"
        "let\n"
        + "".join(f"  x{n} = if a then (0 -> pre x{n} + 1) else 0;\n" for n in range(count))
        + f"  p = {' and '.join(conjuncts)};\n  --%PROPERTY p;\ntel;"
    )
    program = program_of(found)
    evaluator = Evaluator(program)
    choices = choices_of(source, lower(program))
    evaluator.steps(choices)
    mutants = enumerate_mutants(found, options("all"))
    for mutant in source.sample(mutants, 12):
        changed = bodies(program, mutant)
        run = free_choices(source, program, choices, changed)
        assert check_rerun(evaluator, program, run, changed) == (
            rerun_of(evaluator, run, changed) is not None
        )
        check_goals(evaluator, program, run, changed, frozenset(("p",)))


def test_few_conjuncts_of_many_are_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    places = ", ".join(f"x{n}" for n in range(100))
    equations = "".join(f"  x{n} = a;\n" for n in range(100))
    stated = " and ".join(f"x{n} = x{n + 1}" for n in range(99))
    program = program_of(
        accepted(
            f"node top(a: bool) returns ({places}, p: bool);\nlet\n{equations}"
            f"  p = {stated};\n  --%PROPERTY p;\ntel;"
        )
    )
    choices, evaluator = Choices(({"a": True},) * 3), Evaluator(program)
    evaluator.steps(choices)
    computed: list[int] = []
    fill = StepValues.fill

    def noted(self: StepValues, spot: Spot, entries: Entries) -> None:
        computed.append(len(entries))
        fill(self, spot, entries)

    monkeypatch.setattr(StepValues, "fill", noted)
    elements = [element for element in program.elements() if element.targets != ("p",)]
    for element in elements:
        found = rerun_of(evaluator, choices, {element: terms.FALSE})
        assert found is not None
        assert [["p"]] * 3 == [one.violated for one in found]
    assert sum(computed) < 30 * len(elements)


ROW = (
    "node top(a: bool) returns (b, c, d, e: bool);\n"
    "let\n  b = a;\n  c = not b;\n  d = a -> pre d;\n  e = not d;\n  --%PROPERTY c;\ntel;\n"
)
"""What `b` reads decides when `b` and `c` can be computed."""


def test_a_body_may_read_what_is_computed_later() -> None:
    program = program_of(accepted(ROW))
    first = next(program.elements())
    choices, evaluator = Choices(({"a": False},) * 3), Evaluator(program)
    found = rerun_of(evaluator, choices, {first: terms.var("e", sorts.BOOL)})
    assert found is not None
    assert [["c"]] * 3 == [one.violated for one in found]
    assert {"a": False, "b": True, "c": False, "d": False, "e": True} == found[0].values


def test_a_body_that_reads_itself_does_not_run_on() -> None:
    program = program_of(accepted(ROW))
    first = next(program.elements())
    choices, evaluator = Choices(({"a": True},) * 3), Evaluator(program)
    assert rerun_of(evaluator, choices, {first: terms.var("c", sorts.BOOL)}) is None
    with pytest.raises(InstantaneousLoop):
        evaluator.run(choices, {first: terms.var("c", sorts.BOOL)})


def test_what_reads_nothing_that_changed_is_not_computed() -> None:
    program = program_of(accepted(ROW))
    last = [*program.elements()][3]
    choices, evaluator = Choices(({"a": True},) * 3), Evaluator(program)
    recorded = [replace(step, now={"d": step.now["d"]}) for step in evaluator.steps(choices)]
    changed = {last: terms.var("d", sorts.BOOL)}
    assert evaluator.dependents is not None
    found = rerun(evaluator.dependents, recorded, choices, changed)
    assert found is not None
    assert [True] * 3 == [one.values["e"] for one in found]
