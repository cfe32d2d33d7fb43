"""DEFINEs that are no variables, of mutants that change several of them."""

from __future__ import annotations

import pytest

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.claims.verdict import Equivalent, Gap
from mutproof.analyses.equivalence.limits import ComparisonLimits
from mutproof.analyses.equivalence.views import Views
from mutproof.base.budget import Budget
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Element
from mutproof.model.terms import Term
from support.lustre_mutants import program_of
from support.nusmv_mutants import accepted

MODEL = """MODULE main
VAR x : boolean;
ASSIGN init(x) := FALSE; next(x) := !x;
DEFINE b := x; a := b;
INVARSPEC a = x
"""
STEPS = """MODULE main
VAR x : boolean;
DEFINE up := !x & next(x);
TRANS x | next(x)
INVARSPEC x | !x
"""
SET = "x ? {TRUE} : {FALSE}"


@pytest.mark.parametrize(("body", "expected"), [("b", Equivalent), ("x ? b : TRUE", Gap)])
def test_what_reads_a_set_that_was_a_variable_is_compared_too(
    body: str, expected: type[object]
) -> None:
    assert expected is compared(MODEL, ("b := x", f"b := {SET}"), ("a := b", f"a := {body}"))


@pytest.mark.parametrize(("body", "expected"), [("next(x) | x", Equivalent), ("next(x)", Gap)])
def test_a_macro_is_compared_where_a_constraint_changes_too(
    body: str, expected: type[object]
) -> None:
    macro = ("up := !x & next(x)", "up := next(x) & !x")

    assert expected is compared(STEPS, macro, ("TRANS x | next(x)", f"TRANS {body}"))


def compared(text: str, *changes: tuple[str, str]) -> type[object]:
    """Return the type of the verdict on a model with changes, each made on its own."""
    program = program_of(accepted(text))
    bodies: dict[Element, Term | None] = {}
    for change in changes:
        others = program_of(accepted(text.replace(*change))).elements()
        for element, other in zip(program.elements(), others, strict=True):
            if other.body != element.body:
                bodies[element] = other.body
    meaning = interpretation(program)
    baseline = Baseline(meaning, meaning.system(), {}, {})

    views = Views(baseline, Notary()).of(bodies)

    assert views is not None
    return type(views.compare((), ComparisonLimits(Budget(timeout_s=60))))
