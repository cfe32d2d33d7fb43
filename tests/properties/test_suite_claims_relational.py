"""What suites of NuSMV models claim holds in all executions that their inputs allow."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from mutproof.analyses.suites.relational_inputs import undetermined
from mutproof.analyses.suites.suite import SuiteFate, SuiteFinding
from mutproof.base.budget import Budget
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model.editing import edited
from mutproof.model.interpretation import interpretation
from mutproof.model.sorts import Value
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.explicit import StateSpace, explore
from support.nusmv_mutants import elaborated, mutated_text
from support.nusmv_random import random_text
from support.reading import analysed

OPTIONS = Options(suite=True, cores=False, budget=Budget(timeout_s=20), most_mutants=30)
SEEDS = 90
MOST = 700
"""How many valuations a model may have."""

Rows = Sequence[Mapping[str, Value]]


def graph(text: str) -> StateSpace | None:
    found = elaborated(text)
    return (
        None
        if found.program is None
        else explore(interpretation(found.program).system(), limit=MOST)
    )


def possible(space: StateSpace, inputs: Rows, step: int) -> list[dict[str, Value]]:
    """Return all states in which a system can be at a step of a test."""

    def fits(row: tuple[Value, ...], given: Mapping[str, Value]) -> bool:
        state = dict(zip(space.names, row, strict=True))
        return all(state[name] == value for name, value in given.items())

    reached = {row for row in space.initial if fits(row, inputs[0])}
    for given in inputs[1 : step + 1]:
        reached = {t for row in reached for t in space.successors[row] if fits(t, given)}
    return [dict(zip(space.names, row, strict=True)) for row in reached]


def check(text: str) -> SuiteFinding | None:
    """Check the suite of a text; return it, None where there can be none."""
    known = elaborated(text)
    if known.program is None or undetermined(known.program):
        return None
    space = graph(text)
    if space is None or not space.initial:
        return None
    report = analysed(known, OPTIONS)
    found = report.suite
    if found is None or found.refused:
        return None
    mutants = {one.id: one for one in enumerate_mutants(known, OPTIONS)}
    for test in found.tests:
        for step, wanted in enumerate(test.outputs):
            states = possible(space, test.inputs, step)
            assert states, text
            assert all(state[name] == v for state in states for name, v in wanted.items())
        for kill in test.kills:
            changed = mutated_text(known, mutants[kill.mutant])
            other = graph(changed)
            if other is None:
                continue
            states = possible(other, test.inputs, kill.step)
            assert states, (text, changed)
            for name in kill.outputs:
                wanted_value = test.outputs[kill.step][name]
                assert all(state[name] != wanted_value for state in states), (text, changed, kill)
    return found


@pytest.mark.parametrize("share", range(3))
def test_tests_of_random_models_hold_in_all_executions(share: int) -> None:
    assert LANGUAGE.control is not None
    kills = 0
    for seed in range(share, SEEDS, 3):
        text = random_text(random.Random(f"suite {seed}"))
        known = elaborated(text)
        if known.program is None:
            continue
        found = check(edited(text, LANGUAGE.control(known).edits))
        kills += 0 if found is None else found.count(SuiteFate.KILLED)

    assert kills >= 10
