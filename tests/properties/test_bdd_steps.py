"""Steps from some states are those of the system from there, in one diagram if it is small."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.model.interpretation import interpretation
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd import relation
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.relation import Machine, machine
from support.deadlines import UNHURRIED
from support.lustre_mutants import program_of
from support.nusmv_mutants import accepted
from support.profiles import profile
from support.relational_systems import systems

IN_STEP = """MODULE main
VAR a : 0..7; b : 0..7; c : 0..7;
INIT a = 0 & b = 0 & c = 0;
TRANS next(a) = (a + 1) mod 8;
TRANS next(b) = (b + 1) mod 8;
TRANS next(c) = (c + 1) mod 8;
"""


def apart(system: TransitionSystem) -> Machine:
    """Return a system as diagrams, with no parts of its steps joined."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relation, "LARGEST_CLUSTER", 0)
        return machine(Encoder(Manager(UNHURRIED), system))


def test_steps_from_few_states_are_one_diagram(monkeypatch: pytest.MonkeyPatch) -> None:
    model = apart(interpretation(program_of(accepted(IN_STEP))).system())
    reachable = model.manager.disjunction(model.layers(model.initial))
    few = model.within(reachable)

    assert (4, 1) == (len(model.relation.clusters), len(few.relation.clusters))
    assert few.after(reachable) == reachable == few.before(model.invariant)

    monkeypatch.setattr(relation, "GROWTH", 0)
    assert len(model.within(reachable).relation.clusters) > 1  # one would be too large


@profile(60)
@given(systems(), st.data())
def test_steps_from_some_states_are_those_of_the_system(
    system: TransitionSystem, data: st.DataObject
) -> None:
    model = apart(system)
    layers = list(model.layers(model.initial))
    reachable = model.manager.disjunction(layers)
    limited = model.within(reachable)

    for layer in (*layers, reachable):
        assert model.after(layer) == limited.after(layer)
        assert model.before(layer) & reachable == limited.before(layer) & reachable
