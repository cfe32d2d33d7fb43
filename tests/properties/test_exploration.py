"""What an exploration of all states finds is what a search state by state finds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from hypothesis import given

from mutproof.analyses.claims.variant import applied
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.model import columns, exploration, exploration_plan, sorts, terms, walk
from mutproof.model.evaluator import Evaluator
from mutproof.model.exploration import ExplorationLimits, ExploredStates, Explorer
from mutproof.model.lower import Lowering
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Program
from mutproof.model.simulate import Simulator
from mutproof.model.system import Constraint, SystemVariableKind, TransitionSystem
from mutproof.solving import certify
from mutproof.solving.verdict import Certificate
from mutproof.workspace.enumeration import enumerate_mutants
from support import explicit_state, systems
from support.lustre_interpreter import truth
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import bodies, options, program_of, report, variant
from support.profiles import profile
from support.systems import INIT, INPUT, STATE, TRANS, define

LARGE = ExplorationLimits(1 << 16, 1 << 10)

_Change: TypeAlias = tuple[list[Constraint], list[Constraint]]
"""The constraints that a mutant lacks, and those it has instead."""


def names(system: TransitionSystem) -> list[str]:
    return [stated.name for stated in system.properties]


def check_against_oracle(system: TransitionSystem) -> None:
    try:
        expected = explicit_state.shortest_failures(system)
    except explicit_state.TooLargeError:
        return
    found = Explorer(system).explore(names(system), LARGE)
    simulator = Simulator(system)
    for name, choices in found.failing.items():
        rows = simulator.run(choices)
        # What restricts only variables that the property does not depend on is not looked at.
        if all(simulator.assumed(row, {}) for row in rows):
            assert expected[name] == len(choices.steps) - 1
    if not found.reason:
        assert set(expected) <= set(found.failing)
        assert set(names(system)) - set(found.failing) == set(found.holding)
    if found.invariant is not None:
        certificate = Certificate(1, (found.invariant,), found.holding)
        assert certify.certify(system, certificate).ok


@profile(20)
@given(system=systems.systems())
def test_failures_are_shortest_and_the_rest_is_proved(system: TransitionSystem) -> None:
    check_against_oracle(system)


@profile(25)
@given(models(finite=True, size=3), sources())
def test_mutants_are_explored_as_what_they_are(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    program = program_of(found)
    lowering = Lowering(program)
    system = lowering.system()
    check_program(program, Explorer(system).explore(names(system), LARGE))
    mutants = enumerate_mutants(found, options("paper"))
    for mutant in source.sample(mutants, min(4, len(mutants))):
        extended, change = variant(lowering, system, mutant)
        gone = [c for owner in change.removed for c in extended.by_owner.get(owner, ())]
        explored = Explorer(extended).explore(names(system), LARGE, gone, change.constraints)
        check_program(program, explored, bodies(program, mutant))
        check_alone(applied(extended, change), explored)


def check_alone(system: TransitionSystem, explored: ExploredStates) -> None:
    """Compare with an exploration of a mutant as a system of its own."""
    alone = Explorer(system).explore(names(system), LARGE)
    assert bool(alone.reason) == bool(explored.reason)
    assert alone.depth == explored.depth
    assert set(alone.holding) == set(explored.holding)
    lengths = {name: len(choices.steps) for name, choices in explored.failing.items()}
    assert {name: len(c.steps) for name, c in alone.failing.items()} == lengths
    if explored.invariant is not None:
        certificate = Certificate(1, (explored.invariant,), explored.holding)
        assert certify.certify(system, certificate).ok


def check_program(
    program: Program, explored: ExploredStates, changed: Bodies | None = None
) -> None:
    """Compare with an interpreter of programs that visits all states."""
    if "depends on itself" in explored.reason:
        return
    seen = truth(program, changed)
    for name, choices in explored.failing.items():
        replayed = Evaluator(program).run(choices, changed)
        assert replayed.assumed
        assert len(choices.steps) - 1 == replayed.violated[name]
        if seen.exact:
            assert len(choices.steps) - 1 == seen.violated[name]
    if not explored.reason:
        assert seen.violated.keys() <= explored.failing.keys()


def test_what_is_small_is_explored_to_its_end() -> None:
    found = accepted(
        "node top(set, reset: bool) returns (on: bool; n: int; small, p: bool);\n"
        "let\n"
        "  on = set or (false -> pre on and not reset);\n"
        "  n = 0 -> if on and pre n < 3 then pre n + 1 else pre n;\n"
        "  small = n <= 3; p = set => on;\n"
        "  --%PROPERTY small; --%PROPERTY p;\n"
        "tel;"
    )
    program = program_of(found)
    lowering = Lowering(program)
    system = lowering.system()
    whole = Explorer(system).explore(names(system), LARGE)
    assert "" == whole.reason
    assert ("small", "p") == whole.holding
    assert whole.invariant is not None
    assert certify.certify(system, Certificate(1, (whole.invariant,), whole.holding)).ok
    killed = set()
    for mutant in enumerate_mutants(found, options("paper")):
        extended, change = variant(lowering, system, mutant)
        gone = [c for owner in change.removed for c in extended.by_owner.get(owner, ())]
        explored = Explorer(extended).explore(names(system), LARGE, gone, change.constraints)
        check_program(program, explored, bodies(program, mutant))
        killed.update(explored.failing)
    assert {"small", "p"} == killed


def test_of_a_mutant_only_what_differs_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = accepted(
        "node top(a: bool) returns (x, y: int; p, q: bool);\n"
        "let\n"
        "  x = 0 -> if a and pre x < 3 then pre x + 1 else pre x;\n"
        "  y = if a then x + 2 else x; p = x <= 3; q = y <= 5;\n"
        "  --%PROPERTY p; --%PROPERTY q;\n"
        "tel;"
    )
    program = program_of(found)
    lowering = Lowering(program)
    system = lowering.system()
    plans: list[object] = []

    def counted(*arguments: Any) -> Any:
        plans.append(arguments)
        return exploration_plan.planned(*arguments)

    changes = []
    for mutant in enumerate_mutants(found, options("paper")):
        extended, change = variant(lowering, system, mutant)
        if extended == system:
            changes.append((mutant, change))
    explorer = Explorer(system)
    with monkeypatch.context() as patched:
        patched.setattr(exploration, "planned", counted)
        all_explored = []
        for _, change in changes:
            gone = [c for owner in change.removed for c in system.by_owner.get(owner, ())]
            all_explored.append(explorer.explore(names(system), LARGE, gone, change.constraints))
    assert 0 < 2 * len(plans) < len(changes)
    for (mutant, change), explored in zip(changes, all_explored, strict=True):
        check_program(program, explored, bodies(program, mutant))
        check_alone(applied(system, change), explored)


def test_a_variable_of_any_value_is_found_before_anything_is_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explorer, _, changes = _in_step()
    freed = [(gone, added) for gone, added in changes if gone and not added]
    explorer.explore(["p"], LARGE, *freed[0])
    monkeypatch.setattr(exploration, "planned", lambda *_: pytest.fail("planned"))
    reasons = [explorer.explore(["p"], LARGE, *change).reason for change in freed]

    assert ["`x` has too many values", "`y` has too many values"] == reasons


def test_the_cone_of_a_mutant_is_not_looked_for_where_others_read_what_it_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explorer, system, changes = _in_step()
    explorer.explore(["p"], LARGE, *changes[0])
    cones: list[object] = []
    cone = exploration_plan._cone
    with monkeypatch.context() as patched:
        patched.setattr(exploration_plan, "_cone", lambda *a: cones.append(a) or cone(*a))
        all_explored = [explorer.explore(["p"], LARGE, *change) for change in changes]
    fewer = 0
    for (gone, added), explored in zip(changes, all_explored, strict=True):
        fewer += bool(added and walk.variables(gone[0].term) - walk.variables(added[0].term))
        kept = [constraint for constraint in system.constraints if constraint not in gone]
        check_alone(system.with_constraints((*kept, *added)), explored)
    assert 2 * len(cones) < fewer


def test_a_mutant_that_ignores_a_memory_is_explored_as_planned_for_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explorer, system, changes = _in_step()
    explorer.explore(["p"], LARGE, *changes[0])
    memories = {n for n, v in system.variables.items() if v.kind is SystemVariableKind.STATE}
    ignoring = [
        (gone, added)
        for gone, added in changes
        if added and memories & (walk.variables(gone[0].term) - walk.variables(added[0].term))
    ]
    with monkeypatch.context() as patched:
        patched.setattr(exploration, "planned", lambda *_: pytest.fail("planned"))
        patched.setattr(exploration_plan, "_cone", lambda *_: pytest.fail("all looked at"))
        all_explored = [explorer.explore(["p"], LARGE, *change) for change in ignoring]
    assert ignoring
    for (gone, added), explored in zip(ignoring, all_explored, strict=True):
        kept = [constraint for constraint in system.constraints if constraint not in gone]
        check_alone(system.with_constraints((*kept, *added)), explored)


@pytest.mark.parametrize("more", [[], ["x0 < 2", "a"]])
def test_mutants_of_long_conjunctions_are_explored_as_what_they_are(more: list[str]) -> None:
    for mutant, explored, program, system in _explored_in_step(more):
        check_alone(system, explored)
        for name, choices in explored.failing.items():
            assert name in Evaluator(program).run(choices, bodies(program, mutant)).violated


def test_of_a_long_conjunction_only_what_differs_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[int] = []
    same = columns._same
    monkeypatch.setattr(columns, "_same", lambda *a: compared.append(1) or same(*a))
    mutants = [*_explored_in_step([])]
    assert len(compared) < len(mutants) * IN_STEP


IN_STEP = 60


def _explored_in_step(
    more: list[str],
) -> Iterator[tuple[Mutant, ExploredStates, Program, TransitionSystem]]:
    """Explore some mutants of many equal counters, of which one property says so."""
    step = "0 -> if a and pre {0} < 3 then pre {0} + 1 else 0"
    stated = " and ".join([*(f"x{n} = x{n + 1}" for n in range(IN_STEP - 1)), *more])
    found = accepted(
        f"node top(a: bool) returns ({', '.join(f'x{n}' for n in range(IN_STEP))}: int; p: bool);\n"
        "let\n"
        + "".join(f"  x{n} = {step.format(f'x{n}')};\n" for n in range(IN_STEP))
        + f"  p = {stated};\n  --%PROPERTY p;\ntel;"
    )
    program = program_of(found)
    lowering = Lowering(program)
    system = lowering.system()
    explorer = Explorer(system)
    for mutant in random.Random(1).sample(enumerate_mutants(found, options("paper")), 60):
        extended, change = variant(lowering, system, mutant)
        if extended == system:
            gone = [c for owner in change.removed for c in system.by_owner.get(owner, ())]
            explored = explorer.explore(["p"], LARGE, gone, change.constraints)
            yield mutant, explored, program, applied(extended, change)


def _in_step() -> tuple[Explorer, TransitionSystem, list[_Change]]:
    """Return what explores two equal counters, their system, and its local mutants."""
    step = "0 -> if a and pre {0} < 3 then pre {0} + 1 else if b and pre {0} > 1 then 1 else 0"
    found = accepted(
        "node top(a, b: bool) returns (x, y: int; p: bool);\n"
        f"let\n  x = {step.format('x')};\n  y = {step.format('y')};\n"
        "  p = x = y;\n  --%PROPERTY p;\ntel;"
    )
    lowering = Lowering(program_of(found))
    system = lowering.system()
    changes: list[_Change] = []
    for mutant in enumerate_mutants(found, options("paper")):
        extended, change = variant(lowering, system, mutant)
        if extended == system:
            gone = [c for owner in change.removed for c in system.by_owner.get(owner, ())]
            changes.append((gone, [*change.constraints]))
    return Explorer(system), system, changes


def test_a_memory_is_arbitrary_before_the_first_step() -> None:
    memory = terms.var("m", sorts.BOOL)
    system = systems.system(
        {"x": (sorts.BOOL, INPUT), "m": (sorts.BOOL, STATE)},
        [define(TRANS, "m", terms.var("x", sorts.BOOL))],
        {"p": memory},
    )
    found = Explorer(system).explore(["p"], LARGE)

    assert {"m": False} == found.failing["p"].before
    assert 1 == len(found.failing["p"].steps)


@pytest.mark.parametrize("sort", [systems.MODES, sorts.IntSort(2, 4)])
def test_a_memory_that_nothing_initialises_has_one_of_its_values(sort: sorts.Sort) -> None:
    memory, flag = terms.var("m", sort), terms.var("b", sorts.BOOL)
    values = sorts.domain(sort) or ()
    first, *others = [terms.eq(memory, terms.const(value, sort)) for value in values]
    system = systems.system(
        {"m": (sort, STATE), "b": (sorts.BOOL, STATE)},
        [
            define(INIT, "b", terms.FALSE),
            define(TRANS, "b", terms.not_(first)),
            define(TRANS, "m", memory),
        ],
        {"p": terms.implies(flag, terms.disjunction(others))},
    )
    found = Explorer(system).explore(["p"], LARGE)
    assert ("p",) == found.holding
    check_against_oracle(system)


@pytest.mark.parametrize(
    ("sort", "reason"),
    [
        pytest.param(sorts.INT, "`x` has too many values", id="an input without bounds"),
        pytest.param(
            sorts.IntSort(0, 5000), "the inputs have too many values together", id="a wide one"
        ),
    ],
)
def test_what_is_too_large_is_given_up(sort: sorts.Sort, reason: str) -> None:
    wide = terms.var("x", sort)
    system = systems.system(
        {"x": (sort, INPUT)}, [], {"p": terms.compare(Op.GE, wide, terms.int_(0))}
    )
    assert reason == Explorer(system).explore(["p"], LARGE).reason


def test_a_counter_without_end_is_given_up_and_its_first_states_are_known() -> None:
    counter = terms.var("n", sorts.INT)
    system = systems.system(
        {"n": (sorts.INT, STATE)},
        [
            define(INIT, "n", terms.int_(0)),
            define(TRANS, "n", terms.arithmetic(Op.ADD, counter, terms.int_(1))),
        ],
        {
            "small": terms.compare(Op.LT, counter, terms.int_(7)),
            "positive": terms.compare(Op.GE, counter, terms.int_(0)),
        },
    )
    found = Explorer(system).explore(["small", "positive"], ExplorationLimits(1 << 12, 40))

    assert {"small": 8} == {name: len(c.steps) for name, c in found.failing.items()}
    assert 41 == found.depth
    assert "too many states" == found.reason
    assert () == found.holding


def test_every_operator_has_columns_that_agree_with_single_states() -> None:
    small = sorts.IntSort(-2, 2)
    x, y = terms.var("x", small), terms.var("y", small)
    b = terms.var("b", sorts.BOOL)
    computed = [
        *(terms.arithmetic(op, x, y) for op in (Op.ADD, Op.SUB, Op.MUL)),
        *(terms.arithmetic(op, x, terms.int_(2)) for op in (Op.DIV, Op.MOD)),
        terms.arithmetic(Op.NEG, x),
        terms.ite(b, x, y),
    ]
    compared = [
        terms.compare(op, left, right)
        for op in (Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE)
        for left in computed
        for right in (x, terms.int_(1))
    ]
    together = [
        terms.make(op, sorts.BOOL, (one, b))
        for op in (Op.AND, Op.OR, Op.XOR, Op.IMPLIES, Op.IFF, Op.XNOR, Op.EQ, Op.NE)
        for one in compared[:6]
    ]
    stated = [*compared, *together, *(terms.not_(term) for term in compared[:3])]
    system = systems.system(
        {"x": (small, INPUT), "y": (small, INPUT), "b": (sorts.BOOL, INPUT)},
        [],
        {f"p{number}": term for number, term in enumerate(stated)},
    )
    check_against_oracle(system)


def test_assertions_about_other_variables_hold_in_what_is_found() -> None:
    text = (
        "node top(a: bool; x: subrange [0, 3] of int) returns (c, d, ok: bool);\n"
        "let\n  assert x > 1;\n  c = a -> (pre c or a);\n  d = false -> (pre d or a);\n"
        "  ok = d => c;\n  --%PROPERTY ok;\ntel;"
    )
    plain = text.replace("  assert x > 1;\n", "")
    kills = [
        {
            finding.mutant: (finding.how, dict(finding.steps))
            for finding in report(accepted(one)).mutants
            if finding.killed_by and "assert" not in finding.mutant
        }
        for one in (text, plain)
    ]
    assert kills[1]
    assert kills[1].items() <= kills[0].items()
    assert {"exploration"} == {how for how, _ in kills[1].values()}


def test_an_assertion_about_an_integer_without_bounds_is_not_ignored() -> None:
    found = accepted(
        "node top(a: bool; x: int) returns (ok: bool);\n"
        "let\n  assert x > 1;\n  ok = a or not a;\n  --%PROPERTY ok;\ntel;"
    )
    system = Lowering(program_of(found)).system()
    assert "`x` has too many values" == Explorer(system).explore(["ok"], LARGE).reason
