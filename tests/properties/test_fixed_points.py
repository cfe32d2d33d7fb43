"""What diagrams say counts where a solver accepts it, or where they say it twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from mutproof.analyses import strategies
from mutproof.analyses.checking.notary import DIAGRAMS
from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.analyses.deciding.rungs import one_by_one
from mutproof.analyses.deciding.strategy import Strategy
from mutproof.analyses.proving import extent, temporal
from mutproof.base.budget import Budget
from mutproof.model import terms
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import certify, portfolio
from mutproof.solving.bdd import check as diagrams
from mutproof.solving.bdd.verdict import BddVerdict, Computed, Holding, Undecided
from mutproof.solving.certify import Checked
from mutproof.solving.portfolio import PortfolioOptions
from mutproof.solving.shares import Shares
from mutproof.solving.verdict import Certificate, Outcome, Proof, Unknown
from mutproof.workspace.options import Options
from support.nusmv_mutants import accepted
from support.reading import analysed

# An unreachable 5 steps to 7, so that the property is not inductive by itself.
TEXT = """
MODULE main
VAR x : 0..7;
ASSIGN init(x) := 0; next(x) := case x < 3 : x + 1; x = 5 : 7; TRUE : 0; esac;
INVARSPEC NAME low := x < 6
"""


def no_engine(*_: object, goals: list[str], on_verdict: object = None, **__: object) -> Outcome:
    verdicts = {name: Unknown("no engine", 0) for name in goals}
    for name, verdict in verdicts.items():
        if callable(on_verdict):
            on_verdict(name, verdict)
    return Outcome(verdicts)


@pytest.mark.parametrize("invariant", [terms.TRUE, terms.FALSE], ids=["too weak", "never true"])
def test_an_invariant_that_is_refused_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, invariant: Term
) -> None:
    monkeypatch.setattr(portfolio, "prove", no_engine)
    monkeypatch.setattr(diagrams, "check", lambda *_: {"low": Holding(invariant=invariant)})
    options = Options(mutate=False, cores=False)

    found = analysed(accepted(TEXT), options)

    assert [PropertyVerdict.UNKNOWN] == [finding.verdict for finding in found.properties]


def test_invariants_by_the_same_states_are_divided_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(shares: Shares, certificate: Certificate, goals: Sequence[str]) -> Iterator[Proof]:
        asked.append(len(goals))
        return divided(shares, certificate, goals)

    asked: list[int] = []
    divided = Shares.divided
    monkeypatch.setattr(portfolio, "prove", no_engine)
    monkeypatch.setattr(Shares, "divided", counted)
    text = f"{TEXT} INVARSPEC x != 5 INVARSPEC x in 0..4 INVARSPEC x != 7 INVARSPEC x != 2"
    options = Options(mutate=False, cores=False)

    found = analysed(accepted(text), options)

    expected = [PropertyVerdict.PROVED] * 4 + [PropertyVerdict.FALSIFIED]
    assert expected == [finding.verdict for finding in found.properties]
    assert [4] == asked


@pytest.mark.parametrize("decide", [True, False], ids=["diagrams", "engines after all"])
def test_what_takes_long_to_check_is_left_to_diagrams(
    monkeypatch: pytest.MonkeyPatch, decide: bool
) -> None:
    def once(*given: Any, **named: Any) -> Checked:
        asked.append(given[2].rlimit)
        long = Checked(False, "unknown", undecided=True)
        return long if len(asked) == 1 else certify.certify(*given, **named)

    def drawing(
        system: TransitionSystem, budget: Budget, options: PortfolioOptions, **rest: Any
    ) -> Outcome:
        return prove(
            system, budget, replace(options, engines=("reachability",), check=once), **rest
        )

    asked: list[int] = []
    prove = portfolio.prove
    monkeypatch.setattr(portfolio, "prove", drawing)
    monkeypatch.setattr(extent, "FEW", 0)
    if not decide:
        monkeypatch.setattr(diagrams, "check", lambda *_: {"low": Undecided("out of time")})
    text = TEXT.replace("INVARSPEC", "LTLSPEC").replace("x < 6", "G x < 6")
    options = Options(mutate=False, cores=False)

    found = analysed(accepted(text), options)

    expected = DIAGRAMS if decide else "invariant"
    assert [(PropertyVerdict.PROVED, expected)] == [(f.verdict, f.engine) for f in found.properties]
    assert asked[0] < Budget().rlimit
    assert len(asked) == 1 or not decide


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (Computed(3), (PropertyVerdict.COMPUTED, 3, "")),
        (Computed(4), (PropertyVerdict.UNKNOWN, None, f"bdd: {temporal.NOT_TWICE}")),
        (Undecided("out of time"), (PropertyVerdict.UNKNOWN, None, f"bdd: {temporal.NOT_TWICE}")),
    ],
    ids=["the same", "another", "none"],
)
def test_a_number_is_computed_twice(
    monkeypatch: pytest.MonkeyPatch,
    second: BddVerdict,
    expected: tuple[PropertyVerdict, int | None, str],
) -> None:
    answers = iter([Computed(3), second])
    monkeypatch.setattr(diagrams, "check", lambda *_: {"far": next(answers)})
    text = TEXT.replace("INVARSPEC NAME low := x < 6", "COMPUTE NAME far := MIN [ x = 0, x = 3 ]")
    options = Options(mutate=False, cores=False)

    found = analysed(accepted(text), options)

    assert [expected] == [(f.verdict, f.k, f.reason) for f in found.properties]


def test_a_table_read_in_few_states_is_left_to_diagrams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extent, "LARGE", 100)
    monkeypatch.setattr(portfolio, "prove", lambda *_, **__: pytest.fail("engines were asked"))
    rows = ", ".join(f"[{', '.join(str(i * j % 7) for j in range(8))}]" for i in range(8))
    declared = f"MODULE main VAR i : 0..7; j : 0..7; DEFINE t := [{rows}];"
    stated = "INVARSPEC t[i][j] < 7 CTLSPEC AG t[i][j] < 7 INVARSPEC t[i][j] < 6"
    options = Options(mutate=False, cores=False)

    found = analysed(accepted(f"{declared} {stated}"), options)

    expected = [PropertyVerdict.PROVED, PropertyVerdict.PROVED, PropertyVerdict.FALSIFIED]
    assert expected == [finding.verdict for finding in found.properties]
    assert {finding.engine for finding in found.properties[:2]} == {DIAGRAMS}


def test_solvers_come_first_where_numbers_are_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagrams, "check", lambda *_: pytest.fail("diagrams were asked"))
    declared = "MODULE main VAR n : unsigned word[32]; ASSIGN init(n) := 0ud32_0;"
    stated = "next(n) := n + 0ud32_1; LTLSPEC F n = 0ud32_4 CTLSPEC AF n = 0ud32_9"
    wrong = "CTLSPEC AX n = 0ud32_2"
    options = Options(mutate=False, cores=False)

    found = analysed(accepted(f"{declared} {stated} {wrong}"), options)

    expected = [PropertyVerdict.PROVED, PropertyVerdict.PROVED, PropertyVerdict.FALSIFIED]
    assert expected == [finding.verdict for finding in found.properties]


def test_solvers_decide_mutants_of_wide_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagrams, "check", lambda *_: pytest.fail("diagrams were asked"))
    alone = Strategy("default", "", "", (one_by_one.WIDE,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    assigned = "init(n) := 0ud32_0; next(n) := n + 0ud32_1;"
    text = f"MODULE main VAR n : unsigned word[32]; ASSIGN {assigned} LTLSPEC F n > 0ud32_8"
    options = Options(cores=False, operators=("NR",))

    found = analysed(accepted(text), options)

    statuses = {finding.status for finding in found.mutants}
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} == statuses


def test_where_diagrams_proved_what_is_wide_solvers_are_not_asked_about_mutants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []

    def fails(_: object, names: list[str], *_args: object, **_options: object) -> list[str]:
        asked.append([*names])
        return [*names]

    monkeypatch.setattr(temporal, "decide_by_solver", fails)
    alone = Strategy("default", "", "", (one_by_one.WIDE,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    assigned = "init(b) := FALSE; next(b) := !b; next(n) := b ? n : 0ud16_0;"
    declared = "MODULE main VAR n : unsigned word[16]; b : boolean;"
    text = f"{declared} ASSIGN {assigned} SPEC AG AF (b & n >= 0ud16_0)"
    options = Options(cores=False, operators=("SA0", "SA1"))

    found = analysed(accepted(text), options)

    assert [(PropertyVerdict.PROVED, DIAGRAMS)] == [(p.verdict, p.engine) for p in found.properties]
    assert MutantStatus.UNKNOWN in {finding.status for finding in found.mutants}
    assert 1 == len(asked)
