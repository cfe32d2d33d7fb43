"""The states of parts around a property prove it of the whole, also where numbers grow for ever."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from hypothesis import given

from mutproof.analyses import strategies
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.rungs import part_states
from mutproof.analyses.deciding.strategy import Strategy
from mutproof.analyses.strategies import STRATEGIES
from mutproof.base.budget import Budget
from mutproof.model import saturation, surroundings
from mutproof.model.exploration import ExplorationLimits, ExploredStates, Explorer
from mutproof.model.lower import Lowering
from mutproof.model.saturation import NumberEnds
from mutproof.model.system import TransitionSystem
from mutproof.solving import certify
from mutproof.solving.verdict import Certificate
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.lustre_models import Model, accepted, models
from support.lustre_mutants import program_of
from support.profiles import profile
from support.reading import analysed

# The first counter never stops, so that each later one soon has all its states behind it.
ROW = """node top(go: bool) returns (ok: bool);
var x, y, z: int; late, more: bool;
let
  x = if go or (0 -> pre x) < 3 then (0 -> pre x) + 1 else (0 -> pre x);
  late = x >= 3;
  y = if late and (0 -> pre y) < 4 then (0 -> pre y) + 1 else (0 -> pre y);
  more = y >= 4;
  z = if not more and (0 -> pre z) < 5 then (0 -> pre z) + 1 else (0 -> pre z);
  ok = z <= 7;
  --%PROPERTY ok;
tel;
"""

LIMITS = ExplorationLimits(1 << 12, 256)


def system_of(text: str) -> TransitionSystem:
    return Lowering(program_of(accepted(text))).system()


def proves(system: TransitionSystem, part: TransitionSystem) -> bool:
    """Tell whether the states of a part prove all properties of a system about it."""
    names = [stated.name for stated in system.properties]
    found = Explorer(part, saturation.ends(part)).explore(names, LIMITS)
    if found.invariant is None:
        return False
    return certify.certify(system, Certificate(1, (found.invariant,), found.holding)).ok


def test_a_number_counts_no_further_than_what_it_is_compared_with() -> None:
    found = saturation.ends(system_of(ROW))
    assert sorted(found.values()) == [NumberEnds(-13, 13), NumberEnds(-5, 5), NumberEnds(-4, 4)]


def test_numbers_beyond_the_ends_are_counted_as_these() -> None:
    assert {3: 0b1001, -1: 0b0110} == NumberEnds(-1, 3).rounded({7: 0b1000, 3: 0b0001, -5: 0b0110})


def test_states_that_stand_for_others_prove_properties_of_endless_counters() -> None:
    system = system_of(ROW)
    names = [stated.name for stated in system.properties]
    assert Explorer(system).explore(names, LIMITS).reason == "too many states"
    assert proves(system, system)


def test_parts_end_between_loops() -> None:
    system = system_of(ROW)
    looped = surroundings.loops(system)
    goal = system.properties[0].term
    parts = [surroundings.part(system, goal, distance, looped) for distance in range(3)]

    shown = [None if p is None else {"x", "y", "z"} & p.variables.keys() for p in parts]
    assert shown == [{"z"}, {"y", "z"}, None]
    assert parts[0] is not None
    assert "more" in parts[0].variables
    assert "more" not in {constraint.defines for constraint in parts[0].constraints}


def test_a_part_may_do() -> None:
    system = system_of(ROW)
    goal = system.properties[0].term
    part = surroundings.part(system, goal, 0, surroundings.loops(system))
    assert part is not None
    assert proves(system, part)


@profile(20)
@given(models(finite=True, size=3))
def test_what_holds_in_a_part_without_rounding_holds_in_the_whole(model: Model) -> None:
    system = system_of(model.text)
    looped = surroundings.loops(system)
    for stated in system.properties:
        for distance in range(2):
            part = surroundings.part(system, stated.term, distance, looped)
            if part is None:
                break
            found = Explorer(part).explore((stated.name,), LIMITS)
            if found.invariant is not None:
                certificate = Certificate(1, (found.invariant,), found.holding)
                assert certify.certify(system, certificate).ok


def decided(strategy: Strategy, monkeypatch: pytest.MonkeyPatch) -> dict[str, MutantFinding]:
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": strategy})
    options = Options(level="default", cores=False, budget=Budget(timeout_s=60))
    report = analysed(accepted(ROW), options)
    return {finding.mutant: finding for finding in report.mutants}


def test_mutants_survive_by_the_states_of_parts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    default = STRATEGIES["default"]
    expected = decided(default, monkeypatch)
    found = decided(Strategy("default", "", "", (part_states.PARTS,)), monkeypatch)

    survived = {name for name, f in found.items() if f.status is MutantStatus.SURVIVED}
    assert survived == {n for n, f in expected.items() if f.status is MutantStatus.SURVIVED}
    others = {f.status for name, f in found.items() if name not in survived}
    assert others <= {MutantStatus.UNKNOWN, MutantStatus.STILLBORN}


ROWS = 2


def copied(number: int) -> str:
    """Return the equations of ROW once more, with variables of their own."""
    names = ("go", "ok", "x", "y", "z", "late", "more")
    body = ROW[ROW.index("let") + 4 : ROW.index("tel;")]
    return re.sub(rf"\b({'|'.join(names)})\b", rf"\g<1>{number}", body)


TWICE = "\n".join(
    [
        f"node top({', '.join(f'go{n}' for n in range(ROWS))}: bool)",
        f"returns ({', '.join(f'ok{n}' for n in range(ROWS))}: bool);",
        f"var {', '.join(f'x{n}, y{n}, z{n}' for n in range(ROWS))}: int;",
        f"{', '.join(f'late{n}, more{n}' for n in range(ROWS))}: bool;",
        *("let", *map(copied, range(ROWS)), "tel;", ""),
    ]
)


def test_what_parts_prove_rests_on_nothing_of_other_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So an edit of these leaves it valid."""
    strategy = Strategy("default", "", "", (part_states.PARTS,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": strategy})
    memory = Memory()
    report = analysed(accepted(TWICE), Options(cores=False, budget=Budget(timeout_s=60)), memory)

    stated = {
        goal: {
            constraint.digest
            for owner, constraints in system_of(TWICE).by_owner.items()
            if owner is not None and owner.name[-1] != goal[-1]
            for constraint in constraints
        }
        for goal in ("ok0", "ok1")
    }
    proofs = [
        (goal, holds)
        for finding in report.mutants
        if (record := memory.records.get(finding.mutant)) is not None
        for goal, holds in record.holds.items()
        if holds.how == "certificate" and holds.certificate.goals == (goal,)
    ]
    assert proofs
    assert all(holds.support.isdisjoint(stated[goal]) for goal, holds in proofs)


CELLS, GOALS = 6, 24

MANY = "\n".join(
    [
        "node top(a, b: bool) returns (o: bool);",
        f"var {', '.join(f'x{n}' for n in range(CELLS))}: int;",
        f"{', '.join(f'p{n}' for n in range(GOALS))}: bool;",
        "let",
        "  o = a or b;",
        "  x0 = if a and (0 -> pre x0) < 9 then (0 -> pre x0) + 1 else 0;",
        *(f"  x{n} = if b then x{n - 1} else (0 -> pre x{n});" for n in range(1, CELLS)),
        *(f"  p{n} = x{n % CELLS} <= {9 + n // CELLS};" for n in range(GOALS)),
        *(f"  --%PROPERTY p{n};" for n in range(GOALS)),
        "tel;",
        "",
    ]
)
"""Counters that follow one another, with several properties of each: the last have too many states
together."""


def test_states_are_explored_once_for_all_properties_of_a_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explored: list[tuple[str, ...]] = []
    explore = Explorer.explore

    def noted(self: Explorer, goals: Iterable[str], *limits: object) -> ExploredStates:
        explored.append(tuple(goals))
        return explore(self, explored[-1], *limits)

    monkeypatch.setattr(Explorer, "explore", noted)
    strategy = Strategy("default", "", "", (part_states.PARTS,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": strategy})
    report = analysed(accepted(MANY), Options(cores=False, budget=Budget(timeout_s=60)))

    tried = [one for one in report.mutants if one.status is MutantStatus.UNKNOWN]
    assert tried
    assert len(explored) <= CELLS * len(tried)  # GOALS for each before
    assert max(map(len, explored)) > 1
