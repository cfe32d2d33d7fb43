"""Memories without a first value hold an arbitrary value of their type, however deep `pre` is."""

from __future__ import annotations

import pytest

from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.workspace.options import Options
from support.reading import analysed, elaborated_in

MODELS = {
    "an enumeration": """
        type color = enum {RED, GREEN, BLUE};
        node top(a: color) returns (o: color; p: bool);
        let
          o = pre (pre a);
          p = o = RED or o = GREEN or o = BLUE;
          --%PROPERTY p;
        tel;
    """,
    "a subrange": """
        node top(a: subrange [0, 2] of int) returns (o: subrange [0, 2] of int; p: bool);
        let
          o = pre (0 -> pre a);
          p = 0 <= o and o <= 2;
          --%PROPERTY p;
        tel;
    """,
    "outputs of a node": """
        type color = enum {RED, GREEN};
        node same(a: color) returns (o: color);
        let
          o = a;
        tel;
        node top(a: color) returns (p: bool);
        var o: color;
        let
          o = pre (same(a));
          p = o = RED or o = GREEN;
          --%PROPERTY p;
          --%MAIN;
        tel;
    """,
}


def verdict(text: str) -> PropertyVerdict:
    elaborated = elaborated_in("lustre", text)
    options = Options(mutate=False, cores=False)
    report = analysed(elaborated, options)
    return report.properties[0].verdict


@pytest.mark.parametrize("kind", MODELS)
def test_a_value_before_the_first_step_lies_in_its_type(kind: str) -> None:
    assert PropertyVerdict.PROVED == verdict(MODELS[kind])


def test_an_operand_with_state_is_not_bounded_before_the_first_step() -> None:
    text = MODELS["a subrange"].replace("(o: subrange [0, 2] of int;", "(o: int;")

    assert PropertyVerdict.FALSIFIED == verdict(text)


def test_a_value_before_the_first_step_is_arbitrary_in_its_type() -> None:
    text = MODELS["a subrange"].replace("o <= 2;", "o <= 1;")

    assert PropertyVerdict.FALSIFIED == verdict(text)
