"""One evaluator that runs many mutants gives what a new one gives for each.

It keeps executions, the order in which values were found, and what defines variables.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from mutproof.model import evaluator as evaluator_module
from mutproof.model import sorts, terms
from mutproof.model.evaluate import evaluate
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import Execution, InstantaneousLoop
from mutproof.model.lower import lower
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Element, Program
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, choices_of, models, sources
from support.lustre_mutants import bodies, free_choices, options, program_of
from support.profiles import profile


def whole(program: Program, choices: Choices, changed: Bodies) -> Execution | None:
    """Return the execution of a new evaluator, None of a program that is not causal."""
    try:
        return evaluate(program, choices, changed)
    except InstantaneousLoop:
        return None


def again(evaluator: Evaluator, choices: Choices, changed: Bodies) -> Execution | None:
    try:
        return evaluator.run(choices, changed)
    except InstantaneousLoop:
        return None


def check_same(expected: Execution | None, actual: Execution | None) -> None:
    """Compare executions, with the types of values and the order of names."""
    assert expected == actual
    if expected is not None and actual is not None:
        for wanted, shown in zip(expected.trace.steps, actual.trace.steps, strict=True):
            assert repr(wanted) == repr(shown)
        assert [*expected.violated.items()] == [*actual.violated.items()]


def branches(source: random.Random, choices: Choices, other: Choices) -> list[Choices]:
    """Return executions that begin as one does, and go on as another."""
    at = source.randrange(len(choices.steps))
    steps = (*choices.steps[:at], *other.steps[at:])
    return [
        choices,
        Choices(choices.steps[: at + 1], choices.before, choices.functions),
        Choices(steps, choices.before, choices.functions),
        Choices(steps, other.before, choices.functions),
        Choices(choices.steps, choices.before, other.functions),
    ]


@profile(100)
@given(models(), sources())
def test_mutants_run_as_alone(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    program = program_of(found)
    system = lower(program)
    evaluator = Evaluator(program)
    runs = branches(source, choices_of(source, system), choices_of(source, system))
    mutants = enumerate_mutants(found, options("all"))
    for mutant in source.sample(mutants, min(10, len(mutants))):
        changed = bodies(program, mutant)
        for run in source.sample(runs, 3):
            choices = free_choices(source, program, run, changed)
            check_same(whole(program, choices, changed), again(evaluator, choices, changed))


@profile(60)
@given(models(), sources())
def test_several_elements_with_other_bodies_run_as_alone(
    model: Model, source: random.Random
) -> None:
    found = accepted(model.text)
    program = program_of(found)
    evaluator = Evaluator(program)
    choices = choices_of(source, lower(program))
    mutants = enumerate_mutants(found, options("all"))
    for _ in range(6):
        changed: dict[Element, Term | None] = {}
        for mutant in source.sample(mutants, min(3, len(mutants))):
            changed.update(bodies(program, mutant))
        run = free_choices(source, program, choices, changed)
        check_same(whole(program, run, changed), again(evaluator, run, changed))


@profile(60)
@given(models(), sources())
def test_bodies_exchanged_between_elements_run_as_alone(
    model: Model, source: random.Random
) -> None:
    program = program_of(accepted(model.text))
    evaluator = Evaluator(program)
    choices = choices_of(source, lower(program))
    for component in program.components:
        for element in component.elements:
            like = [
                other.body
                for other in component.elements
                if other.body.sort == element.body.sort and not _calls(other.body)
            ]
            if like:
                changed = {element: source.choice(like)}
                check_same(whole(program, choices, changed), again(evaluator, choices, changed))


def _calls(body: Term) -> bool:
    return any(isinstance(part.payload, terms.Site) for part in _parts(body))


def _parts(root: Term) -> list[Term]:
    found = [root]
    for term in found:
        found.extend(term.args)
    return found


CLOCKED = """
type pair = struct { left: int; right: bool };
node counter(reset: bool; by: int) returns (n: int; odd: bool);
let
  n = if reset then 0 else (0 -> pre n) + by;
  odd = n mod 2 = 1;
  --%PROPERTY odd;
tel;
node top(on, reset: bool; by: int) returns (ok, small: bool);
var n, m: int; odd, even: bool; both: pair; row: int[3];
let
  n, odd = condact(on, counter(reset, by), 5, true);
  m, even = condact(not on, counter(false -> pre even, by -> pre (pre n)), n, odd);
  both = pair { left = n; right = odd and not (true -> pre even) };
  row = [n, m, by div n];
  ok = both.left = row[0] or pre both.right;
  small = row[by] < 9;
  assert by < 100;
  --%MAIN;
  --%PROPERTY ok;
  --%PROPERTY small;
tel;
"""


def test_mutants_of_a_clocked_model_run_as_alone() -> None:
    found = accepted(CLOCKED)
    program = program_of(found)
    source = random.Random(5)
    evaluator = Evaluator(program)
    mutants = enumerate_mutants(found, options("paper"))
    for mutant in mutants:
        changed = bodies(program, mutant)
        choices = free_choices(source, program, choices_of(source, lower(program)), changed)
        expected = whole(program, choices, changed)
        assert expected is not None
        check_same(expected, again(evaluator, choices, changed))
    assert len(mutants) > 20


def test_an_execution_is_of_the_choices_that_it_was_asked_for() -> None:
    program = program_of(
        accepted("node top(a: int) returns (b: bool);\nlet b = a < 3; --%PROPERTY b;\ntel;\n")
    )
    evaluator = Evaluator(program)
    one, other = Choices(({"a": 1}, {"a": 4})), Choices(({"a": 1}, {"a": 4}))
    first, second = evaluator.run(one), evaluator.run(other)

    assert one is first.trace.choices
    assert other is second.trace.choices
    assert {"b": 1} == first.violated == second.violated
    assert first.trace.steps is second.trace.steps
    own = {element: element.body for element in program.elements()}
    assert first.trace.steps is evaluator.run(one, own).trace.steps


def test_many_steps_of_a_large_program_stay_recorded() -> None:
    count = 400
    names = [f"v{number}" for number in range(count)]
    equations = "".join(
        f"  {name} = (if a > {number} then a - {number} else a + {number}) + a > 7;\n"
        for number, name in enumerate(names)
    )
    program = program_of(
        accepted(
            f"node top(a: int) returns (b: int);\nvar {', '.join(names)}: bool;\n"
            f"let\n  b = 0 -> pre a;\n{equations}tel;\n"
        )
    )
    evaluator = Evaluator(program)
    executions = [Choices(tuple({"a": first + step} for step in range(40))) for first in range(12)]
    known = [evaluator.steps(choices) for choices in executions]
    for choices, steps in zip(executions, known, strict=True):
        assert all(a is b for a, b in zip(evaluator.steps(choices), steps, strict=True))


def test_an_execution_that_alone_is_too_much_to_record_stays_as_long_as_no_other_is_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evaluator_module, "MOST_RECORDED", 50)
    text = "node top(a: int) returns (b, c: int);\nlet\n  b = a + 1;\n  c = 0 -> pre b;\ntel;\n"
    program = program_of(accepted(text))
    evaluator = Evaluator(program)
    long, other = (Choices(tuple({"a": sign * n} for n in range(40))) for sign in (1, -1))
    start = Choices(long.steps[:30])
    first, short = evaluator.steps(long), evaluator.steps(start)
    assert all(a is b for a, b in zip(short, first, strict=False))
    assert all(a is b for a, b in zip(evaluator.steps(start), short, strict=True))
    evaluator.steps(other)
    assert all(a is not b for a, b in zip(evaluator.steps(start)[1:], short[1:], strict=True))
    _, later = program.elements()
    for choices in (start, long, other, start):
        changed = {later: terms.var("b", sorts.INT)}
        assert evaluate(program, choices, changed) == evaluator.run(choices, changed)


def test_values_are_recorded_only_of_bodies_that_remember_them() -> None:
    program = program_of(
        accepted(
            "node top(a: int) returns (b, c: int);\nlet\n  b = a + 1;\n  c = 0 -> pre b;\ntel;\n"
        )
    )
    step = Evaluator(program).steps(Choices(({"a": 1}, {"a": 2})))[1]
    assert [1] == [*step.values] == [*step.last]
    assert {"a": 2, "b": 3, "c": 2} == step.now
    assert step.now is step.outcome.values


def test_a_body_may_read_what_stands_after_it() -> None:
    found = accepted(
        "node top(a: bool) returns (b, c, d: bool);\n"
        "let\n  b = a;\n  c = not a;\n  d = not b;\ntel;\n"
    )
    program = program_of(found)
    first, _, _ = program.elements()
    choices, evaluator = Choices(({"a": True},)), Evaluator(program)
    later, circular = terms.var("c", sorts.BOOL), terms.var("d", sorts.BOOL)

    execution = evaluator.run(choices, {first: later})
    assert {"a": True, "b": False, "c": False, "d": True} == execution.trace.steps[0]
    with pytest.raises(InstantaneousLoop):
        evaluator.run(choices, {first: circular})


def test_two_bodies_that_newly_remember_the_same_do_so_together() -> None:
    found = accepted(
        "node top(a, b: int) returns (o, q: int; p: bool);\n"
        "let o = a; q = b; p = o <= q; --%PROPERTY p;\ntel;"
    )
    program = program_of(found)
    first, second = program.component("top").elements[:2]
    a, b = (terms.var(name, sorts.INT) for name in "ab")
    before_a, before_b = (terms.make(Op.PRE, sorts.INT, (one,)) for one in (a, b))
    changed = {first: before_a, second: terms.arithmetic(Op.ADD, before_a, before_b)}
    choices = Choices(tuple({"a": step + 1, "b": 10 * step} for step in range(3)))
    actual = again(Evaluator(program), choices, changed)
    check_same(whole(program, choices, changed), actual)
    assert actual is not None
    assert [0, 1, 12] == [step["q"] for step in actual.trace.steps]
