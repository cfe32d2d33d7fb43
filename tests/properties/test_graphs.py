"""Systems with few states, decided by their graphs (`solving.graphs`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given

from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.checking.same_steps import SameSteps
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.base.budget import Budget, Deadline
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Element, Program
from mutproof.model.sorts import Value
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import Violated
from mutproof.solving.graphs.neighbourhood import Neighbourhood
from mutproof.solving.graphs.plan import NotFew
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from support.profiles import profile
from support.relational_alternatives import (
    check_evidence,
    dead_end,
    families,
    graph_of,
    with_free_variables,
)


@profile(60)
@given(families())
def test_graphs_have_the_verdicts_of_new_diagrams(
    family: tuple[TransitionSystem, dict[str, Alternative]],
) -> None:
    system, changes = replace(family[0], fairness=(), compassion=()), family[1]
    names = [stated.name for stated in system.properties]
    itself = check(system, names, Deadline.never())
    try:
        near = Neighbourhood(system, Deadline.never())
    except NotFew:
        assert dead_end(graph_of(system)) or "i" in system.variables
        return
    for other in (Alternative(frozenset()), *changes.values()):
        applied = with_free_variables(other.applied(system))
        if applied.variables != system.variables:
            continue
        try:
            found, same = near.verdicts(other, system.properties, Deadline.never())
        except NotFew:
            assert dead_end(graph_of(applied)) or "i" in system.variables
            continue
        alone = check(applied, names, Deadline.never())
        assert {n: type(alone[n]) for n in found} == {n: type(v) for n, v in found.items()}
        if same:
            assert {n: type(v) for n, v in alone.items()} == {n: type(v) for n, v in itself.items()}
        graph = graph_of(applied)
        for stated in system.properties:
            verdict = found.get(stated.name)
            if isinstance(verdict, Violated) and verdict.evidence is not None:
                check_evidence(applied, graph, stated, verdict)


MODEL = """MODULE main
VAR n : 0..3; b : boolean;
ASSIGN init(n) := 0; init(b) := FALSE;
  next(n) := case n = 1 : 0; TRUE : 1; esac;
  next(b) := b ? {TRUE} : {TRUE, FALSE};
CTLSPEC AG AF n = 0
CTLSPEC EF b
"""
REACHED = [{"n": n, "b": b} for n in (0, 1) for b in (False, True)]


def program(text: str = MODEL) -> Program:
    found = LANGUAGE.elaborate(LANGUAGE.parse(SourceText("m.smv", text))).program
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("old", "new", "states", "expected"),
    [
        ("n = 1 : 0", "n = 1 : 0; n = 3 : 2", REACHED, True),
        ("n = 1 : 0", "n = 1 : 0; n = 3 : 2", REACHED[:3], False),
        ("n = 1 : 0", "n = 1 : 0; n = 3 : 2", [], False),
        ("n = 1 : 0", "n = 1 & b : 0", REACHED, False),
        ("n = 1 : 0", "n = 1 : {0, 2}", REACHED, False),
        ("n = 1 : 0", "n = 1 & (next(b) | !next(b)) : 0", REACHED, False),
        ("init(n) := 0", "init(n) := {0, 1}", REACHED, False),
    ],
)
def test_the_oracle_compares_steps_from_all_states(
    old: str, new: str, states: list[dict[str, Value]], *, expected: bool
) -> None:
    itself, other = program(), program(MODEL.replace(old, new))
    pairs = zip(itself.elements(), other.elements(), strict=True)
    bodies: dict[Element, Term | None] = {
        one: two.body for one, two in pairs if one.body != two.body
    }
    meaning = interpretation(itself)
    steps = SameSteps(Notary(), meaning, meaning.system(), states, budget=Budget())

    assert len(bodies) == 1
    assert expected == steps.of(bodies)


def test_mutants_of_a_model_with_few_states_are_decided_by_their_graphs() -> None:
    found = LANGUAGE.elaborate(LANGUAGE.parse(SourceText("m.smv", MODEL)))
    hows: set[str] = set()
    prove = Claim.prove

    def noted(claim: Claim, names: Iterable[str], evidence: Holds) -> None:
        hows.add(evidence.how)
        prove(claim, names, evidence)

    mutants: list[MutantFinding] = []

    def emit(event: Event) -> None:
        if isinstance(event, MutantFinding):
            mutants.append(event)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Claim, "prove", noted)
        analyse(found, Options(cores=False), Memory(), emit, cancelled=lambda: False)

    assert "exploration" in hows
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= {one.status for one in mutants}
