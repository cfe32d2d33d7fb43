"""What fails many steps after something else is told as a whole run tells it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given

from mutproof.model import late_failures, terms
from mutproof.model.evaluate import OracleRun, evaluate
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.late_failures import LateFailures
from mutproof.model.lower import lower
from mutproof.model.program import Element, Program
from mutproof.model.step_values import WholeStep
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, choices_of, models, sources
from support.lustre_mutants import bodies, free_choices, options, program_of
from support.profiles import profile


def told(
    program: Program, choices: Choices, changed: dict[Element, Term | None], by: dict[str, int]
) -> bool:
    """Compare what fails with a whole run; return whether it was told without one."""
    evaluator = Evaluator(program)
    evaluator.steps(choices)
    assert evaluator.relevance is not None
    recorded = evaluator.steps(choices)
    late = LateFailures(evaluator.relevance).run(lambda *_: recorded, choices, changed, by)
    try:
        whole = evaluate(program, choices, changed)
    except InstantaneousLoop:
        assert late is None
        return False
    found = evaluator.run(choices, changed, goals=frozenset(by), by=by)
    for one in [found] if late is None else [found, late]:
        assert whole.assumed == one.assumed
        assert one.violated.items() <= whole.violated.items()
        expected = {n: step for n, step in whole.violated.items() if step <= by.get(n, -1)}
        assert expected.items() <= one.violated.items()
        for values, some in zip(whole.trace.steps, one.trace.steps, strict=False):
            assert repr({name: values[name] for name in some}) == repr(some)
    # Where nothing was recorded before, no more is than the first steps, if these suffice.
    fresh = Evaluator(program).run(choices, changed, goals=frozenset(by), by=by)
    assert whole.assumed == fresh.assumed
    own = evaluate(program, choices).violated
    for goal in by.keys() - own.keys():
        step = whole.violated.get(goal, by[goal] + 1)
        assert fresh.violated.get(goal, step) == step
        assert goal in fresh.violated or step > by[goal]
    return late is not None


@profile(60)
@given(models(), sources())
def test_late_failures_are_those_of_a_whole_run(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    program = program_of(found)
    named = sorted(p.name for p in lower(program).properties)
    if Evaluator(program).dependents is None or len(named) < 2:
        return
    choices = choices_of(source, lower(program))
    last = len(choices.steps) - 1
    mutants = enumerate_mutants(found, options("all"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(late_failures, "DEEP", 1)
        patch.setattr(late_failures, "MOST_FOR_STEP", 1000)
        for _ in range(6 if mutants else 0):
            changed = dict(bodies(program, source.choice(mutants)))
            run = free_choices(source, program, choices, changed)
            first, *others = source.sample(named, min(len(named), 3))
            told(
                program,
                run,
                changed,
                {first: source.randint(0, last), **dict.fromkeys(others, last)},
            )


MODEL = """
node top(a: bool; i: int) returns (o: int);
var s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, m, n: int; u, v: int; {declared}
let
  o = s12;
  s0 = if a then 1 else 0;
  s1 = 0 -> pre s0;
  s2 = 0 -> pre (s1 + i - i);
  s3 = i -> pre (i -> pre s2);
  s4 = 0 -> pre s3;
  u, v = (0 -> pre s4, s4);
  s5 = u;
  s6 = 0 -> pre (if a then s5 else s5);
  s7 = 0 -> pre s6;
  s8 = 0 -> pre s7;
  s9 = 0 -> pre s8;
  s10 = 0 -> pre s9;
  s11 = 0 -> pre s10;
  s12 = 0 -> pre s11;
  n = 0 -> pre n + 1;
  m = s12 + n;
  near = s2 < 2;
  far = s12 < 2;
  both = m < 40 + s12;
  other = n < 14;
  {asserted}
  --%PROPERTY near; --%PROPERTY far; --%PROPERTY both; --%PROPERTY other;
tel;
"""
DECLARED = "near, far, both, other: bool;"
BY = {"near": 4, "far": 15, "both": 15, "other": 19}


def program(asserted: str = "") -> Program:
    """Return the model, with an assertion."""
    return program_of(accepted(MODEL.format(declared=DECLARED, asserted=asserted)))


def element(program: Program, name: str) -> Element:
    """Return the element that defines a variable."""
    return next(e for e in program.elements() if name in e.targets)


@pytest.mark.parametrize("name", ["s0", "s1", "s2"])
@pytest.mark.parametrize("body", [terms.int_(5), None])
def test_a_change_moves_on_through_many_memories(
    name: str, body: Term | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_failures, "MOST_FOR_STEP", 1000)
    source, model = random.Random(3), program()
    steps = [{"a": source.random() < 0.5, "i": 1, "s0": 0, "s1": 0, "s2": 0} for _ in range(20)]
    steps[3].update(s0=7, s1=8, s2=9)
    assert told(model, Choices(tuple(steps)), {element(model, name): body}, BY)


def test_few_steps_of_the_program_itself_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    stepped = OracleRun.whole_steps

    def noted(self: OracleRun, known: Sequence[WholeStep]) -> Iterator[WholeStep]:
        counted.append(len(self.choices.steps))
        return stepped(self, known)

    monkeypatch.setattr(OracleRun, "whole_steps", noted)
    monkeypatch.setattr(late_failures, "MOST_FOR_STEP", 1000)
    model = program()
    choices = Choices(({"a": True, "i": 1},) * 20)
    found = Evaluator(model)
    by = {"near": 2, "far": 14}
    changed = {element(model, "s1"): terms.int_(20)}
    assert {"near": 1, "far": 12} == found.run(
        choices, changed, goals=frozenset(by), by=by
    ).violated
    assert [3] == counted


@pytest.mark.parametrize(
    ("asserted", "is_told"), [("assert s12 < 9;", False), ("assert i > 0;", True)]
)
def test_what_may_end_an_execution_takes_a_run(
    asserted: str, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_failures, "MOST_FOR_STEP", 1000)
    model = program(asserted)
    choices = Choices(({"a": True, "i": 1},) * 20)
    assert is_told == told(model, choices, {element(model, "s1"): terms.int_(20)}, BY)


def test_what_takes_many_values_takes_a_run() -> None:
    model = program()
    choices = Choices(({"a": True, "i": 1},) * 20)
    assert not told(model, choices, {element(model, "s1"): None}, {"near": 1, "far": 19})


def test_what_the_program_itself_violates_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    model = program()
    choices = Choices(({"a": True, "i": 1},) * 20)
    monkeypatch.setattr(late_failures, "MOST_FOR_STEP", 1000)
    found = Evaluator(model)
    found.steps(choices)
    changed = {element(model, "s1"): terms.int_(20)}
    assert 14 == found.run(choices, changed, goals=frozenset(BY), by=BY).violated["other"]
    assert told(model, choices, changed, BY)


def test_a_body_that_reads_itself_takes_a_run() -> None:
    model = program()
    choices = Choices(({"a": True, "i": 1},) * 20)
    evaluator = Evaluator(model)
    assert evaluator.relevance is not None
    body = element(model, "s12").body
    loop = {element(model, "s5"): terms.var("s6", body.sort)}
    late, recorded = LateFailures(evaluator.relevance), evaluator.steps(choices)
    assert late.run(lambda *_: recorded, choices, loop, BY) is None


def test_values_that_are_only_repeated_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[object] = []
    before = late_failures._Values._value

    def noted(self: Any, node: Any, rule: Any, step: int) -> Any:
        computed.append(node)
        return before(self, node, rule, step)

    monkeypatch.setattr(late_failures._Values, "_value", noted)
    places = "".join(f"  s{n} = 0 -> pre s{n - 1};\n" for n in range(1, 40))
    text = (
        f"node top(a: int) returns (near, far: bool);\nvar {', '.join(f's{n}' for n in range(40))}:"
        f" int;\nlet\n  s0 = a;\n{places}  near = s5 < 9;\n  far = s39 < 9;\n"
        "  --%PROPERTY near; --%PROPERTY far;\ntel;\n"
    )
    model = program_of(accepted(text))
    choices = Choices(({"a": 0},) * 40)
    by = {"near": 3, "far": 37}
    assert told(model, choices, {element(model, "s2"): terms.int_(9)}, by)
    # Some of them twice: with steps of the program itself recorded, and without.
    assert {"far", "s2", "s3"} >= {*computed}
