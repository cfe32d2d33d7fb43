"""What only says a definition of one line again is told from what says more."""

from __future__ import annotations

import pytest
from test_branches import program_of
from test_suggestions import suggested_for

from mutproof.analyses.suggesting.columns import Rows
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.analyses.suggesting.definitions import restating
from mutproof.analyses.suggesting.sayable import Reading, Resort, SayableTerms
from mutproof.analyses.suggesting.search import ConjectureSearch, Seen
from mutproof.analyses.suggesting.words import sayable
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.roles import unread
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


VALVE = """\
node valve(open, shut: bool; speed, level: int) returns (flow: bool);
let
  assert speed >= 0 and speed <= 300;
  assert not (open and shut);
  assert level > 0 -> level < 9;
  flow = open and speed < 7;
tel;
"""
OPEN, SHUT = (terms.var(name, sorts.BOOL) for name in ("open", "shut"))
SPEED, LEVEL = (terms.var(name, sorts.INT) for name in ("speed", "level"))


@pytest.mark.parametrize(
    ("claim", "conditions", "when", "restated"),
    [
        pytest.param(at(Op.LE, SPEED, 300), (), When.ALWAYS, True, id="a part"),
        pytest.param(at(Op.LT, SPEED, 900), (OPEN,), When.LATER, True, id="less than a part"),
        pytest.param(at(Op.LE, SPEED, 299), (), When.ALWAYS, False, id="more than a part"),
        pytest.param(terms.not_(SHUT), (OPEN,), When.ALWAYS, True, id="turned round"),
        pytest.param(at(Op.GT, LEVEL, 0), (), When.FIRST, True, id="of the first step"),
        pytest.param(at(Op.LT, LEVEL, 9), (), When.ALWAYS, False, id="not of the first step"),
    ],
)
def test_a_constraint_is_said_again(
    claim: Term, conditions: tuple[Term, ...], when: When, *, restated: bool
) -> None:
    known = restating(program_of("lustre", VALVE), "valve")

    assert restated == known.restated(Conjecture("valve", conditions, claim, when))


def test_what_a_constraint_says_is_marked_and_not_among_the_best() -> None:
    model = """\
node pump(speed: int) returns (fast, ok: bool);
let
  assert speed >= 0 and speed <= 300;
  fast = speed > 100;
  ok = fast => speed > 50;
  --%PROPERTY ok;
tel;
"""
    found = suggested_for("lustre", model)

    marks = {one.text: one.restates for one in found.suggestions}
    assert marks["speed <= 300"]
    best = {one.name for one in found.suggestions if not one.restates}
    assert set(found.best) <= best


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


CHARGER = """\
MODULE main
VAR phase : {idle, fast, full};
ASSIGN
  init(phase) := idle;
  next(phase) := case phase = idle : fast; TRUE : full; esac;
DEFINE charging := phase = fast; dark := !charging; top := phase = full;
INVARSPEC phase = idle | phase = fast | phase = full
CTLSPEC AG EF top
"""


def test_a_define_that_nothing_reads_has_no_suggestions_and_that_is_said() -> None:
    program = program_of("nusmv", CHARGER)
    names = {name for element in unread(program) for name in element.called}
    assert {"charging", "dark", "top"} == {name for name in names if "." not in name}
    assert frozenset() == unread(program_of("nusmv", LINE.replace("!hit : TRUE", "full : hit")))
    without = "MODULE main\nVAR x : boolean;\nDEFINE d := !x;\nINVARSPEC x | !x\n"
    assert frozenset() == unread(program_of("nusmv", without))

    found = suggested_for("nusmv", CHARGER)

    reasons = {why for _, why in found.left if why.startswith("nothing reads it")}
    assert 1 == len(reasons)
    assert not any("charging" in one.text or "dark" in one.text for one in found.suggestions)


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


PUMPS = """\
node pumps(level: int; fault, reset: bool) returns (on, alarm, spare: bool; left: int);
var demand, lead, starts: int;
let
  demand = 0 -> if level > 90 then 2 else if level < 20 then 0 else pre demand;
  lead = 1 -> if pre demand = 0 and level > 50 then 3 - pre lead else pre lead;
  starts = 0 -> if demand > 0 then pre starts + 1 else pre starts;
  left = if starts < 60 then 60 - starts else demand;
  on = demand = 2 or lead = 1 and not fault;
  spare = demand = 2 and not fault;
  alarm = not reset and fault;
tel;
"""


STARTS, DEMAND = (terms.var(name, sorts.INT) for name in ("starts", "demand"))


def test_numbers_that_the_model_never_has_together_and_single_ones_excluded_are_foreign() -> None:
    words = sayable(program_of("lustre", PUMPS), "pumps", ["lead", "left", "on"])
    lead, left = (terms.var(name, sorts.INT) for name in ("lead", "left"))
    before = terms.make(Op.PRE, sorts.INT, (left,))

    foreign = [
        terms.compare(Op.GT, lead, DEMAND),
        terms.eq(lead, DEMAND),
        terms.ne(left, terms.int_(1)),
    ]
    known = [
        terms.compare(Op.GE, left, DEMAND),  # assigned
        terms.compare(Op.LE, left, STARTS),  # computed from it
        terms.compare(Op.GE, left, before),
        terms.ne(DEMAND, terms.int_(2)),  # the opposite of a condition of the model
        at(Op.LE, left, 60),
    ]

    assert all(map(words.is_foreign, foreign))
    assert not any(map(words.is_foreign, known))


@pytest.mark.parametrize(
    ("claim", "conditions", "when", "wonders"),
    [
        pytest.param("on", ("alarm",), When.ALWAYS, 0, id="another effect of one cause"),
        pytest.param(
            "on", (at(Op.LT, STARTS, 60),), When.ALWAYS, 1, id="a number that tells of it"
        ),
        pytest.param("on", ("alarm", "fault", "spare"), When.ALWAYS, 2, id="many effects"),
        pytest.param("spare", ("fault",), When.FIRST, 1, id="a condition on the first step"),
        pytest.param("spare", ("fault",), When.ALWAYS, 0, id="a cause"),
        pytest.param(
            "on",
            ("fault", terms.ne(DEMAND, terms.int_(2))),
            When.ALWAYS,
            1,
            id="a number excluded",
        ),
    ],
)
def test_what_readers_would_wonder_about_is_counted(
    claim: str, conditions: tuple[str | Term, ...], when: When, wonders: int
) -> None:
    reading = Reading(sayable(program_of("lustre", PUMPS), "pumps", ["on", "spare"]))
    said, *causes = (
        terms.var(one, sorts.BOOL) if isinstance(one, str) else one for one in (claim, *conditions)
    )

    assert wonders == reading.wonders(Conjecture("pumps", tuple(causes), said, when))


LINE = """\
MODULE main
VAR line : {invalid, clean, dirty}; cmd : {none, read, write}; busy : boolean; n : 0..3;
DEFINE hit := line != invalid; full := n >= 2;
ASSIGN
  next(busy) := case
    cmd in {none, read} & hit : FALSE;
    cmd = write & !hit : TRUE;
    TRUE : busy;
  esac;
"""


def test_a_row_is_said_again_in_the_words_of_what_it_names() -> None:
    known = restating(program_of("nusmv", LINE), "main")
    line, cmd = (terms.var(name, EnumSort()) for name in ("line", "cmd"))
    invalid, none, write = (terms.const(name, line.sort) for name in ("invalid", "none", "write"))
    busy, full = (terms.var(name, sorts.BOOL) for name in ("busy", "full"))

    def is_again(claim: Term, *conditions: Term) -> bool:
        return known.restated(Conjecture("main", conditions, claim))

    assert is_again(after(busy), terms.eq(cmd, write), terms.eq(line, invalid))
    assert is_again(terms.not_(after(busy)), terms.eq(cmd, none), terms.ne(line, invalid))
    assert not is_again(after(busy), terms.eq(cmd, write))
    assert [Op.GE] == [one.op for one in known.spelled((full,))]


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
        for resort in (Resort.FIRST, Resort.ODD)
    )

    assert (before,) in first
    assert (far,) not in first
    assert (far,) in last
