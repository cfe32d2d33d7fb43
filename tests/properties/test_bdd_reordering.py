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
from mutproof.solving.bdd import check as checks
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.crowd import Crowd
from mutproof.solving.bdd.dead_end import dead_end
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.experience import Experience
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import Holding
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

    assert isinstance(check(system, [stated.name], Deadline.never())[stated.name], Holding)
    assert dead_end(system, Deadline.never()) == (None, "")
    assert [False, False] == watched.reordering


def test_the_next_question_starts_in_the_order_that_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    system = interpretation(program_of(accepted(MODEL))).system()
    (stated,) = system.properties
    whole = check(system, [stated.name], Deadline.never())

    monkeypatch.setattr(checks, "MOST_VISITED", 1)
    assert whole == check(system, [stated.name], Deadline.never())
    assert [False, False, True] == watched.reordering
    assert [[], [], []] == watched.orders

    monkeypatch.undo()
    turned = replace(system, variables=dict(reversed([*system.variables.items()])))
    watched = Watched(monkeypatch)
    monkeypatch.setattr(checks, "MOST_VISITED", 1)
    check(system, [stated.name], Deadline.never())
    monkeypatch.setattr(checks, "MOST_VISITED", 1_000)
    assert whole == check(turned, [stated.name], Deadline.never())
    assert [False, True, False] == watched.reordering
    bits = {"low", "middle", "high^0", "high^1", "high^2"}
    assert [set(), set(), bits] == [*map(set, watched.orders)]


@profile(60)
@given(
    systems(),
    st.lists(STATES, max_size=2),
    st.lists(BRANCHING, max_size=2),
    st.lists(LINEAR, max_size=2),
    st.integers(1, 400),
)
def test_work_that_is_done_again_says_the_same(
    system: TransitionSystem,
    invariants: list[Term],
    branching: list[Term],
    linear: list[Term],
    most: int,
) -> None:
    kinds = (PropertyKind.INVARIANT, PropertyKind.CTL, PropertyKind.LTL)
    stated = tuple(
        SystemProperty(f"{kind.name}{number}", term, kind)
        for kind, some in zip(kinds, (invariants, branching, linear), strict=True)
        for number, term in enumerate(some)
    )
    system = replace(system, properties=stated)
    names = [one.name for one in stated]
    whole = check(system, names, Deadline.never()), dead_end(system, Deadline.never())

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(checks, "MOST_VISITED", most)
        again = check(system, names, Deadline.never()), dead_end(system, Deadline.never())
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
        check(one, [stated.name], Deadline.never())
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
        never, names = Deadline.never(), [stated.name]
        outcome = check_family(one, changes, names, never, experience=experience)
        assert [((), False), (order, False)] == used
        assert isinstance(outcome.verdicts["m0"][stated.name], Holding)
