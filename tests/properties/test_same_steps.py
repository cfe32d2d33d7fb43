"""Mutants that take the steps of their model (`solving.bdd.same_steps`) have its properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses import strategies
from mutproof.analyses.checking.baseline import SAME_STEPS
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.rungs import same_steps
from mutproof.analyses.strategies import STRATEGIES
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.same_steps import SameSteps
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.deadlines import UNHURRIED
from support.nusmv_mutants import accepted, mutants_of
from support.profiles import profile
from support.reading import analysed, elaborated_in
from support.relational_alternatives import graph_of
from support.relational_systems import (
    DEFINED,
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
from support.step_changes import NEXT, STEPS, of_parts, other_parts, some_parts

UNKNOWN = MutantStatus.UNKNOWN


@st.composite
def changes(draw: st.DrawFn) -> tuple[TransitionSystem, list[Constraint], list[Constraint]]:
    """Return a system with a constraint of steps, or two, and what stands for these."""
    system, removed, stated = draw(systems()), list[Constraint](), list[Constraint]()
    for _ in range(draw(st.integers(1, 2))):
        parts = draw(some_parts())
        removed.append(of_parts(parts))
        stated.append(of_parts(draw(other_parts(parts))))
    if draw(st.booleans()):
        stated.reverse()
    return replace(system, constraints=(*system.constraints, *removed)), removed, stated


E = terms.var("e", BOOL)
N_IS_2 = terms.eq(N, terms.int_(2))
_READING = combined((A, E, D, terms.eq(N, terms.int_(1))))


def _but(body: Term, other: Term) -> Term:
    return terms.and_(body, terms.not_(other))


def defining(variable: Term, body: Term) -> Constraint:
    return Constraint(INVAR, terms.eq(variable, body), None, str(variable.payload))


@st.composite
def redefinitions(
    draw: st.DrawFn,
) -> tuple[TransitionSystem, list[Constraint], list[Constraint]]:
    """Return a system with two definitions, and what stands for one or both, and for a step."""
    system = draw(systems())
    own = next(one for one in system.constraints if one.defines == "d")
    other = defining(E, draw(combined((A, D, terms.eq(N, terms.int_(0))))))
    ahead = terms.next_var("e", BOOL), terms.next_var("d", BOOL)
    way = draw(st.sampled_from([terms.or_(E, draw(STEPS)), terms.or_(draw(_READING), ahead[0])]))
    read = [Constraint(TRANS, way), Constraint(TRANS, draw(STEPS))]
    kind = draw(st.sampled_from([None, None, INIT, INVAR]))
    if kind is not None:
        read.append(Constraint(kind, terms.or_(draw(_READING), draw(STATES))))
    kept_kind = draw(st.sampled_from([DEFINED, STATE]))
    variables = {**system.variables, "e": SystemVariable("e", BOOL, kept_kind)}
    whole = replace(system, variables=variables, constraints=(*system.constraints, other, *read))
    removed = draw(
        st.sampled_from([[own], [other], [own, other], [own, read[0]], [read[1], other]])
    )
    stated = list[Constraint]()
    for one in removed:
        if one.defines is None:
            stated.append(Constraint(TRANS, terms.and_(one.term, draw(st.sampled_from(ahead)))))
            stated[-1] = draw(st.sampled_from([one, stated[-1]]))
            continue
        variable, body = one.term.args
        atoms = (A, N_IS_2, terms.eq(N, terms.int_(0))) if variable is D else (A, D, N_IS_2)
        rarely = terms.and_(draw(combined(atoms)), draw(combined(atoms)))
        make = draw(st.sampled_from([terms.or_, _but]))
        stated.append(defining(variable, make(body, rarely)))
    return whole, removed, stated


def steps_of(system: TransitionSystem) -> Mapping[object, object]:
    graph = graph_of(system)
    return {row: set(after) for row, after in graph.after.items()}


def kept(system: TransitionSystem, removed: list[Constraint], stated: list[Constraint]) -> bool:
    compared = SameSteps(system, UNHURRIED)
    return compared.are_kept(removed, stated, UNHURRIED)


@profile(500)
@given(st.one_of(changes(), redefinitions()))
def test_steps_that_are_said_to_be_kept_are(
    change: tuple[TransitionSystem, list[Constraint], list[Constraint]],
) -> None:
    system, removed, stated = change
    left = tuple(one for one in system.constraints if one not in removed)
    if kept(system, removed, stated):
        assert steps_of(system) == steps_of(replace(system, constraints=(*left, *stated)))


_TESTS = st.sampled_from(
    [A, E, D, *(terms.eq(N, terms.int_(n)) for n in range(3)), terms.eq(NEXT, terms.int_(1))]
)
_ROWS = st.tuples(_TESTS, st.integers(0, 2).map(terms.int_))


def _chain(rows: Sequence[tuple[Term, Term]], last: Term) -> Constraint:
    chosen = last
    for test, value in reversed(rows):
        chosen = terms.ite(test, value, chosen)
    return Constraint(TRANS, terms.eq(NEXT, chosen))


@st.composite
def other_rows(draw: st.DrawFn) -> tuple[TransitionSystem, Constraint, list[Constraint]]:
    """Return a system with a chain of rows, and others: with rows moved, lost, added or changed."""
    system, rows = draw(systems()), draw(st.lists(_ROWS, min_size=2, max_size=6))
    variables = {**system.variables, "e": SystemVariable("e", BOOL, STATE)}
    own, others = _chain(rows, terms.int_(0)), list[Constraint]()
    for _ in range(4):
        new = draw(st.permutations(rows)) if draw(st.booleans()) else [*rows]
        place = draw(st.integers(0, len(new) - 1))
        added = draw(st.lists(_ROWS, max_size=1))
        new[place : place + draw(st.integers(0, 1))] = added
        others.append(_chain(new, terms.int_(draw(st.integers(0, 1)))))
    whole = replace(system, variables=variables, constraints=(*system.constraints, own))
    return whole, own, others


@profile(300)
@given(other_rows())
def test_rows_that_choose_otherwise_are_found_in_chains(
    change: tuple[TransitionSystem, Constraint, list[Constraint]],
) -> None:
    system, own, others = change
    compared = SameSteps(system, UNHURRIED)
    left = tuple(one for one in system.constraints if one is not own)
    for other in others:
        steps = compared.steps([own], [other])
        whole = compared.reachable & compared.model.encoder.predicate(other.term)
        assert steps == compared.joined(whole, compared.parts_without([own]))
        if compared.are_kept([own], [other], UNHURRIED):
            assert steps_of(system) == steps_of(replace(system, constraints=(*left, other)))


F, M = terms.var("f", BOOL), terms.var("m", NUMBERS)
_UNLESS = Constraint(TRANS, terms.ne(NEXT, terms.int_(2)))
_NOT_AHEAD = Constraint(TRANS, terms.not_(terms.next_var("e", BOOL)))
_BEGIN = Constraint(INIT, terms.eq(N, terms.int_(0)))
READ = {
    "where steps begin": [_BEGIN, _UNLESS, Constraint(TRANS, terms.or_(terms.not_(E), A))],
    "where they end": [_BEGIN, _NOT_AHEAD],
    "through another definition": [
        _BEGIN,
        Constraint(TRANS, terms.not_(terms.next_var("f", BOOL))),
    ],
    "initially": [Constraint(INIT, terms.not_(E)), Constraint(TRANS, terms.eq(NEXT, N))],
    "in all states": [_BEGIN, Constraint(INVAR, terms.not_(F))],
}


def with_definitions(*constraints: Constraint) -> tuple[TransitionSystem, Constraint]:
    """Return a system with constraints in which `e` says that a number is 2, and `f` says `e`."""
    own = defining(E, N_IS_2)
    kinds = {"a": (BOOL, STATE), "n": (NUMBERS, STATE), "e": (BOOL, DEFINED), "f": (BOOL, DEFINED)}
    declared = {name: SystemVariable(name, *kind) for name, kind in kinds.items()}
    return TransitionSystem(declared, (own, defining(F, E), *constraints), ()), own


@pytest.mark.parametrize("place", READ)
def test_a_definition_may_differ_elsewhere_if_it_is_read_where_steps_begin(place: str) -> None:
    system, own = with_definitions(*READ[place])
    other = defining(E, terms.FALSE)
    changed = replace(system, constraints=(other, *system.constraints[1:]))

    assert (place == "where steps begin") is kept(system, [own], [other])
    assert (place == "where steps begin") is (steps_of(system) == steps_of(changed))


def test_a_step_may_read_a_definition_ahead_that_is_another_too() -> None:
    system, own = with_definitions(_BEGIN, _UNLESS)

    assert kept(system, [_UNLESS], [_NOT_AHEAD])
    assert not kept(system, [own, _UNLESS], [defining(E, terms.FALSE), _NOT_AHEAD])


def test_a_definition_that_may_leave_the_values_of_its_variable_restricts_states() -> None:
    system, _ = with_definitions(_BEGIN)
    own = defining(M, terms.ite(N_IS_2, terms.int_(3), terms.int_(0)))
    narrow = {**system.variables, "m": SystemVariable("m", NUMBERS, STATE)}
    system = TransitionSystem(narrow, (own, *system.constraints), ())

    assert not kept(system, [own], [defining(M, terms.int_(0))])


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
    return Constraint(TRANS, terms.eq(NEXT, value))


TEXT = """MODULE main
VAR n : 0..7; up : boolean;
DEFINE high := n > 4;
ASSIGN init(n) := 0;
  next(n) := case high : 7; n = 3 : 0; up : n + 1; TRUE : n; esac;
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
    of_definition = {m.id for m in mutants_of(accepted(TEXT)) if m.element.name == "high"}
    assert any(found[name].how == SAME_STEPS for name in of_definition)
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
