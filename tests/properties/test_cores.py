"""Cores prove their property, nothing in them can go, and MUST is what every core has."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from mutproof.analyses.finding import PropertyVerdict
from mutproof.analyses.variant import Variant, applied
from mutproof.model.lower import lower
from mutproof.model.program import ElementId
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved
from support.lustre_interpreter import truth
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import BUDGET, options, program_of, report
from support.profiles import profile

CORES = options(cores=True, mutate=False)


@profile(12)
@given(models(finite=True, size=3))
def test_a_core_proves_its_property_and_is_minimal(model: Model) -> None:
    found = accepted(model.text)
    program = program_of(found)
    whole = truth(program)
    if not whole.exact or whole.longest < 3:
        return
    system = lower(program)
    elements = [element.id for element in program.elements() if element.id in system.by_owner]
    for stated in report(found, CORES).properties:
        if stated.verdict is not PropertyVerdict.PROVED:
            assert stated.core is None
            continue
        assert stated.core is not None
        assert stated.must is not None
        owner = system.property(stated.name).owner
        kept = {*stated.core, owner}
        reduced = applied(system, Variant("core", frozenset(e for e in elements if e not in kept)))
        outcome = portfolio.prove(reduced, BUDGET, goals=[stated.name])
        assert isinstance(outcome.verdicts[stated.name], Proved)
        assert owner not in stated.core
        assert set(stated.must) <= set(stated.core)
        assert sorted(stated.core, key=elements.index) == list(stated.core)
        for gone in stated.core:
            # Calls in a removed equation have no properties any more, so stay with the others.
            without = {e: None for e in program.elements() if e.id not in kept - {gone}}
            seen = truth(program, without)
            if seen.exact and "." not in stated.name:
                assert stated.name in seen.violated, gone


@profile(12)
@given(models(finite=True, size=3))
def test_must_is_what_cannot_go_alone(model: Model) -> None:
    found = accepted(model.text)
    program = program_of(found)
    whole = truth(program)
    if not whole.exact or whole.longest < 3:
        return
    for stated in report(found, CORES).properties:
        if stated.must is None or "." in stated.name:
            continue
        for element in {element.id for element in program.elements()}:
            without = dict.fromkeys(program.by_id[element])
            seen = truth(program, without)
            owner = lower(program).property(stated.name).owner
            if seen.exact and element != owner:
                assert (stated.name in seen.violated) == (element in stated.must), element


def names(elements: tuple[ElementId, ...] | None) -> list[str]:
    return [element.name.split("#")[0] for element in elements or ()]


@pytest.mark.parametrize(
    ("text", "core", "must"),
    [
        pytest.param(
            "node top(a: bool) returns (x, y, p: bool);\n"
            "let x = true; y = true; p = x or y; --%PROPERTY p;\ntel;",
            1,
            [],
            id="one of two reasons is a core, and neither is in every core",
        ),
        pytest.param(
            "node top(a: bool) returns (x, y, p: bool);\n"
            "let x = true; y = true; p = x and y; --%PROPERTY p;\ntel;",
            2,
            ["x", "y"],
            id="two needed reasons are both in every core",
        ),
        pytest.param(
            "node top(a: bool) returns (x, y, p: bool);\n"
            "let x = a; y = x; p = x = y; assert not a; --%PROPERTY p;\ntel;",
            1,
            ["y"],
            id="what the property does not need is in no core",
        ),
        pytest.param(
            "node top(a: bool) returns (x, p: bool);\n"
            "let x = a; p = not x; assert not a; --%PROPERTY p;\ntel;",
            2,
            ["x", "assert"],
            id="an assertion is an element too",
        ),
        pytest.param(
            "node n(a: bool) returns (b: bool); let b = not a; tel;\n"
            "node top(a: bool) returns (x, y, p: bool);\n"
            "let x = n(a); y = n(a); p = x = y; --%PROPERTY p;\ntel;",
            3,
            ["b", "x", "y"],
            id="an equation of a node stands for all its instances",
        ),
    ],
)
def test_the_core_is(text: str, core: int, must: list[str]) -> None:
    stated = report(accepted(text), CORES).properties[0]

    assert core == len(stated.core or ())
    assert must == names(stated.must)


@profile(12)
@given(models(finite=True, size=3), sources())
def test_cores_are_the_same_in_every_run(model: Model, source: random.Random) -> None:
    first = report(accepted(model.text), CORES).properties
    again = report(accepted(model.text), CORES).properties

    assert [(p.name, p.core, p.must) for p in first] == [(p.name, p.core, p.must) for p in again]
