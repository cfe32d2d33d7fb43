"""Verdicts on survivors agree with a search through all pairs of executions."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.observation import Interface, Scope
from mutproof.analyses.claims.verdict import KnownSurvivors
from mutproof.analyses.equivalence.survivors import Survivors
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.budget import Budget
from mutproof.model.causality import is_causal_with
from mutproof.model.evaluator import Evaluator
from mutproof.model.interpretation import interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId, ElementKind, Program
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.enumeration import enumerate_mutants
from support.explicit_product import apart
from support.lustre_models import Model, accepted, elaborated, models, sources
from support.lustre_mutants import bodies, mutated_text, options, program_of
from support.profiles import profile

EXAMPLES = 10
LOOKED_AT = 6
BUDGET = Budget(timeout_s=60)

counted: Counter[str] = Counter()


def survivors(program: Program, mutants: tuple[Mutant, ...], scope: Scope) -> Survivors:
    meaning = interpretation(program)
    baseline = Baseline(meaning, meaning.system(), {}, {})
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    return Survivors(baseline, mutants, scope, means)


def is_model(found: Elaborated, mutant: Mutant) -> bool:
    program = program_of(found)
    text = mutated_text(found, mutant)
    if text is not None:
        return all(d.severity.value != "error" for d in elaborated(text).diagnostics)
    return all(
        body is None
        or element.kind is not ElementKind.EQUATION
        or is_causal_with(program, element, body)
        for element, body in bodies(program, mutant).items()
    )


def check_verdict(program: Program, mutant: Mutant, verdict: Equivalence, scope: Scope) -> None:
    """Compare a verdict with the search, and run both sides of a gap."""
    counted[verdict.status.value] += 1
    changed = bodies(program, mutant)
    everything = scope is Scope.ALL or verdict.observation == Scope.ALL.value
    seen = apart(program, changed, everything=everything)
    if verdict.status is EquivalenceStatus.EQUIVALENT:
        assert seen.step is None, (mutant, verdict)
    if verdict.status is EquivalenceStatus.GAP:
        assert verdict.model is not None
        assert verdict.mutant is not None
        assert verdict.step is not None
        assert not (seen.exact and seen.step is None), (mutant, verdict)
        if seen.exact and verdict.shortest:
            assert seen.step == verdict.step, (mutant, verdict)
        choices = verdict.model.choices
        here = Evaluator(program).run(choices)
        there = Evaluator(program).run(choices, changed)
        assert here.trace.steps[:-1] or verdict.step == 0
        if verdict.allowed:
            assert here.assumed != there.assumed
        else:
            assert here.assumed
            assert there.assumed
            last, other = here.trace.steps[-1], there.trace.steps[-1]
            assert all(last.get(name) != other.get(name) for name in verdict.differing)


@profile(EXAMPLES)
@given(models(finite=True, size=3), sources())
def test_verdicts_are_those_of_a_search_through_all_pairs_of_executions(
    model: Model, source: random.Random
) -> None:
    found = accepted(model.text)
    program = program_of(found)
    everything = enumerate_mutants(found, options("paper"))
    chosen = source.sample(everything, min(LOOKED_AT, len(everything)))
    mutants = tuple(mutant for mutant in chosen if is_model(found, mutant))
    scope = source.choice(tuple(Scope))
    decided = survivors(program, mutants, scope)
    known: KnownSurvivors = {}
    for mutant in mutants:
        verdict = decided.decide(mutant.id, known)
        check_verdict(program, mutant, verdict, scope)
        again = decided.decide(mutant.id, known)
        assert (verdict.status, verdict.step, verdict.k) == (again.status, again.step, again.k)
    assert counted["undetermined"] <= 1 + 0.05 * sum(counted.values())


@profile(EXAMPLES)
@given(models(finite=True, size=3), sources())
def test_mutants_of_one_element_have_the_verdicts_of_each_alone(
    model: Model, source: random.Random
) -> None:
    found = accepted(model.text)
    program = program_of(found)
    by_element: dict[ElementId, list[Mutant]] = {}
    for mutant in enumerate_mutants(found, options("paper")):
        by_element.setdefault(mutant.element, []).append(mutant)
    if not by_element:
        return
    chosen = source.choice(list(by_element.values()))[: 2 * LOOKED_AT]
    mutants = tuple(mutant for mutant in chosen if is_model(found, mutant))
    scope = source.choice(tuple(Scope))
    together = survivors(program, mutants, scope)
    known: KnownSurvivors = {}
    for mutant in mutants:
        verdict = together.decide(mutant.id, known)
        check_verdict(program, mutant, verdict, scope)
        alone = survivors(program, (mutant,), scope).decide(mutant.id, {})
        assert verdict.status is alone.status
        if verdict.status is EquivalenceStatus.GAP:
            assert (verdict.step, verdict.shortest) == (alone.step, alone.shortest)


DELAYED = """\
node top(a: bool) returns (o: bool);
var n: int; late: bool;
let
  n = if a then 1 + (0 -> pre n) else 0;
  late = n >= 5;
  o = late;
tel;
"""


def test_differences_of_mutants_of_one_element_are_the_shortest_ones() -> None:
    found = accepted(DELAYED)
    mutants = tuple(
        mutant
        for mutant in enumerate_mutants(found, options("default"))
        if mutant.element.name == "late"
    )
    together = survivors(program_of(found), mutants, Scope.OUTPUTS)
    verdicts = {m.summary: together.decide(m.id, {}) for m in mutants}

    assert len(verdicts) == 4
    assert all(v.shortest for v in verdicts.values() if v.status is EquivalenceStatus.GAP)
    assert verdicts["`>=` → `>`"].step == 4
    assert verdicts["`>=` → `<=`"].step == 0


RARE = """\
node top(a, b: int) returns (o: bool);
var c: bool;
let
  c = 3 * a + 5 * b = 7919 and 2 * a - b = 441;
  o = false -> pre c;
tel;
"""


def test_differences_that_no_random_execution_shows_are_found_together() -> None:
    found = accepted(RARE)
    mutants = tuple(m for m in enumerate_mutants(found, options("all")) if m.element.name == "c")
    together = survivors(program_of(found), mutants, Scope.OUTPUTS)
    verdicts = {m.id: together.decide(m.id, {}) for m in mutants}

    gaps = [v for v in verdicts.values() if v.status is EquivalenceStatus.GAP]
    assert {v.how for v in gaps} == {"bmc", "simulation"}
    assert len([v for v in gaps if v.how == "bmc"]) > 5
    assert {v.step for v in gaps} == {1, 2}
    assert all(v.shortest for v in gaps)


def verdict_on(text: str, element: str, summary: str) -> Equivalence:
    """Return the verdict on the one mutant of an element with a summary."""
    found = accepted(text)
    mutants = enumerate_mutants(found, options("all"))
    (wanted,) = (m for m in mutants if (m.element.name, m.summary) == (element, summary))
    decided = survivors(program_of(found), (wanted,), Scope.OUTPUTS)
    return decided.decide(wanted.id, {})


def clocked(value: str) -> str:
    """Return a model in which a memory may be none of two constants before the first step."""
    return (
        "type E = enum {A, B};\n"
        f"node part(a: bool) returns (y: bool);\nvar z: E; let z = A -> pre z; y = {value}; tel;\n"
        "node top(a: bool) returns (o: bool);\nlet --%MAIN;\no = condact(a, part(a), true); tel;"
    )


def asserted(value: str) -> str:
    """Return a model with an assertion about a memory that has a first value."""
    return (
        "node top(a: bool) returns (o: bool);\nvar z: int;\n"
        f"let z = 0 -> pre z + 1; assert z >= 0 or a; o = {value}; tel;"
    )


@pytest.mark.parametrize(
    ("text", "element", "summary", "expected"),
    [
        pytest.param(
            "node top(a, b: bool) returns (o: bool);\nlet assert a; o = a and b; tel;",
            "o",
            "`and` → its right operand",
            EquivalenceStatus.EQUIVALENT,
            id="an assertion of both sides may make them the same",
        ),
        pytest.param(
            "node top(a: bool) returns (o: bool);\n"
            "var x: bool; let x = a and true; assert x; o = a; tel;",
            "x",
            "`true` → `false`",
            EquivalenceStatus.GAP,
            id="a mutant that allows fewer executions is a gap",
        ),
        pytest.param(
            "node top(a: int) returns (o: int);\n"
            "var n: int; let n = 0 -> pre n + 1; o = if n < 7 then 0 else 1; tel;",
            "o",
            "`<` → `<=`",
            EquivalenceStatus.GAP,
            id="a difference after some steps is a gap",
        ),
        pytest.param(
            "node top(a: int) returns (o: int);\n"
            "var n: int; let n = 0 -> if pre n = 5 then 0 else pre n + 1;\n"
            "o = if n <= 5 then 0 else 1; tel;",
            "n",
            "`if` condition → `false`",
            EquivalenceStatus.GAP,
            id="so is one that only an unreachable state could hide",
        ),
        pytest.param(
            "node top(a: bool) returns (o: bool);\n"
            "var x, y: bool; let x = pre x; y = not a; o = x; tel;",
            "y",
            "equation removed",
            EquivalenceStatus.EQUIVALENT,
            id="what no output reads cannot matter to outputs",
        ),
        pytest.param(
            "node top(a: bool) returns (o: bool);\nlet o = a -> pre (o or false); tel;",
            "o",
            "`or` → its left operand",
            EquivalenceStatus.EQUIVALENT,
            id="first memories are the same on both sides",
        ),
        pytest.param(
            "node top(a: int) returns (o: int);\nlet o = (pre a) -> 0; tel;",
            "o",
            "`pre` removed",
            EquivalenceStatus.GAP,
            id="a difference may be of first memories alone, which properties read too",
        ),
        pytest.param(
            clocked("true -> not pre y"),
            "z",
            "initial value removed",
            EquivalenceStatus.UNDETERMINED,
            id="a first memory beyond its type is no reason for a gap",
        ),
        pytest.param(
            clocked("pre z = A or pre z = B"),
            "z",
            "initial value removed",
            EquivalenceStatus.GAP,
            id="unless it is seen",
        ),
        pytest.param(
            asserted("a"),
            "z",
            "initial value removed",
            EquivalenceStatus.UNDETERMINED,
            id="nor is one that contradicts an assertion",
        ),
        pytest.param(
            asserted("a"),
            "z",
            "equation removed",
            EquivalenceStatus.UNDETERMINED,
            id="nor are values that nothing defines any more",
        ),
        pytest.param(
            asserted("a"),
            "z",
            "always `-2`",
            EquivalenceStatus.GAP,
            id="unless all others contradict it too",
        ),
        pytest.param(
            asserted("z = 1"),
            "z",
            "initial value removed",
            EquivalenceStatus.GAP,
            id="or others show different values",
        ),
    ],
)
def test_survivors_are_what_was_worked_out_by_hand(
    text: str, element: str, summary: str, expected: EquivalenceStatus
) -> None:
    assert expected is verdict_on(text, element, summary).status


def test_a_difference_that_only_a_long_execution_shows_is_found() -> None:
    text = (
        "node top(up: bool) returns (o: int);\n"
        "var n: int; let n = 0 -> if up and pre n < 900 then pre n + 1 else pre n;\n"
        "o = if n > 899 then 1 else 0; tel;"
    )
    found = verdict_on(text, "o", "`>` → `>=`")
    assert EquivalenceStatus.GAP is found.status
    assert 899 == found.step


def test_what_is_known_of_one_observation_says_nothing_of_another() -> None:
    text = "node top(a: bool) returns (x, y: bool);\nlet x = a; y = not a; tel;"
    found = accepted(text)
    (wanted,) = (m for m in enumerate_mutants(found, options("default")) if m.operator == "rm_not")
    meaning = interpretation(program_of(found))
    baseline = Baseline(meaning, meaning.system(), {}, {})
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    known: KnownSurvivors = {}
    verdicts = [
        Survivors(
            baseline, (wanted,), Scope.OUTPUTS, means, interface=Interface(outputs=(name,))
        ).decide(wanted.id, known)
        for name in "xyx"
    ]

    same, gap = EquivalenceStatus.EQUIVALENT, EquivalenceStatus.GAP
    assert [same, gap, same] == [verdict.status for verdict in verdicts]


def test_survivors_of_which_a_difference_was_seen_have_their_turn_first() -> None:
    text = """\
node main(go: bool) returns (late, full: bool);
var n: int;
let
  late = n >= 5000;
  n = 0 -> if go then pre n + 1 else pre n;
  full = go and n < 2;
tel;
"""
    found = elaborated(text)
    mutants = tuple(enumerate_mutants(found, options("default")))

    order = list(survivors(program_of(found), mutants, Scope.OUTPUTS).seen_first(mutants, {}))

    assert {one.id for one in mutants} == {one.id for one in order}
    assert len(mutants) == len(order)
    assert "`>=` → `>`" == order[-1].summary
    seen = [mutant for mutant in mutants if mutant in order[:6]]
    assert seen == order[:6]
