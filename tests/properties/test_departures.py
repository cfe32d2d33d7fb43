"""Variants that leave the states of their system (`solving.bdd.departures`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses import strategies
from mutproof.analyses.checking.notary import DIAGRAMS
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.rungs import same_steps
from mutproof.analyses.strategies import STRATEGIES
from mutproof.base.budget import Deadline
from mutproof.model import terms
from mutproof.model.program import PropertyKind
from mutproof.model.system import Constraint, SystemProperty, SystemVariable, TransitionSystem
from mutproof.solving.bdd.check import OUT_OF_MEMORY, OUT_OF_TIME, check
from mutproof.solving.bdd.departures import Departures, OtherSteps, Told
from mutproof.solving.bdd.same_steps import SameSteps
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.deadlines import UNHURRIED
from support.oracles import Graph
from support.profiles import profile
from support.reading import analysed, elaborated_in
from support.relational_alternatives import check_evidence, dead_end, graph_of
from support.relational_systems import (
    BRANCHING,
    INIT,
    LINEAR,
    NUMBERS,
    STATE,
    STATES,
    TRANS,
    N,
    systems,
)
from support.step_changes import NEXT, of_parts, other_parts, some_parts

UNKNOWN = MutantStatus.UNKNOWN
KINDS = [
    (PropertyKind.INVARIANT, STATES),
    (PropertyKind.CTL, BRANCHING),
    (PropertyKind.LTL, LINEAR),
]
BEGIN = Constraint(INIT, terms.eq(N, terms.int_(0)))
NOT_TWO = terms.ne(N, terms.int_(2))


def asked(
    system: TransitionSystem, change: OtherSteps, *, shown: bool = True
) -> tuple[BddVerdict | None, str]:
    decided = Departures(SameSteps(system, UNHURRIED))
    found, why = decided.verdict(change, system.properties, UNHURRIED, shown=shown)
    return None if found is None else found.verdict, why


def is_held(verdict: BddVerdict) -> bool:
    return isinstance(verdict, Holding) and verdict.vacuity is None


def changed(system: TransitionSystem, change: OtherSteps) -> TransitionSystem:
    left = tuple(one for one in system.constraints if one not in change.removed)
    return replace(system, constraints=(*left, *change.stated))


@st.composite
def questions(draw: st.DrawFn) -> tuple[TransitionSystem, list[OtherSteps]]:
    """Return a system with properties that it has, and changes of one of its constraints."""
    system, parts, is_total = draw(systems()), draw(some_parts()), draw(st.booleans())
    removed = of_parts(parts, is_total=is_total)
    kept = (*system.constraints[:1], BEGIN) if is_total else (*system.constraints, BEGIN)
    drawn = [
        SystemProperty(f"p{number}", draw(formulas), kind)
        for number, (kind, formulas) in enumerate([*KINDS, *KINDS[:1], *KINDS[:2]])
    ]
    drawn.append(SystemProperty("bound", NOT_TWO))
    whole = replace(system, constraints=(*kept, removed), properties=tuple(drawn))
    verdicts = check(whole, [one.name for one in drawn], UNHURRIED)
    held = tuple(one for one in drawn if is_held(verdicts[one.name]))
    others = (of_parts(draw(other_parts(parts)), is_total=is_total) for _ in range(3))
    return replace(whole, properties=held), [
        OtherSteps([removed], [o], goes_on=False) for o in others
    ]


@profile(300)
@given(questions())
def test_verdicts_are_those_of_the_variant_alone(
    question: tuple[TransitionSystem, list[OtherSteps]],
) -> None:
    system, changes = question
    if dead_end(graph_of(system)):
        return
    decided = Departures(SameSteps(system, UNHURRIED))
    again = Departures(SameSteps(system, UNHURRIED))
    for change in changes:
        other = changed(system, change)
        graph = graph_of(other)
        ends = dead_end(graph)
        sure = replace(change, goes_on=not ends)
        for one, shown in ((change, True), (sure, True), (sure, False), (change, False)):
            used = decided if shown else again
            found, why = used.verdict(one, system.properties, UNHURRIED, shown=shown)
            assert why == ""
            if found is None:
                continue
            assert not ends
            if isinstance(found.verdict, Violated):
                fails(graph, system.property(found.goal), found.verdict, shown=shown)
                continue
            alone = check(other, [one.name for one in system.properties], UNHURRIED)
            assert all(map(is_held, alone.values())), alone


def fails(graph: Graph, stated: SystemProperty, found: Violated, *, shown: bool) -> None:
    """Check that a property fails on the states and steps of a system one by one."""
    is_branching = stated.kind is PropertyKind.CTL
    assert shown or stated.kind is not PropertyKind.INVARIANT
    if shown:
        check_evidence(graph.system, graph, stated, found)
    if is_branching:
        assert set(graph.space.initial) & graph.fair - graph.satisfying(stated.term)
    elif not shown:
        whole = check(graph.system, [stated.name], UNHURRIED)
        assert isinstance(whole[stated.name], Violated)


def counting(*following: int) -> Constraint:
    """Return that 0, 1 and 2 are followed by these numbers."""
    first, second, third = map(terms.int_, following)
    later = terms.ite(terms.eq(N, terms.int_(1)), second, third)
    return Constraint(TRANS, terms.eq(NEXT, terms.ite(terms.eq(N, terms.int_(0)), first, later)))


COUNTING = TransitionSystem(
    {"n": SystemVariable("n", NUMBERS, STATE)},
    (BEGIN, counting(1, 1, 0)),
    (SystemProperty("bound", NOT_TWO),),
)


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize(
    ("following", "path"),
    [((1, 2, 0), [0, 1, 2]), ((2, 1, 0), [0, 2]), ((1, 0, 0), None), ((0, 2, 0), None)],
)
def test_an_invariant_fails_only_in_states_that_the_variant_reaches(
    following: tuple[int, ...], path: list[int] | None, *, goes_on: bool
) -> None:
    change = OtherSteps(COUNTING.constraints[1:], [counting(*following)], goes_on)
    found, _ = asked(COUNTING, change)
    if path is None:
        assert found == Holding()  # also where a step leads on to 2 from 1, which is left out
        return
    assert isinstance(found, Violated)
    assert found.evidence is not None
    assert [step["n"] for step in found.evidence.steps] == path


def test_what_variants_with_the_same_steps_come_to_is_found_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = list[OtherSteps]()
    found = Departures._found

    def noted(self: Departures, change: OtherSteps, *args: Any, **named: Any) -> Told | None:
        begun.append(change)
        return found(self, change, *args, **named)

    monkeypatch.setattr(Departures, "_found", noted)
    decided = Departures(SameSteps(COUNTING, UNHURRIED))
    free = replace(COUNTING, properties=(SystemProperty("any", terms.TRUE),))
    for last in (0, 0, 1):
        change = OtherSteps(COUNTING.constraints[1:], [counting(1, 2, last)], goes_on=True)
        told, _ = decided.verdict(change, free.properties, UNHURRIED, shown=True)
        assert told == Told(Holding())

    assert len(begun) == 2  # the last one has other steps from the state that is new


def test_an_interrupted_answer_says_why() -> None:
    decided = Departures(SameSteps(COUNTING, UNHURRIED))
    change = OtherSteps(COUNTING.constraints[1:], [counting(1, 2, 0)], goes_on=True)
    over = Deadline.after(0.0)
    assert decided.verdict(change, COUNTING.properties, over, shown=True) == (None, OUT_OF_TIME)


TEXT = """MODULE main
VAR n : 0..7; up : boolean;
ASSIGN init(n) := 0;
  next(n) := case n > 4 : 7; n = 3 : 0; up : n + 1; TRUE : n; esac;
CTLSPEC NAME returns := AG (n = 3 -> AX n < 3)
CTLSPEC NAME may_go_on := AG EF n = 0
INVARSPEC NAME bounded := n <= 5
"""


def decided(monkeypatch: pytest.MonkeyPatch) -> dict[str, MutantFinding]:
    """Return what steps decide alone, by mutant."""
    only = replace(STRATEGIES["default"], rungs=(same_steps.SAME, same_steps.LEAVING))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": only})
    found = analysed(elaborated_in("nusmv", TEXT), Options(level="all", cores=False), Memory())
    return {one.mutant: one for one in found.mutants}


def test_mutants_with_other_steps_are_decided_as_by_all_rungs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = decided(monkeypatch)
    ways = {(one.status, one.how) for one in found.values()}
    assert (MutantStatus.SURVIVED, DIAGRAMS) in ways
    assert (MutantStatus.KILLED, DIAGRAMS) in ways
    monkeypatch.undo()
    whole = analysed(elaborated_in("nusmv", TEXT), Options(level="all", cores=False), Memory())
    for one in whole.mutants:
        assert found[one.mutant].status in {one.status, UNKNOWN}, one


def test_branching_properties_fail_of_mutants_with_other_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed = [one for one in decided(monkeypatch).values() if one.status is MutantStatus.KILLED]
    assert {"returns", "may_go_on"} <= {name for one in killed for name in one.killed_by}


def test_an_answer_that_only_one_order_gives_decides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(*_: object, shown: bool) -> tuple[Told | None, str]:
        return (Told(Holding()) if shown else None), ""

    monkeypatch.setattr(Departures, "verdict", wrong)
    assert DIAGRAMS not in {one.how for one in decided(monkeypatch).values()}


def test_diagrams_are_made_anew_once_memory_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, made = Departures.verdict, list[Departures]()

    def forgetful(self: Departures, *args: Any, **named: Any) -> tuple[Told | None, str]:
        made.append(self)
        if all(one is self for one in made):
            return None, OUT_OF_MEMORY
        return usual(self, *args, **named)

    monkeypatch.setattr(Departures, "verdict", forgetful)
    found = decided(monkeypatch)
    assert DIAGRAMS in {one.how for one in found.values()}
