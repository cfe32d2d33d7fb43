"""Small questions are decided in a fixed order of variables; larger ones, again with reordering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.base.budget import Deadline
from mutproof.model.interpretation import interpretation
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Trace
from mutproof.solving.bdd import check as checks
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.crowd import Crowd
from mutproof.solving.bdd.dead_end import dead_end
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.experience import Experience
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.manager import Manager, OutOfTime
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.relation import Machine
from mutproof.solving.bdd.verdict import Holding
from support.deadlines import UNHURRIED
from support.lustre_mutants import program_of
from support.nusmv_mutants import accepted
from support.profiles import profile
from support.relational_systems import BRANCHING, LINEAR, STATES, systems

MODEL = """MODULE main
VAR low : boolean; middle : boolean; high : 0..4;
ASSIGN next(low) := !low; next(middle) := middle xor low; next(high) := (high + 1) mod 5;
SPEC AG EF (low & middle & high = 4)
"""


class Watched:
    """Note how managers are made, and in which orders encoders start."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reordering: list[bool] = []
        self.orders: list[list[str]] = []

        def manager(deadline: Deadline, **chosen: Any) -> Manager:
            self.reordering.append(chosen.get("reordering", True))
            return Manager(deadline, **chosen)

        def encoder(of: Manager, system: TransitionSystem, **chosen: Any) -> Encoder:
            self.orders.append([*chosen.get("order", ())])
            return Encoder(of, system, **chosen)

        monkeypatch.setattr(checks, "Manager", manager)
        monkeypatch.setattr(checks, "Encoder", encoder)
        monkeypatch.setattr(checks, "_orders", type(checks._orders)(10))


def test_a_small_question_is_not_reordered(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    system = interpretation(program_of(accepted(MODEL))).system()
    (stated,) = system.properties

    assert isinstance(check(system, [stated.name], UNHURRIED)[stated.name], Holding)
    assert dead_end(system, UNHURRIED) == (None, "")
    assert [False, False] == watched.reordering


def test_the_next_question_starts_in_the_order_that_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    system = interpretation(program_of(accepted(MODEL))).system()
    (stated,) = system.properties
    whole = check(system, [stated.name], UNHURRIED)

    monkeypatch.setattr(checks, "MOST_VISITED", 1)
    assert whole == check(system, [stated.name], UNHURRIED)
    assert [False, False, True] == watched.reordering
    assert [[], [], []] == watched.orders

    monkeypatch.undo()
    turned = replace(system, variables=dict(reversed([*system.variables.items()])))
    watched = Watched(monkeypatch)
    monkeypatch.setattr(checks, "MOST_VISITED", 1)
    check(system, [stated.name], UNHURRIED)
    monkeypatch.setattr(checks, "MOST_VISITED", 1_000)
    assert whole == check(turned, [stated.name], UNHURRIED)
    assert [False, True, False] == watched.reordering
    bits = {"low", "middle", "high^0", "high^1", "high^2"}
    assert [set(), set(), bits] == [*map(set, watched.orders)]


@st.composite
def stated_systems(draw: st.DrawFn) -> TransitionSystem:
    """Return a system that states properties of each kind."""
    chosen = {
        PropertyKind.INVARIANT: STATES,
        PropertyKind.CTL: BRANCHING,
        PropertyKind.LTL: LINEAR,
    }
    stated = tuple(
        SystemProperty(f"{kind.name}{number}", term, kind)
        for kind, terms in chosen.items()
        for number, term in enumerate(draw(st.lists(terms, max_size=2)))
    )
    return replace(draw(systems()), properties=stated)


@profile(60)
@given(stated_systems(), st.integers(1, 400))
def test_work_that_is_done_again_says_the_same(system: TransitionSystem, most: int) -> None:
    names = [one.name for one in system.properties]
    whole = check(system, names, UNHURRIED), dead_end(system, UNHURRIED)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(checks, "MOST_VISITED", most)
        again = check(system, names, UNHURRIED), dead_end(system, UNHURRIED)
    assert whole == again


@profile(60)
@given(stated_systems())
def test_what_is_late_to_be_shown_is_shown_with_reordering(system: TransitionSystem) -> None:
    names = [one.name for one in system.properties]
    whole = check(system, names, UNHURRIED)
    shown, proof = trace.shown, checks.reachable_invariant

    def late_trace(of: Machine, *chosen: Any) -> Trace:
        if not of.manager._reordering:
            raise OutOfTime
        return shown(of, *chosen)

    def late_proof(of: Machine, *chosen: Any) -> Term | None:
        if not of.manager._reordering:
            raise OutOfTime
        return proof(of, *chosen)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(trace, "shown", late_trace)
        patched.setattr(checks, "reachable_invariant", late_proof)
        again = check(system, names, UNHURRIED)
    assert whole == again


def test_mutants_are_decided_in_the_order_that_was_found_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checks, "_orders", type(checks._orders)(10))
    monkeypatch.setattr(checks, "MOST_VISITED", 1)
    system = interpretation(program_of(accepted(MODEL))).system()
    (stated,) = system.properties
    turned = replace(system, variables=dict(reversed([*system.variables.items()])))
    found: list[tuple[str, ...]] = []
    for one in (system, turned):
        check(one, [stated.name], UNHURRIED)
        found.append((*checks.known_order(one.variables),))
    known = found[0]
    assert {"low", "middle", "high^0", "high^1", "high^2"} == {*known}

    assert known == tuple(checks.known_order(["low", "middle"]))
    assert found[1] == tuple(checks.known_order(["middle", "low"]))
    assert not checks.known_order(["low", "other"])

    used: list[tuple[tuple[str, ...], bool]] = []
    decide = Crowd.decide

    def noted(crowd: Crowd, manager: Manager, *, order: Sequence[str] = ()) -> None:
        used.append((tuple(order), manager._reordering))
        decide(crowd, manager, order=order)

    monkeypatch.setattr(Crowd, "decide", noted)
    experience = Experience()
    changes = {f"m{n}": Alternative(frozenset()) for n in range(2)}
    for one, order in zip((system, turned), found, strict=True):
        used.clear()
        never, names = UNHURRIED, [stated.name]
        outcome = check_family(one, changes, names, never, experience=experience)
        assert [((), False), (order, False)] == used
        assert isinstance(outcome.verdicts["m0"][stated.name], Holding)
