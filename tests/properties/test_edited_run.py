"""What goes on from an execution before an edit gives what a whole run gives after it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from mutproof.analyses.claims import reduction
from mutproof.analyses.claims.reduction import ReducedRuns
from mutproof.analyses.cores.removing import Removing
from mutproof.analyses.deciding.rungs import kept
from mutproof.base.rows import RowTable
from mutproof.model import edited_run, forward_meaning, interpretation, sorts, terms
from mutproof.model import rerun as rerunning
from mutproof.model.edited_run import EarlierRun, EditedRuns, edited_elements, exchanged
from mutproof.model.evaluate import evaluate
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.lower import lower
from mutproof.model.program import Bodies, ElementId, Program
from mutproof.model.trace import Choices
from mutproof.workspace.analysis import Memory
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import (
    Model,
    accepted,
    choices_of,
    models,
    operator_edit,
    sources,
    structure_edit,
)
from support.lustre_mutants import bodies, free_choices, options, program_of, report
from support.profiles import profile


@pytest.fixture(autouse=True)
def _divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat small programs as large ones."""
    monkeypatch.setattr(forward_meaning, "MOST_RUN_WHOLE", 0)


def earlier_run(
    program: Program, choices: Choices, changed: Bodies, goals: list[str]
) -> EarlierRun | None:
    """Return what is kept of an execution of a mutant; None where nothing is."""
    outcomes = interpretation.interpretation(program).outcomes
    shown = [outcomes.shown(goal, changed) for goal in goals]
    try:
        found = evaluate(program, choices, changed)
    except InstantaneousLoop:
        return None
    if not found.assumed or any(names is None for names in shown):
        return None
    wanted = frozenset[str]().union(*(names or () for names in shown))
    names = tuple(name for name in found.trace.steps[0] if name in wanted)
    try:
        steps = RowTable.of(found.trace.steps, names)
    except KeyError:
        return None
    return EarlierRun(program, exchanged(changed), choices, steps)


def check_goes_on(
    runs: EditedRuns, program: Program, before: EarlierRun, changed: Bodies, goals: list[str]
) -> bool:
    """Compare with a whole run of today's program; return whether there was anything to compare."""
    found = runs.run(before, changed, frozenset(goals))
    if found is None:
        return False
    whole = evaluate(program, before.choices, changed)
    assert {n: step for n, step in whole.violated.items() if n in goals} == found.violated
    assert whole.assumed == found.assumed
    for values, some in zip(whole.trace.steps, found.trace.steps, strict=True):
        assert repr({name: value for name, value in values.items() if name in some}) == repr(some)
    return True


@profile(60)
@given(models(finite=True, size=6), sources())
def test_mutants_go_on_after_edits_as_they_run(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    program = program_of(found)
    choices = choices_of(source, lower(program))
    mutants = enumerate_mutants(found, options("all"))
    goals = [stated.name for stated in program.component(program.main).properties]
    for _ in range(2):
        model = source.choice((operator_edit, operator_edit, structure_edit))(source, model)
        edited = accepted(model.text)
        today = program_of(edited)
        runs = EditedRuns(Evaluator(today))
        same = {mutant.id: mutant for mutant in enumerate_mutants(edited, options("all"))}
        for mutant in source.sample(mutants, min(8, len(mutants))):
            changed = bodies(program, mutant)
            run = free_choices(source, program, choices, changed)
            chosen = source.sample(goals, min(len(goals), source.randint(1, 2)))
            before = earlier_run(program, run, changed, chosen)
            if before is not None and mutant.id in same:
                check_goes_on(runs, today, before, bodies(today, same[mutant.id]), chosen)


ROW = """
node top(a, b: bool; k: int) returns (n, m: int; p, q: bool);
var up, down, far, near: bool; held: int;
let
  up = a and not b;
  down = not up and (false -> pre b);
  held = 0 -> pre n;
  n = held + (if up then 1 else if down then -1 else 0);
  m = (k -> pre (n + k)) - (0 -> pre m);
  far = n > 3 or pre far;
  near = not far;
  p = n < 3 or near;
  q = m < 9;
  assert k < 9;
  --%PROPERTY p;
  --%PROPERTY q;
tel;
"""


@pytest.mark.parametrize(
    ("old", "new", "goes_on"),
    [
        ("a and not b", "a or not b", True),
        ("0 -> pre n", "1 -> pre n", True),
        ("pre (n + k)", "pre (n - k)", True),
        ("n > 3", "n >= 3", True),
        ("m < 9", "m < 8", True),
        ("k < 9", "k < 8", True),
        ("  assert k < 9;\n", "", True),
        ("  assert k < 9;\n", "  assert k < 9;\n  assert n < 5;\n", True),
        ("(false -> pre b)", "(false -> pre a)", True),
        ("k: int", "k, l: int", False),
        ("var up", "var more: int; up", False),
    ],
)
def test_what_an_edit_changes_and_what_reads_it_is_computed(
    old: str, new: str, *, goes_on: bool
) -> None:
    assert old in ROW
    text = ROW.replace(old, new, 1).replace(
        "let\n", "let\n  more = k;\n" if "more" in new else "let\n"
    )
    found, edited = accepted(ROW), accepted(text)
    program, today = program_of(found), program_of(edited)
    runs, source = EditedRuns(Evaluator(today)), random.Random(3)
    choices = Choices(
        tuple([{"a": source.random() < 0.8, "b": n > 5, "k": n % 3} for n in range(9)])
    )
    same = {mutant.id: mutant for mutant in enumerate_mutants(edited, options("all"))}
    compared = [
        check_goes_on(runs, today, before, bodies(today, same[mutant.id]), [goal])
        for mutant in enumerate_mutants(found, options("all"))
        for goal in ("p", "q")
        if mutant.id in same
        and (before := earlier_run(program, choices, bodies(program, mutant), [goal]))
    ]
    assert compared
    assert goes_on == (sum(compared) > len(compared) / 2)
    assert goes_on or not any(compared)


def test_steps_that_an_edit_does_not_change_are_the_very_same() -> None:
    """Then nothing of the execution is told or kept a second time."""
    program = program_of(accepted(ROW))
    choices = Choices(({"a": True, "b": False, "k": 1},) * 3)
    memory = next(e for e in program.elements() if e.targets == ("far",))
    changed: Bodies = {memory: memory.body.args[0]}
    before = earlier_run(program, choices, changed, ["p"])
    assert before is not None
    for old, new, same in (
        ("n > 3", "n > 4", True),
        ("n > 3", "n > 0", True),
        ("a and", "b and", False),
    ):
        today = program_of(accepted(ROW.replace(old, new)))
        bodies = {
            e: before_body
            for e in today.elements()
            if e.targets == ("far",)
            for before_body in changed.values()
        }
        found = EditedRuns(Evaluator(today)).run(before, bodies, frozenset(("p",)))
        assert found is not None
        assert same == (found.trace.steps is before.steps), (old, new)


def test_an_edit_that_shows_in_no_step_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether an edited equation gives what it gave is told from what it reads."""
    run: list[object] = []
    rerun = rerunning.rerun

    def noted(*about: Any, **named: Any) -> Any:
        run.append(about)
        return rerun(*about, **named)

    monkeypatch.setattr(edited_run, "rerun", noted)
    program = program_of(accepted(ROW))
    choices = Choices(({"a": True, "b": False, "k": 1},) * 3)
    (memory,) = program.by_id[ElementId("top", "equation", "far")]
    before = earlier_run(program, choices, {memory: memory.body.args[0]}, ["p"])
    assert before is not None
    for old, new, runs in (("n > 3", "n > 4", True), ("a and not", "b or not", False)):
        today = program_of(accepted(ROW.replace(old, new)))
        (memory,) = today.by_id[ElementId("top", "equation", "far")]
        body = program.by_id[memory.id][0].body.args[0]
        found = EditedRuns(Evaluator(today)).run(before, {memory: body}, frozenset(("p",)))
        assert found is not None
        assert found.trace.steps is before.steps
        assert bool(run) is runs  # `far` is what the mutant changes, too
        run.clear()


def test_values_that_stay_do_not_hide_an_instantaneous_loop() -> None:
    """Of equations that need one another there is no execution, whatever values they had."""
    text = (
        "node top(a: bool) returns (p, q, r: bool);\nlet\n  p = a or q;\n  q = a;\n  r = q and p;\n"
    )
    text += "  --%PROPERTY r;\ntel;\n"
    program = program_of(accepted(text))
    (second,) = program.by_id[ElementId("top", "equation", "q")]
    choices = Choices(({"a": True},) * 3)
    before = earlier_run(program, choices, {second: terms.var("a", sorts.BOOL)}, ["r"])
    assert before is not None
    today = program_of(accepted(text.replace("r = q and", "r = q or")))
    changed: Bodies = {second: terms.var("r", sorts.BOOL)}
    looped = replace(before, exchanged=exchanged(changed))
    assert EditedRuns(Evaluator(today)).run(looped, changed, frozenset(("r",))) is None


def test_what_an_edit_makes_depend_on_more_takes_a_whole_run() -> None:
    """The values of what is read now are not known of the earlier execution."""
    program = program_of(accepted(ROW))
    today = program_of(accepted(ROW.replace("a and not b", "a and not b and m < 9")))
    changed: Bodies = {e: None for e in program.elements() if e.targets == ("held",)}
    before = earlier_run(program, Choices(({"a": True},) * 3), changed, ["p"])
    assert before is not None
    assert EditedRuns(Evaluator(program)).run(before, changed, frozenset(("p",))) is not None
    assert EditedRuns(Evaluator(today)).run(before, changed, frozenset(("p",))) is None


def test_other_changed_elements_or_called_nodes_take_a_whole_run() -> None:
    program = program_of(accepted(ROW))
    changed: Bodies = {e: None for e in program.elements() if e.targets == ("held",)}
    other: Bodies = {e: None for e in program.elements() if e.targets == ("up",)}
    before = earlier_run(program, Choices(({"a": True},) * 3), changed, ["p"])
    assert before is not None
    assert EditedRuns(Evaluator(program)).run(before, other, frozenset(("p",))) is None

    node = "node held(x: bool) returns (y: bool);\nlet y = x; tel;\n"
    called = program_of(accepted(node + ROW.replace("near = not far", "near = held(not far)")))
    assert edited_elements(program, called) is None
    assert EditedRuns(Evaluator(called)).run(before, changed, frozenset(("p",))) is None


def test_kept_executions_go_on_and_kill_what_a_run_from_scratch_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    went_on: list[bool] = []
    run = EditedRuns.run

    def noted(self: EditedRuns, *about: Any) -> Any:
        found = run(self, *about)
        went_on.append(found is not None)
        return found

    monkeypatch.setattr(EditedRuns, "run", noted)
    memory, chosen = Memory(), options("default")
    text = ROW.replace("p = n < 3 or near", "p = n <= 4 or not near")
    first = report(accepted(text), chosen, memory)
    killed = [one.mutant for one in first.mutants if one.killed_by]
    for old, new in (("a and not b", "a or not b"), ("far = n > 3", "far = n >= 3")):
        edited = accepted(text.replace(old, new))
        kept, fresh = report(edited, chosen, memory), report(edited, chosen)
        assert [(f.mutant, f.status, f.killed_by) for f in kept.mutants] == [
            (f.mutant, f.status, f.killed_by) for f in fresh.mutants
        ]
        assert all(f.trace for f in kept.mutants if f.killed_by)
    assert killed
    assert any(went_on)


def test_kept_executions_that_an_edit_spoils_are_not_all_run_in_vain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once several violated nothing, compiled code tells which of the others may."""
    cells = range(6)
    outputs = "".join(f"; s{k}: bool" for k in cells)
    text = f"node top(a: bool) returns (n: int{outputs});\nvar p0, p1, p2, p3, p4, p5: bool;\nlet\n"
    text += "  n = 0 -> if a then pre n + 1 else pre n;\n"
    for k in cells:
        text += f"  s{k} = n > {k};\n  p{k} = s{k} = (n > {k});\n  --%PROPERTY p{k};\n"
    text += "tel;\n"
    spoiled = text.replace("pre n + 1", "pre n - 1")
    in_vain: dict[int, list[bool]] = {}
    run = EditedRuns.run

    def noted(self: EditedRuns, *about: Any) -> Any:
        found = run(self, *about)
        in_vain[most].append(found is not None and not found.violated)
        return found

    monkeypatch.setattr(EditedRuns, "run", noted)
    chosen = options("default")
    fresh = report(accepted(spoiled), chosen)
    for most in (kept.COST_IN_VAIN, 10**9):
        in_vain[most] = []
        monkeypatch.setattr(kept, "MOST_IN_VAIN", most)
        memory = Memory()
        report(accepted(text), chosen, memory)
        found = report(accepted(spoiled), chosen, memory)
        assert [(f.mutant, f.status, f.killed_by) for f in found.mutants] == [
            (f.mutant, f.status, f.killed_by) for f in fresh.mutants
        ]
    assert 1 <= sum(in_vain[kept.COST_IN_VAIN]) < sum(in_vain[10**9])


def test_executions_that_lack_what_another_open_property_reads_are_run_whole() -> None:
    """An edit upstream opens both properties; what was kept decides one of them."""
    text = """node top(a, b: bool) returns (n, m, s: int; t: bool; p, q: bool);
let
  t = a and b;
  s = 0 -> if t and pre s < 3 then pre s + 1 else 0;
  n = s + 1;
  m = s + 2;
  p = n <= 4;
  q = m <= 5;
  --%PROPERTY p;
  --%PROPERTY q;
tel;
"""
    memory, chosen = Memory(), options("default")
    assert any(one.killed_by for one in report(accepted(text), chosen, memory).mutants)
    edited = accepted(text.replace("t = a and b", "t = b"))
    kept, fresh = report(edited, chosen, memory), report(edited, chosen)
    assert [(f.mutant, f.status, f.killed_by) for f in kept.mutants] == [
        (f.mutant, f.status, f.killed_by) for f in fresh.mutants
    ]


COUNT = """node top(a: bool) returns (n: int; up, far, calm, p: bool);
let
  up = a and (0 -> pre n) < 9;
  n = (0 -> pre n) + (if up then 1 else 0);
  far = n >= 9;
  calm = not far;
  p = calm => n < 9;
  --%PROPERTY p;
tel;
"""


def check_cores_after(before: str, after: str) -> None:
    """Assert that an edit of COUNT leaves the verdicts and cores that a run from nothing finds."""
    memory, chosen = Memory(), replace(options("default"), cores=True)
    report(accepted(COUNT), chosen, memory)
    edited = accepted(COUNT.replace(before, after))
    kept, fresh = report(edited, chosen, memory), report(edited, chosen)
    assert [(p.verdict, p.core) for p in fresh.properties] == [
        (p.verdict, p.core) for p in kept.properties
    ]


def test_what_violates_without_an_element_goes_on_after_an_edit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That calm is needed takes many steps to see: after an edit upstream they are not run anew."""
    went_on: list[bool] = []
    run = EditedRuns.run

    def noted(self: EditedRuns, before: EarlierRun, bodies: Bodies, goals: Any) -> Any:
        found = run(self, before, bodies, goals)
        if None in bodies.values() and [element.targets for element in bodies] == [("calm",)]:
            went_on.append(found is not None)
        return found

    monkeypatch.setattr(EditedRuns, "run", noted)
    check_cores_after("(if up then 1 else 0)", "(if a and up then 1 else 0)")
    assert [True] == went_on


def test_what_violates_nothing_in_the_whole_is_not_run_in_the_cone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An edit upstream makes the property hold without an element that it needed before."""
    spared: list[bool] = []
    violation = Removing.violation

    def noted(self: Removing, *about: Any) -> Any:
        run: list[object] = []
        replay = self.replay

        def replayed(*of: Any) -> Any:
            run.append(of)
            return replay(*of)

        monkeypatch.setattr(self, "replay", replayed)
        found = violation(self, *about)
        spared.append(found is None and not run)
        return found

    monkeypatch.setattr(Removing, "violation", noted)
    check_cores_after("a and (0 -> pre n) < 9", "a and (0 -> pre n) < 2")
    assert any(spared)


def test_runs_without_elements_are_forgotten_where_they_hold_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = program_of(accepted(ROW))
    names = [element.id for element in program.elements()][:3]
    choices = [Choices(({"a": True},) * 3) for _ in names]
    kept = ReducedRuns()
    monkeypatch.setattr(reduction, "MOST_VALUES", 15)
    for name, chosen in zip(names, choices, strict=True):
        run = EarlierRun(
            program, frozenset(((name, b""),)), chosen, RowTable(("a", "b"), ((1, 2),) * 3)
        )
        kept.keep("p", frozenset((name,)), run)
        kept.keep("p", frozenset((name,)), run)
    found = [
        kept.earlier("p", frozenset((name,)), chosen) is not None
        for name, chosen in zip(names, choices, strict=True)
    ]
    assert [False, True, True] == found
    assert kept.earlier("p", frozenset((names[1],)), choices[0]) is None


def test_after_an_edit_that_changes_much_today_s_program_is_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then executions of all variants on the same choices go on from one."""
    program = program_of(accepted(ROW))
    choices = Choices(({"a": True, "b": False, "k": 1},) * 6)
    (memory,) = program.by_id[ElementId("top", "equation", "far")]
    before = earlier_run(program, choices, {memory: memory.body.args[0]}, ["p"])
    assert before is not None
    monkeypatch.setattr(edited_run, "LEAST_COMPARED", 2 * len(before.steps))
    for old, new, goes_on in (("a and not b", "b and not a", False), ("n > 3", "n > 4", True)):
        today = program_of(accepted(ROW.replace(old, new)))
        (memory,) = today.by_id[ElementId("top", "equation", "far")]
        body = program.by_id[memory.id][0].body.args[0]
        runs = EditedRuns(Evaluator(today))
        found = [runs.run(before, {memory: body}, frozenset(("p",))) for _ in range(3)]
        assert found[0] is not None
        assert (found[-1] is not None) is goes_on, (old, new)
