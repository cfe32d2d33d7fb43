"""What deletes an assignment of a variable that processes share is decided beside its model."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from mutproof.analyses import strategies
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.rungs import diagrams, one_by_one
from mutproof.analyses.deciding.strategy import Strategy
from mutproof.base.budget import Deadline
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.family_outcome import Attempts
from mutproof.solving.bdd.merge import Alternative
from mutproof.workspace.options import Options
from support.profiles import profile
from support.reading import analysed, elaborated_in
from support.relational_alternatives import families

BUFFER = """MODULE put(full, item, sent)
ASSIGN
  next(full) := TRUE;
  next(item) := full ? item : !sent;
  next(sent) := full ? sent : !sent;

MODULE take(full, item, got)
ASSIGN
  next(full) := FALSE;
  next(got) := full ? item : got;

MODULE clear(full, item)
ASSIGN
  next(item) := full ? item : FALSE;

MODULE main
VAR full : boolean; item : boolean; sent : boolean; got : boolean;
  p : process put(full, item, sent);
  t : process take(full, item, got);
  c : process clear(full, item);
INIT !(full | item | sent | got)
CTLSPEC AG (full -> item = sent)
CTLSPEC AG (!full -> got = sent)
"""

DELETED = "MD"


def decided(monkeypatch: pytest.MonkeyPatch, *rungs: diagrams.AnyRung) -> dict[str, MutantFinding]:
    alone = Strategy("default", "", "", rungs)
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    found = elaborated_in("nusmv", BUFFER)
    options = Options(cores=False, operators=(DELETED,))
    report = analysed(found, options)
    return {finding.mutant: finding for finding in report.mutants}


@pytest.mark.parametrize("rung", [diagrams.NEAR, diagrams.TOGETHER], ids=lambda rung: rung.name)
def test_deleted_shared_assignments_are_decided_as_alone(
    rung: diagrams.AnyRung, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = decided(monkeypatch, one_by_one.ALONE)
    found = decided(monkeypatch, rung)

    statuses = {mutant: finding.status for mutant, finding in found.items()}
    assert statuses == {mutant: finding.status for mutant, finding in expected.items()}
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} == set(statuses.values())


@profile(40)
@given(families())
def test_constraints_are_lost_one_by_one_or_with_their_elements(
    family: tuple[TransitionSystem, dict[str, Alternative]],
) -> None:
    system, changes = family
    names = [stated.name for stated in system.properties]
    lost = {name: lost_alone(system, change) for name, change in changes.items()}
    for attempts in Attempts:
        deadline = Deadline.after_work(3600)
        one, other = (
            check_family(system, each, names, deadline, shown=False, attempts=attempts)
            for each in (changes, lost)
        )
        assert one.verdicts == other.verdicts
        assert one.dead_ends == other.dead_ends


def lost_alone(system: TransitionSystem, change: Alternative) -> Alternative:
    gone = frozenset(c for c in system.constraints if c.owner in change.removed)
    return replace(change, removed=frozenset(), lost=gone)
