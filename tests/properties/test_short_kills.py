"""What kills a mutant is shown in as few steps as can be, and how long each mutant took.

Shortest kills are compared with a search through all states, of both languages, also after edits.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from test_nusmv_campaign import CONSTRAINTS, COUNTER, INSTANCES

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rungs import shortening
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.model import linear, sorts
from mutproof.model.compile import Compiler
from mutproof.model.interpretation import interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import Program, PropertyKind
from mutproof.model.system import ConstraintKind, TransitionSystem
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support import explicit_state, nusmv_mutants
from support.explicit import StateSpace, explore
from support.lustre_models import Model, accepted, models, operator_edit, sources
from support.nusmv_random import random_text
from support.profiles import profile
from support.reading import analysed

COUNTING = (
    "node top(x: bool) returns (n: int; p: bool);\n"
    "let n = (if x then 1 else 0) + (0 -> pre n); p = n >= -1; --%PROPERTY p;\ntel;\n"
)
LATE = (
    "node top(a: int) returns (n: int; p: bool);\n"
    "let n = 0 -> if pre n < 3 then pre n + 1 else 0; p = n <= 3; --%PROPERTY p;\ntel;\n"
)

# Some mutants of `low` are seen at once to violate `above`, and late to violate `below`.
TWO = """node top(up: bool; by: int) returns (low, high, other: int; below, above: bool);
let
  low = 0 -> if up and pre low < pre high then pre low + 1 else pre low;
  high = 5 -> pre high;
  other = 0 -> if by > 3 then pre other + 1 else pre other;
  below = low >= 0 and low < 9 and (other <= 1 or other > 1);
  above = low <= 5 or other < 0;
  --%PROPERTY below;
  --%PROPERTY above;
tel;
"""


def report(text: str, memory: Memory | None = None) -> Report:
    return found_in(accepted(text), memory or Memory())


def found_in(elaborated: Elaborated, memory: Memory) -> Report:
    options = Options(mutate=True, cores=False)
    return analysed(elaborated, options, memory)


@pytest.mark.parametrize("text", [COUNTING, LATE])
def test_kills_are_shortest(text: str) -> None:
    elaborated = accepted(text)
    assert elaborated.program is not None
    meaning = interpretation(elaborated.program)
    made = {m.id: m for m in enumerate_mutants(elaborated, Options())}
    found = [f for f in report(text).mutants if f.status is MutantStatus.KILLED]

    assert found
    for finding in found:
        first = min(finding.steps.values())
        assert finding.shortest
        assert finding.trace is not None
        assert first + 1 == finding.trace.length
        again = meaning.run(
            finding.trace.choices, mutated_bodies(elaborated.program, made[finding.mutant])
        )
        assert again is not None
        assert again.assumed
        assert first == min(again.violated.values())


def test_a_kill_that_random_inputs_find_late_is_shown_early() -> None:
    killed = {
        f.mutant: min(f.steps.values()) + 1
        for f in report(COUNTING).mutants
        if f.status is MutantStatus.KILLED
    }

    assert max(killed.values()) <= 4


@profile(20)
@given(models())
def test_the_seconds_of_mutants_add_up_to_no_more_than_the_whole(model: Model) -> None:
    found = report(model.text)

    assert sum(finding.seconds for finding in found.mutants) <= found.statistics.seconds


# --- compared with all there is -----------------------------------------------------------------


def killed_in(
    elaborated: Elaborated, memory: Memory
) -> Iterator[tuple[MutantFinding, TransitionSystem]]:
    """Yield the killed mutants of a model with what they are as systems."""
    assert elaborated.program is not None
    program: Program = elaborated.program
    made = {m.id: m for m in enumerate_mutants(elaborated, Options())}
    for finding in found_in(elaborated, memory).mutants:
        if finding.status is MutantStatus.KILLED:
            bodies = mutated_bodies(program, made[finding.mutant])
            yield finding, interpretation(program.with_bodies(dict(bodies))).system()


def is_finite(system: TransitionSystem) -> bool:
    """Tell whether all that may be chosen has finitely many values."""
    kinds = {ConstraintKind.INVAR, ConstraintKind.INIT}
    stated = [c for c in system.constraints if c.defines is not None]
    first = {c.defines for c in stated if c.kind in kinds}
    later = {c.defines for c in stated if c.kind is not ConstraintKind.INIT}
    variables = system.variables.values()
    return not any(sorts.domain(v.sort) is None for v in variables if v.name not in first & later)


@profile(15)
@given(models(finite=True), sources())
def test_kills_of_lustre_are_those_of_a_search_through_all_states(
    model: Model, source: random.Random
) -> None:
    memory = Memory()
    for _ in range(2):
        for finding, system in killed_in(accepted(model.text), memory):
            if not is_finite(system):
                continue
            try:
                failures = explicit_state.shortest_failures(system)
            except explicit_state.TooLargeError:
                continue
            first = min(failures[name] for name in finding.killed_by)
            assert finding.shortest
            assert first == min(finding.steps.values())
        model = operator_edit(source, model)


def test_an_edit_that_lets_a_mutant_fail_earlier_is_seen() -> None:
    text = (
        "node top(a: bool) returns (n: int; p: bool);\nvar s: int;\nlet\n  s = 0;\n"
        "  n = s -> if pre n < 4 then pre n + 1 else 0;\n"
        "  p = n <= 4; --%PROPERTY p;\ntel;\n"
    )
    memory = Memory()
    for edited, expected in ((text, 5), (text.replace("s = 0;", "s = if a then 3 else 0;"), 2)) * 2:
        found = [f for f in report(edited, memory).mutants if f.status is MutantStatus.KILLED]

        assert expected == max(min(f.steps.values()) for f in found)
        assert all(f.shortest for f in found)


def test_shorter_executions_take_a_share_of_what_a_run_itself_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contexts: list[Context] = []
    begin = Context.__init__

    def noted(self: Context, *given: Any) -> None:
        contexts.append(self)
        begin(self, *given)

    monkeypatch.setattr(Context, "__init__", noted)
    memory = Memory()
    for text in (TWO, TWO.replace("low < 9", "low < 8")):
        report(text, memory)

    first, second = contexts
    assert first.bench() is second.bench()
    assert first.begun.spent < second.begun.spent < second.bench().questions.spent


def test_new_mutants_get_their_part_of_the_search_where_kept_ones_were_not_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[int, int]] = []

    def noted(_context: Context, probes: list[Claim], *about: Any) -> Iterator[None]:
        asked.append((len(probes), about[-1]))
        return iter(())

    monkeypatch.setattr(shortening, "_searched", noted)
    monkeypatch.setattr(shortening, "LEAST_KEPT", 0)
    memory = Memory()
    report(TWO, memory)
    (first, least), (kept, _) = asked
    assert first
    assert not kept
    assert shortening.LEAST == least
    asked.clear()

    report(TWO.replace("pre low + 1", "pre low + 1 + 0"), memory)
    (new, least), (kept, kept_least) = asked
    assert new
    assert kept
    assert 0 == kept_least
    assert shortening.LEAST * new // (new + kept) == least


def layers(space: StateSpace) -> dict[tuple[object, ...], int]:
    """Return for each reachable state its distance from the first ones."""
    depth = dict.fromkeys(space.initial, 0)
    queue = [*space.initial]
    for state in queue:
        for following in space.successors[state]:
            if following not in depth:
                depth[following] = depth[state] + 1
                queue.append(following)
    return depth


def test_kills_of_nusmv_are_those_of_a_search_through_all_states() -> None:
    seen: Counter[str] = Counter()
    texts = [random_text(random.Random(f"nusmv {seed}")) for seed in range(20)]
    for text in (COUNTER, CONSTRAINTS, INSTANCES, *texts):
        elaborated = nusmv_mutants.elaborated(text)
        if elaborated.program is None:
            continue
        for finding, system in killed_in(elaborated, Memory()):
            space = explore(system)
            stated = [system.property(name) for name in finding.killed_by]
            if space is None or any(one.kind is not PropertyKind.INVARIANT for one in stated):
                continue
            if any("next" in repr(one.term) for one in stated):
                continue
            compiler = Compiler({name: index for index, name in enumerate(space.names)})
            tests = compiler.compile_all([one.term for one in stated])
            first = min(
                depth
                for state, depth in layers(space).items()
                if not all(test(state, state, {}) for test in tests)
            )
            seen["shortest" if finding.shortest else "open"] += 1
            assert first == min(finding.steps.values())
    assert seen["shortest"] > 5
    assert not seen["open"]


LASSOS = """
MODULE main
VAR x : 0..4; y : boolean; u : boolean;
ASSIGN
  init(x) := 0; next(x) := u & x < 4 ? x + 1 : x = 4 ? 0 : x;
  init(y) := FALSE; next(y) := x = 3 ? TRUE : y;
JUSTICE u
LTLSPEC NAME f := F y
LTLSPEC NAME g := G (x = 4 -> y)
LTLSPEC NAME gf := G F x = 0
LTLSPEC NAME until := (!y) U (x = 3)
"""


def lassos(space: StateSpace, length: int) -> Iterator[tuple[list[tuple[object, ...]], int]]:
    """Yield all paths of so many states that return to one of them, with that one."""
    paths = [[state] for state in space.initial]
    for _ in range(length - 1):
        paths = [[*path, after] for path in paths for after in space.successors[path[-1]]]
    for path, loop in product(paths, range(length)):
        if path[loop] in space.successors[path[-1]]:
            yield path, loop


def test_lassos_that_kill_are_shortest() -> None:
    seen = 0
    for finding, system in killed_in(nusmv_mutants.accepted(LASSOS), Memory()):
        space = explore(system)
        assert space is not None
        compiler = Compiler({name: index for index, name in enumerate(space.names)})

        def denied(path: list[tuple[object, ...]], loop: int, name: str) -> bool:
            def along(term):  # type: ignore[no-untyped-def]
                (function,) = compiler.compile_all([term])  # noqa: B023
                after = [*path[1:], path[loop]]
                return [bool(function(r, n, {})) for r, n in zip(path, after, strict=True)]

            fair = all(any(along(often)[loop:]) for often in system.fairness)  # noqa: B023
            return fair and not linear.holds(system.property(name).term, along, loop)  # noqa: B023

        steps = min(finding.steps.values())
        for length in range(1, min(steps, 5) + 1):
            for path, loop in lassos(space, length):
                assert not any(denied(path, loop, name) for name in finding.killed_by), path
        seen += bool(steps)
        assert finding.shortest
    assert seen > 3


def test_that_a_mutant_is_killed_is_told_before_all_that_it_violates_is_known() -> None:
    told: dict[str, list[MutantFinding]] = {}

    def emit(event: object) -> None:
        if isinstance(event, MutantFinding):
            told.setdefault(event.mutant, []).append(event)

    options = Options(mutate=True, cores=False, level="paper")
    memory = Memory()
    analyse(accepted(TWO), options, memory, emit, cancelled=lambda: False)
    early = [found for found in told.values() if found[0].undecided]
    assert early
    for first, *_, last in early:
        assert MutantStatus.KILLED is first.status is last.status
        assert set(first.killed_by) <= set(last.killed_by)
        assert not last.undecided
        assert first.trace is not None
        record = memory.records[first.mutant]
        assert record.undecided is None
