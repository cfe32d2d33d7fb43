"""Verdicts agree with an explicit-state search on small systems."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

import pytest
from hypothesis import given

from mutproof.base.budget import Budget, Deadline, Exhausted
from mutproof.model import simulate, terms
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL, INT, REAL, Fraction, IntSort, WordSort
from mutproof.model.system import Constraint, ConstraintKind, SystemVariable, TransitionSystem
from mutproof.solving import certify, portfolio
from mutproof.solving.bdd import relation, trace
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime
from mutproof.solving.bdd.relation import Machine
from mutproof.solving.bdd.trace import SingleState
from mutproof.solving.engine import Task, Worked
from mutproof.solving.engines import backward, k_induction, pdr, reachability
from mutproof.solving.solver import Answer
from mutproof.solving.spacer import SpacerAnswer
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Proved, Refuted, Unknown
from support import explicit_state, relational_models, systems
from support.profiles import profile
from support.systems import DEFINED, INIT, INPUT, INVAR, STATE, TRANS, boolean, define, integer

BUDGET = Budget(rlimit=40_000_000, timeout_s=300)  # units decide, not the clock


@pytest.fixture(scope="module")
def spacer() -> Iterator[SpacerProcess]:
    process = SpacerProcess()
    yield process
    process.close()


def check_against_oracle(system: TransitionSystem, options: portfolio.PortfolioOptions) -> None:
    """Prove and compare; replay traces; check cores against the oracle too."""
    try:
        expected = explicit_state.shortest_failures(system)
    except explicit_state.TooLargeError:
        return
    outcome = portfolio.prove(system, BUDGET, options)
    for name, verdict in outcome.verdicts.items():
        match verdict:
            case Refuted(choices, step):
                assert expected.get(name) == step
                if not any(c.kind is TRANS and c.defines is None for c in system.constraints):
                    rows = simulate.Simulator(system).run(choices)
                    violated = simulate.Simulator(system).violations(rows, {})
                    assert violated.get(name) == step
            case Proved(certificate, core):
                assert name not in expected
                assert certify.certify(system, certificate).ok
                assert core is not None
                kept = tuple(c for c in system.constraints if c.owner in core)
                reduced = TransitionSystem(system.variables, kept, system.properties)
                if all(v.kind is not DEFINED for v in reduced.variables.values()):
                    assert name not in explicit_state.shortest_failures(reduced)
            case Unknown():
                pytest.fail(f"{name}: {verdict.reason}")


@profile(25)
@given(system=systems.systems())
def test_all_engines_together_agree_with_the_oracle(
    system: TransitionSystem, spacer: SpacerProcess
) -> None:
    check_against_oracle(system, portfolio.PortfolioOptions(spacer=spacer))


@pytest.mark.parametrize("engine", ["backward", "reachability"])
@profile(60)
@given(system=systems.systems())
def test_diagrams_agree_with_the_oracle(engine: str, system: TransitionSystem) -> None:
    try:
        expected = explicit_state.shortest_failures(system)
    except explicit_state.TooLargeError:
        return
    outcome = portfolio.prove(system, BUDGET, portfolio.PortfolioOptions(engines=(engine,)))
    for name, verdict in outcome.verdicts.items():
        match verdict:
            case Refuted(step=step):
                assert expected.get(name) == step
            case Proved(certificate):
                assert name not in expected
                assert certify.certify(system, certificate).ok
            case Unknown(reason):
                assert any(words in reason for words in ("no bounds", "too many values")), reason


def test_reachable_states_prove_what_no_short_induction_does() -> None:
    """Three counters that start each other: the question needs to know all of their states."""
    model = """
MODULE cell(go, last)
VAR n : 0..7; full : boolean;
ASSIGN init(n) := 0; init(full) := FALSE;
  next(n) := case go & n < last : n + 1; go : 0; TRUE : n; esac;
  next(full) := case go & n = last : !full; TRUE : full; esac;
MODULE main
VAR x : cell(TRUE, 5); y : cell(x.n = 5, 6); z : cell(y.n = 6 & x.n = 5, 7);
INVARSPEC !(x.full & y.n = 0 & z.n = 0 & !z.full & y.full & x.n = 3)
INVARSPEC !(z.n = 7 & y.n = 6 & x.n = 5)
"""
    system = interpretation(relational_models.program_of(model)).system()
    outcome = portfolio.prove(system, BUDGET, portfolio.PortfolioOptions(engines=("reachability",)))
    proved, refuted = outcome.verdicts.values()
    assert isinstance(proved, Proved)
    assert certify.certify(system, proved.certificate).ok
    assert isinstance(refuted, Refuted)
    assert 6 * 7 * 8 - 1 == refuted.step


def test_failures_are_sought_backwards_where_reachable_states_are_too_many() -> None:
    """A counter takes 65,536 steps, but no state from which the goals can fail is far from them."""
    model = """
MODULE main
VAR n : unsigned word[16]; mode : {idle, armed, open}; key : boolean; lamp : boolean;
ASSIGN init(n) := 0ud16_0; next(n) := n + 0ud16_1; init(lamp) := FALSE;
  init(mode) := idle;
  next(mode) := case
    mode = idle & key : armed; mode = armed & n[3:2] = 0ud2_3 : open; TRUE : idle; esac;
  next(lamp) := mode = armed;
INVARSPEC mode = open -> lamp
INVARSPEC !(mode = open & n = 0ud16_16)
"""
    system = interpretation(relational_models.program_of(model)).system()
    options = portfolio.PortfolioOptions(engines=("backward",))
    proved, refuted = portfolio.prove(system, BUDGET, options).verdicts.values()
    assert isinstance(proved, Proved)
    assert certify.certify(system, proved.certificate).ok
    assert isinstance(refuted, Refuted)
    assert 16 == refuted.step


@pytest.mark.parametrize("engine", ["backward", "reachability"])
@pytest.mark.parametrize("problem", [MemoryError, OutOfTime])
def test_systems_are_drawn_again_where_their_first_order_takes_too_much(
    problem: type[Exception], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scarce(encoder: Encoder) -> Machine:
        tried.append(encoder.manager)
        if len(tried) == 1:
            raise problem
        return machine(encoder)

    tried: list[Manager] = []
    machine = relation.machine
    monkeypatch.setattr(relation, "machine", scarce)
    options = portfolio.PortfolioOptions(engines=(engine,))
    found = portfolio.prove(climbing((19, 20)), BUDGET, options).verdicts
    assert [Refuted, Proved] == [type(verdict) for verdict in found.values()]
    assert 2 == len(tried)


def test_failures_are_not_sought_of_what_another_engine_decided_meanwhile() -> None:
    system = climbing((19, 20))
    goals = {stated.name: stated.term for stated in system.properties}
    task = Task(system, goals, BUDGET, Deadline.never())
    found = backward.run(task)
    next(found)
    goals.clear()
    assert {Worked} >= {type(one) for one in found}


def in_step(count: int, alike: Callable[[list[terms.Term]], terms.Term]) -> TransitionSystem:
    """Return counters that count alike, and that statement, of what it says of neighbours."""
    names = [f"n{number}" for number in range(count)]
    tick = terms.ite(boolean("tick"), terms.int_(1), terms.int_(0))
    return systems.system(
        {"tick": (BOOL, INPUT), **dict.fromkeys(names, (INT, STATE))},
        [
            *(define(ConstraintKind.INIT, name, terms.int_(0)) for name in names),
            *(define(TRANS, name, terms.arithmetic(Op.ADD, integer(name), tick)) for name in names),
        ],
        {"alike": alike([terms.eq(integer(a), integer(b)) for a, b in pairwise(names)])},
    )


def none_differ(same: list[terms.Term]) -> terms.Term:
    return terms.not_(terms.disjunction(terms.not_(one) for one in same))


INDUCTION = portfolio.PortfolioOptions(engines=("k-induction", "bmc"), cores=False)


def test_a_question_that_is_hard_for_a_kept_solver_is_asked_of_a_new_one() -> None:
    """A thousand counters in step: a solver with scopes uses up all units of the question."""
    system = in_step(1000, none_differ)
    verdicts = portfolio.prove(system, Budget(20_000_000, 300), INDUCTION).verdicts
    assert isinstance(verdicts["alike"], Proved)


@pytest.mark.parametrize(
    ("alike", "expected"), [(terms.conjunction, Proved), (none_differ, Unknown)]
)
def test_a_goal_that_joins_many_statements_is_proved_by_each_of_them(
    alike: Callable[[list[terms.Term]], terms.Term], expected: type
) -> None:
    """What does not join them is one hard question."""
    verdicts = portfolio.prove(in_step(300, alike), Budget(600_000, 60), INDUCTION).verdicts
    assert expected is type(verdicts["alike"])


def test_what_a_goal_joins_is_proved_before_other_engines_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns: list[str] = []
    turn = portfolio._Run._turn

    def noted(run: portfolio._Run, worker: portfolio._RunningEngine, *others: Any) -> None:
        turns.append(worker.name)
        turn(run, worker, *others)

    monkeypatch.setattr(portfolio._Run, "_turn", noted)
    monkeypatch.setattr(k_induction, "TURN", 1)
    options = portfolio.PortfolioOptions(engines=("k-induction", "bmc", "intervals"), cores=False)
    outcome = portfolio.prove(in_step(600, terms.conjunction), BUDGET, options)
    assert isinstance(outcome.verdicts["alike"], Proved)
    assert {"k-induction"} == {*turns}
    assert len(turns) > 10


def test_what_is_shown_of_a_goal_helps_to_refute_the_rest() -> None:
    def limited(same: list[terms.Term]) -> terms.Term:
        return terms.conjunction([*same, systems.le(integer("n7"), 12)])

    verdict = portfolio.prove(in_step(300, limited), Budget(2_000_000, 60), INDUCTION).verdicts
    assert isinstance(found := verdict["alike"], Refuted)
    assert 13 == found.step


def test_the_few_values_that_are_remembered_are_an_invariant() -> None:
    """Where n could be 1, it could stay so for as long as it likes, and then be 7."""
    n, top, go = integer("n"), integer("top"), boolean("go")
    stays = terms.ite(go, n, terms.int_(7))
    following = terms.ite(terms.eq(systems.add(n, 1), top), stays, terms.int_(2))
    system = systems.system(
        {"go": (BOOL, INPUT), "n": (INT, STATE), "top": (INT, STATE)},
        [
            define(ConstraintKind.INIT, "n", terms.int_(0)),
            define(ConstraintKind.INIT, "top", terms.int_(2)),
            define(TRANS, "n", following),
            define(TRANS, "top", top),
        ],
        {"small": systems.le(n, 2)},
    )
    found = [
        portfolio.prove(system, Budget(4_000_000, 60), portfolio.PortfolioOptions(engines=engines))
        for engines in (("bmc", "k-induction"), ("bmc", "k-induction", "invariants"))
    ]
    assert [Unknown, Proved] == [type(outcome.verdicts["small"]) for outcome in found]


def test_one_path_shows_all_that_fails_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    backwards = trace.backwards

    def counted(machine: Machine, layers: Sequence[Diagram], end: SingleState) -> list[SingleState]:
        made.append(len(layers))
        return backwards(machine, layers, end)

    monkeypatch.setattr(trace, "backwards", counted)
    assert {"p3": 4, "p8": 9, "p5": 6} == refuted(climbing((3, 8, 5)))
    assert [10] == made


def climbing(limits: Sequence[int]) -> TransitionSystem:
    """Return a counter up to 20 that is said to stay below each of some limits."""
    n = terms.var("n", IntSort(0, 20))
    return systems.system(
        {"n": (IntSort(0, 20), STATE)},
        [
            define(ConstraintKind.INIT, "n", terms.int_(0)),
            define(TRANS, "n", terms.ite(systems.le(n, 19), systems.add(n, 1), n)),
        ],
        {f"p{most}": systems.le(n, most) for most in limits},
    )


def refuted(system: TransitionSystem) -> dict[str, int]:
    """Return at which steps goals fail as far as reachable states tell."""
    options = portfolio.PortfolioOptions(engines=("reachability",))
    outcome = portfolio.prove(system, BUDGET, options)
    return {n: v.step for n, v in outcome.verdicts.items() if isinstance(v, Refuted)}


def test_a_failure_is_reported_though_states_beyond_it_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def near(self: Machine, start: Diagram) -> Iterator[Diagram]:
        yield from islice(layers(self, start), 6)
        raise OutOfTime

    layers = Machine.layers
    monkeypatch.setattr(Machine, "layers", near)
    assert {"p3": 4} == refuted(climbing((3, 8)))


def twins() -> TransitionSystem:
    """Return two counters of which something holds only because they are always equal."""
    m, n = integer("m"), integer("n")
    counting = [
        constraint
        for name in ("m", "n")
        for constraint in (
            define(ConstraintKind.INIT, name, terms.int_(0)),
            define(
                TRANS, name, terms.ite(boolean("go"), systems.add(integer(name), 1), integer(name))
            ),
        )
    ]
    stated = terms.or_(terms.ne(m, terms.int_(50)), terms.ne(n, terms.int_(60)))
    return systems.system(
        {"go": (BOOL, INPUT), "m": (INT, STATE), "n": (INT, STATE)}, counting, {"apart": stated}
    )


def test_advice_is_tried_before_costly_engines() -> None:
    advice = terms.eq(integer("m"), integer("n"))
    options = portfolio.PortfolioOptions(advice=(advice,))
    outcome = portfolio.prove(twins(), BUDGET, options)
    proved = outcome.verdicts["apart"]
    assert isinstance(proved, Proved)
    assert "k-induction" == proved.engine
    assert proved.k <= 2
    assert 0.0 == outcome.spent["pdr"] < outcome.spent["invariants"]


def test_lemmas_that_come_late_make_k_small() -> None:
    engines = ("k-induction", "bmc", "invariants")
    outcome = portfolio.prove(twins(), BUDGET, portfolio.PortfolioOptions(engines=engines))
    proved = outcome.verdicts["apart"]
    assert isinstance(proved, Proved)
    assert 1 == proved.k == proved.certificate.k


@pytest.mark.parametrize(("of_work", "expected"), [(True, Proved), (False, Unknown)])
def test_other_load_takes_no_time_where_work_is_limited(
    of_work: bool, expected: type[object]
) -> None:
    def interfere() -> None:
        waits = pauses.pop() if threading.current_thread() is threading.main_thread() else 0
        time.sleep(waits)

    pauses = [0.0] * 10_000 + [1.5]
    options = portfolio.PortfolioOptions(
        engines=("k-induction", "bmc", "invariants"), of_work=of_work, heed=interfere
    )
    outcome = portfolio.prove(twins(), Budget(40_000_000, 1.4), options)
    assert expected is type(outcome.verdicts["apart"])


class Busy(SpacerProcess):
    """A Spacer that does not know, after much time of its own."""

    asked = 0
    done = True

    @property
    def is_idle(self) -> bool:
        """Tell whether it is done."""
        return self.done

    def start(self) -> None:
        """Start nothing."""

    def send(self, *_args: object, **_limits: object) -> None:
        """Count what is asked."""
        self.asked += 1

    def has_answered(self, timeout_s: float) -> bool:
        """Tell whether it is done."""
        del timeout_s
        return self.done

    def answer(self) -> SpacerAnswer:
        """Return that it is unknown, and that this took 20 seconds."""
        return SpacerAnswer(Answer.UNKNOWN, (), "unknown", 20.0)


@pytest.mark.parametrize(("of_work", "most"), [(True, 2), (False, 4)])
def test_time_of_spacer_counts_as_work(of_work: bool, most: int) -> None:
    spacer = Busy()
    options = portfolio.PortfolioOptions(engines=("pdr",), of_work=of_work, spacer=spacer)
    portfolio.prove(twins(), Budget(0, 30.0), options)
    spacer.close()
    assert most == spacer.asked


def test_other_engines_work_while_spacer_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """It never answers what needs more than the first limits, and ends when all is decided."""
    closed: list[int] = []
    monkeypatch.setattr(Busy, "done", property(lambda busy: busy.asked < 2))
    monkeypatch.setattr(Busy, "close", lambda busy: closed.append(busy.asked))
    options = portfolio.PortfolioOptions(engines=("pdr", "bmc"), spacer=Busy(), beside=True)
    verdicts = portfolio.prove(
        systems.counter(60, 59), BUDGET, options, goals=("bounded",)
    ).verdicts
    found = verdicts["bounded"]
    assert isinstance(found, Refuted)
    assert 60 == found.step
    assert [2] == closed


def test_what_spacer_was_asked_is_awaited_when_units_are_used_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It answers its second question when nobody else works any more."""
    read: list[int] = []
    waits: list[float] = []
    unknown = SpacerAnswer(Answer.UNKNOWN, (), "unknown", 0.0)

    def has_answered(busy: Busy, timeout_s: float) -> bool:
        waits.append(timeout_s)
        return busy.asked < 2 or max(waits) > 0

    def answer(busy: Busy) -> SpacerAnswer:
        read.append(busy.asked)
        return unknown

    monkeypatch.setattr(Busy, "has_answered", has_answered)
    monkeypatch.setattr(Busy, "answer", answer)
    options = portfolio.PortfolioOptions(engines=("pdr", "bmc"), spacer=Busy(), beside=True)
    limits = Budget(4_000_000, 300.0)
    portfolio.prove(systems.counter(200, 199), limits, options, goals=("bounded",))
    assert [1, 2] == read


def test_spacer_stops_when_others_have_decided_what_it_was_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed: list[int] = []
    monkeypatch.setattr(Busy, "done", property(lambda busy: busy.asked < 2 or bool(closed)))
    monkeypatch.setattr(Busy, "close", lambda busy: closed.append(busy.asked))
    system = systems.counter(60, 59)
    task = Task(system, {"bounded": system.property("bounded").term}, BUDGET, Deadline.never())
    task.spacer, task.beside = Busy(), True
    turns = pdr.run(task)
    while next(turns) != Worked(away=True):
        assert task.spacer.asked <= 2
    assert [] == closed
    task.goals.clear()
    next(turns)
    assert [2] == closed


@pytest.mark.parametrize("limit", [7, 8])
def test_reachable_states_are_not_visited_without_bounds(limit: int) -> None:
    options = portfolio.PortfolioOptions(engines=("reachability",))
    verdicts = portfolio.prove(systems.counter(limit, 7), BUDGET, options).verdicts
    expected = Unknown("reachability: n has no bounds", 0, Exhausted.METHODS)
    assert [expected] * 2 == [*verdicts.values()]


@pytest.mark.parametrize(
    "engines",
    [("bmc", "k-induction"), ("bmc", "pdr"), ("bmc", "k-induction", "intervals", "invariants")],
    ids=" ".join,
)
@pytest.mark.parametrize(("limit", "bound"), [(3, 3), (3, 2), (7, 8)])
def test_each_engine_agrees_on_counters(
    engines: tuple[str, ...], limit: int, bound: int, spacer: SpacerProcess
) -> None:
    system = systems.counter(limit, bound)
    outcome = portfolio.prove(
        system, BUDGET, portfolio.PortfolioOptions(engines=engines, spacer=spacer)
    )
    expected = Proved if bound >= limit else Refuted
    assert expected is type(outcome.verdicts["bounded"])
    assert Proved is type(outcome.verdicts["natural"])


def words(limit: int) -> systems.TransitionSystem:
    """Add an input to a word of 16 bits, which another doubles while it is small."""
    word = WordSort(16)
    x, y, i = (terms.var(name, word) for name in "xyi")
    known = (terms.const(value, word) for value in (0, 1, 3, limit))
    zero, one, mask, bound = known
    small = terms.compare(Op.LT, y, bound)
    masked = terms.make(Op.AND, word, (i, mask))
    return systems.system(
        {"x": (word, STATE), "y": (word, STATE), "i": (word, INPUT)},
        [
            define(INIT, "x", zero),
            define(INIT, "y", one),
            define(TRANS, "x", terms.arithmetic(Op.ADD, masked, zero)),
            define(TRANS, "y", terms.ite(small, terms.arithmetic(Op.ADD, y, y), y)),
        ],
        {
            "two bits": terms.compare(Op.LE, x, mask),
            "bounded": terms.compare(Op.LT, y, terms.const(64, word)),
        },
    )


@pytest.mark.parametrize(("limit", "expected"), [(32, Proved), (33, Refuted)])
def test_engines_decide_words(limit: int, expected: type, spacer: SpacerProcess) -> None:
    engines = ("bmc", "k-induction", "invariants")
    options = portfolio.PortfolioOptions(engines=engines, spacer=spacer)
    verdicts = portfolio.prove(words(limit), BUDGET, options).verdicts
    assert Proved is type(verdicts["two bits"])
    assert expected is type(verdicts["bounded"])


def test_systems_of_words_have_words_and_bits_alone() -> None:
    system = words(32)
    flag, number = boolean("flag"), SystemVariable("n", INT, STATE)
    other = {**system.variables, "n": number}
    counted = terms.compare(Op.LT, terms.make(Op.TO_INT, INT, (flag,)), terms.int_(2))
    flags = systems.system({"flag": (BOOL, STATE)}, [], {"flag": flag})
    assert system.is_of_words
    assert not replace(system, variables=other).is_of_words
    assert not replace(system, constraints=(Constraint(INVAR, counted),)).is_of_words
    assert not flags.is_of_words


def test_many_bits_of_words_are_drawn_after_others_have_worked() -> None:
    costs = []
    for width in (16, 32):
        declared = {n: SystemVariable(n, WordSort(width), STATE) for n in "abcd"}
        system = TransitionSystem(declared, (), ())
        task = Task(system, {"bounded": terms.FALSE}, BUDGET, Deadline.never())
        assert Worked() == next(reachability.run(task))
        costs.append(task.cost)
    few, many = costs
    assert many >= 64 * reachability.BIT_COST > few


def test_an_assertion_excludes_a_failure_only_up_to_its_own_step() -> None:
    """The assertion breaks one step after the property fails: the failure counts."""
    n = integer("n")
    system = systems.system(
        {"n": (INT, STATE)},
        [
            define(ConstraintKind.INIT, "n", terms.int_(0)),
            define(TRANS, "n", systems.add(n, 1)),
            Constraint(INVAR, systems.le(n, 3), systems.owner("assert")),
        ],
        {"small": systems.le(n, 2), "asserted": systems.le(n, 3)},
    )
    verdicts = portfolio.prove(system, BUDGET).verdicts
    assert isinstance(verdicts["small"], Refuted)
    assert verdicts["small"].step == 3
    assert isinstance(verdicts["asserted"], Proved)


def test_real_arithmetic_is_exact() -> None:
    x = terms.var("x", REAL)
    third = terms.real_(Fraction(1, 3))
    system = systems.system(
        {"x": (REAL, STATE)},
        [
            define(ConstraintKind.INIT, "x", terms.real_(Fraction(0))),
            define(TRANS, "x", terms.arithmetic(Op.ADD, x, third)),
        ],
        {"never one": terms.ne(x, terms.real_(Fraction(1)))},
    )
    verdict = portfolio.prove(system, BUDGET).verdicts["never one"]
    assert isinstance(verdict, Refuted)
    assert verdict.step == 3


def test_an_irrational_counterexample_is_unknown() -> None:
    x = terms.var("x", REAL)
    two = terms.real_(Fraction(2))
    system = systems.system(
        {"x": (REAL, INPUT)}, [], {"no root": terms.ne(terms.arithmetic(Op.MUL, x, x), two)}
    )
    verdict = portfolio.prove(system, BUDGET, portfolio.PortfolioOptions(engines=("bmc",))).verdicts
    assert isinstance(verdict["no root"], Unknown)


def test_counterexamples_change_their_inputs_as_seldom_as_possible() -> None:
    n = integer("n")
    system = systems.system(
        {"tick": (BOOL, INPUT), "noise": (INT, INPUT), "n": (INT, STATE)},
        [
            define(ConstraintKind.INIT, "n", terms.int_(0)),
            define(TRANS, "n", terms.ite(boolean("tick"), systems.add(n, 1), n)),
        ],
        {"small": terms.or_(systems.le(n, 3), systems.ge(integer("noise"), 9))},
    )
    verdict = portfolio.prove(system, BUDGET).verdicts["small"]
    assert isinstance(verdict, Refuted)
    assert len({step["noise"] for step in verdict.choices.steps}) == 1
    assert len({step["tick"] for step in verdict.choices.steps}) == 1


def test_the_same_question_has_the_same_answer_twice() -> None:
    first = portfolio.prove(systems.counter(5, 5), BUDGET).verdicts["bounded"]
    second = portfolio.prove(systems.counter(5, 5), BUDGET).verdicts["bounded"]
    assert isinstance(first, Proved)
    assert isinstance(second, Proved)
    assert first.certificate == second.certificate
    assert first.core == second.core


def test_a_spent_budget_is_unknown() -> None:
    verdict = portfolio.prove(systems.counter(900, 899), Budget(rlimit=10_000, timeout_s=20))
    assert isinstance(verdict.verdicts["bounded"], Unknown)


def beside(assertion: terms.Term) -> TransitionSystem:
    """A property about one input, an assertion about another."""
    return systems.system(
        {"i": (BOOL, INPUT), "n": (INT, INPUT)},
        [Constraint(INVAR, assertion, systems.owner("assert"))],
        {"holds": boolean("i")},
    )


def test_a_counterexample_fulfils_assertions_outside_the_cone() -> None:
    verdict = portfolio.prove(beside(systems.ge(integer("n"), 5)), BUDGET).verdicts["holds"]
    assert isinstance(verdict, Refuted)
    (step,) = verdict.choices.steps
    assert step["i"] is False
    assert isinstance(step["n"], int)
    assert step["n"] >= 5


def test_an_assertion_outside_the_cone_that_nothing_fulfils_leaves_no_failure() -> None:
    n = integer("n")
    never = terms.and_(systems.ge(n, 5), systems.le(n, 4))
    assert isinstance(portfolio.prove(beside(never), BUDGET).verdicts["holds"], Proved)
