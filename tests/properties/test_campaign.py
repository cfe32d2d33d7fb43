"""Verdicts on mutants agree with a search through all reachable states."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given

from mutproof.analyses.bench.bench import Bench
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, PropertyVerdict
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.model.evaluator import Evaluator
from mutproof.model.language import Elaborated
from mutproof.solving.unroll import Unrolling
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.events import Event
from support.lustre_interpreter import Truth, truth
from support.lustre_models import Model, accepted, elaborated, models, sources
from support.lustre_mutants import (
    bodies,
    mutated_text,
    options,
    program_of,
    report,
)
from support.profiles import profile

COUNTER = (
    "node top(a: bool) returns (n: int; p: bool);\nlet\n"
    "  n = 0 -> if a and pre n < 5 then pre n + 1 else 0;\n"
    "  p = n <= 5;\n  --%PROPERTY p;\ntel;\n"
)

EXAMPLES = 30
LOOKED_AT = 14

counted: Counter[str] = Counter()


def refused(found: Elaborated, mutant: Mutant) -> bool:
    text = mutated_text(found, mutant)
    return text is not None and any(
        d.severity.value == "error" for d in elaborated(text).diagnostics
    )


def check_finding(finding: MutantFinding, seen: Truth, whole: Truth, proved: set[str]) -> None:
    """Compare one verdict with what the search saw of the mutant and of the model."""
    kills = set(seen.violated) & proved
    status = finding.status
    if kills:
        assert MutantStatus.KILLED is status
        assert kills <= set(finding.killed_by)
    if not seen.exact:
        return
    assert kills == set(finding.killed_by)
    ended = not kills and seen.longest < 3 <= whole.longest
    if ended:
        assert MutantStatus.STILLBORN is status
    elif not kills:
        assert status in {MutantStatus.SURVIVED, MutantStatus.UNKNOWN}
    for name, step in finding.steps.items():
        assert seen.violated[name] <= step


@profile(EXAMPLES)
@given(models(finite=True, size=3), sources())
def test_verdicts_are_those_of_a_search_through_all_states(
    model: Model, source: random.Random
) -> None:
    found = accepted(model.text)
    program = program_of(found)
    whole = truth(program)
    if not whole.exact or whole.longest < 3:
        return
    outcome = report(found, options("paper"))
    proved = set()
    for stated in outcome.properties:
        counted[stated.verdict.value] += 1
        if stated.verdict is PropertyVerdict.UNKNOWN:
            continue
        fails = stated.name in whole.violated
        assert fails == (stated.verdict is PropertyVerdict.FALSIFIED)
        if not fails:
            proved.add(stated.name)
    by_id = {mutant.id: mutant for mutant in enumerate_mutants(found, options("paper"))}
    assert (set(by_id) if proved else set()) == {f.mutant for f in outcome.mutants}
    evaluator = Evaluator(program)
    for finding in source.sample(outcome.mutants, min(LOOKED_AT, len(outcome.mutants))):
        mutant = by_id[finding.mutant]
        counted[finding.status.value] += 1
        if refused(found, mutant):
            assert MutantStatus.STILLBORN is finding.status
            continue
        changed = bodies(program, mutant)
        check_finding(finding, truth(program, changed), whole, proved)
        if finding.trace is not None:
            replayed = evaluator.run(finding.trace.choices, changed)
            assert replayed.assumed
            assert finding.steps.keys() & replayed.violated.keys()
    # Few questions stay open on models with so few states.
    unknown = counted["unknown"]
    assert unknown <= 1 + 0.05 * sum(counted.values())


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        pytest.param(
            "type small = subrange [0, 2] of int;\n"
            "node top(a: bool) returns (o: small; p: bool);\n"
            "let o = 2; p = o <= 2; --%PROPERTY p;\ntel;",
            "equation_remove",
            MutantStatus.SURVIVED,
            id="what a removed equation leaves free keeps to its type",
        ),
        pytest.param(
            "type small = subrange [0, 2] of int;\n"
            "node top(a: bool) returns (o: small; p: bool);\n"
            "let o = 1; p = a or not a; --%PROPERTY p;\ntel;",
            "constant",
            MutantStatus.STILLBORN,
            id="an ill-typed mutant is stillborn also where no property looks",
        ),
        pytest.param(
            "type small = subrange [0, 2] of int;\n"
            "node n(i: small) returns (o: int); let o = i; tel;\n"
            "node top(a: bool) returns (o: int; p: bool);\n"
            "let o = n(1); p = a or not a; --%PROPERTY p;\ntel;",
            "constant",
            MutantStatus.STILLBORN,
            id="so is one that passes a value outside of the type of an input",
        ),
        pytest.param(
            "node top(a: bool) returns (o: bool; p: bool);\n"
            "let o = a -> pre (if false then o else a); p = a or not a; --%PROPERTY p;\ntel;",
            "drop_pre",
            MutantStatus.STILLBORN,
            id="and one whose loop only disappears by simplification",
        ),
        pytest.param(
            "node top(a: bool) returns (x, o: bool; p: bool);\n"
            "let x = true; o = a; p = a or not a; assert x; --%PROPERTY p;\ntel;",
            "equal_false",
            MutantStatus.STILLBORN,
            id="and one that contradicts an assertion",
        ),
    ],
)
def test_a_mutant_is(text: str, change: str, expected: MutantStatus) -> None:
    found = accepted(text)
    chosen = options("all")
    first = next(m for m in enumerate_mutants(found, chosen) if m.operator == change)
    statuses = {finding.mutant: finding.status for finding in report(found, chosen).mutants}

    assert expected is statuses[first.id]


def test_nothing_is_said_of_mutants_where_nothing_is_proved() -> None:
    found = accepted(
        "node top(a: bool) returns (o: bool; p: bool);\nlet o = a; p = o; --%PROPERTY p;\ntel;"
    )
    assert () == report(found).mutants


def test_what_no_proof_rests_on_survives_before_other_mutants_are_made() -> None:
    unseen = "".join(f"  y{n} = a and not b;\n" for n in range(50))
    names = ", ".join(f"y{n}" for n in range(50))
    found = accepted(
        f"node top(a, b: bool) returns (x, {names}: bool);\nlet\n{unseen}"
        "  x = a or not a;\n  --%PROPERTY x;\ntel;\n"
    )
    asked = 0
    first: list[tuple[int, MutantFinding]] = []

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return False

    def emit(event: Event) -> None:
        if isinstance(event, MutantFinding):
            first.append((asked, event))

    analyse(found, options("paper"), Memory(), emit, cancelled=cancelled)

    assert MutantStatus.SURVIVED is first[0][1].status
    # Before each mutant is made somebody looks whether to go on.
    assert first[0][0] < len(first) // 2


def test_a_run_asks_its_benches_nothing_more_once_it_is_cancelled() -> None:
    found = accepted(COUNTER)
    memory, asked = Memory(), list[int]()

    def cancelled() -> bool:
        asked.append(memory.benches.calls)
        return asked[-1] > 0

    with pytest.raises(Cancelled):
        analyse(found, options("paper"), memory, lambda _: None, cancelled=cancelled)

    assert asked.count(1) == 1 == asked[-1]  # the first question is the last that is answered


@pytest.mark.parametrize("last", range(1, 5))
def test_a_run_that_ends_while_mutants_are_stated_leaves_nothing_of_them(
    last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a mutant of the next version would have to be as it was, too, and seem to survive."""
    found = accepted(COUNTER)
    add_choice, stated = Unrolling.add_choice, list[Unrolling]()

    def stopped(unrolling: Unrolling, choice: Any) -> Any:
        literals = add_choice(unrolling, choice)
        stated.append(unrolling)
        if len(stated) == last:
            raise Cancelled
        return literals

    monkeypatch.setattr(Unrolling, "add_choice", stopped)
    with pytest.raises(Cancelled):
        analyse(found, options("paper"), Memory(), lambda _: None, cancelled=lambda: False)
    assert not any(unrolling._scopes for unrolling in stated)


def test_a_bench_that_was_switched_by_half_is_not_used_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = Memory()

    def run(text: str) -> None:
        analyse(accepted(text), options("paper"), memory, lambda _: None, cancelled=lambda: False)

    run(COUNTER)
    used = memory.benches.checker

    def stopped(*_: object) -> bool:
        raise Cancelled

    with monkeypatch.context() as patched:
        patched.setattr(Bench, "rebase", stopped)
        with pytest.raises(Cancelled):
            run(COUNTER.replace("pre n < 5", "pre n < 4"))
    run(COUNTER.replace("pre n < 5", "pre n < 3"))
    assert memory.benches.checker is not used
