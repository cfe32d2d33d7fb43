"""A question that is asked of a kept solver and of a new one has one effort for all of it."""

from __future__ import annotations

from itertools import combinations

import pytest

from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.solving import z3_solver
from mutproof.solving.solver import UNLIMITED, Answer, Effort
from mutproof.solving.z3_solver import EACH_ASSUMED, FINITE, FIRST_UNITS, FRESH_UNITS, Z3Solver
from support import systems


class Clock:
    """Be a clock that only goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """Return the seconds since it was made."""
        return self.now


class Asked(Z3Solver):
    """Answer nothing, after some seconds each; keep the efforts of the answers."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        super().__init__()
        self.efforts: list[tuple[str, Effort]] = []
        self._clock, self._seconds = clock, seconds

    def _ask_within(self, effort: Effort) -> Answer:
        return self._note("kept", effort)

    def _ask_afresh(self, _assumptions: object, effort: Effort) -> Answer:
        return self._note("new", effort)

    def _note(self, solver: str, effort: Effort) -> Answer:
        self.efforts.append((solver, effort))
        self._clock.now += self._seconds
        self._reason = "canceled"
        return Answer.UNKNOWN


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock by which solvers go."""
    made = Clock()
    monkeypatch.setattr(z3_solver, "time", made)
    return made


def test_what_runs_out_of_units_goes_on_in_the_seconds_that_are_left(clock: Clock) -> None:
    solver = Asked(clock, 2.0)
    assert Answer.UNKNOWN is solver.check((), Effort(9_000_000, 10.0))
    assert [
        ("kept", Effort(FIRST_UNITS, 10.0)),
        ("new", Effort(FRESH_UNITS, 8.0)),
        ("kept", Effort(9_000_000, 6.0)),
    ] == solver.efforts


def test_a_question_with_many_assumptions_takes_more_units(clock: Clock) -> None:
    solver = Asked(clock, 1.0)
    assumed = [solver.constant(f"a{number}", sorts.BOOL) for number in range(100)]
    first = FIRST_UNITS + 100 * EACH_ASSUMED
    assert Answer.UNKNOWN is solver.check(assumed, Effort(9_000_000, 10.0))
    assert [first, FRESH_UNITS, 9_000_000] == [effort.rlimit for _, effort in solver.efforts]


def test_what_runs_out_of_seconds_is_asked_once(clock: Clock) -> None:
    solver = Asked(clock, 10.0)
    assert Answer.UNKNOWN is solver.check((), Effort(9_000_000, 10.0))
    assert [("kept", Effort(FIRST_UNITS, 10.0))] == solver.efforts


def test_a_small_question_is_asked_once(clock: Clock) -> None:
    solver = Asked(clock, 1.0)
    assert Answer.UNKNOWN is solver.check((), Effort(FIRST_UNITS, 10.0))
    assert [("kept", Effort(FIRST_UNITS, 10.0))] == solver.efforts


def test_what_is_interrupted_is_not_asked_again(clock: Clock) -> None:
    class Stopped(Exception):  # noqa: N818 - an outcome, not an error
        """Say that nobody wants the answer."""

    solver = Asked(clock, 1.0)

    def heed() -> None:
        if solver.efforts:
            raise Stopped

    solver.context.heed = heed
    with pytest.raises(Stopped):
        solver.check((), Effort(9_000_000, 10.0))
    assert 1 == len(solver.efforts)


WORD = sorts.WordSort(24)


def factors(solver: Z3Solver, effort: Effort = UNLIMITED) -> set[object]:
    """Ask for two words whose product is that of two primes; return them, if it says any."""
    x, y = terms.var("x", WORD), terms.var("y", WORD)
    limits = [(terms.const(2, WORD), Op.GT), (terms.const(4096, WORD), Op.LT)]
    stated = [terms.eq(terms.arithmetic(Op.MUL, x, y), terms.const(4093 * 4091, WORD))]
    stated += [terms.compare(op, one, limit) for limit, op in limits for one in (x, y)]
    for term in stated:
        solver.add(
            solver.translate(term, lambda leaf: solver.constant(str(leaf.payload), WORD), {})
        )
    if solver.check((), effort) is not Answer.SAT:
        return set()
    return {solver.value(solver.constant(name, WORD), WORD) for name in "xy"}


def test_a_solver_of_bits_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3_solver, "FIRST_UNITS", 1_000)
    monkeypatch.setattr(Z3Solver, "_ask_afresh", lambda *_: pytest.fail("it was asked afresh"))
    assert {4093, 4091} == factors(Z3Solver(logic=FINITE))


def test_a_solver_that_was_stopped_while_it_made_bits_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(z3_solver, "LEAST_BIT_UNITS", 1_000)
    solver, few = Z3Solver(logic=FINITE), Effort(1_000)
    asked: list[Effort] = []
    monkeypatch.setattr(solver, "_ask_afresh", lambda _, effort: asked.append(effort))
    factors(solver, few)
    assert [few] == asked


def test_a_question_that_no_solver_answers_stays_unknown() -> None:
    """Twelve pigeons do not fit into eleven holes, which takes long to see."""
    solver = Z3Solver()
    at = {
        (pigeon, hole): solver.constant(f"p{pigeon}h{hole}", sorts.BOOL)
        for pigeon in range(12)
        for hole in range(11)
    }
    for pigeon in range(12):
        solver.add(solver.disjunction([at[pigeon, hole] for hole in range(11)]))
    for hole in range(11):
        for one, other in combinations(range(12), 2):
            solver.add(solver.negation(solver.conjunction([at[one, hole], at[other, hole]])))
    assert Answer.UNKNOWN is solver.check((), Effort(20_000))


def test_numbers_are_whole_where_fractions_would_do() -> None:
    """A question that only fractions satisfy is asked again, and the next one may need neither."""
    solver = Z3Solver()
    x, y = systems.integer("x"), systems.integer("y")

    def check(term: terms.Term) -> Answer:
        solver.push()
        solver.add(solver.translate(term, lambda v: solver.constant(str(v.payload), v.sort), {}))
        answer = solver.check((), Effort(100_000))
        if answer is Answer.SAT:
            found = [solver.value(solver.constant(name, sorts.INT), sorts.INT) for name in "xy"]
            assert 7 == 3 * found[0] + 5 * found[1], found
        solver.pop()
        return answer

    def times(factor: int, value: terms.Term) -> terms.Term:
        return terms.arithmetic(Op.MUL, terms.int_(factor), value)

    total = terms.arithmetic(Op.ADD, times(3, x), times(5, y))
    line = terms.and_(terms.eq(total, terms.int_(7)), systems.ge(x, 0))
    for _ in range(2):
        assert Answer.UNSAT is check(terms.and_(line, systems.le(x, 3)))
        assert Answer.SAT is check(terms.and_(line, systems.le(x, 4)))
        assert Answer.UNSAT is check(terms.and_(line, systems.le(x, -1)))
