"""Verdicts of small NuSMV models have the meaning NuSMV gives them, and show why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mutproof.base.budget import Deadline
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model.interpretation import interpretation
from mutproof.model.program import PropertyKind
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import BddVerdict, Computed, Holding, Undecided, Vacuity, Violated
from support.deadlines import UNHURRIED

COUNTER = "VAR n : 0..3; ASSIGN init(n) := 0; next(n) := (n + 1) mod 4;"
DEAD_END = "VAR n : 0..2; INIT n = 0; TRANS n = 0 & next(n) in {0, 1};"
SPLIT = "VAR n : 0..2; INIT n in {0, 2}; TRANS n = 0 -> next(n) = 0; TRANS n > 0 -> next(n) = 1;"


def verdict(model: str, stated: str, deadline: Deadline | None = None) -> BddVerdict:
    source = SourceText("model.smv", f"MODULE main {model} {stated}")
    found = LANGUAGE.elaborate(LANGUAGE.parse(source))
    assert found.program is not None, found.diagnostics
    system = interpretation(found.program).system()
    (name,) = (stated.name for stated in system.properties)
    return check(system, [name], deadline or UNHURRIED)[name]


def shown(found: BddVerdict, name: str) -> tuple[list[object], int | None]:
    assert isinstance(found, Violated)
    assert found.trace is not None
    return [step[name] for step in found.trace.steps], found.trace.loop


@pytest.mark.parametrize(
    ("model", "stated"),
    [
        (DEAD_END, "SPEC AG n = 0"),
        (DEAD_END, "LTLSPEC G n = 0"),
        (COUNTER, "SPEC AG EF n = 0"),
        (COUNTER, "SPEC A [ n < 3 U n = 3 ]"),
        (COUNTER, "SPEC EBF 3..4 n = 3"),
        (COUNTER, "SPEC A [ n = 0 | n = 1 BU 2..2 n = 2 ]"),
        (COUNTER, "LTLSPEC G F n = 3"),
        (COUNTER, "LTLSPEC G (n = 3 -> O [3, 3] n = 0)"),
        (COUNTER, "LTLSPEC F [3, 3] n = 3"),
        (COUNTER, "LTLSPEC !H [1, 1] TRUE & X H [1, 1] TRUE"),
        (COUNTER, "LTLSPEC !Y TRUE & Z FALSE"),
        (COUNTER, "INVARSPEC n = 3 -> next(n) = 0"),
        ("VAR b : boolean; JUSTICE b;", "LTLSPEC G F b"),
        ("VAR b : boolean; c : boolean; COMPASSION(b, c);", "LTLSPEC G F b -> G F c"),
        (
            "IVAR i : boolean; VAR n : 0..1; ASSIGN next(n) := i ? 1 : 0;",
            "SPEC EX n = 1 & EX n = 0",
        ),
    ],
)
def test_diagrams_say_what_holds(model: str, stated: str) -> None:
    found = verdict(model, stated)

    assert isinstance(found, Holding)
    assert found.vacuity is None


@pytest.mark.parametrize(
    ("model", "stated", "values", "loop"),
    [
        (DEAD_END, "INVARSPEC n = 0", [0, 1], None),
        (COUNTER, "INVARSPEC n < 3", [0, 1, 2, 3], None),
        (COUNTER, "INVARSPEC next(n) > n", [0, 1, 2, 3, 0], None),
        (COUNTER, "SPEC AG n < 2", [0, 1, 2], None),
        (COUNTER, "SPEC AX AX n = 1", [0, 1, 2], None),
        (COUNTER, "SPEC AF n > 3", [0, 1, 2, 3], 0),
        (COUNTER, "SPEC AG (n = 1 -> AF n > 3)", [0, 1, 2, 3, 0], 1),
        (COUNTER, "SPEC A [ n = 1 BU 1..2 n = 2 ]", [0], None),
        (COUNTER, "LTLSPEC F G n = 0", [0, 1, 2, 3], 0),
        ("VAR b : boolean; c : boolean; COMPASSION(b, c);", "LTLSPEC !(F b & G !c)", None, None),
    ],
)
def test_it_fails_on_a_short_path(
    model: str, stated: str, values: list[object] | None, loop: int | None
) -> None:
    found = verdict(model, stated)

    if values is not None:
        assert (values, loop) == shown(found, "n")
    assert isinstance(found, Violated)


@pytest.mark.parametrize(
    ("model", "stated", "vacuity"),
    [
        ("VAR b : boolean; INIT b & !b;", "SPEC FALSE", Vacuity.NO_INITIAL_STATE),
        ("VAR b : boolean; INIT b & !b;", "INVARSPEC FALSE", Vacuity.NO_INITIAL_STATE),
        ("VAR b : boolean; JUSTICE FALSE;", "SPEC FALSE", Vacuity.NO_FAIR_STATE),
        ("VAR b : boolean; TRANS FALSE;", "LTLSPEC FALSE", Vacuity.NO_FAIR_STATE),
    ],
)
def test_what_cannot_fail_says_so(model: str, stated: str, vacuity: Vacuity) -> None:
    found = verdict(model, stated)

    assert isinstance(found, Holding)
    assert vacuity is found.vacuity


def test_initial_states_without_fair_paths_are_left_out() -> None:
    assert Holding() == verdict(f"{SPLIT} JUSTICE n = 0;", "LTLSPEC n = 0")
    assert isinstance(verdict(f"{SPLIT} JUSTICE n = 0;", "INVARSPEC n = 0"), Violated)


def test_an_existential_property_has_a_witness() -> None:
    found = verdict(COUNTER, "SPEC EF n = 2")

    assert isinstance(found, Holding)
    assert found.witness is not None
    assert [0, 1, 2] == [step["n"] for step in found.witness.steps]


@pytest.mark.parametrize(
    ("stated", "steps"),
    [
        ("COMPUTE MIN [ n = 0, n = 3 ]", Computed(3)),
        ("COMPUTE MAX [ n = 1, n = 0 ]", Computed(3)),
        ("COMPUTE MIN [ n = 0, FALSE ]", Computed(None)),
        ("COMPUTE MAX [ n = 0, FALSE ]", Computed(None, undefined=True)),
    ],
)
def test_distances_are_counted_in_steps(stated: str, steps: Computed) -> None:
    assert steps == verdict(COUNTER, stated)


def test_without_fair_states_there_is_no_path_to_measure() -> None:
    model = f"{COUNTER} FAIRNESS FALSE;"
    assert Computed(None) == verdict(model, "COMPUTE MIN [ n = 0, n = 3 ]")
    assert Computed(None, undefined=True) == verdict(model, "COMPUTE MAX [ n = 0, n = 3 ]")


def test_what_is_not_finite_says_why() -> None:
    found = verdict("VAR k : integer;", "INVARSPEC k >= 0")

    assert Undecided("k is int, which has no bounds") == found


def test_a_property_in_another_logic_is_not_decided() -> None:
    source = SourceText("model.smv", f"MODULE main {COUNTER} SPEC EF n = 3")
    found = LANGUAGE.elaborate(LANGUAGE.parse(source))
    assert found.program is not None
    system = interpretation(found.program).system()
    (stated,) = system.properties
    wrong = replace(system, properties=(replace(stated, kind=PropertyKind.LTL),))

    verdicts = check(wrong, [stated.name], UNHURRIED)

    assert {stated.name: Undecided("it uses EF, which has no diagram here")} == verdicts


def test_no_time_is_no_verdict() -> None:
    assert Undecided("out of time") == verdict(COUNTER, "SPEC AG n < 4", Deadline.after(0.0))
