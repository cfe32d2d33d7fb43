"""Answers about a model that an execution contradicts are withdrawn, whoever gave them."""

from __future__ import annotations

from typing import Any

import pytest

from mutproof.analyses.advising import asking
from mutproof.analyses.advising.advice import AdviceStatus
from mutproof.analyses.advising.question import AnswerKind, ModelAnswer, ModelQuestion
from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.claims.defect import Defect
from mutproof.base.budget import Budget
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import Program
from mutproof.model.sorts import INT
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.bdd.verdict import Holding
from mutproof.solving.certify import Checked
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate, Proved, Refuted
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.nusmv_mutants import elaborated
from support.reading import analysed

COUNTER = """\
MODULE main
VAR n : integer;
ASSIGN
  init(n) := 1;
  next(n) := n + 1;
"""
SMALL = """\
MODULE main
VAR n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := case n = 0 : 1; n = 1 : 2; n > 0 : 3; TRUE : 0; esac;
"""


def below(number: int) -> Term:
    """Return `n < number`."""
    return terms.compare(Op.LT, terms.var("n", INT), terms.int_(number))


def answered(program: Program, *numbers: int) -> list[ModelAnswer]:
    """Return the answers to whether `n` is always below some numbers."""
    questions = [ModelQuestion(program.main, below(number)) for number in numbers]
    means = Means(Budget(), SpacerProcess(), Memory().benches, lambda: None)
    try:
        found = asking.answers(program, questions, means)
    finally:
        means.spacer.rest()
    return [found[question] for question in questions]


def program() -> Program:
    """Return a program that counts without end."""
    found = elaborated(COUNTER).program
    assert found is not None
    return found


def proving(name: str) -> Proved:
    """Return a wrong proof of a property."""
    return Proved(Certificate(1, (), (name,)), frozenset(), "k-induction", 1)


def refuting() -> Refuted:
    """Return an execution of two steps, in which `n` is 1 and 2."""
    return Refuted(Choices(({}, {})), "bmc", 2)


@pytest.mark.parametrize("is_proved_first", [True, False], ids=["proof", "execution"])
def test_a_replayed_execution_and_a_proof_that_contradict_each_other(
    monkeypatch: pytest.MonkeyPatch,
    is_proved_first: bool,
) -> None:
    def decide(_system: Any, _budget: Any, _options: Any, *, goals: Any, on_verdict: Any) -> None:
        first, second = goals
        said = [(first, proving(first)), (second, refuting())]
        for name, verdict in said if is_proved_first else reversed(said):
            on_verdict(name, verdict)

    monkeypatch.setattr(asking.portfolio, "prove", decide)
    monkeypatch.setattr(Notary, "check", lambda *_, **__: Checked(ok=True))
    monkeypatch.setattr(asking, "check", _undecided)
    monkeypatch.setattr(asking, "Audit", _Satisfied)
    wrong, right = answered(program(), 2, 1)
    assert (AnswerKind.UNKNOWN, Defect.PROOF) == (wrong.kind, wrong.defect)
    assert Defect.PROOF.value in wrong.reason
    assert (AnswerKind.FAILS, None) == (right.kind, right.defect)


def _undecided(*_: Any) -> dict[str, Any]:
    """Stand for diagrams that decide nothing."""
    return {}


def test_a_proof_that_random_executions_contradict(monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(_system: Any, _budget: Any, _options: Any, *, goals: Any, on_verdict: Any) -> None:
        for name in goals:
            on_verdict(name, proving(name))

    monkeypatch.setattr(asking.portfolio, "prove", decide)
    monkeypatch.setattr(Notary, "check", lambda *_, **__: Checked(ok=True))
    wrong, unseen = answered(program(), 3, 1000)
    assert (AnswerKind.UNKNOWN, Defect.PROOF) == (wrong.kind, wrong.defect)
    assert (AnswerKind.HOLDS, None) == (unseen.kind, unseen.defect)


def test_diagrams_that_are_wrong_twice_give_no_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """All conditions would be advised against: none is ever true, the diagrams say."""
    monkeypatch.setattr(asking, "check", lambda _, names, *__: {name: Holding() for name in names})
    options = Options(mutate=False, cores=False, advise=("MP1",))
    report = analysed(elaborated(SMALL), options)
    assert report.advice is not None
    kinds = {(one.status, Defect.PROOF.value in one.reason) for one in report.advice.advice}
    assert {(AdviceStatus.UNKNOWN, True)} == kinds
    assert 3 == len(report.advice.advice) == report.advice.defects == report.statistics.defects


def test_right_answers_are_no_defects() -> None:
    assert [None] * 3 == [one.defect for one in answered(program(), 0, 2, 1000)]


def test_a_proof_and_an_execution_of_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(_system: Any, _budget: Any, _options: Any, *, goals: Any, on_verdict: Any) -> None:
        for verdict in (proving(goals[0]), refuting(), proving(goals[0])):
            on_verdict(goals[0], verdict)

    monkeypatch.setattr(asking.portfolio, "prove", decide)
    monkeypatch.setattr(asking, "check", _undecided)
    monkeypatch.setattr(asking, "Audit", _Satisfied)
    monkeypatch.setattr(Notary, "check", lambda *_, **__: Checked(ok=True))
    (wrong,) = answered(program(), 2)
    assert (AnswerKind.UNKNOWN, Defect.PROOF) == (wrong.kind, wrong.defect)


class _Satisfied:
    """Stand for an audit that finds nothing."""

    def __init__(self, *_: Any) -> None: ...

    @staticmethod
    def of_model(_: Any) -> None: ...
