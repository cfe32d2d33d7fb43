"""Lassos through many states that never come back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BoolSort, IntSort
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.ctl import Branching
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.fairness import Fairness
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.relation import machine
from support.deadlines import UNHURRIED
from support.relational_systems import INIT, STATE, TRANS

LAST = 200


class Counting(Manager):
    """Count the images that are computed; mutable."""

    images = 0

    def and_exists(self, left: Diagram, right: Diagram, names: Sequence[str]) -> Diagram:
        """Return that some values of the named bits satisfy both functions."""
        self.images += 1
        return super().and_exists(left, right, names)


def chain(last: int) -> TransitionSystem:
    """Return a counter from 0 to `last`, where it stays."""
    sort = IntSort(0, last)
    n, end = terms.var("n", sort), terms.int_(last)
    more = terms.arithmetic(Op.ADD, n, terms.int_(1))
    step = terms.make(Op.ITE, IntSort(), (terms.compare(Op.LT, n, end), more, end))
    constraints = (
        Constraint(INIT, terms.eq(n, terms.int_(0))),
        Constraint(TRANS, terms.eq(terms.next_var("n", sort), step)),
    )
    return TransitionSystem({"n": SystemVariable("n", sort, STATE)}, constraints, ())


def test_images_grow_little_faster_than_the_way_to_the_loop() -> None:
    manager = Counting(UNHURRIED)
    model = machine(Encoder(manager, chain(LAST)))
    states, loop = trace.lasso(
        model, model.initial, model.invariant, model.invariant, fairness=Fairness()
    )

    assert LAST == loop
    assert LAST + 1 == len(states)
    assert manager.images < 30 * LAST


def wandering(last: int) -> TransitionSystem:
    """Return a counter from 0 to `last` and back to 0 that may wait anywhere."""
    system = chain(last)
    begin, (_, step) = system.constraints[0], system.constraints[1].term.args
    n = terms.var("n", IntSort(0, last))
    after = terms.next_var("n", n.sort)
    start = terms.eq(after, terms.int_(0))
    wait, on = terms.eq(after, n), terms.eq(after, step)
    steps = Constraint(TRANS, terms.disjunction((wait, on, start)))
    return TransitionSystem(system.variables, (begin, steps), ())


def test_a_long_way_to_a_fair_loop_is_walked() -> None:
    model = machine(Encoder(Manager(UNHURRIED), chain(3 * LAST)))
    n = terms.var("n", IntSort(0, 3 * LAST))
    end = model.encoder.predicate(terms.eq(n, terms.int_(3 * LAST)))
    branching = Branching(model, model.invariant, Fairness((end,)))

    found = branching.cycles(branching.recurring()).lasso(model, model.initial)
    assert found is not None
    assert (3 * LAST + 1, 3 * LAST) == (len(found[0]), found[1])


def test_a_loop_nearby_is_found_without_the_states_far_away() -> None:
    manager = Counting(UNHURRIED)
    model = machine(Encoder(manager, wandering(LAST)))
    states, loop = trace.lasso(
        model, model.initial, model.invariant, model.invariant, fairness=Fairness()
    )

    assert (1, 0) == (len(states), loop)
    assert manager.images < 10


@pytest.mark.parametrize("negated", [False, True])
def test_a_violation_nearby_is_found_without_the_states_far_away(negated: bool) -> None:
    manager = Counting(UNHURRIED)
    model = machine(Encoder(manager, wandering(LAST)))
    branching = Branching(model, model.invariant, Fairness())
    third = terms.eq(terms.var("n", IntSort(0, LAST)), terms.int_(3))
    never = terms.make(Op.AG, BoolSort(), (terms.not_(third),))
    if negated:
        never = terms.not_(terms.make(Op.EF, BoolSort(), (third,)))
    failing = branching.failing(never, model.initial)

    assert model.initial == failing
    assert manager.images < 10


def test_a_loop_nearby_is_found_by_the_shortest_way() -> None:
    model = machine(Encoder(Manager(UNHURRIED), chain(3)))
    states, loop = trace.lasso(
        model, model.initial, model.invariant, model.invariant, fairness=Fairness()
    )
    shown = trace.shown(model, states, loop)

    assert [0, 1, 2, 3] == [step["n"] for step in shown.steps]
    assert 3 == shown.loop
