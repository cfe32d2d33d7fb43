"""Mutants run fast as they run in the oracle, and their texts mean what they mean."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given

from mutproof.analyses.bench import begun_rows
from mutproof.analyses.bench.begun_rows import BegunRows
from mutproof.analyses.bench.executions import variation
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.ranges import Ranges
from mutproof.model import late_values, sorts, terms, walk
from mutproof.model.causality import is_causal_with
from mutproof.model.compile import Row
from mutproof.model.evaluator import Evaluator
from mutproof.model.late_values import LateValues
from mutproof.model.lower import Lowering
from mutproof.model.narrow import Narrowing
from mutproof.model.program import Element, Program
from mutproof.model.simulate import CyclicDefinitions, Simulator
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.model.variation import Variation
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import (
    Model,
    accepted,
    choices_of,
    elaborated,
    models,
    sources,
)
from support.lustre_mutants import (
    bodies,
    meaning,
    mutated_text,
    options,
    program_of,
    variant,
)
from support.profiles import profile


@profile(40)
@given(models(), sources())
def test_an_execution_goes_on_from_known_rows(model: Model, source: random.Random) -> None:
    system = Lowering(program_of(accepted(model.text))).system()
    simulator = Simulator(system)
    choices, other = choices_of(source, system), choices_of(source, system)
    start = source.randrange(len(choices.steps))
    left = replace(choices, steps=(*choices.steps[:start], *other.steps[start:]))
    needed = simulator.needed(simulator.properties, len(left.steps))
    known = simulator.run(choices, needed)[:start]
    assert simulator.run(left, needed) == simulator.run(left, needed, known)


@profile(40)
@given(models(), sources())
def test_executions_that_begin_alike_have_the_rows_of_whole_runs(
    model: Model, source: random.Random
) -> None:
    system = Lowering(program_of(accepted(model.text))).system()
    simulator = Simulator(system)
    rows, ran = BegunRows(simulator), [choices_of(source, system)]
    for _ in range(6):
        one, other = source.choice(ran), choices_of(source, system)
        start = source.randrange(len(one.steps) + 1)
        ran.append(replace(one, steps=(*one.steps[:start], *other.steps[start:])))
        ran.append(replace(other, steps=one.steps))
        name = source.choice(simulator.names)  # what is defined is computed, memories are not
        value = sorts.default_value(system.variables[name].sort)
        ran.append(replace(one, steps=tuple({**step, name: value} for step in one.steps)))
    source.shuffle(ran)
    assert [simulator.run(choices) for choices in ran] == [rows.of(choices) for choices in ran]


def test_only_the_steps_after_which_executions_differ_are_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "node top(a: bool) returns (b, c: bool);\nlet\n  b = not a;\n  c = a -> pre b;\ntel;\n"
    system = Lowering(program_of(accepted(text))).system()
    first = Choices(({"a": True}, {"a": False}, {"a": True}))
    second = Choices(({"a": True}, {"a": False, "b": True}, {"a": False}))
    rows = BegunRows(Simulator(system))
    known, others = rows.of(first), rows.of(second)
    assert [True, True, False] == [a is b for a, b in zip(known, others, strict=True)]
    monkeypatch.setattr(begun_rows, "MOST_VALUES", 1)
    few = BegunRows(Simulator(system))
    assert [known, others] == [few.of(first), few.of(second)]
    assert few.of(first)[0] is not few.of(second)[0]


@profile(80)
@given(models(), sources())
def test_a_mutant_runs_as_the_oracle_runs_it(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    program = program_of(found)
    lowering = Lowering(program)
    system = lowering.system()
    evaluator = Evaluator(program)
    choices = choices_of(source, system)
    mutants = enumerate_mutants(found, options("all"))
    for mutant in source.sample(mutants, min(6, len(mutants))):
        element = program.by_id[mutant.element][0]
        body = bodies(program, mutant)[element]
        if body is not None and not is_causal_with(program, element, body):
            continue
        extended, changed = variant(lowering, system, mutant)
        simulator = Simulator(extended)
        fast = variation(simulator, extended, changed)
        original = simulator.run(choices)
        start = fast.infected(original, choices.functions)
        rows = original if start is None else fast.run(original, choices, start)
        exact = fast.choices(rows, choices, len(rows))
        execution = evaluator.run(exact, bodies(program, mutant))
        for shown, row in zip(execution.trace.steps, rows, strict=True):
            named = simulator.named(row)
            assert shown == {name: named[name] for name in shown}, mutant
        if execution.assumed:
            # A mutant may have lost the call of a node that states properties.
            kept = [n for n in simulator.properties if "." not in n or n in execution.violated]
            assert execution.violated == fast.violations(rows, choices.functions, kept)


def variations(
    model: Model, source: random.Random
) -> Iterator[tuple[Mutant, Simulator, Variation, Choices]]:
    """Yield some mutants of a model, each with what runs it, and the same choices for all."""
    found = accepted(model.text)
    lowering = Lowering(program_of(found))
    system = lowering.system()
    choices = choices_of(source, system)
    mutants = enumerate_mutants(found, options("all"))
    for mutant in source.sample(mutants, min(12, len(mutants))):
        extended, changed = variant(lowering, system, mutant)
        simulator = Simulator(extended)
        try:
            fast = variation(simulator, extended, changed)
        except CyclicDefinitions:
            continue
        yield mutant, simulator, fast, choices


@profile(60)
@given(models(), sources())
def test_rows_for_a_property_decide_it_as_whole_rows_do(
    model: Model, source: random.Random
) -> None:
    for mutant, simulator, fast, choices in variations(model, source):
        original, functions = simulator.run(choices), choices.functions
        start = fast.infected(original, functions) or 0
        whole = fast.run(original, choices, start)
        for name in simulator.properties:
            reach = fast.deciding([name])
            first = fast.infected(original, functions, reach)
            part = [*fast.rows(original, choices, first or 0, reach)]
            expected = fast.violations(whole, functions, [name])
            assert fast.violations(part, functions, [name]) == expected, mutant
            if fast.soonest is not None:
                same = fast.soonest.get(name, len(original)) + start
                assert fast.violations(whole[:same], functions, [name]) == {
                    one: step
                    for one, step in simulator.violations(original[:same], functions).items()
                    if one == name
                }
            assert fast.choices(part, choices, len(part)) == fast.choices(whole, choices, len(part))


@profile(60)
@given(models(), sources())
def test_rows_until_properties_fail_decide_them_as_whole_rows_do(
    model: Model, source: random.Random
) -> None:
    for mutant, simulator, fast, choices in variations(model, source):
        if not fast.is_ordered:
            continue
        original, functions = simulator.run(choices), choices.functions
        start = fast.infected(original, functions) or 0
        whole = fast.run(original, choices, start)
        by = {name: source.randrange(start, len(original)) for name in simulator.properties}
        part = [*fast.rows_until(original, choices, start, by)]
        assert len(part) == max([start - 1, *by.values()]) + 1
        for name, step in by.items():
            expected = fast.violations(whole[: step + 1], functions, [name])
            assert fast.violations(part[: step + 1], functions, [name]) == expected, mutant
        assert fast.choices(part, choices, len(part)) == fast.choices(whole, choices, len(part))


@profile(60)
@given(models(), sources())
def test_values_on_demand_are_those_of_whole_rows(model: Model, source: random.Random) -> None:
    for mutant, simulator, fast, choices in variations(model, source):
        if not fast.is_ordered:
            continue
        original, functions = simulator.run(choices), choices.functions
        start = fast.infected(original, functions) or 0
        whole: list[Any] = fast.run(original, choices, start)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(late_values, "MOST_FOR_STEP", 1000)
            exact = fast.choices(whole, choices, len(whole))  # what is freed is among these
            late = LateValues(fast, original, exact, start)
        for name, holds in simulator.properties.items():
            read = simulator.stated[name]
            soonest = min((start + fast.reached[n] for n in read if n in fast.reached), default=99)
            failing = [
                step
                for step, row in enumerate(whole)
                if step >= soonest and not holds(row, row, functions)
            ]
            expected = failing[0] if failing else None
            assert late.first_failure(name, len(whole) - 1) == expected, mutant


def changed_register() -> tuple[Simulator, Variation, Choices]:
    """Return a register of which a place has another value, and choices for it."""
    places = "".join(f"  s{n} = 0 -> pre s{n - 1};\n" for n in range(1, 30))
    text = (
        f"node main(a: int) returns (o: bool);\nvar {', '.join(f's{n}' for n in range(30))}: int;\n"
        f"let\n  s0 = a;\n{places}  o = s20 < 9;\n  --%PROPERTY o;\ntel;\n"
    )
    simulator = Simulator(Lowering(program_of(elaborated(text))).system())
    choices = Choices(({"a": 0},) * 25)
    changed = Variation(simulator, {"s5": terms.int_(9)})
    return simulator, changed, choices


def test_in_a_register_only_what_changed_and_moves_on_is_computed() -> None:
    simulator, changed, choices = changed_register()
    rows = [*changed.rows_until(simulator.run(choices), choices, 2, {"o": 17})]
    assert {"o": 17} == changed.violations(rows, {}, ["o"])
    moved = [[n for n in range(30) if row[simulator.index[f"s{n}"]] == 9] for row in rows]
    assert [[], [], *([step + 3] for step in range(2, 18))] == moved


def test_values_on_demand_are_not_computed_where_they_are_only_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed: list[str] = []
    before = LateValues._value

    def noted(self: LateValues, rule: Any, index: int, step: int) -> Any:
        computed.append(simulator.names[index])
        return before(self, rule, index, step)

    simulator, changed, choices = changed_register()
    monkeypatch.setattr(LateValues, "_value", noted)
    late = LateValues(changed, simulator.run(choices), choices, 2)
    assert late.first_failure("o", 24) == 17
    assert ["s5", "o"] == computed


def test_rows_for_a_property_leave_out_what_it_does_not_read() -> None:
    text = (
        "node top(a: int) returns (x, y, z: int; p, q: bool);\nlet\n  x = a;\n  y = x + 1;\n"
        "  z = 0 -> pre y;\n  p = x < 5;\n  q = z < 5;\n  --%PROPERTY p;\n  --%PROPERTY q;\ntel\n"
    )
    simulator = Simulator(Lowering(program_of(accepted(text))).system())
    choices = Choices(({"a": 0},) * 2)
    changed = Variation(simulator, {"x": terms.int_(7)})

    def values(name: str) -> list[tuple[object, object]]:
        rows = changed.rows(simulator.run(choices), choices, 0, changed.deciding([name]))
        return [(row[simulator.index["x"]], row[simulator.index["y"]]) for row in rows]

    assert values("p") == [(7, 1), (7, 1)]
    assert values("q") == [(7, 8), (7, 8)]


def test_of_a_definition_in_many_instances_only_those_are_run_that_a_property_reads() -> None:
    text = (
        "node up(a: bool) returns (n: int);\nlet\n  n = if a then 1 else 0;\ntel;\n"
        "node top(a, b: bool) returns (x, y: int; p, q: bool);\nlet\n  x = up(a);\n  y = up(b);\n"
        "  p = x < 5;\n  q = y < 5;\n  --%PROPERTY p;\n  --%PROPERTY q;\ntel;\n"
    )
    simulator = Simulator(Lowering(program_of(accepted(text))).system())
    choices = Choices(({"a": False, "b": True},))
    rows = simulator.run(choices)
    changed = Variation(simulator, {"x": terms.int_(7), "y": terms.int_(1)})
    (row,) = changed.rows(rows, choices, 0, changed.deciding(["q"]))
    assert [0, 1] == [row[simulator.index[name]] for name in ("x", "y")]
    (row,) = changed.rows(rows, choices, 0, changed.deciding(["p"]))
    assert [7, 1] == [row[simulator.index[name]] for name in ("x", "y")]
    assert 0 == changed.infected(rows, {})
    assert changed.infected(rows, {}, changed.deciding(["q"])) is None


def test_no_state_is_computed_after_all_properties_have_failed() -> None:
    text = (
        "node top(a: bool) returns (x: int; p, q: bool);\nlet\n  x = if a then 1 else 0;\n"
        "  p = x < 1;\n  q = true -> pre x < 1;\n  --%PROPERTY p;\n  --%PROPERTY q;\ntel\n"
    )
    simulator = Simulator(Lowering(program_of(accepted(text))).system())
    choices = Choices(({"a": True},) * 9)
    changed = Variation(simulator, {"x": terms.int_(2)})
    asked: list[int] = []

    def noted() -> Iterator[Row]:
        for row in changed.rows(simulator.run(choices), choices):
            asked.append(len(asked))
            yield row

    assert {"p": 0, "q": 1} == changed.violations(noted(), {}, ["p", "q"])
    assert [0, 1] == asked


@profile(60)
@given(models(), sources())
def test_what_a_property_needs_decides_it(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    simulator = Simulator(Lowering(program_of(found)).system())
    choices = choices_of(source, simulator.system)
    rows = simulator.run(choices)
    for stated in simulator.system.properties:
        needed = simulator.needed(walk.variables(stated.term), len(rows))
        holds = simulator.properties[stated.name]
        for row, part in zip(rows, simulator.run(choices, needed), strict=True):
            assert holds(row, row, choices.functions) == holds(part, part, choices.functions)


def test_only_places_near_a_property_are_needed_in_few_steps() -> None:
    places = "".join(f"  s{n} = 0 -> pre s{n - 1};\n" for n in range(1, 30))
    text = (
        f"node main(a: int) returns (o: bool);\nvar {', '.join(f's{n}' for n in range(30))}: int;\n"
        f"let\n  s0 = a;\n{places}  o = s20 < 9;\n  --%PROPERTY o;\ntel;\n"
    )
    simulator = Simulator(Lowering(program_of(elaborated(text))).system())
    needed = simulator.needed(["o"], 4)
    kept = {item.name for item in needed.definitions}
    assert kept & {f"s{n}" for n in range(30)} == {"s20", "s19", "s18", "s17"}
    assert {item.name for item in needed.updates} == {
        "%first",
        *(f"s{n}@pre" for n in range(16, 20)),
    }


def test_how_soon_a_change_shows_is_how_many_memories_it_passes() -> None:
    text = (
        "node main(a: int) returns (o, p: bool);\nvar s0, s1, s2, s3: int;\nlet\n  s0 = a;\n"
        "  s1 = 0 -> pre s0;\n  s2 = 0 -> pre s1;\n  s3 = 0 -> pre s2;\n"
        "  o = s2 < 9;\n  p = s3 < 9 or s1 < 9;\n  --%PROPERTY o;\n  --%PROPERTY p;\ntel;\n"
    )
    simulator = Simulator(Lowering(program_of(elaborated(text))).system())
    assert {"o": 2, "p": 1} == simulator.soonest(simulator.reached(["s0"]))
    assert {"o": 0, "p": 1} == simulator.soonest(simulator.reached(["s2"]))
    assert {"p": 0} == simulator.soonest(simulator.reached(["s3"]))
    simulator = Simulator(
        Lowering(program_of(elaborated(text.replace("let", "let\n  assert s1 < 9;")))).system()
    )
    assert {"o": 1, "p": 1} == simulator.soonest(simulator.reached(["s0"]))


@profile(60)
@given(sources())
def test_what_a_change_reaches_follows_from_what_one_before_it_does(source: random.Random) -> None:
    forms = ["0 -> pre {0}"] * 6 + ["{0}", "pre {0}", "0 -> pre ({0} + {1})", "0 -> pre {2}"]
    count = source.randint(4, 14)
    lines = ["  s0 = a;\n"]
    for n in range(1, count):
        earlier, other = source.randrange(n), source.randrange(count)
        form = source.choice(forms).format(f"s{n - 1}", f"s{earlier}", f"s{other}")
        lines.append(f"  s{n} = {form};\n")
    stated = source.sample(range(count), 2)
    checked = "".join(f"  assert s{n} < 9;\n" for n in source.sample(range(count), 2)[:1])
    text = (
        f"node main(a: int) returns (o, p: bool);\nvar {', '.join(f's{n}' for n in range(count))}:"
        f" int;\nlet\n{''.join(lines)}{source.choice(['', checked])}  o = s{stated[0]} < 9;\n"
        f"  p = s{stated[1]} < 9;\n  --%PROPERTY o;\n  --%PROPERTY p;\ntel;\n"
    )
    system = Lowering(program_of(accepted(text))).system()
    simulator = Simulator(system)
    for n in source.choice([range(count), range(count)[::-1], source.sample(range(count), count)]):
        reached = simulator.reached([f"s{n}"])
        alone = Simulator(system).reached([f"s{n}"])
        assert reached == alone
        assert [*reached.values()] == sorted(reached.values())
        read = {**simulator.stated, "": [*simulator.checked]}
        steps = {
            name: min((alone[one] for one in some if one in alone), default=None)
            for name, some in read.items()
        }
        any_from = steps.pop("")
        expected = {
            name: min(step for step in (own, any_from) if step is not None)
            for name, own in steps.items()
            if own is not None or any_from is not None
        }
        assert simulator.soonest(reached) == expected


def test_what_decides_many_properties_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    places = "".join(f"  s{n} = 0 -> pre s{n - 1};\n" for n in range(1, 300))
    stated = "".join(f"  p{n} = s{n} < 9;\n  --%PROPERTY p{n};\n" for n in range(300))
    text = (
        "node main(a: int) returns (o: bool);\n"
        f"var {', '.join(f's{n}' for n in range(300))}: int;\n"
        f"{', '.join(f'p{n}' for n in range(300))}: bool;\n"
        f"let\n  s0 = a;\n{places}{stated}  o = true;\ntel;\n"
    )
    simulator = Simulator(Lowering(program_of(elaborated(text))).system())
    asked = list[frozenset[str]]()
    bits = Simulator.bits
    monkeypatch.setattr(
        Simulator, "bits", lambda self, names: asked.append(names) or bits(self, names)
    )
    sets = [frozenset({f"p{n}"}) for n in range(300)]
    found = [simulator.reach(names) for _ in range(3) for names in sets]

    assert sum(map(len, asked)) < 8 * len(sets)  # what decides the rest is known
    looked_for = len(asked)
    assert simulator.reach(frozenset({"p7", "p299"})) == found[299] | simulator.reach(sets[7])
    assert len(asked) < looked_for + 9
    assert found[:300] == found[300:600]
    assert found[7].has(simulator.index["s7"])
    assert not found[7].has(simulator.index["s8"])


@profile(40)
@given(models(), sources())
def test_what_decides_several_variables_decides_one_of_them(
    model: Model, source: random.Random
) -> None:
    simulator = Simulator(Lowering(program_of(accepted(model.text))).system())
    for _ in range(6):
        names = frozenset(source.sample(simulator.names, min(3, len(simulator.names))))
        assert simulator.bits(simulator.deciding(names)) == simulator.reach(names)


def test_what_equal_calls_begin_with_is_said_of_one_that_is_equal_no_more() -> None:
    text = """\
node held(x: int) returns (y: int);
let
  y = pre y;
tel;
node main(x: int) returns (same: bool);
var one: int;
let
  one = held(x);
  same = one = held(x);
  --%PROPERTY same;
tel;
"""
    found = accepted(text)
    program = program_of(found)
    lowering = Lowering(program)
    system = lowering.system()
    mutants = [m for m in enumerate_mutants(found, options("all")) if m.element.name == "one"]
    unshared = 0
    for seed, mutant in product(range(8), mutants):
        if None in bodies(program, mutant).values():
            continue
        choices = choices_of(random.Random(seed), system)
        extended, changed = variant(lowering, system, mutant)
        simulator = Simulator(extended)
        fast = variation(simulator, extended, changed)
        rows = fast.run(simulator.run(choices), choices)
        exact = fast.choices(rows, choices, len(rows))
        unshared += exact.before != choices.before
        steps = Evaluator(program).run(exact, bodies(program, mutant)).trace.steps
        assert [simulator.named(row)["same"] for row in rows] == [one["same"] for one in steps]
    assert unshared


def may_leave_range(program: Program, element: Element, body: Term) -> bool:
    return Ranges(program, Narrowing(program), element).hazard(body) is not None


@profile(60)
@given(models(), sources())
def test_the_text_of_a_mutant_means_the_mutant(model: Model, source: random.Random) -> None:
    found = accepted(model.text)
    program = program_of(found)
    mutants = enumerate_mutants(found, options("all"))
    for mutant in source.sample(mutants, min(8, len(mutants))):
        text = mutated_text(found, mutant)
        if text is None:
            continue
        again = elaborated(text)
        refused = any(d.severity.value == "error" for d in again.diagnostics)
        element = program.by_id[mutant.element][0]
        body = bodies(program, mutant)[element]
        assert body is not None
        assert refused == may_leave_range(program, element, body), text
        if not refused and not is_causal_with(program, element, body):
            # The mutant is stillborn; as a model of its own, its loop is a constraint.
            assert "instantaneous-loop" in {d.code for d in again.diagnostics}, text
        elif not refused:
            wanted = program.with_bodies(bodies(program, mutant))
            assert meaning(wanted, program_of(again)) == meaning(program_of(again), wanted)


@profile(60)
@given(models(), sources())
def test_what_a_removed_equation_leaves_free_stays_in_its_type(
    model: Model, source: random.Random
) -> None:
    found = accepted(model.text)
    lowering = Lowering(program_of(found))
    system = lowering.system()
    choices = choices_of(source, system)
    chosen = [m for m in enumerate_mutants(found, options("all")) if m.replacement is None]
    for mutant in chosen[:4]:
        extended, changed = variant(lowering, system, mutant)
        simulator = Simulator(extended)
        fast = variation(simulator, extended, changed)
        for row in fast.run(simulator.run(choices), choices):
            for name in fast.freed:
                value = row[simulator.index[name]]
                assert sorts.contains(extended.variables[name].sort, value)


def test_definitions_that_need_each_other_are_no_variation() -> None:
    found = accepted(
        """
        node top(a: bool) returns (b, c: bool);
        let
          b = c;
          c = a;
        tel;
        """
    )
    lowering = Lowering(program_of(found))
    simulator = Simulator(lowering.system())
    circular = next(c for c in simulator.system.constraints if c.defines == "b").term.args[0]
    with pytest.raises(CyclicDefinitions, match=r"b|c"):
        Variation(simulator, {"c": circular})
