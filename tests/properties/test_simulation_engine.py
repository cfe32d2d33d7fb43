"""Random executions as an engine: what they violate is confirmed, and they prove nothing."""

from __future__ import annotations

from hypothesis import given

from mutproof.base.budget import Budget
from mutproof.model.evaluator import Evaluator
from mutproof.model.interpretation import interpretation
from mutproof.model.system import TransitionSystem
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved, Refuted, Unknown
from support import explicit_state, systems
from support.lustre_models import elaborated
from support.lustre_mutants import program_of
from support.profiles import profile

BUDGET = Budget(rlimit=20_000_000, timeout_s=60.0)

ALONE = portfolio.PortfolioOptions(engines=("simulation",))

CELLS = 6


def row(limit: str) -> str:
    """Return cells in a row that count while the one before is busy; the last has a limit."""
    busy = ", ".join(f"b{n}" for n in range(CELLS))
    text = [
        f"node top(start: bool; x: int) returns ({busy}: bool);",
        "var " + "; ".join(f"n{n}: int" for n in range(CELLS)) + "; ok: bool;",
        "let\n  assert x > 3;",
    ]
    for n in range(CELLS):
        before, most = ("start" if n == 0 else f"b{n - 1}"), f"< {n + 40}"
        most = limit if n == CELLS - 1 else most
        text += [
            f"  n{n} = 0 -> if {before} and pre n{n} {most} then pre n{n} + 1 else pre n{n};",
            f"  b{n} = n{n} > 3;",
        ]
    text += [f"  ok = n{CELLS - 1} <= 45 and x > 2;", "  --%PROPERTY ok;", "tel;"]
    return "\n".join(text)


def test_what_fails_after_many_steps_is_found_and_shortened() -> None:
    program = program_of(elaborated(row("<= 45")))
    outcome = portfolio.prove(interpretation(program).system(), BUDGET, ALONE)
    found = outcome.verdicts["ok"]
    assert isinstance(found, Refuted)
    assert found.step in range(46, 80)
    execution = Evaluator(program).run(found.choices)
    assert execution.assumed
    assert found.step == execution.violated["ok"]


def test_what_no_execution_violates_stays_open() -> None:
    system = interpretation(program_of(elaborated(row("< 45")))).system()
    assert isinstance(portfolio.prove(system, BUDGET, ALONE).verdicts["ok"], Unknown)


def test_it_comes_before_bounded_search_takes_long() -> None:
    system = interpretation(program_of(elaborated(row("<= 45")))).system()
    options = portfolio.PortfolioOptions(engines=("bmc", "simulation"))
    found = portfolio.prove(system, BUDGET, options).verdicts["ok"]
    assert isinstance(found, Refuted)
    assert "simulation" == found.engine


@profile(40)
@given(system=systems.systems())
def test_what_it_says_to_fail_does(system: TransitionSystem) -> None:
    try:
        expected = explicit_state.shortest_failures(system)
    except explicit_state.TooLargeError:
        return
    for name, verdict in portfolio.prove(system, BUDGET, ALONE).verdicts.items():
        assert not isinstance(verdict, Proved)
        if isinstance(verdict, Refuted):
            assert expected[name] <= verdict.step
