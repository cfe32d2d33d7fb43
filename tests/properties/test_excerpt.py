"""An excerpt of a program runs changed elements as the whole program does."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given

from mutproof.analyses.claims.finding import MutantStatus
from mutproof.model import excerpt, forward_meaning
from mutproof.model.causality import is_causal_with
from mutproof.model.evaluator import Evaluator
from mutproof.model.excerpt import Excerpts
from mutproof.model.forward_meaning import MOST_RUN_WHOLE
from mutproof.model.interpretation import interpretation
from mutproof.model.lower import Lowering, lower
from mutproof.model.purpose import AFFECTED
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, choices_of, models, sources
from support.lustre_mutants import bodies, options, program_of, report
from support.profiles import profile


@profile(80)
@given(models(), sources())
def test_an_excerpt_runs_as_the_program_does(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    program = program_of(found)
    excerpts = Excerpts(program, share=1)
    sharing = Lowering(program).sharing
    whole = Evaluator(program, sharing)
    choices = choices_of(source, lower(program))
    original = whole.run(choices)
    mutants = enumerate_mutants(found, options("all"))
    for mutant in source.sample(mutants, min(8, len(mutants))):
        changed = bodies(program, mutant)
        ((element, body),) = changed.items()
        if body is not None and not is_causal_with(program, element, body):
            continue
        part = excerpts.of(changed)
        assert part is not None
        expected = whole.run(choices, changed)
        actual = Evaluator(part, sharing).run(choices, changed)
        for wanted, shown in zip(expected.trace.steps, actual.trace.steps, strict=True):
            assert {name: wanted[name] for name in shown} == shown, mutant
        assert expected.assumed == actual.assumed
        # What is left out fails with the change exactly where it fails without it.
        missing = {n: s for n, s in expected.violated.items() if n not in actual.violated}
        assert {n: original.violated.get(n) for n in missing} == missing, mutant
        # That tells nothing where the program itself does not allow the execution.
        assert not missing or original.assumed or not expected.assumed, mutant
        assert {n: expected.violated.get(n) for n in actual.violated} == actual.violated


def test_what_affects_a_property_that_reads_too_much_is_not_cut_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    places = 200
    program = program_of(
        accepted(
            "node top(a: int) returns (ok: bool);\n"
            f"var {', '.join(f's{n}' for n in range(places))}: int;\nlet\n  s0 = a;\n"
            + "".join(f"  s{n} = 0 -> pre s{n - 1};\n" for n in range(1, places))
            + f"  ok = s{places - 1} < 9;\n  --%PROPERTY ok;\ntel;\n"
        )
    )
    excerpts = Excerpts(program)
    found: list[int] = []
    reached = excerpt.reached
    monkeypatch.setattr(
        excerpt, "reached", lambda *a: (some := reached(*a), found.append(len(some)))[0]
    )
    for element in program.elements():
        assert excerpts.of([element]) is None
    assert sum(found) < places * places * 0.6  # what reads each, and once what all of it needs


def test_a_mutant_of_a_large_program_is_run_with_what_it_can_affect() -> None:
    rows = MOST_RUN_WHOLE // 4
    equations = "".join(
        f"  x{n} = a and (false -> pre x{n});\n  y{n} = not x{n};\n  p{n} = y{n} or a;\n"
        f"  q{n} = true -> pre y{n} or not y{n};\n"
        for n in range(rows + 1)
    )
    names = ", ".join(f"{kind}{n}" for kind in "xypq" for n in range(rows + 1))
    text = (
        f"node top(a, b: bool) returns (z: bool);\nvar {names}: bool;\nlet\n{equations}"
        "  z = b;\n  assert b or not z;\n  --%PROPERTY p3;\n  --%PROPERTY p4;\ntel;\n"
    )
    meaning = interpretation(program_of(accepted(text)))
    element = next(e for e in meaning.program.elements() if e.targets == ("y3",))
    choices = Choices(({"a": False, "b": True, "y3": False},) * 2)
    execution = meaning.run(choices, {element: None}, AFFECTED)

    assert execution is not None
    assert {"p3": 0} == execution.violated
    assert {"a", "b", "z", "x3", "y3", "p3"} == set(execution.trace.steps[0])


def test_an_execution_that_only_a_mutant_of_an_assertion_has_violates_what_reads_nothing_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forward_meaning, "MOST_RUN_WHOLE", 0)
    unread = "".join(f"  x{n} = true -> pre a;\n" for n in range(4))
    text = (
        "node top(a, b, c: bool) returns (x0, x1, x2, x3, t, p: bool);\nlet\n"
        f"{unread}  t = b;\n  p = c;\n  assert t => c;\n  assert t;\n  --%PROPERTY p;\ntel;\n"
    )
    chosen = replace(options("default"), operators=("SA0", "SA1"))
    found = report(accepted(text), chosen)

    assert {MutantStatus.KILLED} <= {one.status for one in found.mutants}
    assert MutantStatus.UNKNOWN not in {one.status for one in found.mutants}
