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
SET = "x ? {TRUE} : {FALSE}"


@pytest.mark.parametrize(("body", "expected"), [("b", Equivalent), ("x ? b : TRUE", Gap)])
def test_what_reads_a_set_that_was_a_variable_is_compared_too(
    body: str, expected: type[object]
) -> None:
    program = program_of(accepted(MODEL))
    bodies: dict[Element, Term | None] = {}
    for change in (("b := x", f"b := {SET}"), ("a := b", f"a := {body}")):  # each on its own
        changed = program_of(accepted(MODEL.replace(*change)))
        others = {element.id: element.body for element in changed.elements()}
        for element in program.elements():
            if others[element.id] != element.body:
                bodies[element] = others[element.id]
    meaning = interpretation(program)
    baseline = Baseline(meaning, meaning.system(), {}, {})

    views = Views(baseline, Notary()).of(bodies)

    assert views is not None
    assert expected is type(views.compare((), ComparisonLimits(Budget(timeout_s=60))))
