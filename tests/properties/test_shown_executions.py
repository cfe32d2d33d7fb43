"""What is shown of a mutant is its own execution, also where another one has the same choices."""

from __future__ import annotations

from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.deciding.replay import Replayer
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.model.interpretation import interpretation
from mutproof.model.purpose import AFFECTED
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import accepted
from support.lustre_mutants import options, program_of

LATCH = """node top(a: bool) returns (x: bool);
var p: bool;
let
  x = a or (false -> pre x);
  p = a => x;
  --%PROPERTY p;
tel;
"""


def test_mutants_with_the_same_choices_are_shown_apart() -> None:
    elaborated = accepted(LATCH)
    program = program_of(elaborated)
    mutants = enumerate_mutants(elaborated, options("all"))
    bodies = {mutant.id: mutated_bodies(program, mutant) for mutant in mutants}
    meaning = interpretation(program)
    replayer = Replayer(Notary(), meaning, bodies)
    choices = Choices(({"a": True}, {"a": False}))
    variants = [Variant(mutant.id, frozenset(), None) for mutant in mutants]

    failures = {}
    for variant in variants:
        violated = replayer.confirm(variant, choices, "test")
        if violated and "p" in violated:
            failures[variant] = violated["p"]

    assert len(failures) > 1
    shown = []
    for variant, failure in failures.items():
        trace = replayer.trace(variant, failure, "p")
        own = meaning.run(choices, bodies[variant.name], AFFECTED)
        assert trace is not None
        assert own is not None
        assert trace.steps == own.trace.steps
        shown.append(trace.steps)
    assert any(steps != shown[0] for steps in shown)
