"""A proof that nobody wants any more stops soon, whatever is busy with it."""

from __future__ import annotations

import contextlib
import itertools
import math
import sys
import time
from collections.abc import Callable

import pytest

from mutproof.base.budget import Budget
from mutproof.model import terms
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.sorts import INT
from mutproof.model.system import TransitionSystem
from mutproof.solving import portfolio
from mutproof.solving.bdd.manager import MOST_UNSEEN, OPERATION, Manager
from mutproof.solving.liveness.prove import prove_linear
from mutproof.solving.solver import Answer, Effort, SolvingError
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Proved
from mutproof.solving.watch import Watch
from mutproof.solving.workshop import Workshop
from mutproof.workspace.analysis import Cancelled, Memory
from mutproof.workspace.answering import analyse
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support import nusmv_mutants, systems
from support.systems import INIT, INPUT, TRANS, define, integer

LONG = Budget(rlimit=0, timeout_s=600)

SOON_S = 5.0
"""Much longer than a stop takes, on a slow machine too, and much shorter than the work."""


class Stopped(Exception):  # noqa: N818 - an outcome
    """Say that nobody wants the answer any more."""


def stopping_at_call(number: int) -> Callable[[], None]:
    """Want the answer until asked for that many times: before each question, and during it."""
    calls = itertools.count(1)

    def heed() -> None:
        if next(calls) >= number:
            raise Stopped

    return heed


def never() -> None:
    raise Stopped


def cubes() -> TransitionSystem:
    """Ask whether a sum of three cubes is 33, which keeps a solver busy for good."""
    x, y, z = (integer(name) for name in "xyz")

    def cube(term: terms.Term) -> terms.Term:
        return terms.arithmetic(Op.MUL, term, terms.arithmetic(Op.MUL, term, term))

    total = systems.add(systems.add(cube(x), cube(y)), cube(z))
    return systems.system(
        dict.fromkeys("xyz", (INT, INPUT)), [], {"other": terms.ne(total, terms.int_(33))}
    )


def endless() -> TransitionSystem:
    """Count up: the property fails only after a million steps."""
    n = integer("n")
    return systems.system(
        {"n": (INT, systems.STATE)},
        [define(INIT, "n", terms.int_(0)), define(TRANS, "n", systems.add(n, 1))],
        {"small": systems.le(n, 1_000_000)},
    )


@pytest.mark.parametrize("act", ["push", "value"])
def test_what_an_interruption_meets_beside_checks_ends_as_the_check_would(act: str) -> None:
    wanted = [True]

    def heed() -> None:
        if not wanted:
            raise Stopped

    for meanwhile, expected in ((wanted.copy, SolvingError), (wanted.clear, Stopped)):
        workshop = Workshop(heed)
        solver = workshop.solver()
        x = solver.constant("x", INT)
        solver.add(solver.equal(x, solver.literal_value(3, INT)))
        assert solver.check() is Answer.SAT
        meanwhile()
        workshop.interrupt()
        with pytest.raises(expected):
            solver.push() if act == "push" else solver.value(x, INT)


@pytest.mark.parametrize("system", [cubes(), endless()], ids=["one hard question", "many easy"])
def test_a_portfolio_stops_when_nobody_wants_its_answer(system: TransitionSystem) -> None:
    begun = time.monotonic()
    options = portfolio.PortfolioOptions(engines=("bmc", "k-induction"), heed=stopping_at_call(4))
    with pytest.raises(Stopped):
        portfolio.prove(system, LONG, options)
    assert time.monotonic() - begun < SOON_S


def test_a_portfolio_does_not_wait_for_spacer_when_nobody_wants_its_answer() -> None:
    deaf = SpacerProcess((sys.executable, "-c", "import sys; sys.stdin.read()"))
    begun = time.monotonic()
    options = portfolio.PortfolioOptions(engines=("pdr",), spacer=deaf, heed=stopping_at_call(4))
    try:
        with pytest.raises(Stopped):
            portfolio.prove(endless(), LONG, options)
    finally:
        deaf.close()
    assert time.monotonic() - begun < SOON_S
    assert deaf.process_id is None


def test_nothing_is_asked_when_nobody_wants_an_answer_from_the_start() -> None:
    heard: list[str] = []
    with pytest.raises(Stopped):
        portfolio.prove(
            systems.counter(3, 3),
            LONG,
            portfolio.PortfolioOptions(heed=never),
            on_verdict=lambda name, _: heard.append(name),
        )
    assert [] == heard


def test_a_proof_that_is_wanted_is_not_disturbed() -> None:
    verdicts = portfolio.prove(
        systems.counter(3, 3), LONG, portfolio.PortfolioOptions(heed=lambda: None)
    ).verdicts
    assert all(isinstance(verdict, Proved) for verdict in verdicts.values())


def test_a_watch_interrupts_a_solver_that_is_busy() -> None:
    workshop = Workshop()
    unrolling = workshop.unrolling(cubes(), initial=True)
    unrolling.frame(0)
    term = unrolling.term(cubes().property("other").term, 0)
    unrolling.solver.add(unrolling.solver.negation(term))
    with Watch(never, workshop.interrupt):
        assert Answer.UNKNOWN is unrolling.solver.check((), Effort(0, 600))


def test_a_question_about_paths_is_given_up_while_engines_work_on_it() -> None:
    text = """
        MODULE main
        VAR z : integer;
        INIT z = 0;
        TRANS next(z) = z + 6 | next(z) = z - 10;
        LTLSPEC NAME off := G z != 7;
        """
    program = nusmv_mutants.program_of(nusmv_mutants.accepted(text))
    system = interpretation(program).system()
    with pytest.raises(Stopped):
        prove_linear(system, "off", LONG, heed=stopping_at_call(20))


MUTABLE = """MODULE main
VAR b : boolean; c : boolean; n : 0..5;
ASSIGN init(b) := FALSE; next(b) := {b, !b}; init(c) := FALSE; next(c) := b xor c;
init(n) := 0; next(n) := case b & n < 5 : n + 1; c : 0; TRUE : n; esac;
FAIRNESS b
SPEC AG EF n = 5
SPEC AG (n = 5 -> EF n = 0)
SPEC AG (n = 0 -> EX n <= 1)
LTLSPEC F n > 0
"""
"""All its properties, and those of its mutants, are decided by diagrams."""


class Ticks:
    """Count how often diagrams look whether they are still wanted, and want no more than some."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, most: float = math.inf) -> None:
        self.count, self.most = 0, most
        looked = Manager.tick

        def tick(manager: Manager, nodes: int = OPERATION) -> None:
            self.count += 1
            looked(manager, nodes)

        monkeypatch.setattr(Manager, "tick", tick)

    def are_over(self) -> bool:
        return self.count >= self.most


def decided(memory: Memory, cancelled: Callable[[], bool]) -> Report:
    found = nusmv_mutants.accepted(MUTABLE)
    return analyse(found, Options(), memory, lambda event: None, cancelled=cancelled)


def told(report: Report) -> tuple[dict[str, object], dict[str, object]]:
    return (
        {found.name: found.verdict for found in report.properties},
        {found.mutant: found.status for found in report.mutants},
    )


def test_diagrams_stop_as_soon_as_nobody_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = Ticks(monkeypatch)
    fresh = told(decided(Memory(), ticks.are_over))
    every = ticks.count
    assert every > 1_000

    memory = Memory()
    for most in (1, *(every * part // 12 for part in range(1, 12))):
        ticks.count, ticks.most = 0, most
        with contextlib.suppress(Cancelled):  # what is remembered may leave less to do
            decided(memory, ticks.are_over)
        assert ticks.count <= most + MOST_UNSEEN // OPERATION

    # Nothing that was half done when it was given up is used later.
    ticks.most = math.inf
    assert told(decided(memory, ticks.are_over)) == fresh
