"""Equations between counters, and what else is likely of them, against states that are reached."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.base.budget import Budget, Deadline
from mutproof.model import sorts, terms, walk
from mutproof.model.compile import Compiler
from mutproof.model.interpretation import interpretation
from mutproof.model.semantics import apply
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import affine, counters, portfolio, sampling
from mutproof.solving.affine import AffineHull
from mutproof.solving.engine import Task
from mutproof.solving.houdini import Search
from mutproof.solving.verdict import Proved, Unknown
from support.lustre_models import Model, accepted, models
from support.lustre_mutants import program_of
from support.profiles import profile

BUDGET = Budget(rlimit=20_000_000, timeout_s=300)

STORE = """\
node top(put, move, take: bool; size: int) returns (ok: bool);
var free, waiting, stored, all: int; single, fair: bool;
let
  single = not (put and move) and not (put and take) and not (move and take);
  fair = (size >= 0 and single) -> (single and pre fair);
  all = size -> pre all;
  free = size -> if put and pre free > 0 then pre free - 1
         else if take and pre stored > 0 then pre free + 1 else pre free;
  waiting = 0 -> if put and pre free > 0 then pre waiting + 1
            else if move and pre waiting > 0 then pre waiting - 1 else pre waiting;
  stored = 0 -> if move and pre waiting > 0 then pre stored + 1
           else if take and pre stored > 0 then pre stored - 1 else pre stored;
  ok = fair => stored <= all;
  --%PROPERTY ok;
tel;
"""


def system_of(text: str) -> TransitionSystem:
    return interpretation(program_of(accepted(text))).system()


def task_of(system: TransitionSystem) -> Task:
    goals = {stated.name: stated.term for stated in system.properties}
    return Task(system, goals, BUDGET, Deadline.after(BUDGET.timeout_s))


def ended(search: Search) -> list[Term]:
    while True:
        try:
            next(search)
        except StopIteration as stop:
            found: list[Term] = stop.value
            return found


NUMBERS = [terms.var(name, sorts.REAL) for name in "abcd"]
COORDINATES = st.integers(-3, 3).map(Fraction)
POINTS = st.lists(st.tuples(*[COORDINATES] * len(NUMBERS)), min_size=1, max_size=6)


def holds(term: Term, point: Sequence[Fraction]) -> bool:
    values = dict(zip(NUMBERS, point, strict=True))
    return bool(walk.fold(term, lambda t, args: values[t] if t in values else apply(t, args)))


def rank(rows: Sequence[Sequence[Fraction]]) -> int:
    """Return the rank of a matrix, by elimination."""
    left, found = [list(row) for row in rows], 0
    for column in range(len(NUMBERS)):
        row = next((row for row in left if row[column]), None)
        if row is None:
            continue
        left.remove(row)
        found += 1
        left = [
            [x - r[column] / row[column] * y for x, y in zip(r, row, strict=True)] for r in left
        ]
    return found


@profile(60)
@given(POINTS, st.tuples(*[COORDINATES] * len(NUMBERS)))
def test_equations_hold_of_what_is_in_the_hull_and_of_nothing_else(
    points: list[tuple[Fraction, ...]], other: tuple[Fraction, ...]
) -> None:
    hull = AffineHull()
    for point in points:
        hull.join(point)
    equations = hull.equations(NUMBERS)
    assert all(holds(equation, point) for equation in equations for point in points)

    first, *rest = points
    differences = [[x - y for x, y in zip(one, first, strict=True)] for one in rest]
    outside = [x - y for x, y in zip(other, first, strict=True)]
    assert len(NUMBERS) - rank(differences) == len(equations)
    is_inside = rank([*differences, outside]) == rank(differences)
    assert is_inside == all(holds(equation, other) for equation in equations)


def test_of_no_point_everything_is_said() -> None:
    assert [terms.FALSE] == AffineHull().equations(NUMBERS)


@profile(30)
@given(models(size=4))
def test_equations_that_are_found_hold_in_states_that_executions_reach(model: Model) -> None:
    system = system_of(model.text)
    own = [counter for counter in counters.counters(system) if counter.sort == sorts.INT]
    for guard in counters.guards(system, [stated.term for stated in system.properties]):
        found = ended(affine.equations(task_of(system), guard, own)) if own else []
        states = sampling.sample(system)
        for equation in found:
            (column,) = states.columns([terms.implies(guard, equation)])
            assert all(column)


def test_what_leaves_one_counter_enters_another_as_long_as_a_monitor_holds() -> None:
    system = system_of(STORE)
    own = counters.counters(system)
    assert {"free", "waiting", "stored", "all"} == {counter.payload for counter in own}
    always, fair = counters.guards(system, [stated.term for stated in system.properties])
    assert [] == ended(affine.equations(task_of(system), always, own))
    (equation,) = ended(affine.equations(task_of(system), fair, own))
    assert frozenset(["free", "waiting", "stored", "all"]) == walk.variables(equation)


NESTED = """\
node inner(up: bool) returns (n: int);
let n = 0 -> if up then pre n + 1 else pre n; tel;
node outer(up: bool) returns (n: int);
let n = inner(up); tel;
node top(up: bool) returns (ok: bool);
var n, m: int;
let
  n = outer(up);
  m = n;
  ok = true -> m >= pre n and n >= pre m;
  --%PROPERTY ok;
tel;
"""


def test_what_called_nodes_return_is_counted_once() -> None:
    system = system_of(NESTED)
    (counter,) = counters.counters(system)
    assert "outer@n.inner@n.n" == counter.payload
    assert 3 < sum(declared.sort == sorts.INT for declared in system.variables.values())


def test_copies_of_each_other_are_counted() -> None:
    text = "node top() returns (n, m: int; ok: bool); let n = m; m = n; ok = n = pre m; tel;"
    names = {str(counter.payload) for counter in counters.counters(system_of(text))}
    assert names <= {"n", "m"}


@pytest.mark.parametrize("most", [counters.MOST_COUNTERS, 3])
def test_such_facts_prove_what_other_templates_do_not(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "MOST_COUNTERS", most)
    engines = ("bmc", "k-induction", "invariants")
    outcome = portfolio.prove(
        system_of(STORE), BUDGET, portfolio.PortfolioOptions(engines=engines, cores=False)
    )
    assert isinstance(outcome.verdicts["ok"], Proved if most > 3 else Unknown)


def steps(step: str, sort: str) -> str:
    """Return a model of a counter that is lowered, always by a step, whenever it is positive."""
    zero = "0" if sort == "int" else "0.0"
    return (
        f"node top(up, down: bool) returns (ok: bool; n: {sort});\n"
        f"let n = {zero} -> if up then pre n + {step}\n"
        f"    else if down and pre n > {zero} then pre n - {step} else pre n;\n"
        f"  ok = up => n >= {zero};\n"
        "--%PROPERTY ok; tel;"
    )


@pytest.mark.parametrize("most", [counters.MOST_MULTIPLES, 0])
@pytest.mark.parametrize(("step", "sort"), [("3", "int"), ("0.1", "real"), ("(2.0/3.0)", "real")])
def test_a_counter_that_moves_by_a_step_is_lowered_only_from_a_step_or_more(
    step: str, sort: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "MOST_MULTIPLES", most)
    engines = ("bmc", "k-induction", "invariants")
    options = portfolio.PortfolioOptions(engines=engines, cores=False)
    outcome = portfolio.prove(system_of(steps(step, sort)), BUDGET, options)
    assert isinstance(outcome.verdicts["ok"], Proved if most else Unknown)


@profile(30)
@given(models(size=4))
def test_steps_of_counters_hold_in_the_states_that_show_them(model: Model) -> None:
    system = system_of(model.text)
    states = sampling.sample(system)
    found = counters.multiples(system, states)
    assert all(all(column) for column in states.columns(found))


@profile(60)
@given(COORDINATES, st.sets(st.integers(-9, 9), min_size=2), st.sampled_from((1, 2, 6)))
def test_the_step_of_a_counter_is_the_largest_that_leads_to_all_of_its_values(
    first: Fraction, turns: set[int], over: int
) -> None:
    system = system_of(steps("0.1", "real"))
    (counter,) = counters.counters(system)
    values = [first + Fraction(turn, over) for turn in turns]
    index = {name: position for position, name in enumerate(system.variables)}
    row = [Fraction(0)] * len(index)
    rows = [[*row] for _ in values]
    for one, value in zip(rows, values, strict=True):
        one[index[str(counter.payload)]] = value
    states = sampling.Sample(Compiler(index), [tuple(one) for one in rows])
    (stated,) = [t for t in counters.multiples(system, states) if counter in walk.subterms(t)]

    def is_said(value: Fraction) -> bool:
        return bool(walk.fold(stated, lambda t, args: value if t is counter else apply(t, args)))

    assert all(map(is_said, values))
    least, *others = sorted(values)
    step = min(gap for gap in (Fraction(n, over) for n in range(1, 19)) if is_said(least + gap))
    assert all((other - least) % step == 0 for other in others)
    assert not is_said(least + step / 2)


def test_real_numbers_have_equations_too() -> None:
    system = system_of(
        "node top(x: real) returns (ok: bool); var a, b: real;\n"
        "let a = x -> pre a + x; b = 2.0 * x -> pre b + 2.0 * x; ok = b = 2.0 * a;\n"
        "--%PROPERTY ok; tel;"
    )
    (equation,) = ended(affine.equations(task_of(system), terms.TRUE, counters.counters(system)))
    assert frozenset(["a", "b"]) == walk.variables(equation)
