"""What kills a mutant is shown in as few steps as can be, and how long each mutant took."""

from __future__ import annotations

import pytest
from hypothesis import given

from mutproof.analyses.finding import MutantStatus
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.model.interpretation import interpretation
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.lustre_models import Model, accepted, models
from support.profiles import profile

COUNTING = (
    "node top(x: bool) returns (n: int; p: bool);\n"
    "let n = (if x then 1 else 0) + (0 -> pre n); p = n >= -1; --%PROPERTY p;\ntel;\n"
)
LATE = (
    "node top(a: int) returns (n: int; p: bool);\n"
    "let n = 0 -> if pre n < 3 then pre n + 1 else 0; p = n <= 3; --%PROPERTY p;\ntel;\n"
)


def report(text: str) -> Report:
    options = Options(mutate=True, cores=False)
    return analyse(accepted(text), options, Memory(), lambda _: None, lambda: False)


@pytest.mark.parametrize("text", [COUNTING, LATE])
def test_kills_are_shortest(text: str) -> None:
    elaborated = accepted(text)
    assert elaborated.program is not None
    meaning = interpretation(elaborated.program)
    made = {m.id: m for m in enumerate_mutants(elaborated, Options())}
    found = [f for f in report(text).mutants if f.status is MutantStatus.KILLED]

    assert found
    for finding in found:
        first = min(finding.steps.values())
        assert finding.shortest
        assert finding.trace is not None
        assert first + 1 == finding.trace.length
        again = meaning.run(
            finding.trace.choices, mutated_bodies(elaborated.program, made[finding.mutant])
        )
        assert again is not None
        assert again.assumed
        assert first == min(again.violated.values())


def test_a_kill_that_random_inputs_find_late_is_shown_early() -> None:
    killed = {
        f.mutant: min(f.steps.values()) + 1
        for f in report(COUNTING).mutants
        if f.status is MutantStatus.KILLED
    }

    assert max(killed.values()) <= 4


@profile(20)
@given(models())
def test_the_seconds_of_mutants_add_up_to_no_more_than_the_whole(model: Model) -> None:
    found = report(model.text)

    assert sum(finding.seconds for finding in found.mutants) <= found.statistics.seconds
