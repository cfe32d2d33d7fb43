"""What only says a definition of one line again is told from what says more."""

from __future__ import annotations

import pytest
from test_branches import program_of
from test_suggestions import suggested_for

from mutproof.analyses.suggesting.columns import Rows
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.analyses.suggesting.definitions import restating
from mutproof.analyses.suggesting.search import ConjectureSearch, Resort, Seen
from mutproof.analyses.suggesting.words import SayableTerms, sayable
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.sorts import EnumSort
from mutproof.model.terms import Term

DOOR = """\
node door(curtain, key, push, late: bool; n: int)
returns (blocked, opens, busy, hot, needs: bool; m: int);
let
  blocked = curtain or key;
  opens = push and not blocked and (late or n > 3);
  busy = false -> pre opens or late;
  hot = n >= 18;
  needs = not push and (n < 30 or (false -> pre needs) and n < 60);
  m = 5 -> if push then pre m else 3;
tel;
"""
CURTAIN, KEY, PUSH, LATE, BLOCKED, OPENS, BUSY, HOT, NEEDS = (
    terms.var(name, sorts.BOOL)
    for name in ("curtain", "key", "push", "late", "blocked", "opens", "busy", "hot", "needs")
)
N, M = (terms.var(name, sorts.INT) for name in "nm")
OPENED = terms.make(Op.PRE, sorts.BOOL, (OPENS,))


def at(op: Op, left: Term, number: int) -> Term:
    return terms.compare(op, left, terms.int_(number))


@pytest.mark.parametrize(
    ("claim", "conditions", "when", "restated"),
    [
        pytest.param(BLOCKED, (CURTAIN,), When.ALWAYS, True, id="half of a short one"),
        pytest.param(BLOCKED, (terms.or_(CURTAIN, KEY),), When.ALWAYS, True, id="joined"),
        pytest.param(KEY, (BLOCKED, terms.not_(CURTAIN)), When.ALWAYS, True, id="turned round"),
        pytest.param(HOT, (at(Op.EQ, N, 20),), When.ALWAYS, True, id="less of a comparison"),
        pytest.param(BUSY, (LATE,), When.LATER, True, id="half of another short one"),
        pytest.param(
            terms.not_(NEEDS),
            (at(Op.GE, N, 60),),
            When.LATER,
            False,
            id="part of one that remembers",
        ),
        pytest.param(terms.not_(OPENS), (BLOCKED,), When.ALWAYS, False, id="part of a long one"),
        pytest.param(
            OPENS,
            (PUSH, terms.not_(BLOCKED), terms.or_(LATE, at(Op.GT, N, 3))),
            When.ALWAYS,
            True,
            id="all of a long one",
        ),
        pytest.param(terms.not_(OPENS), (CURTAIN,), When.ALWAYS, False, id="two definitions"),
        pytest.param(terms.not_(BUSY), (), When.FIRST, True, id="the first value"),
        pytest.param(BUSY, (OPENED,), When.LATER, True, id="the other values"),
        pytest.param(BUSY, (LATE,), When.ALWAYS, False, id="not the first one"),
        pytest.param(at(Op.LE, M, 5), (), When.FIRST, True, id="less of a first number"),
        pytest.param(at(Op.LE, M, 5), (), When.ALWAYS, False, id="what takes induction"),
    ],
)
def test_a_definition_is_said_again(
    claim: Term, conditions: tuple[Term, ...], when: When, *, restated: bool
) -> None:
    known = restating(program_of("lustre", DOOR), "door")

    assert restated == known.restated(Conjecture("door", conditions, claim, when))


GATE = """\
MODULE main
VAR curtain : boolean; key : boolean; gate : {closed, moving};
DEFINE top := 3; blocked := curtain | key; slow := top = 3;
ASSIGN
  init(gate) := closed;
  next(gate) := case blocked : gate; gate = closed : moving; TRUE : {closed, moving}; esac;
INVARSPEC gate = moving | gate = closed
INVARSPEC slow
"""


def test_definitions_and_constants_said_again_are_marked_and_come_last() -> None:
    found = suggested_for("nusmv", GATE)

    assert () == found.left
    marks = [one.restates for one in found.suggestions]
    assert sorted(marks) == marks
    again = {one.text for one in found.suggestions if one.restates}
    said = {one.text for one in found.suggestions}
    assert "gate = closed" in again
    assert not said & {"curtain | key -> blocked", "top >= 3", "top <= 3"}
    assert {"top = 3", "blocked = (curtain | key)"} & said <= again


LOGIN = """\
MODULE main
VAR state : {out, checking, inside, locked}; tries : 0..3;
  submit : boolean; good : boolean; logout : boolean; reset : boolean; lit : boolean;
ASSIGN
  next(state) := case
    state = out & submit & tries < 3 : checking;
    state = out & tries = 3 : locked;
    state = checking & good : inside;
    state = checking : out;
    state = inside & (logout | tries > 0) : out;
    state = locked & reset : out;
    TRUE : state;
  esac;
  next(lit) := good & tries > 1;
"""


def test_rows_of_long_cases_and_short_next_values_are_said_again() -> None:
    program = program_of("nusmv", LOGIN)
    known = restating(program, "main")
    state = terms.var("state", EnumSort())
    checking, gone = (terms.const(name, state.sort) for name in ("checking", "inside"))
    good, reset, lit = (terms.var(name, sorts.BOOL) for name in ("good", "reset", "lit"))

    def is_again(claim: Term, *conditions: Term) -> bool:
        return known.restated(Conjecture("main", conditions, claim))

    assert is_again(terms.eq(after(state), gone), terms.eq(state, checking), good)
    assert not is_again(terms.ne(after(state), gone), terms.not_(good))
    assert is_again(terms.not_(after(lit)), terms.not_(good))
    assert not is_again(after(lit), good, reset)


def test_effects_and_numbers_picked_by_chance_are_odd_conditions() -> None:
    program = program_of("lustre", DOOR)
    words = sayable(program, "door", ["blocked", "m"])

    assert words.is_backwards(OPENS, BLOCKED)
    assert not words.is_backwards(BLOCKED, OPENS)
    assert not words.is_backwards(OPENS, BUSY)
    assert words.is_picked(at(Op.EQ, N, 5))
    assert not words.is_picked(at(Op.EQ, N, 18))


LAMP = """\
MODULE main
VAR go : boolean; stop : boolean; n : 0..3; lamp : {red, amber, green};
ASSIGN
  next(n) := case stop : 0; go & n = 3 : 0; go : n + 1; TRUE : n; esac;
  next(lamp) := case lamp = red & go : green; stop : red; TRUE : lamp; esac;
"""
GO, STOP = (terms.var(name, sorts.BOOL) for name in ("go", "stop"))
COUNT, LIGHT = terms.var("n", sorts.IntSort(0, 3)), terms.var("lamp", EnumSort())
RED, AMBER, GREEN = (terms.const(name, LIGHT.sort) for name in ("red", "amber", "green"))


def after(stream: Term) -> Term:
    return terms.make(Op.NEXT, stream.sort, (stream,))


@pytest.mark.parametrize(
    ("claim", "conditions", "restated"),
    [
        pytest.param(at(Op.EQ, after(COUNT), 0), (STOP,), True, id="a case"),
        pytest.param(at(Op.LE, after(COUNT), 1), (STOP, GO), True, id="less of a case"),
        pytest.param(terms.ne(after(COUNT), COUNT), (GO, terms.not_(STOP)), False, id="two cases"),
        pytest.param(
            terms.eq(after(COUNT), COUNT),
            (terms.not_(GO), terms.not_(STOP)),
            False,
            id="what no case says",
        ),
        pytest.param(
            terms.eq(after(LIGHT), GREEN),
            (terms.ne(LIGHT, GREEN), terms.ne(LIGHT, AMBER), GO),
            True,
            id="a case in other words",
        ),
        pytest.param(terms.eq(after(LIGHT), RED), (STOP,), False, id="not for all of a case"),
        pytest.param(terms.ne(LIGHT, RED), (STOP,), False, id="not of the next value"),
    ],
)
def test_a_case_of_an_equation_is_said_again(
    claim: Term, conditions: tuple[Term, ...], *, restated: bool
) -> None:
    known = restating(program_of("nusmv", LAMP), "main")
    said = known.implying.simplified(conditions)

    assert restated == known.restated(Conjecture("main", said, claim))


def test_what_lies_two_steps_back_is_a_last_resort() -> None:
    before = terms.make(Op.PRE, sorts.BOOL, (BUSY,))
    far = terms.make(Op.PRE, sorts.BOOL, (before,))
    words = SayableTerms("main", (before, far), (LATE,), frozenset())
    model, mutants = Rows(3, first=1), Rows(2, first=1)
    model.holds = {before: 0b100, far: 0b100, LATE: 0b100}
    mutants.holds = {before: 0b10, far: 0b10}
    search = ConjectureSearch(words, Seen(model, mutants), lambda: None)

    first, last = (
        {one.conjecture.conditions for one in search.conjectures({"m": 2}, (), resort=resort)}
        for resort in (Resort.FIRST, Resort.LAST)
    )

    assert (before,) in first
    assert (far,) not in first
    assert (far,) in last
