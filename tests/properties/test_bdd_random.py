"""The diagrams agree with an explicit search on small systems, and their traces are executions."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from mutproof.model.program import PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Trace
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated
from support.deadlines import UNHURRIED
from support.explicit import explore, invariant_holds
from support.oracles import Graph
from support.profiles import profile
from support.relational_systems import BRANCHING, LINEAR, STATES, stating, systems

LONGEST_LASSO = 4


def decided(system: TransitionSystem) -> tuple[Graph, list[BddVerdict]]:
    space = explore(system)
    assert space is not None
    names = [stated.name for stated in system.properties]
    return Graph(system, space), list(check(system, names, UNHURRIED).values())


def check_execution(graph: Graph, trace: Trace) -> list[tuple]:
    rows = [graph.row(dict(step)) for step in trace.steps]
    assert rows[0] in graph.space.initial
    for row, other in itertools.pairwise(rows):
        assert other in graph.after[row]
    if trace.loop is not None:
        assert rows[trace.loop] in graph.after[rows[-1]]
    return rows


@profile(40)
@given(systems(), st.lists(STATES, min_size=1, max_size=3))
def test_invariants_hold_in_all_reachable_states(
    system: TransitionSystem, stated: list[Term]
) -> None:
    system = stating(system, PropertyKind.INVARIANT, *stated)
    graph, verdicts = decided(system)

    for number, verdict in enumerate(verdicts):
        assert invariant_holds(system, graph.space, f"p{number}") == isinstance(verdict, Holding)
        if isinstance(verdict, Violated):
            assert verdict.trace is not None
            rows = check_execution(graph, verdict.trace)
            holds = [row in graph.where(stated[number]) for row in rows]
            assert [True] * (len(rows) - 1) + [False] == holds


@profile(80)
@given(systems(), st.lists(BRANCHING, min_size=1, max_size=3))
def test_branching_properties_hold_in_initial_states_of_fair_paths(
    system: TransitionSystem, stated: list[Term]
) -> None:
    graph, verdicts = decided(stating(system, PropertyKind.CTL, *stated))

    start = set(graph.space.initial) & graph.fair
    for formula, verdict in zip(stated, verdicts, strict=True):
        failing = start - graph.satisfying(formula)
        assert isinstance(verdict, Violated) == bool(failing)
        if isinstance(verdict, Holding):
            assert (verdict.vacuity is None) == bool(start)
            if verdict.witness is not None:
                check_execution(graph, verdict.witness)
        if isinstance(verdict, Violated):
            assert verdict.trace is not None
            rows = check_execution(graph, verdict.trace)
            assert rows[0] in graph.any_input(failing)
            if verdict.trace.loop is not None:
                cycle = set(rows[verdict.trace.loop :])
                assert all(cycle & often for often in graph.justice)


@profile(80)
@given(systems(), LINEAR)
def test_linear_properties_hold_on_all_fair_paths(system: TransitionSystem, stated: Term) -> None:
    graph, (verdict,) = decided(stating(system, PropertyKind.LTL, stated))

    if isinstance(verdict, Violated):
        assert verdict.trace is not None
        assert verdict.trace.loop is not None
        rows = check_execution(graph, verdict.trace)
        assert graph.is_fair(rows[verdict.trace.loop :])
        assert not graph.holds_on(stated, rows, verdict.trace.loop)
    else:
        assert isinstance(verdict, Holding)
        for tried, (path, loop) in enumerate(graph.lassos(LONGEST_LASSO)):
            assert verdict.vacuity is None
            assert graph.holds_on(stated, path, loop)
            if tried > 60:
                break
