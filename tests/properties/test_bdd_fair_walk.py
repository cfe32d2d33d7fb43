"""A walk finds fair paths where their states are too many to compute, and what it finds is one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mutproof.model.interpretation import interpretation
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.fair_walk import fair_walk
from support.deadlines import UNHURRIED
from support.explicit import explore
from support.lustre_mutants import program_of
from support.nusmv_mutants import accepted
from support.oracles import Graph
from support.profiles import profile
from support.relational_systems import STATES, systems

TURNS = """MODULE main
VAR last : {other, mine}; turn : 0..13; a : array 0..13 of 0..2;
INVAR turn < 14;
ASSIGN next(last) := last;
{steps}
FAIRNESS last = mine & a[13] = 2;
{fair}
"""


def crowd() -> TransitionSystem:
    """Return counters of which one at a time goes on, all of which must be full infinitely often.

    The first value of `last` decides whether any path is fair.
    """
    numbers = range(14)
    steps = "".join(
        f"ASSIGN init(a[{n}]) := 0; next(a[{n}]) := turn = {n} ? (a[{n}] + 1) mod 3 : a[{n}];\n"
        for n in numbers
    )
    fair = "".join(f"FAIRNESS a[{n}] = 2;\n" for n in numbers)
    return interpretation(
        program_of(accepted(TURNS.replace("{steps}", steps).replace("{fair}", fair)))
    ).system()


def test_a_walk_chooses_where_it_begins() -> None:
    found = fair_walk(crowd(), UNHURRIED)
    assert found is not None
    assert found.loop is not None
    assert {"mine"} == {step["last"] for step in found.steps}
    for number in range(14):
        assert any(step[f"a[{number}]"] == 2 for step in found.steps[found.loop :])


@profile(80)
@given(systems(), st.lists(STATES, max_size=3), st.lists(st.tuples(STATES, STATES), max_size=2))
def test_what_a_walk_finds_is_a_fair_path(
    system: TransitionSystem, justice: list[Term], compassion: list[tuple[Term, Term]]
) -> None:
    system = replace(system, fairness=tuple(justice), compassion=tuple(compassion))
    found = fair_walk(system, UNHURRIED)
    if found is None:
        return
    space = explore(system)
    assert space is not None
    graph = Graph(system, space)
    assert found.loop is not None
    rows = [graph.row(dict(step)) for step in found.steps]
    assert rows[0] in space.initial
    for row, after in zip(rows, [*rows[1:], rows[found.loop]], strict=True):
        assert after in graph.after[row]
    cycle = set(rows[found.loop :])
    assert all(cycle & graph.where(often) for often in justice)
    for asked, given_ in compassion:
        assert not cycle & graph.where(asked) or cycle & graph.where(given_)
