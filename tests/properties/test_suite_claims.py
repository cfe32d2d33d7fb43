"""What a suite claims holds in a second evaluator, whatever the inputs leave open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.suites import interim, kill_matrix, make
from mutproof.analyses.suites.collecting import LATE
from mutproof.analyses.suites.replays import ForwardReplays
from mutproof.analyses.suites.suite import SuiteFate, SuiteFinding
from mutproof.base.budget import Budget
from mutproof.model.language import Elaborated
from mutproof.workspace.analysis import Memory
from mutproof.workspace.answering import analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from support.lustre_difference import text_of
from support.lustre_models import elaborated
from support.lustre_mutants import mutated_text
from support.reading import analysed
from support.tree_lustre import Path, Place, Scalar, Type, leaves
from support.tree_lustre_random import RandomGiven, interesting
from support.tree_lustre_replay import suffix
from support.tree_lustre_run import Run
from support.tree_lustre_text import ModelText, read

OPTIONS = Options(suite=True, cores=False, budget=Budget(timeout_s=20))
CHANCES = 3
"""With how many values of what is left open each execution is repeated."""
TEXTS = 24

pytestmark = pytest.mark.usefixtures("deep_recursion")


class TestGiven(RandomGiven):
    """Give the inputs of a test, and random values to all that is left open."""

    __test__ = False

    def __init__(self, model: ModelText, inputs: tuple[Mapping[str, Any], ...], seed: int) -> None:
        super().__init__(seed, interesting(model))
        self._inputs = inputs

    def free(self, place: Place, name: str, path: Path, step: int, kind: Type) -> Scalar:
        whole = name + suffix(place.types[name], path)
        if not place.name and whole in self._inputs[step]:
            return self._inputs[step][whole]
        return super().free(place, name, path, step, kind)


def outputs(text: str, inputs: tuple[Mapping[str, Any], ...], seed: int) -> list[dict[str, Any]]:
    """Return the outputs of a text at every step; the inputs must be ones that it accepts."""
    model = read(text)
    run = Run(model, TestGiven(model, inputs, seed))
    main = run.places.main
    found = []
    for step in range(len(inputs)):
        run.admitted(step)  # makes the values of loops
        found.append(
            {
                name + suffix(kind, path): run.variable(main, name, path, step)
                for name, kind in main.types.items()
                for path, _ in leaves(kind)
            }
        )
    return found


def suite_of(known: Elaborated) -> SuiteFinding:
    report = analysed(known, OPTIONS)
    assert report.suite is not None
    return report.suite


def check(text: str) -> SuiteFinding | None:
    """Check all claims of the suite of a text; return it, None where there is no program."""
    known = elaborated(text)
    if known.program is None:
        return None
    mutants: dict[str, Mutant] = {m.id: m for m in enumerate_mutants(known, OPTIONS)}
    found = suite_of(known)
    killed = set()
    for test in found.tests:
        assert len(test.inputs) == len(test.outputs)
        for seed in range(CHANCES):
            shown = outputs(text, test.inputs, seed)
            for wanted, row in zip(test.outputs, shown, strict=True):
                assert wanted == {name: row[name] for name in wanted}
        for kill in test.kills:
            killed.add(kill.mutant)
            changed = mutated_text(known, mutants[kill.mutant])
            if changed is None:
                continue  # the second evaluator reads no text without an equation
            for seed in range(CHANCES):
                row = outputs(changed, test.inputs, seed)[kill.step]
                for name in kill.outputs:
                    assert test.outputs[kill.step][name] != row[name], (text, changed, kill)
    fates = {one.mutant for one in found.mutants if one.fate is SuiteFate.KILLED}
    assert fates == killed
    assert found.at_least <= len(found.tests)
    return found


def test_a_removed_equation_is_left_to_chance() -> None:
    """Both values of the choice follow from inputs, and which one it is does not."""
    text = (
        "node main (a, b : int) returns (x : int);\n"
        "var d : bool;\n"
        "let d = a > 0 -> pre d; x = if d then a else b; tel;\n"
    )
    known, found = elaborated(text), check(text)

    assert found is not None
    removed = [m.id for m in enumerate_mutants(known, OPTIONS) if m.replacement is None]
    fates = {one.mutant: one.fate for one in found.mutants}
    assert [SuiteFate.CHANCE] * 2 == [fates[name] for name in removed]


def test_a_removed_equation_of_calls_that_count_as_one_is_left_to_chance() -> None:
    text = (
        "node same (b : bool) returns (x, y : bool);\nlet x = b; y = b or not b; tel;\n"
        "node main (a : bool) returns (x, y : bool);\n"
        "let x, y = if a then same(a) else same(a); tel;\n"
    )
    known, found = elaborated(text), check(text)

    assert found is not None
    removed = [m.id for m in enumerate_mutants(known, OPTIONS) if m.replacement is None]
    fates = {one.mutant: one.fate for one in found.mutants}
    assert [SuiteFate.CHANCE] * 3 == [fates[name] for name in removed]


def test_what_there_is_no_time_for_is_unknown() -> None:
    known = elaborated(
        "node main (a, b : int) returns (x : int; ok : bool);\n"
        "let x = 0 -> if a > b then pre x + 1 else a; ok = x = x; --%PROPERTY ok;\ntel;\n"
    )
    options = replace(OPTIONS, timeout_s=1e-9)
    report = analysed(known, options)

    assert report.suite is not None
    assert () == report.suite.tests
    assert {SuiteFate.UNKNOWN} == {one.fate for one in report.suite.mutants}
    assert {LATE} == {one.reason for one in report.suite.mutants}


def test_time_that_is_left_after_tests_are_chosen_is_used_for_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = elaborated(
        "node main (a, b : int) returns (x : int);\n"
        "let x = 0 -> if a > b then pre x + 1 else a;\ntel;\n"
    )
    monkeypatch.setattr(make, "COLLECTING", 0.0)  # nothing is collected at first
    options = replace(OPTIONS, timeout_s=1e6)
    report = analysed(known, options)

    fates = [{m.mutant: m.fate for m in found.mutants} for found in (suite_of(known), report.suite)]
    assert fates[0] == fates[1]
    assert SuiteFate.KILLED in fates[0].values()


def test_tests_that_there_is_no_time_to_shorten_kill_as_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = elaborated(
        "node main (a, b : int) returns (x : int);\n"
        "let x = 0 -> if a > b then pre x + 1 else a;\ntel;\n"
    )
    short = suite_of(known)
    monkeypatch.setattr(make, "SHORTENING", 0.0)
    options = replace(OPTIONS, timeout_s=1e6)
    report = analysed(known, options)

    assert report.suite is not None
    assert short.mutants == report.suite.mutants
    steps = [sum(len(one.inputs) for one in found.tests) for found in (short, report.suite)]
    assert steps[0] < steps[1]


@pytest.mark.parametrize("seed", range(0, TEXTS, 6))
def test_suites_told_meanwhile_claim_no_more_than_the_last(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = elaborated(text_of(seed))
    if known.program is None:
        return
    monkeypatch.setattr(interim, "FIRST_S", 0.0)
    monkeypatch.setattr(interim, "GROWTH", 0.0)  # after each test
    monkeypatch.setattr(interim, "EFFORT", 1e9)
    told: list[SuiteFinding] = []

    def hear(event: Event) -> None:
        if isinstance(event, SuiteFinding):
            told.append(event)

    analyse(known, OPTIONS, Memory(), hear, cancelled=lambda: False)
    *before, last = told
    fates = {one.mutant: one.fate for one in last.mutants}

    counts = [one.count(SuiteFate.KILLED) for one in before]
    assert sorted(counts) == counts
    assert counts == [] or counts[-1] > 0
    for one in before:
        claimed = {kill.mutant for test in one.tests for kill in test.kills}
        assert claimed == {m.mutant for m in one.mutants if m.fate is SuiteFate.KILLED}
        assert all(fates[name] is SuiteFate.KILLED for name in claimed)
        assert fates.keys() == {m.mutant for m in one.mutants}


@pytest.mark.parametrize("share", range(4))
def test_tests_pass_on_random_models_and_kill_what_they_claim(share: int) -> None:
    seen = [check(text_of(seed)) for seed in range(share, TEXTS, 4)]

    assert any(found is not None and found.tests for found in seen)


def test_tests_stay_short_where_what_differs_first_is_left_open() -> None:
    """A difference by what is before the first step shows nothing; a later one of the test may."""
    text = (
        "node sub (a : int; e : bool) returns (r : int);\n"
        "var f : int;\n"
        "let f = if e then a else pre f; r = if e then f else 0 -> pre f; tel;\n"
        "node main (i, j : bool; n : int) returns (o : int);\n"
        "var u, v, m : int;\n"
        "let u = 0 -> pre (pre m); v = sub(n, i); m = if i and j then v + 1 else sub(u, j);\n"
        "o = (if j then m else v) + n div (if i then 2 else 3); tel;\n"
    )

    found = check(text)

    assert found is not None
    assert sum(len(test.inputs) for test in found.tests) < 12


@pytest.mark.parametrize("seed", range(0, TEXTS, 3))
def test_what_is_asked_of_few_mutants_is_as_small_as_what_is_asked_of_all(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there are many, tests are run only on mutants that matter; the minimum is the same."""
    text = text_of(seed)
    whole = check(text)
    monkeypatch.setattr(ForwardReplays, "many", 0)
    monkeypatch.setattr(kill_matrix, "WIDENED", 2)
    found = check(text)

    if whole is None or found is None:
        assert whole is found
        return
    assert whole.mutants == found.mutants
    assert whole.collected == found.collected
    assert (len(whole.tests), whole.at_least) == (len(found.tests), found.at_least)
