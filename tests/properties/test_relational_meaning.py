"""The oracle gives NuSMV programs the meaning that NuSMV gives them, construct by construct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from mutproof.model import sorts, terms
from mutproof.model.execution import Execution, InstantaneousLoop
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Element
from mutproof.model.purpose import Purpose
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.sorts import Value
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import Violated
from support.deadlines import UNHURRIED
from support.relational_models import State, program_of


def judged(
    text: str,
    steps: Sequence[Mapping[str, Value]],
    loop: int | None = None,
    bodies: Bodies | None = None,
) -> Execution:
    choices = Choices(tuple(steps), loop=loop)
    return RelationalEvaluator(program_of(text)).run(choices, bodies)


NUMBER = "MODULE main VAR x : 0..3; y : 0..3; DEFINE d := {0, 1}; e := y; ASSIGN x := y; "


def element(text: str, target: str) -> Element:
    elements = program_of(text).component("main").elements
    return next(found for found in elements if found.targets == (target,))


X, Y = terms.var("x", sorts.INT), terms.var("y", sorts.INT)
ONE, TWO = terms.int_(1), terms.int_(2)
BY_Y = terms.arithmetic(Op.TRUNC_DIV, TWO, Y)
IS_ZERO = terms.eq(Y, terms.int_(0))


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        (BY_Y, False),
        (terms.ite(IS_ZERO, ONE, BY_Y), True),
        (terms.ite(terms.or_(IS_ZERO, terms.eq(BY_Y, ONE)), ONE, TWO), True),
        (terms.ite(terms.or_(terms.eq(BY_Y, ONE), IS_ZERO), ONE, TWO), True),
        (terms.ite(terms.implies(terms.eq(BY_Y, ONE), IS_ZERO), ONE, TWO), True),
        (terms.ite(terms.and_(terms.eq(BY_Y, ONE), terms.not_(IS_ZERO)), TWO, ONE), True),
        (
            terms.ite(terms.make(Op.XOR, sorts.BOOL, (terms.eq(BY_Y, ONE), IS_ZERO)), ONE, ONE),
            False,
        ),
        (terms.make(Op.CASE, sorts.INT, (IS_ZERO, ONE)), True),
        (terms.make(Op.CASE, sorts.INT, (terms.not_(IS_ZERO), ONE)), False),
        (terms.make(Op.CASE, sorts.INT, (IS_ZERO, ONE, terms.eq(BY_Y, ONE), TWO)), True),
        (terms.make(Op.CASE, sorts.INT, (terms.eq(BY_Y, ONE), TWO, IS_ZERO, ONE)), False),
        (terms.make(Op.SET, sorts.SetSort(sorts.INT), (TWO, ONE)), True),
        (terms.make(Op.SET, sorts.SetSort(sorts.INT), (TWO, Y)), False),
        (terms.make(Op.SET, sorts.SetSort(sorts.INT), (ONE, BY_Y)), False),
    ],
)
def test_what_has_no_value_is_assigned_to_nothing(body: Term, holds: bool) -> None:
    found = judged(NUMBER, [{"x": 1, "y": 0}], bodies={element(NUMBER, "x"): body})

    assert holds == found.assumed


def test_what_is_missing_has_a_default_and_what_is_removed_is_free() -> None:
    removed = {element(NUMBER, "x"): None, element(NUMBER, "e"): None}

    assert judged(NUMBER, [{}]).assumed
    assert not judged(NUMBER, [{"x": 4, "y": 4}]).assumed
    assert not judged(NUMBER, [{"x": 1}]).assumed
    found = judged(NUMBER, [{"x": 1, "e": 3}], bodies=removed)
    assert found.assumed
    assert ({"x": 1, "y": 0, "e": 3},) == found.trace.steps


def test_a_macro_that_becomes_a_choice_chooses_at_each_use() -> None:
    text = "MODULE main VAR x : 0..3; DEFINE e := 1; ASSIGN x := e; INVAR e = x"
    choice = terms.make(Op.SET, sorts.SetSort(sorts.INT), (ONE, TWO))
    invar = next(e for e in program_of(text).component("main").elements if not e.targets)
    chosen: dict[Element, Term | None] = {element(text, "e"): choice}

    assert judged(text, [{"x": 2}], bodies={**chosen, invar: None}).assumed
    assert not judged(text, [{"x": 3}], bodies={**chosen, invar: None}).assumed
    # No set is equal to anything.
    assert not judged(text, [{"x": 2}], bodies=chosen).assumed
    assert not judged(text, [{"x": 2}], bodies={**chosen, invar: terms.not_(invar.body)}).assumed


def test_what_a_macro_reads_ahead_is_computed_first() -> None:
    text = "MODULE main VAR b : boolean; n : 0..2; DEFINE d := next(n); e := d + 1;"
    text = f"{text} ASSIGN next(b) := e = 3; next(n) := 2;"

    found = judged(text, [{"b": False, "n": 0}, {}])
    assert found.assumed
    assert {"b": True, "n": 2} == {name: found.trace.steps[1][name] for name in "bn"}


def test_a_macro_of_the_next_state_may_read_one_that_is_computed_later() -> None:
    text = "MODULE main VAR b : boolean; n : 0..2; DEFINE odd := !b; later := next(odd);"
    text = f"{text} d := next(n); ASSIGN next(b) := d = 2; next(n) := 2;"

    found = judged(text, [{"b": False, "n": 0}, {}])
    assert found.assumed
    assert [step["b"] for step in found.trace.steps] == [False, True]
    assert [step["odd"] for step in found.trace.steps] == [True, False]


def test_assignments_that_wait_for_each_other_compute_nothing() -> None:
    text = "MODULE main VAR x : 0..3; y : 0..3; ASSIGN x := y;"
    twice = "MODULE main VAR x : 0..3; y : 0..3; ASSIGN x := y; next(y) := x; init(y) := 2;"

    assert judged(text, [{"y": 2}]).assumed
    assert ({"x": 2, "y": 2},) * 3 == judged(twice, [{}, {}, {}]).trace.steps
    around = {element(text, "x"): terms.var("x", sorts.INT)}
    assert ({"x": 0, "y": 2},) == judged(text, [{"y": 2}], bodies=around).trace.steps


def test_elements_of_an_array_are_computed_from_others_of_the_same_state() -> None:
    text = """MODULE main VAR a : array 0..2 of 0..3; DEFINE d := a[0] + a[2];
    ASSIGN init(a[0]) := 3 - a[1]; next(a[0]) := next(a[2]);
      a[1] := case a[2] = 0 : 2; TRUE : a[2]; esac;
      init(a[2]) := 0; next(a[2]) := 3 - a[0];"""
    found = judged(text, [{}, {}])

    assert found.assumed
    shown = [[step[name] for name in ("a[0]", "a[1]", "a[2]", "d")] for step in found.trace.steps]
    assert [[1, 2, 0, 1], [2, 2, 2, 4]] == shown


def test_a_macro_that_reads_itself_is_no_model() -> None:
    with pytest.raises(InstantaneousLoop):
        judged(NUMBER, [{}], bodies={element(NUMBER, "e"): terms.var("e", sorts.INT)})


def test_each_use_of_a_set_chooses_anew() -> None:
    text = (
        "MODULE main VAR x : 0..1; y : 0..1; DEFINE d := {0, 1}; ASSIGN init(x) := d; init(y) := d;"
    )

    assert judged(text, [{"x": 0, "y": 1}]).assumed


@pytest.mark.parametrize(("stated", "violated"), [("SPEC p", {"p": 0}), ("LTLSPEC p", {})])
def test_compassion_does_not_count_for_branching_time(
    stated: str, violated: dict[str, int]
) -> None:
    text = f"MODULE main VAR p : boolean; COMPASSION(TRUE, p); {stated}"

    assert violated == judged(text, [{"p": False}], 0).violated


PROCESSES = """
MODULE adder(n, by) ASSIGN next(n) := (n + by) mod 4;
MODULE main VAR n : 0..3; one : process adder(n, 1); two : process adder(n, 2); o : 0..1;
LTLSPEC G n = 0; FAIRNESS one.running
"""


@pytest.mark.parametrize(
    ("running", "values", "assumed"),
    [
        ("one", (0, 1), True),
        ("two", (0, 2), True),
        ("main", (0, 0), True),
        ("one", (0, 2), False),
        ("main", (0, 1), False),
    ],
)
def test_a_variable_of_processes_is_kept_while_none_runs(
    running: str, values: tuple[int, int], assumed: bool
) -> None:
    steps = [{"n": n, "o": o, "_process_selector_": running} for o, n in enumerate(values)]

    assert assumed == judged(PROCESSES, steps).assumed


@pytest.mark.parametrize(("running", "violated"), [("one", {"G n = 0": 3}), ("two", {})])
def test_only_fair_lassos_refute(running: str, violated: dict[str, int]) -> None:
    by = 1 if running == "one" else 2
    steps = [{"n": i * by % 4, "_process_selector_": running} for i in range(4)]

    assert judged(PROCESSES, steps, 0).assumed
    assert violated == judged(PROCESSES, steps, 0).violated
    assert {} == judged(PROCESSES, steps).violated


WALK = "MODULE main VAR n : 0..3; m : boolean; COMPASSION(n = 0, m);"


@pytest.mark.parametrize(
    ("stated", "fails"),
    [
        ("LTLSPEC G n < 3", True),
        ("LTLSPEC G (n = 3 -> Y Y n = 1)", False),
        ("LTLSPEC G (n = 1 -> Y n = 0)", True),
        ("LTLSPEC G F [0, 3] n = 3", False),
        ("LTLSPEC G F [0, 2] n = 3", True),
        ("SPEC AG n < 3", True),
        ("SPEC !EF n = 3", True),
        ("SPEC A [ n < 2 BU 1..2 n = 2 ]", False),
        ("SPEC A [ n < 2 BU 1..1 n = 2 ]", True),
        ("SPEC ABG 0..2 n < 2", True),
        ("SPEC EG n < 3", False),
        ("SPEC AG n < 3 <-> AG n < 2", False),
        ("SPEC n = 1", True),
        ("PSLSPEC always (n = 1 -> next n = 2)", False),
        ("PSLSPEC never n = 3", True),
        ("COMPUTE MIN [ n = 1, n = 0 ]", False),
    ],
)
def test_a_lasso_refutes_what_speaks_of_all_paths(stated: str, fails: bool) -> None:
    steps: list[State] = [{"n": n, "m": False} for n in (0, 1, 2, 3)]

    found = judged(f"{WALK} {stated};", steps, 1)

    assert found.assumed
    assert [3] * fails == list(found.violated.values())


@pytest.mark.parametrize(("stated", "violated"), [("LTLSPEC G n = 0", []), ("SPEC AG n = 0", [1])])
def test_compassion_is_for_linear_time_only(stated: str, violated: list[int]) -> None:
    steps: list[State] = [{"n": 0, "m": False}, {"n": 1, "m": False}]

    assert violated == list(judged(f"{WALK} {stated};", steps, 0).violated.values())


def test_an_invariant_of_steps_needs_a_step() -> None:
    text = f"{WALK} INVARSPEC n = 0 & next(n) = 0;"
    steps: list[State] = [{"n": 0}, {"n": 1}]

    assert [0] == list(judged(text, steps).violated.values())
    assert [] == list(judged(text, steps[1:]).violated.values())
    assert [0] == list(judged(text, steps[1:], 0).violated.values())


@pytest.mark.parametrize(
    ("stated", "violated"),
    [
        ("next(f) = 1", [0]),
        ("next(f = 1 & f < 3)", [0]),
        ("d = 1", [0]),
        ("f = 1 | !(next(one) = 1)", [0]),
        ("f = 1 & (next(g[0]) | TRUE)", [0]),
        ("f = 1 & (next(n) = n | TRUE)", []),
        ("f = 1 & (next(g[0] & n = 0) | TRUE)", []),
        ("next(k) = 2", [0]),
        ("next(same) != f", [0]),
        ("ahead = 2", [0]),
        ("!(next(row[0]) = 1)", [0]),
        ("next(both) = k", []),
        ("only = 2", [0]),
    ],
)
def test_next_values_of_what_never_changes_need_no_step(stated: str, violated: list[int]) -> None:
    """NuSMV 2.6.0 says the same of each where the first state has no successor."""
    text = (
        "MODULE main FROZENVAR f : 0..1; g : array 0..1 of boolean; VAR n : 0..2; one : 1..1;"
        " IVAR only : {1}; DEFINE d := next(f); k := 1; row := [k, 2]; same := f; ahead := next(k);"
        f" both := k + n; ASSIGN init(f) := 0; TRANS n = 2; INIT n = 1; INVARSPEC {stated};"
    )

    assert violated == list(judged(text, [{"f": 0, "n": 1}]).violated.values())
    system = interpretation(program_of(text)).system()
    (verdict,) = check(system, [system.properties[0].name], UNHURRIED).values()
    assert isinstance(verdict, Violated) == bool(violated)


@pytest.mark.parametrize(("before", "after"), [("1", "n"), ("n", "1")])
def test_a_macro_with_another_body_may_change_or_not(before: str, after: str) -> None:
    """NuSMV 2.6.0 finds the violation where k is 1 only."""
    text = (
        "MODULE main VAR n : 0..1; DEFINE k := {}; INIT n = 1; TRANS FALSE; INVARSPEC next(k) = 0;"
    )
    program = program_of(text.format(before))
    (macro,) = (e for e in program.component(program.main).elements if e.targets == ("k",))
    (other,) = (
        e
        for e in program_of(text.format(after)).component(program.main).elements
        if e.targets == ("k",)
    )

    found = judged(text.format(before), [{"n": 1}], bodies={macro: other.body})
    assert ([0] if after == "1" else []) == list(found.violated.values())


def test_a_loop_returns_to_a_step_that_exists() -> None:
    with pytest.raises(ValueError, match="no step 1 among 1"):
        judged(WALK, [{}], 1)


@pytest.mark.parametrize("loop", [0, None])
def test_only_goals_are_judged_if_there_are_any(loop: int | None) -> None:
    stated = "INVARSPEC NAME p := n = 1; LTLSPEC NAME q := X n = 1; LTLSPEC NAME r := F n = 3;"
    meaning = interpretation(program_of(f"MODULE main VAR n : 0..3; {stated}"))
    choices = Choices(({"n": 0}, {"n": 0}), loop=loop)

    judged_all, judged_one = (
        meaning.run(choices, purpose=Purpose(goals=goals)) for goals in (None, frozenset("q"))
    )

    assert judged_all is not None
    assert judged_one is not None
    assert ({"p", "q", "r"} if loop == 0 else {"p", "q"}) == judged_all.violated.keys()
    assert {"q": judged_all.violated["q"]} == judged_one.violated
