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
            {"n.x", "s.b"},
            id="a node that only a property calls is design",
        ),
        pytest.param(
            "node c(a: bool) returns (n: int); let n = 0 -> pre n + (if a then 1 else 0); tel;\n"
            "node n(a: bool) returns (p: bool);\n"
            "let p = c(a) >= -1; --%PROPERTY p;\ntel;",
            {"c.n"},
            id="so it is where nothing else is",
        ),
        pytest.param(
            "node d(a: int) returns (b: int); let b = a + 1; tel;\n"
            "node c(a: int) returns (b: int); let b = d(a); tel;\n"
            "node n(a: int) returns (p: bool); var h, g: int;\n"
            "let h = a + 1; g = a; p = condact(true, c(h), 0) > g; --%PROPERTY p;\ntel;",
            {"n.h", "c.b", "d.b"},
            id="from the call down, with what its arguments read",
        ),
        pytest.param(
            "node s(a: int) returns (ok: bool; b: int); let ok = a > b; b = a - 1; tel;\n"
            "node n(a: int) returns (y: int; ok: bool);\n"
            "let (ok, y) = s(a); --%PROPERTY ok;\ntel;",
            {"n.ok,y", "s.ok", "s.b"},
            id="an equation of which one target is a property is design",
        ),
        pytest.param(
            "node n(a: int) returns (y, ok: bool);\n"
            "let (ok, y) = (true, a > 0); --%PROPERTY ok;\n--%PROPERTY y;\ntel;",
            set(),
            id="one of which all are is specification",
        ),
        pytest.param(
            "type R = struct { x: int; ok: bool };\n"
            "node n(a: int) returns (r: R);\n"
            "let r = R { x = a; ok = a >= 0 }; --%PROPERTY r.ok;\ntel;",
            {"n.r"},
            id="a record of which one field is a property is design",
        ),
        pytest.param(
            "node n(a: int) returns (x: int; r: bool[2]);\n"
            "let x = a; r = [a > 0, a > 1]; --%PROPERTY r[0];\n--%PROPERTY r[1];\ntel;",
            {"n.x"},
            id="an array of which all elements are properties is specification",
        ),
        pytest.param(
            "node n(a: bool) returns (x: bool); var p: bool;\n"
            "let x = a; p = x or not x; assert a; --%PROPERTY p;\ntel;",
            {"n.x", "n.assert"},
            id="an assertion is design",
        ),
        pytest.param(
            "node s(a: bool) returns (b: bool); let assert a; b = not a; tel;\n"
            "node n(a: bool) returns (x: bool); var p: bool;\n"
            "let x = s(a); p = x or not x; --%PROPERTY p;\ntel;",
            {"n.x", "s.b"},
            id="but not in a called node, where it does not count",
        ),
    ],
)
def test_the_design_is_that_worked_out_by_hand(body: str, expected: set[str]) -> None:
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
