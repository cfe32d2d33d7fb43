"""Executions computed by what changes are judged as by all of their states."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.model import relational_course, relational_scene, sorts
from mutproof.model.execution import Execution, InstantaneousLoop
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Bodies, Program
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.sampling import interesting_values, random_steps
from mutproof.model.trace import Choices
from support import nusmv_random
from support.nusmv_mutants import accepted, elaborated, mutants_of, program_of
from support.relational_models import MODELS

ROW = """MODULE cell(before)
VAR n : 0..7; on : boolean;
DEFINE big := n >= 3;
ASSIGN
  init(n) := 0;
  next(n) := case before & n < 5 : n + 1; !before : {0, n}; TRUE : n; esac;
  init(on) := FALSE;
  next(on) := big;
INVARSPEC n <= 5;
INVARSPEC n + toint(on) != 4;
LTLSPEC G (on -> n <= 4);
LTLSPEC G (on -> X on);
LTLSPEC G (O n = 5 -> n >= 4);
CTLSPEC AG n < 5;
MODULE main
VAR go : boolean; top : 0..3;
ASSIGN top := case c0.on & c3.on : 3; c1.big : next(go) ? 1 : 2; TRUE : 0; esac;
"""


def row(size: int) -> str:
    """Return a row of cells, of which each begins to count when the one before it is on."""
    text = ROW.replace("next(go) ? 1 : 2", "go ? 1 : 2")
    cells = [f"VAR c{n} : cell({f'c{n - 1}.on' if n else 'go'});\n" for n in range(size)]
    return text + "".join(cells) + "INVARSPEC top < 3;\nLTLSPEC F top = 2;\n"


def said(execution: Execution) -> tuple[object, ...]:
    return (
        execution.assumed,
        [*execution.violated.items()],
        execution.refuted(),
        execution.is_fair(),
        execution.trace,
    )


def compared(program: Program, bodies: Bodies, source: Random, outcomes: Counter[str]) -> None:
    """Compare what both say of executions of other bodies, in which more or less is chosen."""
    evaluator = RelationalEvaluator(program)
    rules = evaluator.rules_with(bodies)
    stored = {
        variable.name + path: sort
        for variable in evaluator.stored
        for path, sort in sorts.leaves(variable.sort)
    }
    assigned = {t for e in program.component(program.main).elements for t in e.targets}
    found = interesting_values(interpretation(program).system())
    for share in (0.0, 0.1, 0.5):
        names = {n: s for n, s in stored.items() if n not in assigned or source.random() < share}
        length, stay = source.randrange(2, 40), source.choice((0.0, 0.5, 0.9))
        chosen = random_steps(names, source, found, steps=length, stay=stay)
        choices = Choices(tuple(chosen))
        for goals in (None, [p.name for p in program.component(program.main).properties][::2]):
            one = relational_course.course(evaluator, rules, choices, goals)
            if one is None:
                outcomes["none"] += 1
                continue
            other = relational_scene.Scene(evaluator, rules, choices, is_own=False)
            whole = other.execution(rules, goals)
            assert said(whole) == said(one), (choices, bodies)
            outcomes["assumed" if one.assumed else "refused"] += 1
            outcomes["violated"] += bool(one.violated)


def of_mutants(text: str, seed: int, most: int) -> Counter[str]:
    """Compare executions of mutants of a text."""
    outcomes: Counter[str] = Counter()
    model, source = elaborated(text), Random(seed)
    if model.program is None:
        return outcomes
    mutants = mutants_of(model)
    for mutant in source.sample(mutants, min(len(mutants), most)):
        try:
            compared(model.program, mutated_bodies(model.program, mutant), source, outcomes)
        except InstantaneousLoop:
            outcomes["circular"] += 1
    return outcomes


@pytest.fixture(autouse=True)
def of_all_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relational_course, "LEAST_STEPS", 2)


def test_mutants_of_a_row_are_judged_as_by_all_states() -> None:
    outcomes = of_mutants(row(4), 1, 40)

    assert not outcomes["none"], outcomes
    assert min(outcomes["assumed"], outcomes["refused"], outcomes["violated"]) > 20


def test_mutants_of_random_programs_are_judged_as_by_all_states() -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(60):
        outcomes += of_mutants(nusmv_random.random_text(Random(seed)), seed, 12)

    assert min(outcomes["none"], outcomes["assumed"], outcomes["refused"]) > 20, outcomes


@pytest.mark.parametrize("name", MODELS)
def test_mutants_of_all_constructs_are_judged_as_by_all_states(name: str) -> None:
    of_mutants(MODELS[name], 1, 40)


def test_what_does_not_change_is_not_computed() -> None:
    program = program_of(accepted(row(40)))
    evaluator = RelationalEvaluator(program)
    calm = Choices(({"go": True},) * 300)

    one = relational_course.course(evaluator, evaluator.rules, calm, None)
    assert one is not None
    assert one.computed * 10 < 300 * len(evaluator.scalars)
