"""Mutants that fail only after many steps are killed by executions, not by long searches."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import pytest

from mutproof.analyses.bench.executions import Executions
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.model.evaluate import Evaluator
from mutproof.model.interpretation import interpretation
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import accepted, elaborated
from support.lustre_mutants import bodies, options, program_of, report

PLACES = 25
STEPS = 160

SLOW = """\
node top(go: bool; x: int) returns (n, s: int; full, ok, calm: bool);
let
  s = x + (0 -> pre s);
  n = 0 -> if go then (if pre n < 50 then pre n + 1 else pre n) else 0;
  full = n >= 50;
  ok = n <= 50 or s = s + 1;
  calm = not full => n < 50;
  --%PROPERTY ok;
  --%PROPERTY calm;
tel;
"""


def found_of(text: str) -> dict[str, MutantFinding]:
    """Return the findings of mutants by element and change."""
    found = accepted(text)
    mutants = {m.id: m for m in enumerate_mutants(found, options("default"))}
    return {
        f"{mutants[f.mutant].element.name}: {mutants[f.mutant].summary}": f
        for f in report(found, options("default")).mutants
    }


def test_a_counter_overflows_in_a_long_execution() -> None:
    found = found_of(SLOW)["n: `<` → `<=`"]
    assert (MutantStatus.KILLED, "simulation") == (found.status, found.how)
    assert found.steps["ok"] in range(51, 56)  # shorter than it was drawn


def test_what_is_undefined_is_drawn_too() -> None:
    found = found_of(SLOW)["full: equation removed"]
    assert (MutantStatus.KILLED, "simulation") == (found.status, found.how)
    assert found.steps["calm"] in range(50, 56)


def register(places: int) -> str:
    """Return a register that holds at most 1, with a property of its last place."""
    names = [f"s{number}" for number in range(places)]
    later = "".join(f"  s{n} = 0 -> pre s{n - 1};\n" for n in range(1, places))
    return (
        "node top(a: bool) returns (ok: bool);\n"
        f"var {', '.join(names)}: int;\nlet\n  s0 = if a then 1 else 0;\n{later}"
        f"  ok = {names[-1]} <= 1;\n  --%PROPERTY ok;\ntel;\n"
    )


def test_an_execution_is_shortened_for_the_first_of_the_mutants_that_it_kills(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = elaborated(register(PLACES))
    program = program_of(found)
    meaning = interpretation(program)
    baseline = Baseline(meaning, meaning.system(), {}, {})
    load = Mutants(baseline, enumerate_mutants(found, options())).lowered(lambda: None)
    claims = [Claim(claim.variant, frozenset({"ok"})) for claim in load.claims.values()]
    shortened: list[str] = []
    before = Executions._shortened

    def noted(
        self: Executions, claim: Claim, violated: AbstractSet[str], choices: Choices
    ) -> Choices:
        shortened.append(claim.name)
        return before(self, claim, violated, choices)

    monkeypatch.setattr(Executions, "_shortened", noted)
    shown = [*Executions(load.system).random(claims, 3, STEPS, 2)]
    assert len(shown) > PLACES
    assert len(shortened) <= 3
    for claim, choices in shown:
        execution = Evaluator(program).run(choices, bodies(program, load.by_name[claim.name]))
        assert execution is not None, claim.name
        assert "ok" in execution.violated, claim.name
        assert len(choices.steps) <= 2 * PLACES, claim.name
