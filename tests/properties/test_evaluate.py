"""The oracle agrees with a second reading of the language, written independently."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given

from mutproof.model import sorts
from mutproof.model.evaluate import evaluate
from mutproof.model.evaluator import Evaluator
from mutproof.model.flat_names import CONDACT, auxiliary_name, memory_name
from mutproof.model.instances import unfold
from mutproof.model.lower import lower
from mutproof.model.program import Program
from mutproof.model.sharing import Sharing
from mutproof.model.sorts import Sort, Value
from mutproof.model.trace import Choices
from support.lustre_interpreter import Interpreter, Key
from support.lustre_models import Model, accepted, choices_of, models, sources
from support.profiles import profile


def answers(choices: Choices, step: int, program: Program) -> Any:
    """Return a function that answers the interpreter's questions as the choices do."""
    begun = Sharing(unfold(program)).base

    def ask(key: Key, sort: Sort) -> Value:
        kind, *rest = key
        path = "".join(part for part in rest if isinstance(part, str) and part[:1] in ".[")
        if kind == "now":
            return choices.steps[step].get(rest[0] + path, sorts.default_value(sort))
        if kind == "condact":
            prefix, memory = rest[1].prefix, memory_name(CONDACT + "".join(rest[3:]))
        elif kind == "variable":
            prefix, memory = rest[1].prefix, memory_name("".join(rest[2:]))
        else:
            prefix, _, element, term, *leaf = rest
            memory = memory_name(auxiliary_name("", element, term) + "".join(leaf))
        return choices.before.get(begun.name(prefix, memory), sorts.default_value(sort))

    return ask


@profile(150)
@given(models(finite=True), sources())
def test_an_execution_is_what_a_second_interpreter_says(
    model: Model, source: random.Random
) -> None:
    program = accepted(model.text).program
    assert program is not None
    choices = choices_of(source, lower(program))
    execution = evaluate(program, choices)

    machine = Interpreter(program)
    state = machine.start()
    violated: dict[str, int] = {}
    assumed = True
    for number, shown in enumerate(execution.trace.steps):
        step = machine.step(state, answers(choices, number, program))
        for place in machine.places:
            if step.runs(place):
                for variable in place.component.variables:
                    value = step.variable(place, variable.name)
                    if not isinstance(value, tuple):
                        assert value == shown[place.prefix + variable.name]
        assumed = assumed and step.assumed()
        for name, holds in step.properties().items():
            if not holds:
                violated.setdefault(name, number)
        state = step.after()
    assert violated == execution.violated
    assert assumed == execution.assumed


@profile(30)
@given(models(), sources())
def test_an_evaluator_forgets_one_run_before_the_next(model: Model, source: random.Random) -> None:
    program = accepted(model.text).program
    assert program is not None
    system = lower(program)
    evaluator = Evaluator(program)
    runs = [choices_of(source, system) for _ in range(3)]
    alone = [evaluate(program, choices) for choices in runs]

    assert alone == [evaluator.run(choices) for choices in runs]


@profile(30)
@given(models(), sources())
def test_what_happens_later_changes_nothing_before(model: Model, source: random.Random) -> None:
    program = accepted(model.text).program
    assert program is not None
    choices = choices_of(source, lower(program))
    prefix = Choices(choices.steps[:3], choices.before, choices.functions)

    long, short = evaluate(program, choices), evaluate(program, prefix)
    assert long.trace.steps[:3] == short.trace.steps
    assert {n: s for n, s in long.violated.items() if s < 3} == short.violated


def test_a_condact_in_the_arguments_of_one_that_does_not_run_has_its_own_clock() -> None:
    program = accepted(
        """
        node inner(i: int) returns (o: int);
        var first: bool;
        let
          o = i;
          first = true -> false;
          --%PROPERTY first;
        tel;
        node top(a, b: bool) returns (o: int);
        let
          o = condact(a, inner(condact(b, inner(1), 0)), 0);
        tel;
        """
    ).program
    assert program is not None
    off, on = {"a": False, "b": False}, {"a": False, "b": True}
    execution = evaluate(program, Choices((off, on, on)))

    assert {"inner@o@1.first": 2} == execution.violated


def test_a_condact_in_a_node_that_does_not_run_holds_what_it_held() -> None:
    program = accepted(
        """
node inner(x: int) returns (y: int); let y = x; tel;
node outer(c: bool; x: int) returns (z: int); let z = condact(c, inner(x), 0); tel;
node top(a, c: bool; x: int) returns (w: int; ok: bool);
let
  w = condact(a, outer(c, x), 0);
  ok = w < 100;
  --%MAIN;
  --%PROPERTY ok;
tel;
"""
    ).program
    assert program is not None
    steps = [(True, True, 5), (False, True, 7), (True, False, 9)]
    chosen = tuple({"a": a, "c": c, "x": x} for a, c, x in steps)
    execution = evaluate(program, Choices(chosen))
    assert [5, 5, 5] == [step["w"] for step in execution.trace.steps]
