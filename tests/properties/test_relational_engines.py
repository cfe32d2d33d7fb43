"""The SMT engines agree with an explicit search on small systems that relate states."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mutproof.base.budget import Budget
from mutproof.model import terms, walk
from mutproof.model.interpretation import interpretation
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import certify, portfolio, spacer
from mutproof.solving.solver import Answer
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate, Proved, Refuted
from support.explicit import StateSpace, explore, invariant_holds
from support.nusmv_mutants import accepted, program_of
from support.oracles import Graph
from support.profiles import profile
from support.relational_systems import STATES, stating, systems
from support.systems import INIT, INPUT, INVAR, MODES, STATE, TRANS, define
from support.systems import system as made

BUDGET = Budget(timeout_s=30)


def explored(system: TransitionSystem, stated: list[Term]) -> tuple[TransitionSystem, StateSpace]:
    """Return a relational system with invariants, and its states."""
    system = replace(stating(system, PropertyKind.INVARIANT, *stated), relational=True)
    space = explore(system)
    assert space is not None
    return system, space


@profile(25)
@given(systems(), st.lists(STATES, min_size=1, max_size=3))
def test_invariants_are_proved_where_no_reachable_state_breaks_them(
    system: TransitionSystem, stated: list[Term]
) -> None:
    system, space = explored(system, stated)
    graph = Graph(system, space)
    process = SpacerProcess()
    try:
        options = portfolio.PortfolioOptions(spacer=process)
        verdicts = portfolio.prove(system, BUDGET, options).verdicts
    finally:
        process.close()

    for name, verdict in verdicts.items():
        if invariant_holds(system, space, name):
            assert isinstance(verdict, Proved), verdict
            assert certify.certify(system, verdict.certificate, BUDGET).ok
        else:
            assert isinstance(verdict, Refuted), verdict
            check_failure(graph, name, verdict)


@profile(25)
@given(systems(), st.lists(STATES, min_size=1, max_size=2))
def test_spacer_reaches_a_failure_where_a_search_does(
    system: TransitionSystem, stated: list[Term]
) -> None:
    system, space = explored(system, stated)
    for goal in system.properties:
        claim = spacer.ask(system, (goal.name,), (), rlimit=0, cpu_s=30, timeout_s=30)
        if not invariant_holds(system, space, goal.name):
            assert claim.answer is Answer.SAT
        elif claim.reason.startswith("no invariant"):  # decided while rules were simplified
            assert claim.answer is Answer.UNKNOWN
        else:
            assert claim.answer is Answer.UNSAT
            certificate = Certificate(1, claim.invariant, (goal.name,))
            assert certify.certify(system, certificate, BUDGET).ok


def test_elements_of_an_array_may_have_no_bounds() -> None:
    text = """\
MODULE main
VAR
  a : array 0..1 of integer;
  i : 0..1;
ASSIGN
  init(a[0]) := 3;
  next(a[0]) := a[0] + a[1];
  a[1] := i + 1;
INVARSPEC a[i] >= 1
INVARSPEC a[0] < 7
"""
    program = program_of(accepted(text))
    system = interpretation(program).system()
    proved, refuted = portfolio.prove(system, BUDGET).verdicts.values()
    assert isinstance(proved, Proved)
    assert isinstance(refuted, Refuted)
    assert refuted.step == 2


def test_an_invariant_is_over_what_the_next_step_reads() -> None:
    mode, shown = (terms.var(name, MODES) for name in ("mode", "shown"))
    off, on, broken = (terms.const(value, MODES) for value in MODES.values)
    go = terms.var("go", BOOL)
    other = terms.ite(terms.eq(mode, off), on, terms.ite(terms.eq(mode, on), off, broken))
    system = made(
        {"go": (BOOL, INPUT), "mode": (MODES, STATE), "shown": (MODES, STATE)},
        [
            define(INIT, "mode", off),
            define(INVAR, "shown", terms.ite(terms.eq(mode, on), off, mode)),
            define(TRANS, "mode", terms.ite(go, other, mode)),
        ],
        {"never broken": terms.ne(mode, broken), "not shown": terms.ne(shown, on)},
    )
    system = replace(system, relational=True)
    claim = spacer.ask(system, ("never broken",), (), rlimit=0, cpu_s=10, timeout_s=10)
    assert {"mode"} == set().union(*map(walk.variables, claim.invariant))
    claim = spacer.ask(system, ("not shown",), (), rlimit=0, cpu_s=10, timeout_s=10)
    assert {"mode", "shown"} >= set().union(*map(walk.variables, claim.invariant))
    certificate = Certificate(1, claim.invariant, ("not shown",))
    assert certify.certify(system, certificate, BUDGET).ok


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
