"""A refutation is shown by one path where one path can show it, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from test_bdd_family import check_evidence
from test_bdd_meaning import COUNTER, verdict

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import Violated
from support.deadlines import UNHURRIED
from support.explicit import explore
from support.oracles import Graph
from support.profiles import profile
from support.relational_systems import BRANCHING, stating, systems

FREE = "VAR b : boolean; c : boolean;"


@pytest.mark.parametrize(
    "stated",
    [
        "SPEC AG n < 2",
        "SPEC AF n > 3",
        "SPEC AG AF n > 3",
        "SPEC !EF n = 2",
        "SPEC AX AX n = 1",
        "SPEC A [ n < 2 U n = 3 ]",
        "SPEC AG (n = 1 -> AX n = 3)",
        "INVARSPEC n < 3",
        "LTLSPEC G n < 3",
    ],
)
def test_one_path_shows_it(stated: str) -> None:
    found = verdict(COUNTER, stated)

    assert isinstance(found, Violated)
    assert found.evidence is not None
    assert (found.evidence.loop is None) == stated.startswith("INVAR")


@pytest.mark.parametrize(
    "stated",
    ["SPEC EF (b & !b)", "SPEC AG EF !b & EG AX b", "SPEC AF AG b", "SPEC A [ b U AG b ]"],
)
def test_no_single_path_shows_it(stated: str) -> None:
    found = verdict(FREE, stated)

    assert isinstance(found, Violated)
    assert found.evidence is None


def test_the_path_goes_on_fairly() -> None:
    found = verdict("VAR n : 0..3; INIT n = 0; JUSTICE n = 2; JUSTICE n = 3;", "SPEC AG n != 1")

    assert isinstance(found, Violated)
    assert found.evidence is not None
    values = [step["n"] for step in found.evidence.steps]
    assert found.evidence.loop is not None
    assert {2, 3} <= set(values[found.evidence.loop :])
    assert 1 in values


def universal(formula: Term) -> Term:
    """Return AG of one step or path more, which random formulas rarely have on top."""
    return terms.make(Op.AG, BOOL, (terms.make(Op.AF, BOOL, (formula,)),))


@profile(60)
@given(systems(), BRANCHING)
def test_evidence_is_an_execution_that_fails(system: TransitionSystem, formula: Term) -> None:
    space = explore(system)
    assert space is not None
    stated = stating(system, PropertyKind.CTL, formula, universal(formula), terms.not_(formula))
    verdicts = check(stated, ["p0", "p1", "p2"], UNHURRIED)

    graph = Graph(system, space)
    for declared in stated.properties:
        found = verdicts[declared.name]
        if isinstance(found, Violated):
            check_evidence(stated, graph, declared, found)
