"""Design and specification: what describes the system, and what is stated about it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from mutproof.model.program import Role
from mutproof.model.roles import roles
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, models, moved_text, sources
from support.lustre_mutants import options, program_of
from support.profiles import profile


def check_design(body: str, expected: set[str]) -> None:
    program = program_of(accepted(body))
    found = {f"{e.component}.{e.name}" for e, role in roles(program).items() if role is Role.DESIGN}
    assert expected == {name.split("#")[0] for name in found}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            "node n(a: int) returns (x: int; p: bool);\n"
            "let x = a + 1; p = x > a; --%PROPERTY p;\ntel;",
            {"n.x"},
            id="the equation of a property is specification",
        ),
        pytest.param(
            "node n(a: int) returns (x: int); var h, p: bool;\n"
            "let x = a + 1; h = x > a; p = h or a > 3; --%PROPERTY p;\ntel;",
            {"n.x"},
            id="so is a helper that only a property reads",
        ),
        pytest.param(
            "node n(a: int) returns (x: int; h: bool); var p: bool;\n"
            "let x = a + 1; h = x > a; p = h or a > 3; --%PROPERTY p;\ntel;",
            {"n.x", "n.h"},
            id="an output is design even where a property reads it",
        ),
        pytest.param(
            "node n(a: int) returns (x: int); var h, p: bool;\n"
            "let x = a + 1; h = true -> pre h and x > a; p = h; --%PROPERTY p;\ntel;",
            {"n.x", "n.h"},
            id="what remembers is design",
        ),
        pytest.param(
            "node s(a: bool) returns (b: bool); let b = not a; tel;\n"
            "node n(a: bool) returns (x: bool); var p: bool;\n"
            "let x = a; p = x or s(a); --%PROPERTY p;\ntel;",
            {"n.x"},
            id="a node that only a property calls is specification",
        ),
        pytest.param(
            "node n(a: bool) returns (x: bool); var p: bool;\n"
            "let x = a; p = x or not x; assert a; --%PROPERTY p;\ntel;",
            {"n.x", "n.assert"},
            id="an assertion is design",
        ),
    ],
)
def test_the_design_is(body: str, expected: set[str]) -> None:
    check_design(body, expected)


@profile(60)
@given(models(), sources())
def test_every_element_has_a_role_that_survives_moved_text(
    model: Model, source: random.Random
) -> None:
    program = program_of(accepted(model.text))
    found = roles(program)

    assert {element.id for element in program.elements()} == set(found)
    assert found == roles(program_of(accepted(moved_text(source, model.text))))


@profile(60)
@given(models())
def test_only_the_design_is_mutated(model: Model) -> None:
    elaborated = accepted(model.text)
    found = roles(program_of(elaborated))
    for mutant in enumerate_mutants(elaborated, options("all")):
        assert Role.DESIGN is found[mutant.element]


@profile(60)
@given(models())
def test_the_equation_of_a_property_is_specification(model: Model) -> None:
    program = program_of(accepted(model.text))
    found = roles(program)
    for component in program.components:
        stated = {str(p.term.payload) for p in component.properties}
        for element in component.elements:
            if stated & set(element.targets):
                assert Role.SPECIFICATION is found[element.id]
