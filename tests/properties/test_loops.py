"""Instantaneous loops are constraints: verdicts are those of all values that satisfy them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_lustre_causality import program_of, texts

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import ModelFault, MutantStatus, PropertyVerdict
from mutproof.model import causality, loops
from mutproof.model.evaluate import evaluate
from mutproof.model.evaluator import Evaluator
from mutproof.model.lower import lower
from mutproof.model.program import Program
from mutproof.model.sampling import random_choices
from mutproof.model.simulate import Simulator
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.lustre_mutants import mutated_text, options
from support.profiles import profile
from support.reading import accepted_in, analysed

PROVED, FALSIFIED = PropertyVerdict.PROVED, PropertyVerdict.FALSIFIED


def report(text: str, **chosen: Any) -> Report:
    wanted = Options(cores=False, **{"mutate": False, **chosen})
    return analysed(accepted_in("lustre", text), wanted)


def main(declared: str, body: str, *properties: str) -> str:
    """Return a model of one node with the inputs `g` and `x` and properties p1, p2, ..."""
    names = [f"p{number}" for number, _ in enumerate(properties, start=1)]
    stated = zip(names, properties, strict=True)
    equations = "".join(f"{name} = {found}; --%PROPERTY {name};\n" for name, found in stated)
    header = f"node main(g: bool; x: int) returns ({', '.join(names)}: bool);"
    return f"{header}\nvar {declared}\nlet\n{body}\n{equations}tel;"


def verdicts(found: Report) -> dict[str, tuple[PropertyVerdict, int | None]]:
    """Return for each property its verdict and the number of steps of its counterexample."""
    return {
        p.name: (p.verdict, None if p.trace is None else p.trace.length) for p in found.properties
    }


# --- verdicts, as JKind 4.6.1 gives them -----------------------------------------------------

RECORD = "type rec = struct { f: bool; n: int };\n"
ONE, TWO = "rec{f = true; n = 1}", "rec{f = true; n = 2}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            main("a: int;", "a = 8 - a;", "a = 4", "a > 4"),
            [(PROVED, None), (FALSIFIED, 1)],
            id="one value",
        ),
        pytest.param(
            main("a, b: int;", "a = b; b = a;", "a = b", "a = x", "true -> a = pre a"),
            [(PROVED, None), (FALSIFIED, 1), (FALSIFIED, 2)],
            id="any value",
        ),
        pytest.param(
            main("a: subrange [0, 3] of int;", "a = a;", "a <= 3", "a < 3"),
            [(PROVED, None), (FALSIFIED, 1)],
            id="any value of the type",
        ),
        pytest.param(
            main("a, b: int;", "a = if g then b else x; b = if g then x else a;", "a = x", "b = x"),
            [(PROVED, None), (PROVED, None)],
            id="closed under no condition",
        ),
        pytest.param(
            main("a: int;", "a = a -> pre a;", "true -> a = pre a", "a = 0"),
            [(PROVED, None), (FALSIFIED, 1)],
            id="closed in the first step",
        ),
        pytest.param(
            main("a: int;", "a = if x > 0 then a + 1 else 3;", "x <= 0", "a = 3", "a = x"),
            [(PROVED, None), (PROVED, None), (FALSIFIED, 1)],
            id="inputs without solution are left out",
        ),
        pytest.param(
            main("a, b: int;", "a, b = (b + x, a - x);", "a = b + x", "a = 0"),
            [(PROVED, None), (FALSIFIED, 1)],
            id="an equation of several variables",
        ),
        pytest.param(
            main("a: int[2];", "a = [a[1], a[0] + x];", "x = 0", "a[0] = a[1]", "a[0] = 0"),
            [(PROVED, None), (PROVED, None), (FALSIFIED, 1)],
            id="cells that need each other",
        ),
        pytest.param(
            RECORD
            + main("r: rec;", f"r = if false -> r.f then {ONE} else {TWO};", "r.n = 2", "r.f"),
            [(FALSIFIED, 2), (PROVED, None)],
            id="a condition that decides other parts",
        ),
        pytest.param(
            RECORD + main("r: rec;", f"r = if true then {ONE} else r{{n := x}};", "r.f", "r.n = 2"),
            [(PROVED, None), (FALSIFIED, 1)],
            id="a branch that is never taken",
        ),
        pytest.param(
            "node f(y: int) returns (z: int);\nlet z = 6 - y; tel;\n"
            + main("a: int;", "a = f(a);", "a = 3", "f(x) = 3"),
            [(PROVED, None), (FALSIFIED, 1)],
            id="through a call",
        ),
        pytest.param(
            "node f(y: int) returns (z: int);\nlet z = y - z; tel;\n"
            + main("a: int;", "a = f(x) + f(x + 2);", "a = x + 1", "a > x + 1"),
            [(PROVED, None), (FALSIFIED, 1)],
            id="in a called node",
        ),
    ],
)
def test_a_loop_has_the_verdicts_of_its_solutions(
    text: str, expected: list[tuple[PropertyVerdict, int | None]]
) -> None:
    names = [f"p{number}" for number in range(1, len(expected) + 1)]

    assert dict(zip(names, expected, strict=True)) == verdicts(report(text))


def test_the_loop_of_a_node_under_a_clock_restricts_nothing_while_it_is_off() -> None:
    text = "node f(y: int) returns (z: int);\nlet z = if y > 0 then z + 1 else 3; tel;\n" + main(
        "a: int;", "a = condact(g, f(x), 0);", "g => x <= 0", "x <= 0", "a = 0 or a = 3"
    )

    expected = {"p1": (PROVED, None), "p2": (FALSIFIED, 1), "p3": (PROVED, None)}
    assert expected == verdicts(report(text))


# --- what is no loop --------------------------------------------------------------------------

PARTS = (
    "type R = struct {n: int; ok: bool};\n"
    "node f(v: int[2]) returns (w: int[2]);\nlet w = [v[1], v[0] + 1]; tel;\n"
    + main(
        "a: int[3]; r: R; c: int[2]; d: int;",
        "a = [x, a[0] + 1, a[1] + (0 -> pre a[2])];\n"
        "r = R {n = if r.ok then 1 else d; ok = x > 0};\n"
        "c = f([x, c[1]]);\n"
        "d = if r.ok then a[1] else c[0];",
        "a[1] = x + 1",
        "(x > 0 => r.n = 1) and (x <= 0 => r.n = x + 1)",
        "c[0] = x + 1",
        "d = x + 1",
        "a[2] > x",
    )
)


def test_parts_that_need_other_parts_make_no_loop() -> None:
    found = accepted_in("lustre", PARTS)
    assert found.program is not None

    assert [] == [d for d in found.diagnostics if d.code == "instantaneous-loop"]
    assert not any(element.circular for element in found.program.elements())
    expected = {f"p{n}": (PROVED, None) for n in range(1, 5)} | {"p5": (FALSIFIED, 2)}
    assert expected == verdicts(report(PARTS))


def test_mutants_of_parts_that_need_other_parts_are_decided() -> None:
    found = report(PARTS.replace("--%PROPERTY p5;", ""), mutate=True)

    statuses = [finding.status for finding in found.mutants]
    assert MutantStatus.UNKNOWN not in statuses
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.STILLBORN} == set(statuses)


@profile(60)
@given(texts(), st.integers(0, 2**32))
def test_executions_with_loops_are_those_of_the_system(
    drawn: tuple[str, str, str], seed: int
) -> None:
    program = loops.opened(program_of(drawn[0])).program
    system = lower(program)
    source = random.Random(seed)
    simulator = Simulator(system)
    choices = random_choices(simulator, source, 3)

    execution = evaluate(program, choices)
    rows = simulator.run(choices)
    for row, step in zip(rows, execution.trace.steps, strict=True):
        shown = dict(zip(simulator.names, row, strict=True))
        assert step == {name: shown[name] for name in step}
    assert execution.assumed == all(simulator.assumed(row, {}) for row in rows)


@profile(40)
@given(texts(), st.integers(0, 2**32))
def test_mutants_of_programs_with_loops_run_like_changed_programs(
    drawn: tuple[str, str, str], seed: int
) -> None:
    program = loops.opened(program_of(drawn[0])).program
    element = next(e for e in program.elements() if str(e.id) == drawn[1])
    body = next(e.body for e in program_of(drawn[2]).elements() if str(e.id) == drawn[1])
    if not causality.is_causal_with(program, element, body):
        return
    changed = program.with_bodies({element: body})
    choices = random_choices(Simulator(lower(changed)), random.Random(seed), 3)

    bodies = {element: body}
    assert evaluate(program, choices, bodies) == Evaluator(program).run(choices, bodies)


# --- all solutions, by hand -------------------------------------------------------------------

Formula: TypeAlias = tuple[Any, ...]
"""An operator and its operands; a name; or `pre`, a name and its value at the first step."""

LOOP = ("a", "b", "c")
INPUTS = ("i", "j")


@dataclass(frozen=True)
class Loops:
    """Hold Boolean equations that may need each other, and a property."""

    equations: dict[str, Formula]
    stated: Formula

    @property
    def text(self) -> str:
        body = "".join(f"  {name} = {shown(found)};\n" for name, found in self.equations.items())
        return (
            "node main(i, j: bool) returns (p: bool);\nvar a, b, c: bool;\nlet\n"
            f"{body}  p = {shown(self.stated)};\n  --%PROPERTY p;\ntel;\n"
        )


def shown(formula: Formula) -> str:
    match formula:
        case ("name", name):
            return str(name)
        case ("pre", name, first):
            return f"({str(first).lower()} -> pre {name})"
        case ("not", one):
            return f"not {shown(one)}"
        case ("if", one, two, three):
            return f"(if {shown(one)} then {shown(two)} else {shown(three)})"
        case (op, one, two):
            return f"({shown(one)} {op} {shown(two)})"
    raise AssertionError(formula)


def value(formula: Formula, now: dict[str, bool], before: dict[str, bool] | None) -> bool:
    match formula:
        case ("name", name):
            return now[name]
        case ("pre", name, first):
            return bool(first) if before is None else before[name]
        case ("not", one):
            return not value(one, now, before)
        case ("if", one, two, three):
            return value(two if value(one, now, before) else three, now, before)
        case (op, one, two):
            left, right = value(one, now, before), value(two, now, before)
            return {"and": left and right, "or": left or right, "xor": left != right}[op]
    raise AssertionError(formula)


def first_violation(model: Loops) -> tuple[int, int | None]:
    """Return the length of the longest executions, cut at 40, and the first violation, if any."""
    names = (*INPUTS, *LOOP)
    level: list[dict[str, bool] | None] = [None]
    for step in range(1, 41):
        after: dict[tuple[bool, ...], dict[str, bool]] = {}
        for before in level:
            for values in product((False, True), repeat=len(names)):
                now = dict(zip(names, values, strict=True))
                if all(now[n] == value(f, now, before) for n, f in model.equations.items()):
                    if not value(model.stated, now, before):
                        return step, step
                    after[values] = now
        if not after:
            return step - 1, None
        level = list(after.values())
    return 40, None


def formulas(depth: int) -> st.SearchStrategy[Formula]:
    leaf = st.one_of(
        st.tuples(st.just("name"), st.sampled_from((*LOOP, *LOOP, *INPUTS))),
        st.tuples(st.just("pre"), st.sampled_from((*LOOP, *INPUTS)), st.booleans()),
    )
    if depth == 0:
        return leaf
    inner = formulas(depth - 1)
    return st.one_of(
        leaf,
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(("and", "or", "xor")), inner, inner),
        st.tuples(st.just("if"), inner, inner, inner),
    )


def models() -> st.SearchStrategy[Loops]:
    equations = st.fixed_dictionaries({name: formulas(2) for name in LOOP})
    return st.builds(Loops, equations, formulas(2))


@profile(60)
@given(models())
def test_verdicts_are_those_of_all_solutions(model: Loops) -> None:
    length, violation = first_violation(model)
    found = report(model.text)

    expected = (PROVED, None) if violation is None else (FALSIFIED, violation)
    assert {"p": expected} == verdicts(found)
    if length < 40 and violation is None:
        assert {ModelFault.NO_INITIAL_STATE, ModelFault.DEAD_END} & {f.fault for f in found.model}


@profile(100)
@given(models())
def test_mutants_of_loops_have_the_verdicts_of_their_texts(model: Loops) -> None:
    found = accepted_in("lustre", model.text)
    assert found.program is not None
    wanted = Options(mutate=True, cores=False, operators=("and2or", "or2xor", "rm_not", "ifelse"))
    campaign = analysed(found, wanted)
    if campaign.properties[0].verdict is not PROVED or campaign.properties[0].vacuity:
        return
    for mutant, finding in zip(enumerate_mutants(found, wanted), campaign.mutants, strict=True):
        text = mutated_text(found, mutant)
        if text is None or finding.status is MutantStatus.STILLBORN:
            continue
        expected = FALSIFIED if finding.status is MutantStatus.KILLED else PROVED
        assert MutantStatus.UNKNOWN is not finding.status
        assert expected is report(text).properties[0].verdict, text


# --- mutants ----------------------------------------------------------------------------------


def test_a_mutant_that_makes_a_loop_is_stillborn_and_one_of_a_loop_is_decided() -> None:
    text = main("a: int; b: int[2];", "a = 6 - a; b = [x, b[0] + a];", "a = 3", "b[1] = x + 3")
    found = report(text, mutate=True, level="all")

    decided: dict[str, set[tuple[MutantStatus, str]]] = {}
    for mutant, finding in zip(
        enumerate_mutants(accepted_in("lustre", text), options("all")), found.mutants, strict=True
    ):
        decided.setdefault(mutant.element.name, set()).add((finding.status, finding.reason))
    circular = (MutantStatus.STILLBORN, "a value depends on itself within one step")
    assert circular in decided["b"]
    assert circular not in decided["a"]
    assert MutantStatus.KILLED in {status for status, _ in decided["a"]}
    assert MutantStatus.UNKNOWN not in {status for status, _ in decided["a"]}


def test_a_survivor_is_a_gap_only_if_no_other_solution_makes_up_for_it() -> None:
    body = "a = {}; b = a + x;"
    one = main("a, b: int;", body.format("6 - a"), "a = 3").replace("bool);", "bool; b: int);", 1)
    several = main("a, b: int;", body.format("a"), "a = a").replace("bool);", "bool; b: int);", 1)
    found = {}
    for name, text in (("one", one), ("several", several)):
        text = text.replace("var a, b: int;", "var a: int;")
        survivors = report(text, mutate=True, equivalence="outputs", operators=("plus2minus",))
        found[name] = [
            None if m.equivalence is None else m.equivalence.status for m in survivors.mutants
        ]

    assert {
        "one": [EquivalenceStatus.GAP],
        "several": [EquivalenceStatus.UNDETERMINED],
    } == found


# --- what is said -----------------------------------------------------------------------------


def said(text: str) -> list[str]:
    told = set(ModelFault) - {ModelFault.NO_DEAD_END, ModelFault.PERHAPS_DEAD_END}
    return [fault.message for fault in report(text).model if fault.fault in told]


def test_a_loop_with_several_solutions_is_said_to_have_them() -> None:
    (message,) = said(main("a: subrange [0, 1] of int;", "a = a;", "a < 2"))
    assert message.startswith("a loop has several solutions: at step 0, a may be ")

    late = main("n, a: int;", "n = 0 -> pre n + 1; a = if n < 2 then 5 else a;", "n >= 0")
    (message,) = said(late)
    assert message.startswith("a loop has several solutions: at step 2, a may be ")


def test_a_loop_without_solution_for_some_inputs_is_said_to_have_none() -> None:
    (message,) = said(main("a: int;", "a = if g then a + 1 else 3;", "not g"))
    assert "a loop may have no solution: at step 0, no values satisfy its equations" in message
    assert "g = true" in message

    asserted = main("a: int;", "assert not g; a = if g then a + 1 else 3;", "not g")
    assert [] == said(asserted)


def test_a_loop_without_any_solution_is_said_to_end_all_executions() -> None:
    first = said(main("a: bool;", "a = not a;", "g"))
    assert ["the equations of loops have no solution at step 0: every property holds"] == first

    late = said(
        main("n, a: int;", "n = 0 -> pre n + 1; a = if n < 2 then 0 else a + 1;", "g or true")
    )
    expected = "the equations of loops have no solution: no execution has more than 2 steps"
    assert [expected] == late


def test_a_loop_with_one_solution_is_said_nothing_more_of() -> None:
    assert [] == said(main("a: int;", "a = 6 - a;", "a = 3"))


def test_the_equation_of_a_loop_keeps_its_name() -> None:
    found: Program | None = accepted_in("lustre", main("a: int;", "a = 6 - a;", "a = 3")).program
    assert found is not None

    assert ["main.a", "main.p1"] == [str(element.id) for element in found.elements()]


def test_what_mutants_add_is_no_loop() -> None:
    text = (
        "node main(a: int; g: bool) returns (q, p: bool);\nvar z: int;\nlet\n"
        "z = 0 -> if g then 2 else pre z; q = a > z; p = z >= 0;\n--%PROPERTY p;\ntel;"
    )
    found = report(text, mutate=True, equivalence="outputs", level="all")
    compared = [m.equivalence for m in found.mutants if m.equivalence is not None]

    assert any(one.status is EquivalenceStatus.GAP for one in compared)
    assert [] == [one.reason for one in compared if "loop" in one.reason]
