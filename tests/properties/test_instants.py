"""Which next-assignments of a mutant are constraints is found out from what its change reads."""

from __future__ import annotations

import random

import pytest

from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.model.instants import Instants
from mutproof.model.program import Program
from support.nusmv_mutants import accepted, elaborated, mutants_of, program_of
from support.nusmv_random import random_text

LOOPS = """
MODULE main
VAR p : 0..3; q : 0..3; r : 0..3; x : 0..3; y : 0..3; on : boolean;
ASSIGN
  x := p;
  y := on ? r : q;
  init(p) := 0;
  next(p) := (next(x) + 1) mod 4;
  init(q) := 0;
  next(q) := on ? next(x) : q;
  init(r) := 1;
  next(r) := r;
INVARSPEC p < 4;
"""


def agreed(program: Program, found: Instants, changed: object) -> tuple[bool, bool]:
    """Return whether a change keeps the loose targets: by what it reads, and by all loops."""
    bodies = mutated_bodies(program, changed)  # type: ignore[arg-type]
    loose = found.loose_with({})
    return found.is_as_loose(loose, bodies), found.loose_with(bodies) == loose


def test_a_change_makes_loops_and_unmakes_them() -> None:
    text = accepted(LOOPS)
    program = program_of(text)
    instants = Instants(program.component(program.main))
    assert frozenset({"p"}) == instants.loose_with({})
    outcomes = [agreed(program, instants, mutant) for mutant in mutants_of(text)]
    assert [same for _, same in outcomes] == [same for same, _ in outcomes]
    assert {(True, True), (False, False)} == set(outcomes)


@pytest.mark.parametrize("seed", range(20))
def test_changes_of_random_models_are_judged_as_by_all_loops(seed: int) -> None:
    text = elaborated(random_text(random.Random(seed)))
    if text.program is not None:
        instants = Instants(text.program.component(text.program.main))
        for mutant in mutants_of(text):
            known, same = agreed(text.program, instants, mutant)
            assert same is known
