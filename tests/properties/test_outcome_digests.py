"""An execution that killed a mutant is kept without a replay only where a replay would agree."""

from __future__ import annotations

from typing import Any

import pytest

from mutproof.analyses.checking.core_audit import CoreAudit
from mutproof.analyses.deciding import findings
from mutproof.base.digest import Digest
from mutproof.model import forward_meaning, interpretation
from mutproof.model.evaluator import Evaluator
from mutproof.model.program import Bodies
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report
from support.lustre_models import accepted
from support.lustre_mutants import options, report
from support.reading import elaborated_in

TEXT = """\
type small = subrange [0, 3] of int;
function f(x: int) returns (y: int);
node held(x: bool) returns (y: bool);
let y = x and (true -> pre y); tel;
node top(a, b: bool; s: small) returns (n, m, k: int; p, q: bool);
var far: int; up: bool;
  kept: bool;
let
  n = (0 -> pre n) + (if up then 1 else 0);
  up = a and not b;
  m = f(n) - f(n);
  k = s + 1;
  kept = held(a);
  far = 7 -> pre far + 1;
  p = n >= 0;
  q = m = 0 and kept = kept;
  assert k < 9;
  --%PROPERTY p;
  --%PROPERTY q;
tel;
"""

PLAIN = "\n".join(
    line
    for line in TEXT.replace(" and kept = kept", "").splitlines()
    if "held" not in line and "kept" not in line and "let y" not in line
)
"""The same without a called node."""

UNBOUNDED = TEXT.replace("subrange [0, 3] of int", "int")
"""The same without a subrange, which a called node could leave."""


def digest(text: str, goal: str = "p", changed: str = "n") -> Digest:
    """Return the digest for the mutant without an equation; programs of any size are divided."""
    meaning = interpretation.interpretation(accepted(text).program)  # type: ignore[arg-type]
    bodies: Bodies = {e: None for e in meaning.program.elements() if e.targets == (changed,)}
    assert bodies
    return meaning.outcomes.of(goal, bodies)


@pytest.fixture(autouse=True)
def _divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward_meaning, "MOST_RUN_WHOLE", 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("n >= 0", "n >= 1"),
        ("(0 -> pre n)", "(1 -> pre n)"),
        ("a and not b", "a or not b"),
        ("k < 9", "k < 8"),
        ("k = s + 1", "k = s + 2"),
        ("subrange [0, 3]", "subrange [0, 4]"),
        ("  assert k < 9;", "  assert k < 9; assert far > 0;"),
        ("  assert k < 9;", ""),
        ("up = a", "up = p"),
        (
            "f(x: int) returns (y: int)",
            "f(x: int) returns (y: int); function g(x: int) returns (y: int)",
        ),
    ],
)
@pytest.mark.parametrize("text", [UNBOUNDED, PLAIN])
def test_what_an_outcome_depends_on_changes_its_digest(text: str, old: str, new: str) -> None:
    assert old in text or "subrange" in old
    text = text if old in text else TEXT
    assert digest(text) != digest(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("far = 7 -> pre far + 1;", "far = 8 -> pre far + 1;"),
        ("q = m = 0", "q = m >= 0"),
        ("m = f(n) - f(n);", "m = f(n) - f(n) + far;"),
        ("  up = a", "  -- a comment\n  up = a"),
    ],
)
@pytest.mark.parametrize("text", [UNBOUNDED, PLAIN])
def test_what_it_does_not_depend_on_does_not(text: str, old: str, new: str) -> None:
    assert old in text
    assert digest(text) == digest(text.replace(old, new))
    assert digest(text, "q", "m") == digest(text.replace("far = 7", "far = 8"), "q", "m")


def test_a_called_node_and_all_calls_count() -> None:
    assert digest(UNBOUNDED, "q") != digest(UNBOUNDED.replace("x and (", "x or ("), "q")
    assert digest(UNBOUNDED) != digest(UNBOUNDED.replace("held(a)", "held(b)"))
    assert digest(PLAIN) == digest(PLAIN.replace("far", "near"))


MODULES = """\
MODULE cell(x)
VAR y : 0..3;
ASSIGN init(y) := 0; next(y) := x & y < 3 ? y + 1 : 0;
MODULE main
VAR b : boolean; c : cell(b); d : cell(!b);
INVARSPEC c.y < 3
INVARSPEC c.y + d.y < 5
"""


def test_of_modules_the_whole_program_counts() -> None:
    def found(text: str) -> set[Digest]:
        program = elaborated_in("nusmv", text).program
        assert program is not None
        outcomes = interpretation.interpretation(program).outcomes
        goals = [stated.name for stated in program.component(program.main).properties]
        return {outcomes.of(g, {e: e.body}) for g in goals for e in program.elements()}

    assert 8 == len(found(MODULES))
    assert found(MODULES) == found(MODULES.replace("MODULE main", "-- a comment\nMODULE main"))
    assert found(MODULES).isdisjoint(found(MODULES.replace("y + 1", "3")))
    assert found(MODULES).isdisjoint(found(MODULES.replace("d.y < 5", "d.y < 6")))


def test_an_edit_elsewhere_replays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, chosen = Memory(), options("default")
    first = report(accepted(PLAIN), chosen, memory)
    runs: list[object] = []
    run = Evaluator.run

    def counted(self: Any, choices: Any, bodies: Any = None, **how: Any) -> Any:
        if bodies:
            runs.append(choices)
        return run(self, choices, bodies, **how)

    monkeypatch.setattr(Evaluator, "run", counted)
    again = report(accepted(PLAIN.replace("far = 7", "far = 8")), chosen, memory)

    killed = [f for f in first.mutants if f.killed_by]
    kept = {f.mutant: (f.killed_by, f.steps) for f in again.mutants}
    assert killed
    assert all(kept[f.mutant] == (f.killed_by, f.steps) for f in killed)
    assert not runs


def test_an_edit_that_is_undone_runs_no_mutant(monkeypatch: pytest.MonkeyPatch) -> None:
    """What killed and survived two saves ago is shown without a replay and without an audit."""
    monkeypatch.setattr(findings, "SAMPLE", 1 << 40)
    memory, chosen = Memory(), options("default")
    first = report(accepted(PLAIN), chosen, memory)
    edited = report(accepted(PLAIN.replace("a and not b", "a or b")), chosen, memory)
    runs: list[object] = []
    run = Evaluator.run

    def counted(self: Any, choices: Any, bodies: Any = None, **how: Any) -> Any:
        if bodies:
            runs.append(choices)
        return run(self, choices, bodies, **how)

    monkeypatch.setattr(Evaluator, "run", counted)
    monkeypatch.setattr(CoreAudit, "of", lambda *about: runs.append(about))
    again = report(accepted(PLAIN), chosen, memory)

    def shown(found: Report) -> list[object]:
        return [(f.mutant, f.status, f.killed_by) for f in found.mutants]

    assert shown(first) != shown(edited)
    assert shown(first) == shown(again)
    assert all(f.trace is not None for f in again.mutants if f.killed_by)
    assert not runs


def test_an_input_that_nothing_reads_counts_as_executions_show_it() -> None:
    more = PLAIN.replace("node top(a, b: bool;", "node top(a, b, c: bool;")

    assert more != PLAIN
    assert digest(PLAIN) != digest(more)
