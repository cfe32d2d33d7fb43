"""Mutants that take the steps of their model (`solving.bdd.same_steps`) have its properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses import strategies
from mutproof.analyses.checking.baseline import SAME_STEPS
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.rungs import same_steps
from mutproof.analyses.strategies import STRATEGIES
from mutproof.base.budget import Deadline
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.same_steps import SameSteps
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.profiles import profile
from support.reading import analysed, elaborated_in
from support.relational_alternatives import graph_of
from support.relational_systems import (
    INIT,
    NUMBERS,
    STATE,
    STATES,
    TRANS,
    A,
    N,
    combined,
    systems,
)

UNKNOWN = MutantStatus.UNKNOWN

_NEXT = terms.next_var("n", NUMBERS)
_STEPS = combined((terms.eq(_NEXT, N), terms.eq(_NEXT, terms.int_(1)), terms.next_var("a", BOOL)))
_VALUES = st.sampled_from([N, terms.int_(0), terms.int_(1), terms.int_(2)])


def of_parts(tests: tuple[Term, ...], values: tuple[Term, ...], steps: tuple[Term, ...]) -> Term:
    """Return a term in which the place of a change may lie below any operator."""
    chosen = terms.ite(tests[0], values[0], terms.ite(tests[1], values[1], values[2]))
    way = terms.ite(tests[2], steps[0], terms.ite(tests[3], steps[1], steps[2]))
    limit = terms.make(Op.IMPLIES, BOOL, (terms.and_(tests[4], steps[3]), steps[4]))
    return terms.and_(terms.eq(_NEXT, chosen), terms.and_(terms.or_(way, steps[5]), limit))


@st.composite
def changes(draw: st.DrawFn) -> tuple[TransitionSystem, list[Constraint], list[Constraint]]:
    """Return a system with a constraint of steps, or two, and what stands for these."""
    system, removed, stated = draw(systems()), list[Constraint](), list[Constraint]()
    for _ in range(draw(st.integers(1, 2))):
        parts = [
            tuple(draw(some) for _ in range(many))
            for some, many in ((STATES, 5), (_VALUES, 3), (_STEPS, 6))
        ]
        removed.append(Constraint(TRANS, of_parts(*parts)))
        kind = draw(st.integers(0, 2))
        place = draw(st.integers(0, len(parts[kind]) - 1))
        changed = draw((STATES, _VALUES, _STEPS)[kind])
        parts[kind] = (*parts[kind][:place], changed, *parts[kind][place + 1 :])
        stated.append(Constraint(TRANS, of_parts(*parts)))
    if draw(st.booleans()):
        stated.reverse()
    return replace(system, constraints=(*system.constraints, *removed)), removed, stated


def steps_of(system: TransitionSystem) -> Mapping[object, object]:
    graph = graph_of(system)
    return {row: set(after) for row, after in graph.after.items()}


def kept(system: TransitionSystem, removed: list[Constraint], stated: list[Constraint]) -> bool:
    compared = SameSteps(system, Deadline.never())
    return compared.are_kept(removed, stated, Deadline.never())


@profile(200)
@given(changes())
def test_steps_that_are_said_to_be_kept_are(
    change: tuple[TransitionSystem, list[Constraint], list[Constraint]],
) -> None:
    system, removed, stated = change
    left = tuple(one for one in system.constraints if one not in removed)
    if kept(system, removed, stated):
        assert steps_of(system) == steps_of(replace(system, constraints=(*left, *stated)))


@pytest.mark.parametrize(("limit", "is_kept"), [(0, False), (1, True)])
def test_steps_differ_only_where_a_state_is_reached(limit: int, *, is_kept: bool) -> None:
    declared = (SystemVariable("a", BOOL, STATE), SystemVariable("n", NUMBERS, STATE))
    first = Constraint(INIT, terms.eq(N, terms.int_(0)))
    step = stepping(terms.ite(A, N, terms.int_(1)))
    system = TransitionSystem({one.name: one for one in declared}, (first, step), ())
    beyond = terms.compare(Op.GT, N, terms.int_(limit))
    other = stepping(terms.ite(A, N, terms.ite(beyond, terms.int_(2), terms.int_(1))))
    assert is_kept is kept(system, [step], [other])


def stepping(value: Term) -> Constraint:
    return Constraint(TRANS, terms.eq(_NEXT, value))


TEXT = """MODULE main
VAR n : 0..7; up : boolean;
ASSIGN init(n) := 0;
  next(n) := case n > 4 : 7; n = 3 : 0; up : n + 1; TRUE : n; esac;
CTLSPEC NAME returns := AG (n = 3 -> AX n = 0)
CTLSPEC NAME may_go_on := AG (n = 2 -> EX n = 3)
INVARSPEC NAME bounded := n <= 3
"""


def decided(monkeypatch: pytest.MonkeyPatch) -> dict[str, MutantFinding]:
    """Return what comparing steps decides alone, by mutant."""
    only = replace(STRATEGIES["default"], rungs=(same_steps.SAME,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": only})
    found = analysed(elaborated_in("nusmv", TEXT), Options(level="all", cores=False), Memory())
    return {one.mutant: one for one in found.mutants}


def test_mutants_with_the_steps_of_the_model_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    found = decided(monkeypatch)
    ways = {one.how for one in found.values() if one.status is MutantStatus.SURVIVED}
    assert ways == {SAME_STEPS}
    assert MutantStatus.KILLED not in {one.status for one in found.values()}
    monkeypatch.undo()
    whole = analysed(elaborated_in("nusmv", TEXT), Options(level="all", cores=False), Memory())
    for one in whole.mutants:
        if found[one.mutant].status is MutantStatus.SURVIVED:
            assert one.status is MutantStatus.SURVIVED, one


def test_an_answer_that_only_one_order_gives_decides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = list[SameSteps]()

    def wrong(one: SameSteps, *_: object) -> bool:
        asked.append(one)
        return one is asked[0]

    monkeypatch.setattr(SameSteps, "are_kept", wrong)
    found = decided(monkeypatch).values()
    assert {one.status for one in found} == {UNKNOWN, MutantStatus.STILLBORN}
    assert len({id(one) for one in asked}) == 2
