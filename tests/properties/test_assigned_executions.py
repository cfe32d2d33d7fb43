"""Mutants of models of assignments alone are run forward, and `always p` is an invariant there."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mutproof.analyses import strategies
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.deciding.rungs import assigned_executions, diagrams
from mutproof.analyses.deciding.strategy import Strategy
from mutproof.analyses.proving import always_proved, proofs
from mutproof.base.budget import Budget
from mutproof.model.interpretation import interpretation
from mutproof.model.program import PropertyKind
from mutproof.model.relational_states import StateValues
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.options import Options
from support.nusmv_mutants import accepted, mutants_of, mutated_text
from support.reading import analysed

CELL = """MODULE cell(before)
VAR n : 0..7; on : boolean;
ASSIGN
  init(n) := 0;
  next(n) := case before & n < 5 : n + 1; !before : 0; TRUE : n; esac;
  init(on) := FALSE;
  next(on) := n >= 3;
INVARSPEC n <= 5;
LTLSPEC G (on -> n <= 5);
CTLSPEC AG n <= 5;
MODULE main
VAR go : boolean;
"""


def row(size: int) -> str:
    """Return a row of cells, each of which begins to count when the one before it is on."""
    cells = [f"c{n} : cell({f'c{n - 1}.on' if n else 'go'});\n" for n in range(size)]
    return CELL + "".join(cells)


def by_text(text: str, options: Options) -> dict[str, MutantFinding]:
    """Return what is found of mutants, by their text."""
    model = accepted(text)
    found = {one.mutant: one for one in analysed(model, options).mutants}
    known = {one.id: mutated_text(model, one) for one in mutants_of(model, "default")}
    return {known[name]: one for name, one in found.items()}


def test_late_failures_of_a_row_are_run_to(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Strategy("default", "", "", (assigned_executions.ASSIGNED,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    size = always_proved.LARGE // 4
    text = row(size)
    found = by_text(text, Options(cores=False))

    too_far = found[text.replace("n < 5", "n <= 5")]
    assert too_far.status is MutantStatus.KILLED
    assert len(too_far.killed_by) == 3 * size
    assert max(too_far.steps.values()) > 4 * size
    assert {assigned_executions.HOW} == {one.how for one in found.values() if one.killed_by}


def test_a_long_execution_is_ended_by_a_cancellation(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Strategy("default", "", "", (assigned_executions.ASSIGNED,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    states, state = Counter[StateValues](), StateValues.state

    def counted(self: StateValues, *about: Any) -> Any:
        states[self] += 1
        return state(self, *about)

    monkeypatch.setattr(StateValues, "state", counted)
    model, first = accepted(row(always_proved.LARGE // 4)), assigned_executions.STEPS

    def cancelled() -> bool:
        return max(states.values(), default=0) > first

    with pytest.raises(Cancelled):
        analyse(model, Options(cores=False), Memory(), lambda _: None, cancelled=cancelled)
    assert max(states.values()) == first + 1


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param("init(n) := {0, 1}; next(n) := n < 3 & b ? n + 1 : {0, n};", id="choices"),
        pytest.param("init(n) := 0; next(n) := n < 3 ? n + 1 : n; next(b) := !b;", id="no init"),
        pytest.param("init(b) := TRUE; init(n) := 0; next(n) := b ? n : 1;", id="no next"),
        pytest.param("n := b ? 1 : 3;", id="current"),
        pytest.param("init(a[1]) := 2; next(a[1]) := b ? a[0] mod 4 : 3; n := a[1];", id="array"),
    ],
)
def test_what_nothing_assigns_is_chosen(steps: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "MODULE main\nVAR n : 0..7; b : boolean; a : array 0..1 of 0..7;\n"
        f"ASSIGN {steps}\nLTLSPEC G n <= 3\nCTLSPEC AG (n <= 3 | b)\n"
    )
    options = Options(cores=False)
    expected = by_text(text, options)
    monkeypatch.setattr(always_proved, "LARGE", 0)
    alone = Strategy("default", "", "", (assigned_executions.ASSIGNED, diagrams.EACH))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    found = by_text(text, options)

    told = {name: one for name, one in found.items() if one.status is not MutantStatus.UNKNOWN}
    assert {name: one.status for name, one in told.items()} == {
        name: expected[name].status for name in told
    }
    run = {one.how for one in told.values() if one.status is MutantStatus.KILLED}
    assert assigned_executions.HOW in run


KINDS = {
    "G n <= 5": PropertyKind.INVARIANT,
    "G n <= 5 & G n >= 0": PropertyKind.INVARIANT,
    "G (n = 0 -> X n <= 5)": PropertyKind.LTL,
    "F n <= 5": PropertyKind.LTL,
}


@pytest.mark.parametrize("stated", KINDS)
@pytest.mark.parametrize("more", ["", "FAIRNESS n = 0", "TRANS next(n) <= n + 1"])
def test_what_always_holds_is_an_invariant_where_assignments_are_all(
    stated: str, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(always_proved, "LARGE", 0)
    text = (
        "MODULE main\nVAR n : 0..7;\nASSIGN init(n) := 0; next(n) := n < 5 ? n + 1 : 0;\n"
        f"{more}\nLTLSPEC NAME p := {stated}\n"
    )
    program = accepted(text).program
    assert program is not None
    meaning = interpretation(program)
    means = Means(Budget(), SpacerProcess(), Benches(), lambda: None)
    found = proofs.prove(meaning, meaning.system(), ProofMemory(), means, emit=lambda _: None)

    other, system, known = always_proved.as_invariants(meaning, meaning.system(), found, means)

    expected = PropertyKind.LTL if more else KINDS[stated]
    assert expected is system.property("p").kind
    assert system == other.system()
    assert known.holds.keys() == found.holds.keys() == {"p"}
