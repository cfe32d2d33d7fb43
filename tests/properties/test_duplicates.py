"""Mutants of one function run alike; what a solver does not confirm is not one function."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.model.interpretation import interpretation
from mutproof.solving.validity import Validities, Validity
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.lustre_models import accepted, choices_of, models
from support.profiles import profile
from support.reading import analysed

TEXT = """\
node n(a, b: bool; x: int) returns (y: int);
var ok: bool;
let
  y = if a and (b or a) then 2 else x - 1;
  ok = y <= 2 or not a;
  --%PROPERTY ok;
tel;
"""

MODELS = {MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.UNKNOWN}


def found_in(text: str, *, asked: bool = True) -> dict[str, MutantFinding]:
    options = Options(level="all", cores=False, duplicates=asked)
    known = accepted(text)
    report = analysed(known, options)
    return {found.mutant: found for found in report.mutants}


@profile(6)
@given(models(size=3), st.integers(0, 999))
def test_mutants_of_one_function_run_alike(model, seed: int) -> None:
    elaborated = accepted(model.text)
    program = elaborated.program
    assert program is not None
    found, source = found_in(model.text), random.Random(seed)
    meaning = interpretation(program)
    runs = [choices_of(source, meaning.system(), 5) for _ in range(4)]
    seen: dict[tuple[object, str], object] = {}
    for mutant in enumerate_mutants(elaborated, Options(level="all")):
        function = None if mutant.id not in found else found[mutant.id].function
        if function is None:
            continue
        bodies = mutated_bodies(program, mutant) if function else {}
        ran = [meaning.run(choices, mutated_bodies(program, mutant)) for choices in runs]
        own = [None if r is None else (r.violated, r.assumed) for r in ran]
        if not function:
            same = [meaning.run(choices, bodies) for choices in runs]
            assert [None if r is None else (r.violated, r.assumed) for r in same] == own
        assert own == seen.setdefault((mutant.element, function), own), model.text


def test_verdicts_are_what_they_are_without() -> None:
    found, plain = found_in(TEXT), found_in(TEXT, asked=False)
    assert {None} == {one.function for one in plain.values()}
    assert {n: (one.status, one.killed_by) for n, one in plain.items()} == {
        n: (one.status, one.killed_by) for n, one in found.items()
    }
    assert {one.mutant for one in found.values() if one.status in MODELS} == {
        one.mutant for one in found.values() if one.function is not None
    }
    counts = Counter(one.function for one in found.values())
    assert counts[""] > 0  # `b or a` may be `true`, or `a`
    assert max(number for name, number in counts.items() if name) > 1
    verdicts = {(one.function, one.status, one.killed_by) for one in found.values()}
    assert len(verdicts) == len(counts)


def test_only_what_a_solver_confirms_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Validities, "of", lambda *_: Validity.UNKNOWN)
    asked = found_in(TEXT)
    program = accepted(TEXT).program
    assert program is not None
    meaning = interpretation(program)
    terms: dict[str, object] = {}
    for mutant in enumerate_mutants(accepted(TEXT), Options(level="all")):
        function = asked[mutant.id].function if mutant.id in asked else None
        if function:  # the terms themselves are the same
            own = {c.digest for c in meaning.rewritten(mutated_bodies(program, mutant)).constraints}
            assert own == terms.setdefault(function, own)
        assert function != "", mutant.summary
