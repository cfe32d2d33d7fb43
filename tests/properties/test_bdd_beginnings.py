"""What is reached from some initial states is not searched again from others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mutproof.base.budget import Deadline
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
from mutproof.solving.bdd.beginnings import Beginnings, without_initial
from mutproof.solving.bdd.experience import Experience
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.family_outcome import Attempts
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.relation import Relation
from mutproof.solving.bdd.verdict import Holding
from support.relational_systems import INIT, STATE, TRANS

LAST = 60
START = ElementId("main", "element", "start")


@pytest.fixture
def stepped(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Relation, Diagram]]:
    """Return the sets of states that steps are taken from, as they are."""
    found: list[tuple[Relation, Diagram]] = []
    real = Relation.after

    def after(self: Relation, states: Diagram) -> Diagram:
        found.append((self, states))
        return real(self, states)

    monkeypatch.setattr(Relation, "after", after)
    return found


def counting() -> TransitionSystem:
    """Return a counter up to the last number, and what holds unless it begins at that."""
    sort = IntSort(0, LAST)
    value, following = terms.var("n", sort), terms.next_var("n", sort)
    more = terms.make(Op.ADD, sort, (value, terms.int_(1)))
    ended = terms.eq(value, terms.int_(LAST))
    step = terms.make(Op.ITE, BOOL, (ended, terms.eq(following, value), terms.eq(following, more)))
    goes_on = terms.make(Op.EF, BOOL, (ended,))
    properties = (SystemProperty("ends", goes_on, PropertyKind.CTL),)
    declared = {"n": SystemVariable("n", sort, STATE)}
    return TransitionSystem(
        declared, (at(50), Constraint(TRANS, step)), properties, relational=True
    )


def at(*numbers: int) -> Constraint:
    value = terms.var("n", IntSort(0, LAST))
    term: Term = terms.disjunction(terms.eq(value, terms.int_(number)) for number in numbers)
    return Constraint(INIT, term, START)


def test_what_was_reached_is_not_searched_again(stepped: list[tuple[Relation, Diagram]]) -> None:
    known = Beginnings(Manager(Deadline.never()), without_initial(counting()))
    for first, fresh in ((50, 11), (40, 10), (45, 0), (35, 5)):
        stepped.clear()
        system = replace(counting(), constraints=(at(first),))
        initial = known.initial(system)
        found = known.onwards(initial)
        assert initial & found.states == initial
        assert len(stepped) == fresh
    assert known.manager.count(found.states, known.manager.order()) == 26


def test_a_second_answer_about_few_is_found_as_the_first_about_many() -> None:
    system, experience = counting(), Experience()
    many = {f"m{n}": Alternative(frozenset({START}), (at(n, n + 1),)) for n in range(12)}
    few = {"m1": many["m1"]}
    for shown, changes in ((True, many), (False, few)):
        found = check_family(
            system,
            changes,
            ["ends"],
            Deadline.never(),
            experience=experience,
            shown=shown,
            attempts=Attempts.SLOW,
        )
        assert all(isinstance(one["ends"], Holding) for one in found.verdicts.values())
        assert shown in {key[2] for key, one in experience.beginnings.items() if one is not None}
