"""Survivors whose executions end are no models; where that is not known, it is said."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ModelFault, MutantFinding, MutantStatus
from mutproof.analyses.proving import successors
from mutproof.base.budget import Budget, Deadline
from mutproof.model.interpretation import interpretation
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.crowd import DEADLOCK
from mutproof.solving.bdd.dead_end import dead_end
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.nusmv_mutants import accepted, mutants_of, mutated_text
from support.reading import accepted_in, analysed

ROUND = """\
MODULE main
VAR x : integer; y : boolean;
ASSIGN
  init(x) := 0;
  next(x) := x < 99 ? x + 1 : 0;
TRANS x = {at} -> next(x) = {then}
INVARSPEC x <= 99
"""
MAY_END = "it is not known whether its executions go on"


def report(text: str, memory: Memory | None = None, operators: tuple[str, ...] = ("NR",)) -> Report:
    found = accepted_in("nusmv", text)
    options = Options(mutate=True, cores=False, operators=operators)
    return analysed(found, options, memory)


def of_constraint(found: Report) -> list[MutantFinding]:
    """Return the mutants of a constraint: no proof rests on it, so that none is killed."""
    return [m for m in found.mutants if m.status is not MutantStatus.KILLED]


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        pytest.param(4, (MutantStatus.STILLBORN, DEADLOCK), id="an end that is found"),
        pytest.param(50, (MutantStatus.UNKNOWN, MAY_END), id="an end that is too far away"),
    ],
)
def test_where_diagrams_cannot_be_made_ends_are_sought_and_doubts_are_told(
    at: int, expected: tuple[MutantStatus, str]
) -> None:
    memory, text = Memory(), ROUND.format(at=at, then=at + 1)
    first, second = report(text, memory), report(text, memory)

    for found in (first, second):
        assert [ModelFault.NO_DEAD_END] == [fault.fault for fault in found.model]
        assert expected in {(m.status, m.reason) for m in of_constraint(found)}
        assert all(m.depth is None for m in found.mutants)  # what is open is no property
    assert [(m.mutant, m.status, m.reason) for m in first.mutants] == [
        (m.mutant, m.status, m.reason) for m in second.mutants
    ]


def test_a_survivor_that_lasts_is_looked_at_again_once_it_may_not() -> None:
    memory = Memory()
    text = ROUND.format(at=4, then=5).replace(
        "TRANS ", "  init(y) := FALSE; next(y) := y;\nTRANS y & "
    )
    text += "INVARSPEC !y\n"
    first = report(text, memory)
    lasting = {m.mutant for m in first.mutants if m.status is MutantStatus.SURVIVED}

    # Now executions come to what the constraint speaks of; x <= 99 is proved as before.
    edited = text.replace("init(y) := FALSE", "init(y) := TRUE")
    fresh, kept = report(edited), report(edited, memory)

    assert [(m.mutant, m.status) for m in fresh.mutants] == [
        (m.mutant, m.status) for m in kept.mutants
    ]
    ended = [m for m in kept.mutants if m.mutant in lasting and m.reason == DEADLOCK]
    assert 3 <= len(ended)


def test_definitions_that_stand_in_constraints_through_others_may_end_executions() -> None:
    """NuSMV 2.6.0 finds a deadlock where `half` is a constant, as `b` then has no next value."""
    text = """\
MODULE main
VAR n : boolean; x : boolean; b : boolean;
DEFINE half := b; step := b xor next(half);
ASSIGN next(n) := !x;
TRANS step | n = next(n);
LTLSPEC G (X half -> TRUE);
INVARSPEC half -> b;
"""
    model = accepted(text)
    found = {m.mutant: m for m in report(text, operators=("SA0", "SA1")).mutants}

    constant = [
        found[mutant.id].reason
        for mutant in mutants_of(model, operators=("SA0", "SA1"))
        if "half := TRUE" in mutated_text(model, mutant)
        or "half := FALSE" in mutated_text(model, mutant)
    ]
    assert [DEADLOCK] * 2 == constant


def test_what_a_property_says_of_the_model_is_not_known_of_mutants() -> None:
    """A mutant of `d` also changes the properties: `d` tells nothing about its states then."""
    text = """
    MODULE main VAR v : boolean; w : boolean;
    DEFINE d := v | v;
    ASSIGN next(v) := {d, TRUE};
    TRANS w | v
    INIT d
    INVARSPEC d
    INVARSPEC d | next(d)
    """
    found = report(text, operators=("EN",))
    begun = mutants_of(accepted(text), operators=("EN",))
    of_d = {mutant.id for mutant in begun if mutant.element.name == "d"}
    said = [(m.status, m.reason) for m in found.mutants if m.mutant in of_d]
    assert [(MutantStatus.STILLBORN, DEADLOCK)] * 3 == said


def test_where_it_is_not_known_of_the_model_survivors_are_counted() -> None:
    text = """\
MODULE main
VAR x : integer; y : integer;
INIT x = 0 & y = 0
TRANS next(x) * next(x) * next(x) = x * x * x + y & next(y) = y
INVAR x < 1000
INVARSPEC y < 9
"""
    found = report(text)

    assert {ModelFault.PERHAPS_DEAD_END} == {fault.fault for fault in found.model}
    survived = [m for m in found.mutants if m.status is MutantStatus.SURVIVED]
    assert [0, len(survived)] == [fault.survivors for fault in found.model]
    assert survived


def models(count: int) -> Iterator[str]:
    """Yield small random models with constraints."""
    for seed in range(count):
        source = random.Random(seed)

        def atom(source: random.Random = source, *, ahead: bool) -> str:
            name = source.choice(("x", "y"))
            left = f"next({name})" if ahead and source.random() < 0.6 else name
            return f"{left} {source.choice(('<', '=', '!=', '>='))} {source.randint(0, 3)}"

        def either(source: random.Random = source, *, ahead: bool) -> str:
            sign = source.choice(("&", "|", "->"))
            return f"({atom(source, ahead=ahead)} {sign} {atom(source, ahead=ahead)})"

        lines = ["MODULE main", "VAR x : 0..3; y : 0..3;", "ASSIGN init(x) := 0;"]
        if source.random() < 0.5:
            lines.append("next(y) := case x < 2 : {0, 1}; TRUE : y; esac;")
        lines += [f"TRANS {either(source, ahead=True)}" for _ in range(source.randint(1, 3))]
        if source.random() < 0.5:
            lines.append(f"INVAR {either(source, ahead=False)}")
        yield "\n".join(lines)


def system_of(text: str) -> TransitionSystem:
    found = accepted_in("nusmv", text)
    return interpretation(found.program).system()


def test_solvers_agree_with_diagrams_on_states_without_successor() -> None:
    means = Means(Budget(), SpacerProcess(), Benches(), lambda: None)
    seen = set()
    for text in models(60):
        system = system_of(text)
        path, reason = dead_end(system, Deadline.never())
        assert not reason
        total, ends = successors.is_total(system, means), successors.ends(system, means)
        assert not (total and path), text
        assert ends == (path is not None), text
        seen.add((total, ends))
    assert {(True, False), (False, True)} <= seen
