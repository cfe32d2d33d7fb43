"""A family of alternatives has the verdicts its members have alone, and refutes by replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import UNCERTIFIED
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rungs import diagrams
from mutproof.base.budget import Budget, Deadline
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.sorts import BOOL, IntSort
from mutproof.model.system import (
    Constraint,
    SystemProperty,
    SystemVariable,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.bdd import check as checks
from mutproof.solving.bdd import ltl, vicinity
from mutproof.solving.bdd.beginnings import Beginnings, Onwards
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.coding import NotFinite
from mutproof.solving.bdd.crowd import Crowd, Member
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.experience import LOST, LOST_IN_ALL, Experience, Place
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.family_outcome import Attempts, FamilyOutcome
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime
from mutproof.solving.bdd.merge import Alternative, merged
from mutproof.solving.bdd.orders import Order
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Undecided, Violated
from mutproof.solving.bdd.vicinity import Vicinity
from support.deadlines import UNHURRIED
from support.explicit import invariant_holds
from support.profiles import profile
from support.relational_alternatives import (
    check_evidence,
    dead_end,
    families,
    graph_of,
    with_free_variables,
)
from support.relational_systems import (
    INIT,
    INPUT,
    STATE,
    STATES,
    TRANS,
    A,
    D,
    I,
    N,
)


def decided(
    system: TransitionSystem,
    changes: dict[str, Alternative],
    *,
    largest: int = 64,
    near: bool = False,
) -> FamilyOutcome:
    names = [stated.name for stated in system.properties]
    experience = Experience()
    if not near:
        question = (tuple(system.variables), system.digest, tuple(names)), True
        experience.vicinities[question] = None
    return check_family(system, changes, names, UNHURRIED, largest=largest, experience=experience)


def same(verdict: BddVerdict, alone: BddVerdict) -> bool:
    if isinstance(verdict, Holding) and isinstance(alone, Holding):
        return verdict.vacuity is alone.vacuity
    return type(verdict) is type(alone)


def check_family_of(
    system: TransitionSystem, changes: dict[str, Alternative], *, near: bool = False
) -> None:
    outcome = decided(system, changes, near=near)
    names = [stated.name for stated in system.properties]
    own_end = dead_end(graph_of(system))

    assert outcome.reason == ""
    for name, change in changes.items():
        applied = change.applied(system)
        why = dead_end(graph_of(with_free_variables(applied)))
        assert (name in outcome.dead_ends) == (bool(why) and why != own_end)
        if name in outcome.dead_ends:
            continue  # no model, so that verdicts do not matter
        alone = check(applied, names, UNHURRIED)
        applied = with_free_variables(applied)
        graph = graph_of(applied)
        for stated in system.properties:
            verdict = outcome.verdicts[name][stated.name]
            assert same(verdict, alone[stated.name]), (name, stated.name)
            if isinstance(verdict, Violated):
                check_evidence(applied, graph, stated, verdict)
        invariant = isinstance(outcome.verdicts[name]["p0"], Holding)
        assert invariant_holds(applied, graph.space, "p0") == invariant


@profile(40)
@given(families())
def test_members_have_the_verdicts_they_have_alone(
    family: tuple[TransitionSystem, dict[str, Alternative]],
) -> None:
    check_family_of(*family)


@profile(60)
@given(families())
def test_members_have_those_verdicts_in_the_diagrams_of_the_system(
    family: tuple[TransitionSystem, dict[str, Alternative]],
) -> None:
    check_family_of(*family, near=True)


@profile(60)
@given(families())
def test_members_have_those_verdicts_by_what_follows_the_states_of_the_system(
    family: tuple[TransitionSystem, dict[str, Alternative]],
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(vicinity, "FAR", 0)
        patched.setattr(vicinity, "MOST_VAIN", 1_000)
        check_family_of(*family, near=True)


@pytest.mark.parametrize("near", [False, True])
@profile(40)
@given(families(), STATES, STATES)
def test_answers_in_linear_time_are_missed_where_tableaux_say_so(
    near: bool,
    family: tuple[TransitionSystem, dict[str, Alternative]],
    asked: Term,
    given_: Term,
) -> None:
    system, changes = family
    answered = terms.make(Op.F, BOOL, (given_,))
    never = terms.make(Op.G, BOOL, (terms.not_(given_),))
    denied = terms.make(Op.F, BOOL, (terms.and_(asked, never),))
    short = terms.make(Op.G, BOOL, (terms.implies(asked, answered),))
    stated = [
        SystemProperty("p0", short, PropertyKind.LTL),
        SystemProperty("p1", terms.not_(denied), PropertyKind.LTL),
    ]
    system = replace(system, properties=tuple(stated))
    outcome = decided(system, changes, near=near)

    for name, change in changes.items():
        if name in outcome.dead_ends:
            continue
        found, expected = outcome.verdicts[name].values()
        applied = with_free_variables(change.applied(system))
        assert same(found, expected)
        assert same(check(applied, ["p0"], UNHURRIED)["p0"], expected)
        if isinstance(found, Violated):
            assert found.evidence is not None
            check_evidence(applied, graph_of(applied), stated[0], found)


START = ElementId("main", "element", "start")
MANY = 8
"""As many alternatives that begin elsewhere as are decided together."""


@st.composite
def beginnings(draw: st.DrawFn) -> tuple[TransitionSystem, dict[str, Alternative]]:
    """Return a system and alternatives that change its initial states only."""
    system, _ = draw(families())
    start = Constraint(INIT, terms.or_(A, terms.eq(N, terms.int_(1))), START)
    changes: dict[str, Alternative] = {"free": Alternative(frozenset({START}))}
    for number in range(1, MANY):
        term = draw(st.one_of(STATES, st.sampled_from([terms.TRUE, terms.FALSE])))
        changes[f"m{number}"] = Alternative(frozenset({START}), (Constraint(INIT, term, START),))
    return replace(system, constraints=(*system.constraints, start)), changes


@profile(40)
@given(beginnings())
def test_members_that_begin_elsewhere_have_the_verdicts_they_have_alone(
    family: tuple[TransitionSystem, dict[str, Alternative]],
) -> None:
    check_family_of(*family)


@profile(40)
@given(beginnings())
def test_one_like_the_initial_states_and_one_unlike_them_prove_nothing_of_others(
    family: tuple[TransitionSystem, dict[str, Alternative]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mutproof.solving.bdd.beginnings.FEW", 0)
        check_family_of(*family)


def staying() -> tuple[TransitionSystem, dict[str, Alternative]]:
    """Return a counter that stays as it is, and alternatives that begin with other counts."""
    counter = IntSort(0, 1000)
    value, following = terms.var("n", counter), terms.next_var("n", counter)
    stay = Constraint(TRANS, terms.eq(following, value))
    start = Constraint(INIT, terms.eq(value, terms.int_(0)), START)
    limit = terms.not_(terms.eq(value, terms.int_(500)))
    stated = SystemProperty("p0", terms.make(Op.AG, BOOL, (limit,)), PropertyKind.CTL)
    declared = {"n": SystemVariable("n", counter, STATE)}
    system = TransitionSystem(declared, (start, stay), (stated,))
    below = terms.compare(Op.LT, value, terms.int_(400))
    terms_of = {"all": terms.TRUE, "below": below, "at": terms.not_(limit)}
    changes = {
        f"{name}{number}": Alternative(frozenset({START}), (Constraint(INIT, term, START),))
        for name, term in terms_of.items()
        for number in range(MANY)
    }
    return system, changes


def test_all_initial_states_are_looked_at_where_few_of_them_refute_nothing() -> None:
    system, changes = staying()
    experience = Experience()
    found = check_family(system, changes, ["p0"], UNHURRIED, experience=experience)

    kinds = {name: type(verdicts["p0"]) for name, verdicts in found.verdicts.items()}
    assert {n: Holding if n.startswith("below") else Violated for n in changes} == kinds
    few, whole = experience.beginnings.items()
    assert (few[0][-1], whole[0][-1]) == (False, True)
    assert None not in {few[1], whole[1]}


def test_all_initial_states_are_looked_at_in_the_slow_attempts_only() -> None:
    system, changes = staying()
    experience, kinds = Experience(), dict[tuple[Attempts, str], type[BddVerdict]]()
    for attempts in (Attempts.QUICK, Attempts.SLOW):
        found = check_family(
            system, changes, ["p0"], UNHURRIED, experience=experience, attempts=attempts
        )
        for name, verdicts in found.verdicts.items():
            kinds[attempts, name.rstrip("0123456789")] = type(verdicts["p0"])

    assert kinds[Attempts.QUICK, "below"] is Undecided
    assert kinds[Attempts.SLOW, "below"] is Holding
    assert [Violated] * 2 == [kinds[one, "all"] for one in (Attempts.QUICK, Attempts.SLOW)]


def beginning_elsewhere() -> tuple[TransitionSystem, dict[str, Alternative]]:
    """Return a system in which `a` stays as it is, and alternatives that begin without it."""
    stay = Constraint(TRANS, terms.eq(terms.next_var("a", BOOL), A))
    stated = SystemProperty("p0", terms.make(Op.AG, BOOL, (A,)), PropertyKind.CTL)
    declared = {"a": SystemVariable("a", BOOL, STATE)}
    system = TransitionSystem(declared, (Constraint(INIT, A, START), stay), (stated,))
    starts = [A, terms.not_(A)] * (MANY // 2)
    changes = {
        f"m{n}": Alternative(frozenset({START}), (Constraint(INIT, term, START),))
        for n, term in enumerate(starts)
    }
    return system, changes


def test_the_same_sets_decide_all_that_begin_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    system, changes = beginning_elsewhere()
    experience = Experience()
    asked: list[str] = []
    decide = Crowd.decide

    def noted(crowd: Crowd, manager: Manager, *, order: Sequence[str] = ()) -> None:
        asked.extend(member.name for member in crowd.members)
        decide(crowd, manager, order=order)

    monkeypatch.setattr(Crowd, "decide", noted)
    for reverse in (False, True):
        turned = replace(system, variables=dict(reversed([*system.variables.items()])))
        found = check_family(
            turned if reverse else system, changes, ["p0"], UNHURRIED, experience=experience
        )
        kinds = [type(verdicts["p0"]) for verdicts in found.verdicts.values()]
        assert kinds == [Holding, Violated] * (MANY // 2)
    assert {*asked} == {""}


def test_a_second_opinion_rests_on_sets_of_its_own() -> None:
    system, changes = beginning_elsewhere()
    extended = replace(
        system, variables={**system.variables, "b": SystemVariable("b", BOOL, STATE)}
    )
    turned = replace(extended, variables=dict(reversed([*extended.variables.items()])))
    experience = Experience()
    for one in (extended, turned):
        check_family(one, changes, ["p0"], UNHURRIED, experience=experience)

    first, second = experience.beginnings.values()
    assert first is not second


def test_what_takes_too_long_from_anywhere_is_decided_as_usual(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system, changes = beginning_elsewhere()
    experience = Experience()

    def late(_: Beginnings, __: TransitionSystem) -> Diagram:
        raise OutOfTime

    monkeypatch.setattr(Beginnings, "initial", late)
    found = check_family(system, changes, ["p0"], UNHURRIED, experience=experience)

    kinds = [type(verdicts["p0"]) for verdicts in found.verdicts.values()]
    assert kinds == [Holding, Violated] * (MANY // 2)
    assert [*experience.beginnings.values()] == [None, None]


def test_sets_that_contradict_the_system_decide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    system, changes = beginning_elsewhere()

    def wrong(_: Onwards, __: SystemProperty, ___: Diagram, *, shown: bool) -> Violated:
        assert not shown
        return Violated(None)

    monkeypatch.setattr(Onwards, "verdict", wrong)
    experience = Experience()
    found = check_family(system, changes, ["p0"], UNHURRIED, experience=experience)

    kinds = [type(verdicts["p0"]) for verdicts in found.verdicts.values()]
    assert kinds == [Holding, Violated] * (MANY // 2)
    assert [*experience.beginnings.values()] == [None, None]


@profile(10)
@given(families())
def test_families_of_any_size_agree(
    family: tuple[TransitionSystem, dict[str, Alternative]],
) -> None:
    system, changes = family
    together, alone = decided(system, changes), decided(system, changes, largest=1)

    for name in changes:
        for stated in system.properties:
            one, other = together.verdicts[name][stated.name], alone.verdicts[name][stated.name]
            assert same(one, other)
    assert together.dead_ends == alone.dead_ends


@profile(20)
@given(families(), st.data())
def test_the_order_of_bits_changes_no_verdict(
    family: tuple[TransitionSystem, dict[str, Alternative]], data: st.DataObject
) -> None:
    system, changes = family
    bits = data.draw(st.permutations(Encoder(Manager(UNHURRIED), system).bits()))
    order = Order(tuple(bits), data.draw(st.booleans()))
    experience = Experience({tuple(system.variables): order})
    names = [stated.name for stated in system.properties]
    usual = decided(system, changes)
    found = check_family(system, changes, names, UNHURRIED, experience=experience)

    assert experience.orders == {tuple(system.variables): order}
    assert found.dead_ends == usual.dead_ends
    for name in changes.keys() - found.dead_ends.keys():
        for goal in names:
            assert same(found.verdicts[name][goal], usual.verdicts[name][goal])


def test_an_order_of_bits_is_found_once() -> None:
    stated = SystemProperty("p0", A, PropertyKind.CTL)
    declared = {"a": SystemVariable("a", BOOL, STATE), "b": SystemVariable("b", BOOL, STATE)}
    step = Constraint(TRANS, terms.eq(terms.next_var("a", BOOL), terms.var("b", BOOL)))
    system = TransitionSystem(declared, (Constraint(INIT, A), step), (stated,))
    changes = {"m": Alternative(frozenset()), "n": Alternative(frozenset())}
    experience = Experience()
    check_family(system, changes, ["p0"], UNHURRIED, experience=experience)

    expected = [("a", "b")] if Manager(UNHURRIED).in_c else []
    assert expected == list(experience.orders)


def test_what_is_new_stands_where_the_old_was() -> None:
    first, second, third = (Constraint(INIT, term) for term in (A, D, terms.not_(A)))
    owner = ElementId("main", "element", "second")
    system = TransitionSystem({}, (first, replace(second, owner=owner), third), ())
    changed = Alternative(frozenset({owner}), (second,)).applied(system)

    assert (first, second, third) == changed.constraints


@profile(10)
@given(families())
def test_the_unchanged_system_is_decided_on_the_way(
    family: tuple[TransitionSystem, dict[str, Alternative]],
) -> None:
    system, changes = family
    names = [stated.name for stated in system.properties]
    expected = check(system, names, UNHURRIED)
    found = decided(system, {**changes, "same": Alternative(frozenset())})

    for name in names:
        assert same(found.baseline[name], expected[name])
        assert same(found.verdicts["same"][name], expected[name])


def test_no_time_is_no_verdict() -> None:
    stated = SystemProperty("p0", A, PropertyKind.INVARIANT)
    declared = {"a": SystemVariable("a", BOOL, STATE)}
    system = TransitionSystem(declared, (Constraint(INIT, A),), (stated,))
    outcome = check_family(system, {"m": Alternative(frozenset())}, ["p0"], Deadline.after(0.0))

    assert Undecided("out of time") == outcome.verdicts["m"]["p0"]
    assert outcome.reason == "out of time"


def test_a_hard_place_does_not_keep_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = SystemProperty("p0", A, PropertyKind.INVARIANT)
    declared = {"a": SystemVariable("a", BOOL, STATE), "b": SystemVariable("b", BOOL, STATE)}
    hard, easy = (ElementId("main", "element", name) for name in ("hard", "easy"))
    constraints = (Constraint(INIT, A, hard), Constraint(INIT, terms.var("b", BOOL), easy))
    system = TransitionSystem(declared, constraints, (stated,))
    changes = {f"h{n}": Alternative(frozenset({hard}), (constraints[0],)) for n in range(12)}
    changes |= {f"e{n}": Alternative(frozenset({easy}), (constraints[1],)) for n in range(5)}
    tried: list[str] = []
    decide = Crowd.decide

    def slow(crowd: Crowd, manager: Manager, *, order: Sequence[str] = ()) -> None:
        names = [member.name for member in crowd.members if member.name]
        tried.extend(names if len(names) == 1 else ())
        if any(name.startswith("h") for name in names):
            raise OutOfTime
        decide(crowd, manager, order=order)

    def late(_: Vicinity, __: Crowd, ___: Mapping[str, BddVerdict]) -> bool:
        raise OutOfTime

    monkeypatch.setattr(Crowd, "decide", slow)
    monkeypatch.setattr(Vicinity, "decide", late)
    experience = Experience()
    found = check_family(system, changes, ["p0"], UNHURRIED, experience=experience)

    kinds = {name: type(verdicts["p0"]) for name, verdicts in found.verdicts.items()}
    assert kinds == {n: Undecided if n.startswith("h") else Violated for n in changes}
    assert len({name for name in tried if name.startswith("h")}) == LOST + 1
    assert experience.hopeless == {frozenset({hard})}
    assert not experience.is_discouraging
    tried.clear()
    check_family(system, changes, ["p0"], UNHURRIED, experience=experience)
    assert not [name for name in tried if name.startswith("h")]


def test_only_what_wants_more_time_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = SystemProperty("p0", A, PropertyKind.INVARIANT)
    system = TransitionSystem(
        {"a": SystemVariable("a", BOOL, STATE)}, (Constraint(INIT, A),), (stated,)
    )
    tried: list[str] = []
    decide = Crowd.decide

    def unable(crowd: Crowd, manager: Manager, *, order: Sequence[str] = ()) -> None:
        if any(member.name for member in crowd.members):
            tried.extend(member.name for member in crowd.members if len(crowd.members) == 1)
            raise NotFinite("not finite")
        decide(crowd, manager, order=order)

    monkeypatch.setattr(Crowd, "decide", unable)
    found = check_family(system, {"m": Alternative(frozenset())}, ["p0"], UNHURRIED)
    assert isinstance(found.verdicts["m"]["p0"], Undecided)
    assert tried == ["m"]


@pytest.mark.parametrize(
    ("steps", "reads_input", "verdict"),
    [
        (terms.eq(terms.next_var("a", BOOL), A), False, Holding()),
        (terms.eq(terms.next_var("a", BOOL), terms.not_(A)), False, Violated(None)),
        # A path that goes on never has the input, though each state begins one.
        (terms.not_(I), True, Holding()),
    ],
)
def test_no_tableau_is_needed_for_what_always_holds_in_states_without_inputs(
    monkeypatch: pytest.MonkeyPatch, steps: Term, reads_input: bool, verdict: BddVerdict
) -> None:
    asked = []
    denial = ltl.denial

    def counted(*about: Any, prefix: str) -> ltl.Denial:
        asked.append(prefix)
        return denial(*about, prefix=prefix)

    monkeypatch.setattr(ltl, "denial", counted)
    stated = terms.make(Op.G, BOOL, (terms.not_(I) if reads_input else A,))
    inputs = {"i": SystemVariable("i", BOOL, INPUT)} if reads_input else {}
    system = TransitionSystem(
        {"a": SystemVariable("a", BOOL, STATE), **inputs},
        (Constraint(INIT, A), Constraint(TRANS, steps)),
        (SystemProperty("p", stated, PropertyKind.LTL),),
        relational=True,
    )
    crowd = Crowd(merged(system, ()), [Member("m", 0, system)], system.properties, frozenset())
    crowd.decide(Manager(UNHURRIED))
    assert {"m": {"p": verdict}} == crowd.verdicts
    assert reads_input is bool(asked)


class Asked:
    """Count how often families are decided, and let all of them fail."""

    def __init__(self) -> None:
        self.calls = 0
        self.beginning_s = 0.0

    def check(
        self,
        system: TransitionSystem,
        alternatives: Mapping[str, Alternative],
        properties: Sequence[str],
        deadline: Deadline,
        *,
        largest: int,
        experience: Experience,
        shown: bool,
        attempts: Attempts,
        beginning_s: float,
    ) -> FamilyOutcome:
        """Fail in the name of every alternative."""
        del system, properties, deadline, largest, shown, attempts
        self.calls += 1
        self.beginning_s = beginning_s
        for alternative in alternatives.values():
            experience.failed[alternative.removed] += 1
        return FamilyOutcome({}, {}, {}, "out of time")


def _context(system: TransitionSystem, proved: str, temporal: frozenset[str]) -> Context:
    """Return what families read of a context in which an engine proved one property."""
    proof = SimpleNamespace(certificate=UNCERTIFIED, proof=object(), how="invariant")
    context = SimpleNamespace(
        relational=True,
        system=system,
        temporal=temporal,
        baseline=SimpleNamespace(proofs={proved: proof}),
        means=SimpleNamespace(
            budget=Budget(),
            check_cancelled=lambda: None,
            notary=SimpleNamespace(twice=lambda *_: {}),
        ),
    )
    return cast("Context", context)


@pytest.mark.parametrize("attempts", Attempts)
def test_invariants_that_engines_proved_are_left_to_solvers_once_diagrams_take_long(
    monkeypatch: pytest.MonkeyPatch, attempts: Attempts
) -> None:
    asked = Asked()
    monkeypatch.setattr(diagrams, "check_family", asked.check)
    stated = [SystemProperty(name, A, PropertyKind.INVARIANT) for name in ("proved", "reached")]
    system = TransitionSystem({"a": SystemVariable("a", BOOL, STATE)}, (), tuple(stated))
    families = diagrams.Families(_context(system, "proved", frozenset()), 64)

    calls = []
    for number, name in enumerate(("reached", "proved", "proved", "reached")):
        claim = Claim(Variant(f"m{number}", frozenset()), {name})
        assert list(families.decide([claim], attempts)) == []
        calls.append(asked.calls)
    assert [1, 2, 2, 3] == calls


def test_failures_in_little_time_say_nothing_of_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked()
    monkeypatch.setattr(diagrams, "check_family", asked.check)
    held = SystemProperty("held", A, PropertyKind.INVARIANT)
    branching = SystemProperty("branching", A, PropertyKind.CTL)
    linear = SystemProperty("linear", A, PropertyKind.LTL)  # proved by engines
    system = TransitionSystem(
        {"a": SystemVariable("a", BOOL, STATE)}, (), (held, branching, linear)
    )
    context = _context(system, "linear", temporal=frozenset({"branching", "linear"}))
    families = diagrams.Families(context, 64)

    def claims(name: str) -> list[Claim]:
        return [Claim(Variant(f"m{n}", frozenset()), {name}) for n in range(LOST_IN_ALL)]

    for name, calls in (
        ("held", 1),
        ("held", 1),
        ("linear", 2),
        ("branching", 3),
        ("branching", 3),
    ):
        assert list(families.decide(claims(name), Attempts.ALL)) == []
        assert asked.calls == calls
        assert (asked.beginning_s == diagrams.BRIEF_S) is (calls == 2)
    assert families.is_postponed(claims("linear")[0])
    assert not families.is_postponed(claims("branching")[0])


def test_more_failures_than_verdicts_are_discouraging() -> None:
    place: Place = frozenset({ElementId("main", "element", "x")})
    experience = Experience()
    experience.failed[place] = LOST_IN_ALL
    experience.decided[place] = LOST_IN_ALL + 1
    assert not experience.is_discouraging
    experience.failed[place] += 1
    assert experience.is_discouraging


def test_nothing_is_tried_that_the_system_itself_is_too_hard_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stated = SystemProperty("p0", A, PropertyKind.INVARIANT)
    declared = {"a": SystemVariable("a", BOOL, STATE)}
    system = TransitionSystem(declared, (Constraint(INIT, A),), (stated,))
    sizes: list[int] = []

    def slow(crowd: Crowd, manager: Manager, *, order: Sequence[str] = ()) -> None:
        sizes.append(len(crowd.members))
        raise OutOfTime

    monkeypatch.setattr(Crowd, "decide", slow)
    monkeypatch.setattr(checks, "_orders", type(checks._orders)(10))
    changes = {f"m{n}": Alternative(frozenset()) for n in range(LOST_IN_ALL)}
    experience = Experience()
    outcome = check_family(system, changes, ["p0"], UNHURRIED, experience=experience)

    assert [1, 1] == sizes  # in the first order, then with reordering
    assert experience.is_discouraging
    assert outcome.reason == "out of time"


def test_the_system_itself_is_decided_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = SystemProperty("p0", A, PropertyKind.INVARIANT)
    declared = {"a": SystemVariable("a", BOOL, STATE)}
    owner = ElementId("main", "init", "a")
    begins = Constraint(INIT, A, owner)
    system = TransitionSystem(declared, (begins,), (stated,))
    decided: list[list[str]] = []
    decide = Crowd.decide

    def counted(crowd: Crowd, manager: Manager, *, order: Sequence[str] = ()) -> None:
        decided.append([member.name for member in crowd.members])
        decide(crowd, manager, order=order)

    monkeypatch.setattr(Crowd, "decide", counted)
    experience = Experience()

    def verdict(*, shown: bool) -> BddVerdict:
        changes = {"m": Alternative(frozenset({owner}))}
        never = UNHURRIED
        found = check_family(system, changes, ["p0"], never, experience=experience, shown=shown)
        assert found.baseline.keys() == {"p0"}
        return found.verdicts["m"]["p0"]

    first, second = verdict(shown=True), verdict(shown=False)
    assert isinstance(first, Violated)
    assert first.trace is not None
    assert second == Violated(None)
    assert [[""], ["m"], ["m"]] == decided


def test_a_system_that_its_first_order_suits_is_not_reordered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stated = SystemProperty("p0", A, PropertyKind.INVARIANT)
    owner = ElementId("main", "init", "a")
    begins = Constraint(INIT, A, owner)
    system = TransitionSystem({"a": SystemVariable("a", BOOL, STATE)}, (begins,), (stated,))
    reordered: list[Manager] = []

    def noted(manager: Manager, *_: object, reordering: bool = True, **most: Any) -> None:
        if reordering:
            reordered.append(manager)
        begin(manager, UNHURRIED, reordering=reordering, **most)

    begin, decide = Manager.__init__, Crowd.decide
    used: list[Manager] = []

    def counted(crowd: Crowd, manager: Manager, *, order: Sequence[str] = ()) -> None:
        used.append(manager)
        decide(crowd, manager, order=order)

    monkeypatch.setattr(Manager, "__init__", noted)
    monkeypatch.setattr(Crowd, "decide", counted)
    changes = {f"m{n}": Alternative(frozenset({owner})) for n in range(2)}
    found = check_family(system, changes, ["p0"], UNHURRIED, experience=Experience())

    assert isinstance(found.verdicts["m0"]["p0"], Violated)
    assert used
    assert not any(manager is one for manager in used for one in reordered)
