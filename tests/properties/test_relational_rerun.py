"""What other bodies change in an execution of a NuSMV program is judged as by running all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from mutproof.analyses.checking.audit import allowed, of_relations
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.model import relational_scene, relational_states
from mutproof.model.execution import Execution, InstantaneousLoop
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Program
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.trace import Choices
from support import nusmv_random
from support.nusmv_mutants import accepted, elaborated, mutants_of, program_of
from support.relational_models import MODELS, lowered

MUTANTS = 25
SEEDS = range(30)


def own(program: Program, source: Random) -> list[Choices]:
    """Return choices of executions of a program, with computed values and with all of them."""
    meaning = interpretation(program)
    found = []
    for stay in (0.0, 0.5, 0.9):
        one = allowed(meaning, of_relations(program, meaning.system(), source, stay))
        if one is not None:
            steps = one.trace.steps
            found += [one.trace.choices, Choices(steps, loop=source.randrange(len(steps)))]
    return found


def compare(text: str, seed: int, given: Sequence[Choices] = ()) -> set[tuple[bool, bool]]:
    """Compare executions of mutants; return whether a part was judged, and if it is allowed."""
    model, source = elaborated(text), Random(seed)
    outcomes: set[tuple[bool, bool]] = set()
    if model.program is None:
        return outcomes
    evaluator, mutants = RelationalEvaluator(model.program), mutants_of(model)
    executions = [*own(model.program, source), *given]
    for mutant in source.sample(mutants, min(len(mutants), MUTANTS)):
        bodies = mutated_bodies(model.program, mutant)
        for choices in executions:
            try:
                expected = evaluator.run(choices, bodies)
            except InstantaneousLoop:
                continue
            found = evaluator.rerun(choices, bodies)
            assert said(expected) == said(found), (mutant.shown, choices)
            rows = [*zip(found.trace.steps, expected.trace.steps, strict=True)]
            assert all(part.items() <= whole.items() for part, whole in rows), mutant.shown
            outcomes.add((found.trace.steps != expected.trace.steps, found.assumed))
    return outcomes


def said(execution: Execution) -> tuple[bool, Mapping[str, int], Mapping[str, int]]:
    return execution.assumed, execution.violated, execution.refuted()


def test_mutants_of_random_programs_run_as_a_whole_would() -> None:
    outcomes = [compare(nusmv_random.random_text(Random(seed)), seed) for seed in SEEDS]

    assert {(False, False), (False, True), (True, False), (True, True)} == set().union(*outcomes)


@pytest.mark.parametrize("name", MODELS)
def test_mutants_run_as_a_whole_would(name: str) -> None:
    walks = [lowered(name).walk(Random(seed)) for seed in range(40)]
    given = [Choices(tuple(steps), loop=loop) for steps, loop in walks]

    outcomes = compare(MODELS[name], 1, given)
    assert (True, True) in outcomes


@pytest.mark.parametrize(
    ("text", "changed", "shown"),
    [
        ("VAR a : boolean; b : boolean;\nASSIGN init(a) := FALSE; next(a) := !b;", "a", "a"),
        (
            "VAR a : array 0..1 of 0..3;\nASSIGN next(a[0]) := a[1]; init(a[1]) := 2;",
            "a",
            "a[0] a[1]",
        ),
        (
            "VAR a : boolean; b : boolean;\nDEFINE d := a & b; e := d | b;\nASSIGN next(b) := e;",
            "d",
            "b",
        ),
        (
            "FROZENVAR a : boolean; VAR b : boolean;\nASSIGN init(a) := FALSE; next(b) := a;",
            "a",
            "a b",
        ),
    ],
)
def test_what_a_body_cannot_change_is_not_computed(
    monkeypatch: pytest.MonkeyPatch, text: str, changed: str, shown: str
) -> None:
    model = accepted(f"MODULE main\n{text}\nVAR c : 0..7;\nASSIGN next(c) := (c + 1) mod 8;\n")
    program, evaluator = program_of(model), RelationalEvaluator(program_of(model))
    executions = [one for one in own(program, Random(1)) if evaluator.run(one).assumed]
    names = set[str]()
    monkeypatch.setattr(relational_states, "states", None)
    for mutant in mutants_of(model):
        for choices in executions if mutant.element.name.startswith(changed) else ():
            found = evaluator.rerun(choices, mutated_bodies(program, mutant))
            names.update(*found.trace.steps)

    assert {*shown.split()} == names


def test_states_that_other_bodies_compute_are_not_computed_without_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = accepted("MODULE main\nVAR n : 0..3;\nASSIGN init(n) := 0; next(n) := n;\n")
    program, made = program_of(model), list[bool]()
    bodies = mutated_bodies(program, mutants_of(model)[0])
    init = relational_scene.Scene.__init__

    def noted(self: relational_scene.Scene, *about: Any, is_own: bool, **named: Any) -> None:
        made.append(about[1] is evaluator.rules)
        init(self, *about, is_own=is_own, **named)

    evaluator = RelationalEvaluator(program)
    monkeypatch.setattr(relational_scene.Scene, "__init__", noted)
    evaluator.run(Choices(({}, {})), bodies)
    assert [False] == made
    evaluator.run(Choices(({"n": 0}, {"n": 0})), bodies)
    assert [False, True] == made
