"""Premises of large models of assignments are met in long executions, and few states are found."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from mutproof.analyses.claims.finding import IDLE
from mutproof.analyses.claims.scope import scope
from mutproof.analyses.proving import extent, premise_runs, premises
from mutproof.model.interpretation import interpretation
from mutproof.workspace.options import Options
from support import nusmv_random
from support.lustre_models import sources
from support.nusmv_mutants import accepted, elaborated, program_of
from support.nusmv_rows import row
from support.profiles import profile
from support.reading import analysed

# The premise of the first holds late in far cells, that of the second never.
STATED = "LTLSPEC G (on -> n <= 5);\nLTLSPEC G (n > 5 -> on);"


def test_premises_that_are_met_late_are_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, ever_hold = list[str](), premises.ever_hold

    def noted(slicer: object, conditions: dict[str, object], *rest: object) -> object:
        asked.extend(conditions)
        return ever_hold(slicer, conditions, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(premises, "ever_hold", noted)
    found = analysed(accepted(row(30, STATED)), Options(mutate=False, cores=False))

    idle = {one.name for one in found.properties if one.vacuity is IDLE}
    assert idle == set(asked)
    assert len(idle) == 30
    assert len(found.properties) == 60


@profile(60)
@given(sources())
def test_a_premise_that_is_met_holds_in_some_state(source: Random) -> None:
    model = elaborated(nusmv_random.random_text(source))
    if model.program is None:
        return
    meaning = interpretation(model.program)
    system = meaning.system()
    names = [stated.name for stated in system.properties]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(premise_runs, "LARGE", 0)
        met = premise_runs.met(meaning, system, names)
    report = analysed(model, Options(mutate=False, cores=False))
    assert not [one for one in report.properties if one.name in met and one.vacuity is IDLE]


@profile(60)
@given(sources())
def test_what_surely_depends_on_many_states_does(source: Random) -> None:
    model = elaborated(nusmv_random.random_text(source))
    if model.program is None:
        return
    system = interpretation(model.program).system()
    names = [stated.name for stated in system.properties]
    for most in (1, 3, 10, 50):
        found = extent.dependent(system, names, most)
        assert all(extent.states(scope(system, (name,))) > most for name in found)


def test_the_modules_of_a_row_depend_on_those_before_them() -> None:
    system = interpretation(program_of(accepted(row(30, STATED)))).system()
    names = [stated.name for stated in system.properties]

    small = [name for name in names if extent.states(scope(system, (name,))) <= extent.FEW]
    assert {*names} - {*small} == extent.dependent(system, names, extent.FEW)
    assert 0 < len(small) < len(names)
    assert small == extent.of_few_states(system, names)
