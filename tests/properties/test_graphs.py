"""Systems with few states, decided by their graphs (`solving.graphs`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given

from mutproof.analyses import strategies
from mutproof.analyses.checking.second_graphs import SecondGraphs
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.rungs import graphs
from mutproof.analyses.deciding.strategy import Strategy
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.base import digraph
from mutproof.base.budget import Deadline
from mutproof.model import relational_explore
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Element, PropertyKind
from mutproof.model.relational_demands import NotExplored
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Vacuity, Violated
from mutproof.solving.graphs import neighbourhood
from mutproof.solving.graphs.labels import branching
from mutproof.solving.graphs.neighbourhood import Neighbourhood
from mutproof.solving.graphs.plan import NotFew
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from support.deadlines import UNHURRIED
from support.explicit import explore
from support.nusmv_mutants import accepted, mutants_of, program_of
from support.oracles import Graph
from support.profiles import profile
from support.reading import analysed, elaborated_in
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
    system, changes = replace(family[0], compassion=()), family[1]
    names = [stated.name for stated in system.properties]
    try:
        near = Neighbourhood(system, UNHURRIED)
    except NotFew:
        assert dead_end(graph_of(system)) or "i" in system.variables
        return
    for other in (Alternative(frozenset()), *changes.values()):
        applied = with_free_variables(other.applied(system))
        if applied.variables != system.variables:
            continue
        alone = check(applied, names, UNHURRIED)
        with suppress(NotFew):
            lasting = near.lasting(other, system.properties, UNHURRIED)
            assert {n: said(alone[n]) for n in lasting} == {n: said(v) for n, v in lasting.items()}
        try:
            found = near.verdicts(other, system.properties, UNHURRIED)
        except NotFew:
            graph = graph_of(applied)
            assert dead_end(graph) or "i" in system.variables
            continue
        assert {n: said(alone[n]) for n in found} == {n: said(v) for n, v in found.items()}
        graph = graph_of(applied)
        for stated in system.properties:
            verdict = found.get(stated.name)
            if isinstance(verdict, Violated) and verdict.evidence is not None:
                check_evidence(applied, graph, stated, verdict)


def said(verdict: BddVerdict) -> tuple[type[BddVerdict], Vacuity | None]:
    """Return whether a property holds, and why it could not fail."""
    return type(verdict), verdict.vacuity if isinstance(verdict, Holding) else None


MODEL = """MODULE main
VAR n : 0..3; b : boolean;
ASSIGN init(n) := 0; init(b) := FALSE;
  next(n) := case n = 1 : 0; TRUE : 1; esac;
  next(b) := b ? {TRUE} : {TRUE, FALSE};
CTLSPEC AG AF n = 0
CTLSPEC EF b
"""


def test_mutants_with_one_graph_are_killed_on_the_same_path() -> None:
    bodies = ("n = 1 : 0; TRUE : 2;", "n = 1 : 3; TRUE : 2;", "n = 1 : 0; TRUE : 3;")
    systems = [_system(MODEL.replace("n = 1 : 0; TRUE : 1;", body)) for body in bodies]
    system = _system(MODEL)
    near = Neighbourhood(system, UNHURRIED)
    paths = []
    for changed in systems:
        new = [c for c in changed.constraints if c not in system.constraints]
        removed = frozenset(c.owner for c in new if c.owner is not None)
        found = near.verdicts(Alternative(removed, tuple(new)), system.properties, UNHURRIED)
        verdicts = [*found.values()]
        assert isinstance(verdicts[0], Violated)
        assert Holding() == verdicts[1]
        assert verdicts[0].evidence is not None
        paths.append(verdicts[0].evidence)

    assert paths[0] is paths[1]
    assert paths[0] != paths[2]


def _system(text: str) -> TransitionSystem:
    return interpretation(program_of(accepted(text))).system()


EXPLORED = [
    MODEL,
    """MODULE main
VAR n : 0..2; c : array 0..1 of boolean; e : {1, 2, red};
FROZENVAR f : boolean;
DEFINE some := {0, n}; sum := n + (f ? 1 : 0);
INIT n = 0 & e != red & (f | n = 0)
INVAR !(n = 2 & e = red)
TRANS next(n) = n | next(c[1]) != c[1]
ASSIGN init(c[0]) := FALSE; next(c[0]) := !c[0]; next(n) := some union sum mod 3;
CTLSPEC AG EF n = 0
CTLSPEC !E [n < 2 U (c[1] & EG e = red)] -> A [f U n = 1]
CTLSPEC AF (n = 0 | AX c[0])
INVARSPEC sum < 3
LTLSPEC G (c[0] -> X (!c[0] & F n < 2))
LTLSPEC n < 2 | ((f | n > 0) U n = 1 & G (n = 2 | F c[1]))
LTLSPEC G F c[1] & X G (n < 3)
""",
    """MODULE main
VAR n : 0..3; b : boolean; x : boolean; y : 0..3; t : boolean;
DEFINE big := n > 1; left := 3 - n;
ASSIGN init(n) := 0; next(n) := b & n <= 3 ? (n + 1) mod 4 : n;
  x := big & b; y := x ? n : left;
  init(t) := FALSE; next(t) := (b -> t) != next(b);
FAIRNESS b
FAIRNESS big | !b
CTLSPEC AG AF n = 0
CTLSPEC EG (x | !big)
CTLSPEC EX EG !b
CTLSPEC A [y > 0 U (b | n = 0)]
CTLSPEC AG (b -> A [n > 0 | b U t & AF x])
INVARSPEC n < 4
LTLSPEC G (t -> F !b)
LTLSPEC X (b U x)
""",
    """MODULE main
VAR n : 0..2; x : 0..2; b : boolean; k : {1, 2, 3};
DEFINE low := b & n = 1; least := low ? 1 : 0;
INVAR x + n < 4
ASSIGN x := b ? {0, n} : least; init(n) := 1;
  next(n) := k = 2 ? 2 : n = 2 ? 1 : {n, 1}; next(b) := b xor next(k) = 2; k := n + 1;
FAIRNESS n = 1
CTLSPEC AF n = 1
CTLSPEC EG n = 1
CTLSPEC AG AF (b | x = 0)
LTLSPEC F x < 2
""",
]


@pytest.mark.parametrize(
    ("text", "kept"), [*((text, 50_000) for text in EXPLORED), *((text, 0) for text in EXPLORED)]
)
def test_the_oracle_finds_the_states_of_mutants(
    text: str, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relational_explore, "MOST_KEPT", kept)
    found = accepted(text)
    program = program_of(found)
    meaning = interpretation(program)
    system = meaning.system()
    explorer = meaning.explorer(system.variables, {})
    assert explorer is not None
    second = SecondGraphs(meaning, system)
    outcomes: Counter[str] = Counter()
    for mutant in mutants_of(found, "default"):
        bodies = mutated_bodies(program, mutant)
        changed = interpretation(program.with_bodies(bodies)).system()
        space = explore(changed)
        try:
            states = explorer.states(bodies)
        except NotExplored:
            outcomes["left"] += 1
            continue
        outcomes["same" if states.is_own else "other"] += 1
        assert space is not None
        graph = Graph(changed, space)
        names = [name for name in changed.variables if name in states.values[0]]
        places = [space.names.index(name) for name in names]
        shown = {row: tuple(row[place] for place in places) for row in graph.rows}
        rows = {n: tuple(states.values[n][name] for name in names) for n in states.following}
        assert {shown[row] for row in space.initial} == {rows[n] for n in states.initial}
        assert {(shown[row], shown[o]) for row, after in graph.after.items() for o in after} == {
            (rows[n], rows[o]) for n, after in states.following.items() for o in after
        }
        verdicts = second.verdicts(bodies, [stated.name for stated in changed.properties])
        assert verdicts is not None
        linear = [p for p in changed.properties if p.kind is PropertyKind.LTL]
        by_diagrams = check(changed, [stated.name for stated in linear], UNHURRIED)
        for stated in linear:
            assert said(verdicts[stated.name]) == said(by_diagrams[stated.name])
        starts = {*space.initial} & graph.fair
        outcomes["unfair"] += not starts
        for stated in changed.properties:
            if stated.kind is PropertyKind.INVARIANT:
                holds = {*graph.rows} <= graph.where(stated.term)
            else:
                holds = starts <= graph.satisfying(branching(stated) or stated.term)
                assert bool(starts) == (said(verdicts[stated.name])[1] is None)
            assert isinstance(verdicts[stated.name], Holding if holds else Violated)
    assert min(outcomes["same"], outcomes["other"]), outcomes
    assert outcomes["left"] < outcomes.total() / 2, outcomes


LASTING = """MODULE main
VAR n : 0..5; b : boolean; x : boolean; waiting : boolean; more : boolean;
DEFINE far := n > 3; kind := b ? n : 0;
ASSIGN init(n) := 0; next(n) := waiting ? n : n = 5 ? 0 : n + 1;
  init(b) := FALSE; next(b) := n = 2 ? {TRUE, FALSE} : b;
  x := b & far;
  init(waiting) := {FALSE, TRUE}; next(waiting) := n = 4 ? {TRUE, FALSE} : waiting & !(n = 1);
  init(more) := FALSE; next(more) := case next(n) = n : more; TRUE : !x; esac;
FAIRNESS !waiting
FAIRNESS n = 0 | !more
CTLSPEC AG AF n = 0
CTLSPEC !EF (x & n < 4)
CTLSPEC !EF EG (b & far)
CTLSPEC AG (far -> AF !far)
CTLSPEC AG (!EG far & (x -> b))
INVARSPEC n < 6 & (kind = 0 | b)
LTLSPEC G (n = 2 -> F n = 3)
"""


@pytest.mark.parametrize("text", [LASTING, *EXPLORED])
def test_two_ways_tell_what_lasts_in_mutants_that_hardly_change(text: str) -> None:
    found = accepted(text)
    program = program_of(found)
    meaning = interpretation(program)
    system = meaning.system()
    explorer = meaning.explorer(system.variables, {})
    assert explorer is not None
    own = explorer.states({}).following
    second = SecondGraphs(meaning, system)
    try:
        first = Neighbourhood(system, UNHURRIED)
    except NotFew:
        first = None
    outcomes: Counter[str] = Counter()
    for mutant in mutants_of(found, "default"):
        bodies = mutated_bodies(program, mutant)
        changed = interpretation(program.with_bodies(bodies)).system()
        try:
            near, states = explorer.near(bodies), explorer.states(bodies)
        except NotExplored:
            near = None
        if near is not None:
            values = {n: tuple(state.items()) for n, state in enumerate(states.values)}
            follow = near.after(own)
            reached = digraph.reached(near.initial, follow)
            assert {values[n] for n in near.initial} == {values[n] for n in states.initial}
            assert {(values[n], values[o]) for n in reached for o in follow(n)} == {
                (values[n], values[o]) for n, after in states.following.items() for o in after
            }
            outcomes["near"] += 1
        names = [stated.name for stated in changed.properties]
        alone = check(changed, names, UNHURRIED)
        told = second.lasting(bodies, names) or {}
        outcomes["second"] += len(told)
        assert {name: said(verdict) for name, verdict in told.items()} == {
            name: said(alone[name]) for name in told
        }
        if first is None:
            continue
        rewritten = meaning.rewritten(bodies)
        other = Alternative(rewritten.removed, tuple(rewritten.constraints))
        try:
            lasting = first.lasting(other, system.properties, UNHURRIED)
        except NotFew:
            continue
        outcomes["first"] += len(lasting)
        assert all(said(alone[name]) == said(verdict) for name, verdict in lasting.items())
    if text == LASTING:
        assert min(outcomes["near"], outcomes["first"], outcomes["second"]) > 30, outcomes


def hows_and_statuses(text: str = MODEL) -> tuple[set[str], dict[str, MutantStatus]]:
    """Return by what mutants of a model with few states survive, and what they are."""
    found = elaborated_in("nusmv", text)
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
    return hows, {one.mutant: one.status for one in mutants}


@pytest.mark.parametrize("text", [MODEL, MODEL + "FAIRNESS b\nCTLSPEC AF b\n"])
def test_mutants_of_a_model_with_few_states_are_decided_by_their_graphs(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hows, found = hows_and_statuses(text)

    assert "exploration" in hows
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= {*found.values()}
    usual = strategies.STRATEGIES["default"]
    alone = usual.without(graphs.GRAPHS.name).without(graphs.LATER.name)
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    hows, others = hows_and_statuses(text)
    assert "exploration" not in hows
    assert found == others


def test_graphs_with_many_moves_come_after_all_else(monkeypatch: pytest.MonkeyPatch) -> None:
    _, found = hows_and_statuses()
    monkeypatch.setattr(graphs, "FIRST_MOVES", -1)
    monkeypatch.setattr(graphs, "EACH_MOVES", 0)
    hows, others = hows_and_statuses()
    assert "exploration" not in hows
    assert found == others

    alone = Strategy("default", "", "", (graphs.GRAPHS, graphs.LATER))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    hows, _ = hows_and_statuses()
    assert hows == {"exploration"}


TWO = """MODULE main
VAR a : 0..3; b : 0..3;
ASSIGN init(a) := 0; init(b) := 0;
  next(a) := a = 0 ? 2 : 0; next(b) := b = 0 ? 2 : 0;
CTLSPEC AG EF a = 0
CTLSPEC AG EF b = 0
"""


def test_states_of_a_part_that_has_many_are_sought_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[TransitionSystem] = []

    def many(part: TransitionSystem, _: Deadline) -> Neighbourhood:
        parts.append(part)
        raise NotFew

    monkeypatch.setattr(graphs, "Neighbourhood", many)
    usual = strategies.STRATEGIES["default"]
    rungs = [replace(one, at_once=1) if one is graphs.GRAPHS else one for one in usual.rungs]
    by_one = replace(usual, rungs=tuple(rungs))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": by_one})
    hows_and_statuses(TWO)

    assert len(parts) > 1
    assert len(parts) == len({part.digest for part in parts})


def test_constraints_on_no_variables_have_one_state_of_no_values() -> None:
    found = accepted("MODULE main\nVAR b : boolean;\nINVAR 0ub1_1 = 0ub1_1\nINVARSPEC TRUE\n")
    report = analysed(found, Options())
    assert {MutantStatus.SURVIVED} < {one.status for one in report.mutants}


FILTERED = """MODULE main
VAR n : 0..63; a : 0..{most}; b : 0..{most};
ASSIGN init(n) := 0; next(n) := (n + 1) mod 64;
TRANS next(a) = a & next(b) = b
INVARSPEC n < 64
"""


@pytest.mark.parametrize("most", [3, 7])
def test_the_oracle_visits_no_states_whose_constraints_exclude_most_of_many_steps(
    most: int,
) -> None:
    text = FILTERED.format(most=most)
    system = _system(text)
    explorer = interpretation(program_of(accepted(text))).explorer(system.variables, {})
    assert (explorer is None) == (most > 3)


def test_what_one_search_has_tried_does_not_count_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def elements(text: str) -> tuple[Element, ...]:
        program = program_of(accepted(text))
        return program.component(program.main).elements

    text = FILTERED.format(most=3)
    begins, steps, _ = elements(text)
    other, _, _ = elements(text.replace(":= 0;", ":= 1;"))
    _, more, _ = elements(text.replace("(n + 1) mod 64", "{n, (n + 1) mod 64}"))
    monkeypatch.setattr(relational_explore, "MOST_COMBINED", 20_000)
    explorer = interpretation(program_of(accepted(text))).explorer(_system(text).variables, {})
    assert explorer is not None
    with pytest.raises(NotExplored):
        explorer.states({steps: more.body})
    assert explorer.states({begins: other.body}).initial


DEEP = """MODULE main
VAR n : 0..7; m : boolean; b : boolean; waiting : boolean;
ASSIGN init(n) := 0; init(m) := FALSE; init(b) := FALSE; init(waiting) := FALSE;
  next(n) := (n + 1) mod 8;
  next(m) := n = 7 ? !m : m;
  next(b) := n = 5 ? {TRUE, FALSE} : b;
  next(waiting) := m & n = 3 & b & !waiting ? {TRUE, FALSE} : waiting;
FAIRNESS !waiting
CTLSPEC AG AF n = 0
CTLSPEC AG EF b
LTLSPEC G F m
"""


def test_mutants_with_few_states_of_a_deep_model_are_decided_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = strategies.STRATEGIES["default"]
    alone = usual.without(graphs.GRAPHS.name).without(graphs.LATER.name)
    with monkeypatch.context() as patch:
        patch.setattr(strategies, "STRATEGIES", {"default": alone})
        hows, others = hows_and_statuses(DEEP)
    assert "exploration" not in hows
    decided = {MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.STILLBORN}
    assert {*others.values()} == decided
    monkeypatch.setattr(neighbourhood, "MOST_STATES", 20)
    for most, other in ((1_500, 300), (30, 4), (0, 0)):
        monkeypatch.setattr(neighbourhood, "MOST_NEAR", most)
        monkeypatch.setattr(neighbourhood, "MOST_OTHER", other)
        hows, found = hows_and_statuses(DEEP)
        assert "exploration" in hows
        assert found == others


def test_a_broad_model_may_have_fewer_states_than_a_deep_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(neighbourhood, "MOST_STATES", 20)
    assert Neighbourhood(_system(DEEP), UNHURRIED).is_deep
    monkeypatch.setattr(neighbourhood, "BREADTH", 1)
    with pytest.raises(NotFew):
        Neighbourhood(_system(DEEP), UNHURRIED)
