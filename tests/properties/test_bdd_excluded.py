"""Alternatives decided backwards from where a condition fails (`solving.bdd.excluded`)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.model import terms
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import Constraint, SystemProperty, SystemVariable, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd import replacing
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.excluded import Excluded
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated
from support.deadlines import UNHURRIED
from support.profiles import profile
from support.relational_systems import (
    COLOURS,
    DEFINED,
    INIT,
    INVAR,
    STATE,
    STATES,
    TRANS,
    A,
    C,
    D,
    I,
    N,
    combined,
    systems,
)

FREE = (
    A,
    I,
    terms.eq(N, terms.int_(1)),
    terms.eq(C, terms.const("red", COLOURS)),
)
NEXT_A = terms.next_var("a", BOOL)


def expected(system: TransitionSystem, always: Term) -> BddVerdict:
    stated = SystemProperty("p", always, PropertyKind.INVARIANT)
    return check(replace(system, properties=(stated,)), ("p",), UNHURRIED)["p"]


@profile(30)
@given(systems(), systems(), STATES)
def test_alternatives_get_the_verdicts_of_their_reachable_states(
    system: TransitionSystem, other: TransitionSystem, always: Term
) -> None:
    states = Excluded(UNHURRIED, system, always)
    for one in (system, other):
        wanted, found = expected(one, always), states.verdict(one)
        assert type(found) is type(wanted)
        if isinstance(found, Holding) and isinstance(wanted, Holding):
            assert found.vacuity == wanted.vacuity
        if isinstance(found, Violated) and isinstance(wanted, Violated):
            assert found.trace is not None
            assert wanted.trace is not None
            assert found.trace.length == wanted.trace.length
        if states.are_avoided(one):
            assert wanted == replace(wanted, vacuity=None)
            assert isinstance(wanted, Holding)


@profile(30)
@given(systems(), STATES)
def test_a_system_avoids_its_own_states_where_the_condition_always_holds(
    system: TransitionSystem, always: Term
) -> None:
    wanted = expected(system, always)
    states = Excluded(UNHURRIED, system, always)
    assert states.are_avoided(system) == (isinstance(wanted, Holding) and wanted.vacuity is None)


def defining(system: TransitionSystem, body: Term) -> TransitionSystem:
    """Return a system in which `d` is defined by a body."""
    kept = (c for c in system.constraints if c.defines != "d")
    defined = Constraint(INVAR, terms.eq(D, body), None, "d")
    return replace(system, constraints=(*kept, defined))


@profile(40)
@given(systems(), STATES, st.lists(combined(FREE), min_size=1, max_size=4))
def test_the_condition_always_holds_where_another_definition_avoids_its_failures(
    system: TransitionSystem, always: Term, bodies: list[Term]
) -> None:
    states = Excluded(UNHURRIED, system, always)
    for body in bodies:
        value = states.function("d", body)
        found = None if value is None else states.are_avoided_with("d", value)
        other = defining(system, body)
        wanted = expected(other, always)
        holds = isinstance(wanted, Holding) and wanted.vacuity is None
        assert holds or not found
        assert value is None or states.always_holds_with("d", value) == holds
        assert found in {None, True} or not states.are_avoided(other)


@profile(40)
@given(systems(), STATES, st.lists(combined(FREE), min_size=2, max_size=6))
def test_the_condition_fails_where_another_definition_fails_with_the_same_values(
    system: TransitionSystem, always: Term, bodies: list[Term]
) -> None:
    states = Excluded(UNHURRIED, system, always)
    for body in bodies:
        value, other = states.function("d", body), defining(system, body)
        if value is not None:
            if states.fails_with("d", value) is not None:
                assert isinstance(expected(other, always), Violated)
            states.verdict(other, function=("d", value))


def test_a_failure_tells_of_definitions_with_the_same_values_in_it() -> None:
    b = terms.var("b", BOOL)
    keeps = terms.eq(terms.next_var("b", BOOL), b)
    names = {"a": STATE, "b": STATE, "d": DEFINED}
    start = TransitionSystem(
        {name: SystemVariable(name, BOOL, kind) for name, kind in names.items()},
        (
            Constraint(INIT, terms.and_(A, terms.not_(b))),
            *(Constraint(TRANS, step) for step in (terms.eq(NEXT_A, D), keeps)),
        ),
        (),
    )
    states = Excluded(UNHURRIED, defining(start, terms.TRUE), A)
    found = list[bool]()
    for body in (b, terms.FALSE, terms.and_(A, b), A):
        value = states.function("d", body)
        assert value is not None
        found.append(states.fails_with("d", value) is not None)
        if not found[-1]:
            states.verdict(defining(start, body), function=("d", value))
    assert found == [False, True, True, False]


def test_bounds_are_known_of_a_definition_that_steps_read_but_not_of_its_next_value() -> None:
    for step, known in ((D, True), (terms.next_var("d", BOOL), False)):
        start = staying(terms.eq(NEXT_A, terms.or_(A, step)))
        variables = start.variables | {"d": SystemVariable("d", BOOL, DEFINED)}
        defined = Constraint(INVAR, terms.eq(D, A), None, "d")
        system = replace(start, variables=variables, constraints=(*start.constraints, defined))
        states = Excluded(UNHURRIED, system, A)
        bodies = (terms.TRUE, terms.FALSE, terms.not_(A), D)
        values = [states.function("d", body) for body in bodies]
        told = [None if one is None else states.are_avoided_with("d", one) for one in values]
        assert told == [True if known else None, *([True] * 2 if known else [None] * 2), None]


def test_states_that_one_alternative_avoids_tell_of_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("a", "b", "c")
    b, c = terms.var("b", BOOL), terms.var("c", BOOL)
    following = {"a": terms.and_(A, b), "b": D, "c": c}
    steps = [terms.eq(terms.next_var(name, BOOL), to) for name, to in following.items()]
    system = TransitionSystem(
        {name: SystemVariable(name, BOOL, STATE) for name in names}
        | {"d": SystemVariable("d", BOOL, DEFINED)},
        (
            Constraint(INVAR, terms.eq(D, b), None, "d"),
            Constraint(INIT, terms.conjunction((A, b, c))),
            *(Constraint(TRANS, step) for step in steps),
        ),
        (),
    )
    made, before = list[object](), Machine.before

    def noted(self: Machine, states: Diagram) -> Diagram:
        made.append(states)
        return before(self, states)

    states = Excluded(UNHURRIED, system, A)
    values = [states.function("d", body) for body in (terms.and_(b, c), c, terms.not_(c))]
    monkeypatch.setattr(Machine, "before", noted)
    found = list[tuple[bool, int]]()
    for value in values:
        assert value is not None
        found.append((states.are_avoided_with("d", value), len(made)))
        made.clear()

    assert [True, True, False] == [avoided for avoided, _ in found]
    assert found[0][1] > 0
    assert found[1][1] == 0


def staying(step: Term, start: Term = A) -> TransitionSystem:
    """Return a system of one Boolean with these first values and steps."""
    variables = {"a": SystemVariable("a", BOOL, STATE)}
    return TransitionSystem(variables, (Constraint(INIT, start), Constraint(TRANS, step)), ())


def test_where_no_state_is_initial_nothing_is_avoided() -> None:
    states = Excluded(UNHURRIED, staying(terms.eq(NEXT_A, A)), A)
    none = staying(terms.eq(NEXT_A, A), terms.FALSE)
    assert not states.are_avoided(none)
    found = states.verdict(none)
    assert isinstance(found, Holding)
    assert found.vacuity is not None


def test_what_stays_is_computed_once_for_alternatives(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[object]()
    real = replacing.image

    def noted(*about: object) -> object:
        asked.append(about)
        return real(*about)  # type: ignore[arg-type]

    monkeypatch.setattr(replacing, "image", noted)
    states = Excluded(UNHURRIED, staying(terms.eq(NEXT_A, A)), A)
    found = [
        states.are_avoided(staying(step))
        for step in (terms.implies(A, NEXT_A), NEXT_A, terms.implies(NEXT_A, A))
    ]
    assert [True, True, False] == found
    # The second reads fewer bits, of which the others say as much.
    assert len(asked) <= 2
