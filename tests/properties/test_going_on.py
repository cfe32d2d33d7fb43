"""What goes on to decide goals may take longer than its budget says."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.rungs import engines
from mutproof.base.budget import Budget, Deadline
from mutproof.model.interpretation import interpretation
from mutproof.solving import portfolio
from mutproof.solving.engine import Task
from mutproof.solving.verdict import Proved
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from support import systems
from support.nusmv_rows import row
from support.reading import accepted_in
from support.relational_models import program_of


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_budget_ends_only_where_no_goal_is_decided_any_more(*, goes_on: bool) -> None:
    system = interpretation(program_of(row(60, "INVARSPEC n <= 5;"))).system()
    options = portfolio.PortfolioOptions(engines=("bmc", "k-induction"), goes_on=goes_on)

    found = portfolio.prove(system, Budget(20_000, 60.0), options).verdicts

    assert all(isinstance(one, Proved) for one in found.values()) == goes_on


def test_a_budget_ends_where_the_last_goal_was_decided_long_ago() -> None:
    task = Task(systems.counter(3, 3), {}, Budget(100, 1.0), Deadline.never())
    for cost, limit in ((10, 100), (90, 112), (112, 140), (50, 140)):
        task.cost = cost
        task.go_on()
        assert task.budget == Budget(limit, 1.0)
    late = Task(systems.counter(3, 3), {}, Budget(0, 600.0), Deadline.after_work(0))
    late.go_on()
    assert not late.exhausted()
    assert 100 < late.deadline.remaining_s() <= 150
    assert late.budget.rlimit == 0
    assert 700 < late.budget.timeout_s <= 750


@pytest.mark.parametrize("size", [12, 30])
def test_proofs_of_many_properties_of_a_mutant_go_on(size: int) -> None:
    found = accepted_in("nusmv", row(size, "INVARSPEC n <= 5;"))
    (chosen,) = (
        mutant.id
        for mutant in enumerate_mutants(found, Options())
        if (mutant.operator, mutant.summary) == ("ROR", "`<` → `=`")
    )
    events: list[Event] = []
    with patch.object(portfolio, "prove", wraps=portfolio.prove) as asked:
        options = Options(only=(chosen,), cores=False)
        analyse(found, options, Memory(), events.append, cancelled=lambda: False)

    goes_on = [
        call.args[2].goes_on for call in asked.call_args_list if len(call.kwargs["goals"]) == size
    ]
    assert goes_on[-1] == (size >= engines.MANY_GOALS)
    decided = [event for event in events if isinstance(event, MutantFinding)]
    assert decided[-1].status is MutantStatus.SURVIVED
