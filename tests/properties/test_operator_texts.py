"""What operators make of an equation is what their studies say, written by hand."""

from __future__ import annotations

import pytest

from mutproof.model.interpretation import interpretation
from mutproof.model.sorts import Value
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.lustre_models import elaborated
from support.lustre_mutants import mutated_text, program_of

MODEL = "node main (a, b : int) returns (n : int; ok : bool);\nlet {} ok = true;\ntel;\n"
NEGATED, DELAYED = "n = -a - (-b);", "n = 7 -> a + pre (b -> 3);"
INPUTS: tuple[dict[str, Value], ...] = ({"a": 1, "b": 10}, {"a": 2, "b": 20}, {"a": 4, "b": 40})

CASES = (
    ("rm_minus", NEGATED, {"n = a - (-b);": [11, 22, 44], "n = -a - b;": [-11, -22, -44]}),
    (
        "swap_arrow",
        DELAYED,
        {
            "n = a + pre (b -> 3) -> 7;": [None, 7, 7],
            "n = 7 -> a + pre (3 -> b);": [7, 5, 24],
        },
    ),
    (
        "drop_initial",
        DELAYED,
        {"n = a + pre (b -> 3);": [None, 12, 7], "n = 7 -> a + pre 3;": [7, 5, 7]},
    ),
)


def values(text: str) -> list[Value]:
    """Return what n is at each step."""
    found = interpretation(program_of(elaborated(text))).run(Choices(INPUTS))
    assert found is not None
    return [step["n"] for step in found.trace.steps]


@pytest.mark.parametrize(("operator", "equation", "expected"), CASES)
def test_an_operator_makes_what_its_study_says(
    operator: str, equation: str, expected: dict[str, list[Value | None]]
) -> None:
    known = elaborated(MODEL.format(equation))
    found = enumerate_mutants(known, Options(level="all", operators=(operator,)))
    texts = [mutated_text(known, mutant) for mutant in found]

    assert len(expected) == len(texts)
    for text, (written, wanted) in zip(texts, expected.items(), strict=True):
        assert text is not None
        by_hand = MODEL.format(written)
        assert values(by_hand)[1:] == values(text)[1:] == wanted[1:]
        assert wanted[0] in {None, values(text)[0]}  # None: memory before the first step
        assert program_of(elaborated(by_hand)).digest == program_of(elaborated(text)).digest
