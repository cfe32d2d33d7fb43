"""Behaviours agree with brute force: gaps of one function never differ, and what implies does."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus, Fingerprint
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.analyses.claims.observation import Observed
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence.behaviours import Behaviours, Decided, behaviours
from mutproof.analyses.equivalence.fingerprint import Fingerprints
from mutproof.analyses.equivalence.simulation import PairedExecutions
from mutproof.model.execution import Execution
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId, Program
from mutproof.model.trace import Choices
from mutproof.workspace.analysis import Memory
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.lustre_models import accepted, choices_of, models
from support.profiles import profile
from support.reading import analysed, elaborated_in

# --- gaps of one function -------------------------------------------------------------------------


@profile(15)
@given(models(size=3), st.integers(0, 999))
def test_mutants_of_one_function_run_alike(model, seed: int) -> None:
    elaborated = accepted(model.text)
    program, source = elaborated.program, random.Random(seed)
    assert program is not None
    meaning = interpretation(program)
    baseline = Baseline(meaning, meaning.system(), {}, {})
    mutants = Mutants(baseline, enumerate_mutants(elaborated, Options(level="all")))
    mutants.lowered(lambda: None)
    prints = Fingerprints(baseline, mutants.system, None)
    alike: dict[str, list[str]] = {}
    for name, mutant in mutants.by_name.items():
        claim = mutants.claims.get(name)
        if claim is not None and claim.variant.constraints is not None:
            changed = mutants.applied(claim)
            function = prints.function(mutant.element, claim.variant, changed)
            alike.setdefault(function, []).append(name)
    runs = [choices_of(source, mutants.system, 4) for _ in range(4)]
    for names in alike.values():
        for choices in runs if len(names) > 1 else ():
            found = [meaning.run(choices, mutants.bodies[name]) for name in names]
            ran = [each for each in found if each is not None]  # others are no models
            assert all(_of(ran[0]) == _of(each) for each in ran), (model.text, names)


def _of(execution: Execution) -> object:
    return execution.trace.steps, execution.assumed


RELATIONAL = """\
MODULE main
VAR
  a : boolean;
  n : 0..3;
  s : {idle, busy};
DEFINE
  full := n >= 2;
ASSIGN
  init(n) := 0;
  next(n) := case a & n < 3 : n + 1; !a & n > 0 : n - 1; TRUE : n; esac;
  next(s) := full ? busy : {idle, busy};
TRANS !full | next(a) | n = 3
INVARSPEC n >= 0
"""


def _mutants_of(
    program: Program, elaborated: Elaborated
) -> tuple[Interpretation, Baseline, Mutants]:
    meaning = interpretation(program)
    baseline = Baseline(meaning, meaning.system(), {}, {})
    mutants = Mutants(baseline, enumerate_mutants(elaborated, Options(level="all")))
    mutants.lowered(lambda: None)
    return meaning, baseline, mutants


def test_relational_mutants_of_one_function_allow_the_same_steps() -> None:
    elaborated = elaborated_in("nusmv", RELATIONAL)
    program = elaborated.program
    assert program is not None
    meaning, _, mutants = _mutants_of(program, elaborated)
    options = Options(level="all", equivalence="outputs", cores=False)
    alike: dict[str, list[str]] = {}
    for found in analysed(elaborated, options).mutants:
        if found.equivalence is not None and found.equivalence.fingerprint is not None:
            alike.setdefault(found.equivalence.fingerprint.function, []).append(found.mutant)
    assert any(len(names) > 1 for names in alike.values())
    states = [
        {"a": a, "n": n, "s": s} for a, n, s in product((False, True), range(4), ("idle", "busy"))
    ]
    runs = [Choices((one,)) for one in states]
    runs += [Choices(pair) for pair in product(states, states)]
    for names in alike.values():
        for choices in runs if len(names) > 1 else ():
            ran = [meaning.run(choices, mutants.bodies[name]) for name in names]
            assert 1 == len({one is not None and one.assumed for one in ran}), (names, choices)


# --- what shows a gap -----------------------------------------------------------------------------


@profile(12)
@given(models(finite=True, size=3), st.integers(0, 999))
def test_columns_are_those_of_the_evaluator(model, seed: int) -> None:
    elaborated = accepted(model.text)
    program, source = elaborated.program, random.Random(seed)
    assert program is not None
    meaning, baseline, mutants = _mutants_of(program, elaborated)
    system = mutants.system
    assume(not baseline.system.relational)
    runs = [_kept(meaning, choices_of(source, system, 3)) for _ in range(8)]
    allowed = [choices for choices in runs if choices is not None]
    main = program.component(program.main)
    known = {v.name for v in main.variables}
    compared = tuple(Observed(name) for name in system.variables if name in known)
    paired = PairedExecutions(system)
    for name in list(mutants.by_name)[:: max(1, len(mutants.by_name) // 12)]:
        claim = mutants.claims.get(name)
        if claim is None or claim.variant.constraints is None or claim.variant.system is not None:
            continue
        variables = mutants.applied(claim).variables
        there = [found for found in compared if found.name in variables]
        looked, seen = paired.column(claim.variant, there, allowed)
        assert len(allowed) == looked
        for number, choices in enumerate(allowed):
            one, other = meaning.run(choices), meaning.run(choices, mutants.bodies[name])
            if one is None or other is None or None in mutants.bodies[name].values():
                continue  # what nothing defines is chosen
            differs = not other.assumed or any(
                here.get(found.name) != beyond.get(found.name)
                for here, beyond in zip(one.trace.steps, other.trace.steps, strict=True)
                for found in there
            )
            assert differs == bool(seen >> number & 1), (model.text, name, choices)


def _kept(meaning, choices: Choices) -> Choices | None:
    ran = meaning.run(choices)
    return choices if ran is not None and ran.assumed else None


# --- what implies what ----------------------------------------------------------------------------

PROGRAM = accepted("node n(a: bool) returns (y: bool); let y = a; --%PROPERTY y; tel;").program
WIDTH = 6
columns = st.lists(
    st.tuples(st.sampled_from("pqr"), st.integers(0, 7), st.integers(0, (1 << WIDTH) - 1)),
    min_size=1,
    max_size=14,
)


def _gap(step: int, function: str, seen: int) -> Equivalence:
    taken = Fingerprint(function, "", WIDTH, seen)
    return Equivalence(EquivalenceStatus.GAP, "outputs", step=step, fingerprint=taken)


def _made(rows: list[tuple[str, int, int]]) -> tuple[Behaviours, dict[str, int]]:
    assert PROGRAM is not None
    seen = {f"{number:032x}": row[2] for number, row in enumerate(rows)}
    decided = [
        Decided(
            name,
            ElementId("n", "equation", element),
            MutantStatus.SURVIVED,
            _gap(step, name, column),
        )
        for name, (element, step, column) in zip(seen, rows, strict=True)
    ]
    return behaviours(decided, PROGRAM), seen


@given(columns)
def test_what_is_implied_is_seen_by_whoever_sees_what_implies_it(rows) -> None:
    found, seen = _made(rows)
    by_name = {one.name: one for one in found.all}
    for one in found.all:
        if one.implied_by:
            other = by_name[one.implied_by]
            assert not other.implied_by
            tests = range(WIDTH)
            here, there = (seen[each.mutants[0]] for each in (one, other))
            assert any(there >> n & 1 for n in tests)
            assert all(here >> n & 1 for n in tests if there >> n & 1)


@given(columns)
def test_a_suite_that_sees_the_minimal_ones_sees_all_that_any_test_sees(rows) -> None:
    found, seen = _made(rows)
    minimal = [seen[one.mutants[0]] for one in found.minimal]
    for suite in range(1 << WIDTH):
        if all(suite & column for column in minimal if column):
            assert all(suite & column for column in seen.values() if column)


@given(columns)
def test_no_minimal_one_can_be_left_out(rows) -> None:
    found, seen = _made(rows)
    minimal = [column for one in found.minimal if (column := seen[one.mutants[0]])]
    for one in minimal:
        for other in minimal:
            assert one is other or one == other or one & ~other or one | other != other
    assert len(minimal) == len(set(minimal))
    assert sum(len(one.mutants) + one.follow for one in found.minimal) == len(rows)


def test_gaps_of_one_function_are_one_behaviour_the_earliest_first() -> None:
    assert PROGRAM is not None
    element = ElementId("n", "equation", "y")
    late, early = (
        Decided(name, element, MutantStatus.SURVIVED, _gap(step, "f" * 32, 5))
        for name, step in (("late", 3), ("early", 1))
    )
    killed = Decided("killed", element, MutantStatus.KILLED, None)
    suppressed = replace(early, mutant="suppressed", status=MutantStatus.IGNORED)
    found = behaviours([late, killed, early, suppressed], PROGRAM)
    assert [("early", "late")] == [one.mutants for one in found.all]


# --- a whole run ----------------------------------------------------------------------------------

DEMO = """\
node demo(a, b: int) returns (y: bool);
var p: bool;
let
  y = a > 0 and b > 0;
  p = y => a >= 0;
  --%PROPERTY p;
tel;
"""


def _whole(share: tuple[int, int] = (0, 1)) -> dict[str, Fingerprint | None]:
    elaborated = accepted(DEMO)
    options = Options(equivalence="outputs", cores=False, share=share)
    found = analysed(elaborated, options).mutants
    known = ((one.mutant, one.equivalence) for one in found)
    gap = EquivalenceStatus.GAP
    return {m: e.fingerprint for m, e in known if e is not None and e.status is gap}


def test_a_fingerprint_is_that_of_the_gap_whoever_decides_it() -> None:
    whole = _whole()
    assert whole
    assert None not in whole.values()
    assert whole == {**_whole((0, 2)), **_whole((1, 2))}


def test_kept_gaps_have_the_fingerprints_they_had(monkeypatch: pytest.MonkeyPatch) -> None:
    elaborated, memory = accepted(DEMO), Memory()
    options = Options(equivalence="outputs", cores=False)
    first = analysed(elaborated, options, memory).mutants
    monkeypatch.setattr(Fingerprints, "of", None)
    again = analysed(elaborated, options, memory).mutants
    prints = [
        [m.equivalence.fingerprint for m in found if m.equivalence is not None]
        for found in (first, again)
    ]
    assert prints[0] == prints[1]
