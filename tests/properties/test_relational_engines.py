"""The SMT engines agree with an explicit search on small systems that relate states."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mutproof.base.budget import Budget
from mutproof.model.program import PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import certify, portfolio
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Proved, Refuted
from support.explicit import explore, invariant_holds
from support.oracles import Graph
from support.profiles import profile
from support.relational_systems import STATES, stating, systems

BUDGET = Budget(timeout_s=30)


@profile(25)
@given(systems(), st.lists(STATES, min_size=1, max_size=3))
def test_invariants_are_proved_where_no_reachable_state_breaks_them(
    system: TransitionSystem, stated: list[Term]
) -> None:
    system = replace(stating(system, PropertyKind.INVARIANT, *stated), relational=True)
    space = explore(system)
    assert space is not None
    graph = Graph(system, space)
    spacer = SpacerProcess()
    try:
        options = portfolio.PortfolioOptions(spacer=spacer)
        verdicts = portfolio.prove(system, BUDGET, options).verdicts
    finally:
        spacer.close()

    for name, verdict in verdicts.items():
        if invariant_holds(system, space, name):
            assert isinstance(verdict, Proved), verdict
            assert certify.certify(system, verdict.certificate, BUDGET).ok
        else:
            assert isinstance(verdict, Refuted), verdict
            check_failure(graph, name, verdict)


def check_failure(graph: Graph, name: str, verdict: Refuted) -> None:
    """Replay the whole states of a counterexample in the graph."""
    failing = set(graph.rows) - graph.where(graph.system.property(name).term)
    chosen = [
        {row for row in graph.rows if all(_value(graph, row, n) == v for n, v in step.items())}
        for step in verdict.choices.steps
    ]
    reached = chosen[0] & set(graph.space.initial)
    for candidates in chosen[1:]:
        reached = {after for row in reached for after in graph.after[row]} & candidates
    assert reached & failing


def _value(graph: Graph, row: tuple[object, ...], name: str) -> object:
    return row[graph.space.names.index(name)]
