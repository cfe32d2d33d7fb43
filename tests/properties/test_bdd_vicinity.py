"""Alternatives that are decided in the diagrams of their system (`solving.bdd.vicinity`).

That their verdicts are right is a property of families (`test_bdd_family`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat

import pytest
from hypothesis import given

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.sorts import BOOL, IntSort
from mutproof.model.system import (
    Constraint,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.bdd import always, relation
from mutproof.solving.bdd.crowd import Crowd, Member
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.experience import Experience
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.family_outcome import FamilyOutcome
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.relation import Machine, Partitioned, machine
from mutproof.solving.bdd.replacing import Replacing
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated
from mutproof.solving.bdd.vicinity import Vicinity
from support.deadlines import UNHURRIED
from support.profiles import profile
from support.relational_systems import INIT, STATE, STATES, TRANS, N, systems

STEP = ElementId("main", "next", "n")


def counting(limit: int, *properties: SystemProperty) -> TransitionSystem:
    """Return a system in which n counts to 1, and, with an input, may go on from there."""
    declared = {
        "n": SystemVariable("n", IntSort(0, 2), STATE),
        "i": SystemVariable("i", BOOL, SystemVariableKind.INPUT),
    }
    following = terms.ite(terms.compare(Op.LT, N, terms.int_(limit)), terms.int_(1), N)
    step = terms.eq(terms.next_var("n", IntSort(0, 2)), following)
    starts = Constraint(INIT, terms.eq(N, terms.int_(0)))
    return TransitionSystem(declared, (starts, Constraint(TRANS, step, STEP, "n")), properties)


def leading(condition: Term, value: int, blocked: Term = terms.FALSE) -> Alternative:
    """Return that n becomes a value under a condition, else 1, and never if it is blocked."""
    following = terms.ite(condition, terms.int_(value), terms.int_(1))
    step = terms.eq(terms.next_var("n", IntSort(0, 2)), following)
    step = terms.and_(step, terms.not_(blocked))
    return Alternative(frozenset({STEP}), (Constraint(TRANS, step, STEP),))


def decided(system: TransitionSystem, changes: Mapping[str, Alternative]) -> FamilyOutcome:
    """Decide alternatives in the diagrams of a system with one property."""
    names = [stated.name for stated in system.properties]
    question = (tuple(system.variables), system.digest, tuple(names)), True
    near = Experience(vicinities={question: Vicinity(UNHURRIED, system)})
    return check_family(system, changes, names, UNHURRIED, experience=near)


NOT_TWO = terms.not_(terms.eq(N, terms.int_(2)))
INPUT = terms.var("i", BOOL)


@pytest.mark.parametrize("joined", [relation.SMALL_CLUSTER, 0])
def test_steps_that_differ_only_elsewhere_change_no_verdict(
    monkeypatch: pytest.MonkeyPatch, joined: int
) -> None:
    monkeypatch.setattr(relation, "SMALL_CLUSTER", joined)
    stated = SystemProperty("p0", terms.make(Op.AG, BOOL, (NOT_TWO,)), PropertyKind.CTL)
    system = counting(1, stated)
    changes = {
        "unreachable": leading(terms.eq(N, terms.int_(2)), 0),
        "back": leading(terms.eq(N, terms.int_(1)), 0),
        "on": leading(terms.eq(N, terms.int_(1)), 2),
    }
    conclude, concluded = Crowd.conclude, list[str]()

    def noted(
        crowd: Crowd, model: Machine, layers: Sequence[Diagram], *, goes_on: bool = False
    ) -> None:
        concluded.extend(member.name for member in crowd.members)
        conclude(crowd, model, layers, goes_on=goes_on)

    monkeypatch.setattr(Crowd, "conclude", noted)
    found = decided(system, changes)

    assert {*concluded} == {""}
    assert found.verdicts["unreachable"]["p0"] == found.verdicts["back"]["p0"] == Holding()
    failing = found.verdicts["on"]["p0"]
    assert isinstance(failing, Violated)
    assert failing.evidence is not None
    assert [step["n"] for step in failing.evidence.steps] == [0, 1, 2]
    assert {name for step in failing.evidence.choices.steps for name in step} == {"n", "i"}
    assert failing.evidence.loop == 1


@pytest.mark.parametrize("kind", [PropertyKind.CTL, PropertyKind.LTL])
def test_what_parts_say_of_all_states_ends_the_search_once_one_of_them_fails(
    monkeypatch: pytest.MonkeyPatch, kind: PropertyKind
) -> None:
    op = Op.AG if kind is PropertyKind.CTL else Op.G
    parts = [terms.make(op, BOOL, (part,)) for part in (terms.TRUE, NOT_TWO)]
    system = counting(1, SystemProperty("p0", terms.and_(*parts), kind))
    changes = {
        "back": leading(terms.eq(N, terms.int_(1)), 0),
        "on": leading(terms.eq(N, terms.int_(1)), 2),
    }

    def concluded(*_: object, **__: object) -> None:
        raise OutOfTime

    near = Vicinity(UNHURRIED, system)
    monkeypatch.setattr(Crowd, "conclude", concluded)
    for name, expected in (("back", Holding), ("on", Violated)):
        changed = changes[name].applied(system)
        crowd = Crowd(changed, [Member(name, 0, changed)], system.properties, frozenset({name}))
        near.decide(crowd, {"p0": Holding()})

        assert isinstance(crowd.verdicts[name]["p0"], expected)


@pytest.mark.parametrize("deep", [False, True])
def test_a_property_that_is_no_invariant_is_decided_anew_where_steps_that_matter_differ(
    monkeypatch: pytest.MonkeyPatch, *, deep: bool
) -> None:
    some_one = terms.make(Op.EX, BOOL, (terms.eq(N, terms.int_(1)),))
    if deep:
        some_one = terms.or_(some_one, terms.make(Op.EG, BOOL, (terms.eq(N, terms.int_(1)),)))
    system = counting(1, SystemProperty("p0", some_one, PropertyKind.CTL))
    changes = {
        "unreachable": leading(terms.eq(N, terms.int_(2)), 0),
        "later": leading(terms.eq(N, terms.int_(1)), 2),
        "first": leading(terms.eq(N, terms.int_(0)), 2),
    }
    conclude, concluded = Crowd.conclude, list[tuple[str, int]]()

    def noted(
        crowd: Crowd, model: Machine, layers: Sequence[Diagram], *, goes_on: bool = False
    ) -> None:
        concluded.extend((member.name, len(layers)) for member in crowd.members)
        conclude(crowd, model, layers, goes_on=goes_on)

    monkeypatch.setattr(Crowd, "conclude", noted)
    found = decided(system, changes).verdicts

    differing = {("first", 3), *([("later", 3)] if deep else [])}
    assert differing == {one for one in concluded if one[0]}
    assert found["unreachable"]["p0"] == found["later"]["p0"] == Holding()
    assert isinstance(found["first"]["p0"], Violated)


@pytest.mark.parametrize("kind", [PropertyKind.CTL, PropertyKind.LTL])
def test_a_path_takes_only_inputs_with_which_it_goes_on(kind: PropertyKind) -> None:
    op = Op.AG if kind is PropertyKind.CTL else Op.G
    stated = SystemProperty("p0", terms.make(op, BOOL, (NOT_TWO,)), kind)
    system = counting(1, stated)
    change = leading(terms.eq(N, terms.int_(1)), 2, blocked=INPUT)
    (verdict,) = decided(system, {"m": change}).verdicts["m"].values()

    assert isinstance(verdict, Violated)
    assert verdict.evidence is not None
    assert {step["i"] for step in verdict.evidence.steps} == {False}


def test_an_input_that_ends_the_path_refutes_nothing_in_linear_time() -> None:
    stated = SystemProperty("p0", terms.make(Op.G, BOOL, (terms.not_(INPUT),)), PropertyKind.LTL)
    system = counting(1, stated)
    changes = {"m": leading(terms.TRUE, 1, blocked=INPUT), "n": leading(terms.TRUE, 1)}
    found = decided(system, changes).verdicts

    assert found["m"]["p0"] == Holding()
    assert isinstance(found["n"]["p0"], Violated)


@pytest.mark.parametrize(
    ("kind", "walk", "is_late", "is_shown"),
    [
        (PropertyKind.CTL, 500, True, True),
        (PropertyKind.CTL, 5, True, False),
        (PropertyKind.CTL, 5, False, True),
        (PropertyKind.LTL, 5, False, True),
    ],
)
def test_a_failure_ends_the_search_where_no_step_leads_to_a_dead_end(
    monkeypatch: pytest.MonkeyPatch, kind: PropertyKind, walk: int, *, is_late: bool, is_shown: bool
) -> None:
    """All states take too long where it `is_late`; the path goes on for more than a short walk."""
    sort, last = IntSort(0, 31), terms.int_(31)
    n = terms.var("n", sort)
    is_last = terms.eq(n, last)
    op = Op.AG if kind is PropertyKind.CTL else Op.G
    low = terms.make(op, BOOL, (terms.compare(Op.LT, n, terms.int_(3)),))
    starts = Constraint(INIT, terms.eq(n, terms.int_(0)))

    def step(then: Term) -> Constraint:
        goes = terms.eq(terms.next_var("n", sort), then)
        return Constraint(TRANS, terms.and_(goes, terms.not_(is_last)), STEP)

    above = terms.compare(Op.LT, terms.int_(29), n)
    up = terms.ite(above, terms.int_(0), terms.make(Op.ADD, sort, (n, terms.int_(1))))
    system = TransitionSystem(
        {"n": SystemVariable("n", sort, STATE)},
        (starts, step(terms.int_(0))),
        (SystemProperty("p0", low, kind),),
    )
    conclude = Crowd.conclude

    def late(
        crowd: Crowd, model: Machine, layers: Sequence[Diagram], *, goes_on: bool = False
    ) -> None:
        if is_late and crowd.members[0].name:
            raise OutOfTime
        conclude(crowd, model, layers, goes_on=goes_on)

    monkeypatch.setattr(Crowd, "conclude", late)
    monkeypatch.setattr(always, "LONGEST_WALK", walk)
    change = Alternative(frozenset({STEP}), (step(up),))
    failing = decided(system, {"up": change}).verdicts["up"]["p0"]

    assert isinstance(failing, Violated)
    assert failing.trace is not None
    assert [step["n"] for step in failing.trace.steps][:4] == [0, 1, 2, 3]
    assert (failing.evidence is not None) is is_shown


@pytest.mark.parametrize("holds", [True, False])
def test_what_is_reached_and_what_bounds_it_are_searched_in_turn(*, holds: bool) -> None:
    stated = SystemProperty("p0", terms.make(Op.AG, BOOL, (NOT_TWO,)), PropertyKind.CTL)
    system = counting(1, stated) if holds else leading(terms.TRUE, 2).applied(counting(1, stated))
    model = machine(Encoder(Manager(UNHURRIED), system))
    alive = always.lasting(model)
    assert alive is not None
    start, fine = model.initial, model.encoder.predicate(NOT_TWO)
    without_end = repeat(fine)
    layers = chain((start,), without_end) if holds else model.layers(start)
    bound = (fine, fine) if holds else chain((start,), without_end)
    found = always.verdicts(model, layers, [stated], alive=alive, bound=bound, shown=True)

    assert found is not None
    assert isinstance(found["p0"], Holding if holds else Violated)


@pytest.mark.parametrize("wrong", [True, False])
def test_diagrams_of_the_system_that_fail_decide_nothing(
    monkeypatch: pytest.MonkeyPatch, *, wrong: bool
) -> None:
    stated = SystemProperty("p0", terms.make(Op.AG, BOOL, (NOT_TWO,)), PropertyKind.CTL)
    system, experience = counting(1, stated), Experience()

    def failing(_: Vicinity, crowd: Crowd, __: Mapping[str, BddVerdict]) -> bool:
        if not wrong:
            raise OutOfTime
        crowd.note(crowd.members[0], stated, Violated(None))
        return False

    monkeypatch.setattr(Vicinity, "decide", failing)
    changes = {f"m{n}": leading(terms.eq(N, terms.int_(1)), 2) for n in range(9)}
    found = check_family(system, changes, ["p0"], UNHURRIED, experience=experience)

    assert all(isinstance(one["p0"], Violated) for one in found.verdicts.values())
    assert [*experience.vicinities.values()] == [None]


def test_a_second_answer_has_diagrams_of_its_own_and_few_are_kept() -> None:
    stated = SystemProperty("p0", terms.make(Op.AG, BOOL, (NOT_TWO,)), PropertyKind.CTL)
    experience = Experience()
    changes = {f"m{n}": leading(terms.eq(N, terms.int_(1)), n) for n in range(2)}
    kept: list[list[Vicinity | None]] = []
    for limit, shown in ((1, True), (1, False), (2, True), (2, False), (3, True)):
        system = counting(limit, stated)
        check_family(system, changes, ["p0"], UNHURRIED, experience=experience, shown=shown)
        kept.append([*experience.vicinities.values()])

    assert [len(one) for one in kept] == [1, 2, 3, 4, 4]
    assert kept[1][0] is not kept[1][1]
    assert kept[4][0] is kept[1][1]
    assert None not in kept[4]


@profile(60)
@given(systems(), STATES, STATES)
def test_answers_are_sought_from_where_they_are_asked_for(
    system: TransitionSystem, asked: Term, given_: Term
) -> None:
    late = terms.make(Op.EG, BOOL, (terms.not_(given_),))
    denied = terms.not_(terms.make(Op.EF, BOOL, (terms.and_(asked, late),)))
    answered = terms.make(Op.AF, BOOL, (given_,))
    stated = terms.make(Op.AG, BOOL, (terms.implies(asked, answered),))
    properties = tuple(
        SystemProperty(name, term, PropertyKind.CTL)
        for name, term in (
            ("short", stated),
            ("long", denied),
            ("both", terms.and_(stated, denied)),
        )
    )
    found = decided(replace(system, properties=properties), {"m": Alternative(frozenset())})
    short, long, both = found.verdicts["m"].values()

    assert type(short) is type(long) is type(both)


def test_what_takes_too_long_to_ask_of_all_states_is_asked_of_reachable_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = terms.eq(N, terms.int_(1))
    stated = SystemProperty("p0", terms.make(Op.AF, BOOL, (one,)), PropertyKind.CTL)
    asked: list[Partitioned] = []

    def slow(_: Replacing, other: Partitioned) -> tuple[Diagram, bool]:
        asked.append(other)
        raise OutOfTime

    monkeypatch.setattr(Replacing, "going_on", slow)
    changes = {"m0": leading(terms.FALSE, 2), "m1": leading(terms.TRUE, 2)}
    found = decided(counting(1, stated), changes).verdicts

    assert isinstance(found["m0"]["p0"], Holding)
    assert isinstance(found["m1"]["p0"], Violated)
    assert len(asked) == 1


@pytest.mark.parametrize(("every", "lost"), [(9, False), (4, True)])
def test_an_alternative_that_is_too_large_costs_the_others_nothing(
    monkeypatch: pytest.MonkeyPatch, *, every: int, lost: bool
) -> None:
    stated = SystemProperty("p0", terms.make(Op.AG, BOOL, (NOT_TWO,)), PropertyKind.CTL)
    system, experience, calls = counting(1, stated), Experience(), list[str]()
    decide = Vicinity.decide

    def large(near: Vicinity, crowd: Crowd, usual: Mapping[str, BddVerdict]) -> bool:
        (member,) = crowd.members
        calls.append(member.name)
        if member.name and len([*filter(None, calls)]) % every == 0:
            raise MemoryError
        return decide(near, crowd, usual)

    monkeypatch.setattr(Vicinity, "decide", large)
    changes = {f"m{n}": leading(terms.eq(N, terms.int_(1)), 2) for n in range(24)}
    found = check_family(system, changes, ["p0"], UNHURRIED, experience=experience)

    assert all(isinstance(one["p0"], Violated) for one in found.verdicts.values())
    assert ([*experience.vicinities.values()] == [None]) is lost
    assert (len({*calls} - {""}) < len(changes)) is lost
