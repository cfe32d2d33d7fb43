"""Where variants get beyond the states of their system (`solving.bdd.departures`)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mutproof.analyses import strategies
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.analyses.deciding.rungs import same_steps
from mutproof.analyses.strategies import STRATEGIES
from mutproof.base.budget import Deadline
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Trace
from mutproof.solving.bdd.departures import Departures
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.relation import partitioned
from mutproof.solving.bdd.same_steps import SameSteps
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.oracles import Graph
from support.profiles import profile
from support.reading import analysed, elaborated_in
from support.relational_alternatives import graph_of
from support.relational_systems import (
    INIT,
    INVAR,
    NUMBERS,
    STATE,
    STATES,
    TRANS,
    A,
    D,
    N,
    combined,
    systems,
)

_NEXT = terms.next_var("n", NUMBERS)
_STEPS = combined((terms.eq(_NEXT, N), terms.eq(_NEXT, terms.int_(1)), terms.next_var("a", BOOL)))


@st.composite
def variants(draw: st.DrawFn) -> tuple[TransitionSystem, TransitionSystem]:
    """Return a system with a constraint of steps, and one with another step or definition."""
    system = draw(systems())
    way, test = draw(_STEPS), draw(STATES)
    old = Constraint(TRANS, terms.or_(test, way))
    whole = replace(system, constraints=(*system.constraints, old))
    other = terms.or_(draw(STATES), way) if draw(st.booleans()) else terms.or_(test, draw(_STEPS))
    new = Constraint(TRANS, other)
    if draw(st.integers(0, 3)) == 0:
        old = next(one for one in system.constraints if one.defines == "d")
        body = draw(combined((A, terms.eq(N, terms.int_(1)))))
        new = Constraint(INVAR, terms.eq(D, body), None, "d")
    left = tuple(one for one in whole.constraints if one is not old)
    return whole, replace(whole, constraints=(*left, new))


def row_of(graph: Graph, state: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(state[name] for name in graph.space.names)


def check_execution(graph: Graph, found: Trace) -> list[object]:
    """Check that a graph has an execution; return its states."""
    rows = [row_of(graph, state) for state in found.steps]
    assert rows[0] in graph.space.initial
    assert all(later in graph.after[row] for row, later in itertools.pairwise(rows))
    assert found.loop is None or rows[found.loop] in graph.after[rows[-1]]
    return [*rows]


@profile(500)
@given(variants(), st.lists(STATES, min_size=1, max_size=4))
def test_a_condition_of_a_system_fails_in_a_variant_if_an_execution_is_found(
    pair: tuple[TransitionSystem, TransitionSystem], drawn: list[Term]
) -> None:
    system, other = pair
    graph, changed = graph_of(system), graph_of(other)
    conditions = [one for one in drawn if graph.where(one) == {*graph.rows}]
    assume(conditions)
    failing = {row for one in conditions for row in {*changed.rows} - changed.where(one)}
    searched = Departures(SameSteps(system, Deadline.never()), conditions)

    found = searched.failing(other, Deadline.never())

    if found is not None:
        assert not failing.isdisjoint(check_execution(changed, found))
    elif failing:
        # Other initial states, or others that are forbidden, are looked at by nobody here.
        manager = Manager(Deadline.never())
        before, after = (partitioned(Encoder(manager, one)) for one in (system, other))
        assert (before.initial, before.invariant) != (after.initial, after.invariant)


def test_what_only_states_reach_that_the_variant_does_not_is_not_found() -> None:
    first = Constraint(INIT, terms.eq(N, terms.int_(0)))

    def stepping(*ways: tuple[int, int]) -> TransitionSystem:
        steps = (
            terms.and_(terms.eq(N, terms.int_(start)), terms.eq(_NEXT, terms.int_(end)))
            for start, end in ways
        )
        declared = {"n": SystemVariable("n", NUMBERS, STATE)}
        return TransitionSystem(declared, (first, Constraint(TRANS, terms.disjunction(steps))), ())

    known = SameSteps(stepping((0, 0), (0, 1), (1, 0)), Deadline.never())
    searched = Departures(known, [terms.compare(Op.LT, N, terms.int_(2))])

    assert searched.failing(stepping((0, 0), (1, 2), (2, 2)), Deadline.never()) is None
    found = searched.failing(stepping((0, 1), (1, 2), (2, 2)), Deadline.never())
    assert found is not None
    assert [state["n"] for state in found.steps] == [0, 1, 2]


TEXT = """MODULE main
VAR n : 0..7; up : boolean; m : 0..3;
DEFINE high := n > 2;
ASSIGN init(n) := 0; init(m) := 0;
  next(n) := case n = 7 : 7; high : 0; up : n + 1; TRUE : n; esac;
  next(m) := case n = 3 : 1; n = 6 : 3; TRUE : m; esac;
INVARSPEC NAME bounded := n <= 3
CTLSPEC NAME low := AG m < 2
CTLSPEC NAME may_go_on := AG (n = 2 -> EX n = 3)
"""


def test_mutants_that_get_beyond_the_states_of_the_model_are_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(same_steps, "LEAST_NODES", 0)
    model = elaborated_in("nusmv", TEXT)
    options = Options(level="all", cores=False)
    only = replace(STRATEGIES["default"], rungs=(same_steps.SAME, same_steps.DEPARTING))
    with monkeypatch.context() as patched:
        patched.setattr(strategies, "STRATEGIES", {"default": only})
        found = {one.mutant: one for one in analysed(model, options, Memory()).mutants}
    whole = {one.mutant: one for one in analysed(model, options, Memory()).mutants}

    killed = {name: one for name, one in found.items() if one.status is MutantStatus.KILLED}
    assert {"bounded", "low"} == {goal for one in killed.values() for goal in one.killed_by}
    for name, one in killed.items():
        assert whole[name].status is MutantStatus.KILLED
        assert {*one.killed_by} <= {*whole[name].killed_by}
        assert all(one.steps[goal] == whole[name].steps[goal] for goal in one.killed_by)
