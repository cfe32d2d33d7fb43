"""Mutants that fail only after many steps are killed by executions, not by long searches."""

from __future__ import annotations

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import accepted
from support.lustre_mutants import options, report

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
