"""States of fair paths are found by as few fixed points as there must be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.model.interpretation import interpretation
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd import fairness as fair
from mutproof.solving.bdd.check import fairness_of
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.fairness import Fairness, hull, reaching
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.relation import Machine, machine
from support.deadlines import UNHURRIED
from support.lustre_mutants import program_of
from support.nusmv_mutants import accepted
from support.profiles import profile
from support.relational_systems import STATES, systems

ENDING = """MODULE main
VAR n : 0..5; INIT n in {0, 3}; TRANS n < 3 ? next(n) in {n, n + 1} : next(n) = (n < 5 ? n + 1 : 3);
FAIRNESS n != 4;
FAIRNESS n < 3;
"""


def made(system: TransitionSystem) -> tuple[Machine, Fairness]:
    model = machine(Encoder(Manager(UNHURRIED), system))
    return model, fairness_of(model.encoder)


def in_rounds(model: Machine, states: Diagram, fairness: Fairness) -> Diagram:
    """Return the hull as its source defines it, by rounds until one changes nothing."""
    while True:
        earlier = states
        while (fewer := states & model.before(states)) != states:
            states = fewer
        for often in fairness.justice:
            states = reaching(model, states, states & often)
        for asked, answer in fairness.compassion:
            states = (states & ~asked) | reaching(model, states, states & answer)
        if states == earlier:
            return states


def test_no_fixed_point_is_computed_again_of_the_same_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, fairness = made(interpretation(program_of(accepted(ENDING))).system())
    asked: list[tuple[Diagram, Diagram]] = []

    def noted(of: Machine, through: Diagram, target: Diagram) -> Diagram:
        asked.append((through, target))
        return reaching(of, through, target)

    monkeypatch.setattr(fair, "reaching", noted)
    found = hull(model, model.invariant, fairness)

    (n,) = model.encoder.codings
    assert 3 == model.manager.count(found, model.encoder.codings[n].bits)
    assert 3 == len(asked)  # once each; then the first again, of fewer states


@profile(80)
@given(
    systems(),
    st.lists(STATES, max_size=3),
    st.lists(st.tuples(STATES, STATES), max_size=2),
)
def test_the_hull_is_that_of_whole_rounds(
    system: TransitionSystem, justice: list[Term], compassion: list[tuple[Term, Term]]
) -> None:
    system = replace(system, fairness=tuple(justice), compassion=tuple(compassion))
    model, fairness = made(system)
    assert in_rounds(model, model.invariant, fairness) == hull(model, model.invariant, fairness)
