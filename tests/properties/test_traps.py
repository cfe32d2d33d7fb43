"""Traps are found where they are, with shortest executions, and nowhere else."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.finding import ModelFault, ModelFinding, PropertyVerdict
from mutproof.analyses.proving import first_values
from mutproof.model.evaluator import Evaluator
from mutproof.model.language import Elaborated
from mutproof.model.lower import lower
from mutproof.model.system import SystemVariableKind
from mutproof.model.trace import Choices
from mutproof.solving.solver import Solver
from mutproof.solving.z3_solver import new_solver
from mutproof.workspace.analysis import Memory
from mutproof.workspace.faults import fault_span
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.profiles import profile
from support.reading import accepted_in, analysed

OUT, FIRST, ZERO = (
    ModelFault.OUT_OF_BOUNDS,
    ModelFault.ARBITRARY_FIRST_VALUE,
    ModelFault.ZERO_DIVISOR,
)
TRAPS = {OUT, FIRST, ZERO, ModelFault.PERHAPS_OUT_OF_BOUNDS, ModelFault.PERHAPS_ZERO_DIVISOR}


def report(found: Elaborated, memory: Memory | None = None, *, mutate: bool = False) -> Report:
    wanted = Options(cores=False, mutate=mutate)
    return analysed(found, wanted, memory)


def traps(found: Elaborated, told: Report) -> dict[str, ModelFinding]:
    """Return the traps of a model by kind and marked text."""
    source = found.parsed.source
    return {
        f"{fault.fault.value} {source.slice(fault_span(found, fault))}": fault
        for fault in told.model
        if fault.fault in TRAPS
    }


def lengths(text: str) -> dict[str, int]:
    """Return the numbers of steps of the executions that show traps."""
    found = accepted_in("lustre", text)
    shown = traps(found, report(found))
    assert all(fault.trace is not None for fault in shown.values())
    return {key: fault.trace.length for key, fault in shown.items() if fault.trace is not None}


def main(declared: str, body: str, inputs: str = "x: int; g: bool") -> str:
    header = f"node main({inputs}) returns (p: bool);\nvar {declared}\nlet\n"
    return f"{header}{body}\n--%PROPERTY p;\ntel;"


COUNTER = "a: int[3]; c, y: int;", "a = [x, x, x]; c = 0 -> if g then pre c + 1 else pre c;"
GET = "node get(a: int[3]; i: int) returns (v: int); let v = a[i]; tel;\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a[c]", {"out-of-bounds c": 4}),
        ("a[x]", {"out-of-bounds x": 1}),
        ("a[c - 1]", {"out-of-bounds c - 1": 1}),
        ("a[c := 5][0]", {"out-of-bounds c": 4}),
        ("a[c mod 3]", {}),
        ("if c < 3 then a[c] else 0", {}),
        ("if c >= 3 then 0 else a[c]", {}),
        ("if c < 4 then a[c] else 0", {"out-of-bounds c": 4}),
        ("if c < 3 and a[c] > 0 then 1 else 0", {}),
        ("if c > 2 or a[c] > 0 then 1 else 0", {}),
        ("if c < 3 => a[c] > 0 then 1 else 0", {}),
        ("a[c - c] -> a[pre c]", {"out-of-bounds pre c": 5}),
        ("0 -> if c < 3 then pre a[c] else 0", {"out-of-bounds c": 4}),
        ("if c < 3 then 0 -> pre a[c] else 0", {"out-of-bounds c": 4}),
        ("a[pre c]", {"out-of-bounds pre c": 1}),
        ("0 -> a[pre (if c > 2 then 2 else c)]", {}),
        ("condact(c < 3, get(a, 0), a[c])", {}),
        ("condact(c < 3, get(a, c), 0)", {}),
        ("condact(c < 9, get(a, c), 0)", {"out-of-bounds i": 4}),
        ("if c < 3 then get(a, c) else 0", {"out-of-bounds i": 4}),
    ],
)
def test_indices_out_of_bounds_are_shown_by_a_shortest_execution(
    value: str, expected: dict[str, int]
) -> None:
    declared, body = COUNTER
    text = GET + main(declared, f"{body} y = {value}; p = true or y > 0;")

    assert expected == lengths(text)


def test_an_index_in_an_assertion_is_looked_at_under_the_assertion() -> None:
    declared, body = COUNTER
    stated = "assert a[c] >= x; assert c < 3 or x > 9; y = 0; p = true;"

    assert {"out-of-bounds c": 4} == lengths(main(declared, f"{body} {stated}"))
    assert {} == lengths(main(declared, f"{body} {stated} assert c < 3;"))


def test_an_index_leaves_its_bounds_in_one_of_several_targets() -> None:
    text = main("a: int[2]; y, z: int;", "a = [x, x]; y, z = (a[x], a[1]); p = y = z;")

    assert {"out-of-bounds x": 1} == lengths(text)


def test_the_message_tells_index_inputs_and_effect() -> None:
    declared, body = COUNTER
    found = accepted_in("lustre", main(declared, f"{body} y = a[x]; p = true; assert g and x = 7;"))
    (fault,) = traps(found, report(found)).values()

    assert (
        "an index is outside its array of size 3: at step 0 it is 7 with x = 7, g = true,"
        " and the last element is read"
    ) == fault.message


HALF = "node half(n, d: int) returns (q: int); let q = n div d; tel;\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x div c", {"zero-divisor c": 1}),
        ("x mod (c - 2)", {"zero-divisor c - 2": 3}),
        ("x div (c + 1)", {}),
        ("x div 3 + x mod 2", {}),
        ("x mod -2", {}),
        ("x div ten", {}),
        ("c div d", {}),
        ("c div e", {"zero-divisor e": 1}),
        ("if c <> 0 then x div c else 0", {}),
        ("if c = 0 then x div c else 0", {"zero-divisor c": 1}),
        ("if c > 0 and x div c > 2 then 1 else 0", {}),
        ("if c > 0 or x div c > 2 then 1 else 0", {"zero-divisor c": 1}),
        ("if c > 0 => x mod c > 2 then 1 else 0", {}),
        ("1 -> x div c", {"zero-divisor c": 2}),
        ("x div x", {"zero-divisor x": 1}),
        ("if 1.0 / r > 2.0 then 1 else 0", {"zero-divisor r": 1}),
        ("if 1.0 / (r * r + 1.0) > 2.0 then 1 else 0", {}),
        ("half(x, c)", {"zero-divisor d": 1}),
        ("half(x, c + 1)", {}),
    ],
)
def test_divisors_that_may_be_zero_are_shown_by_a_shortest_execution(
    value: str, expected: dict[str, int]
) -> None:
    declared = "c, y: int; d: subrange [1, 9] of int; e: subrange [0, 9] of int;"
    body = "c = 0 -> if g then pre c + 1 else pre c; d = 1 -> 1; e = 0 -> 3;"
    text = HALF + main(
        declared, f"{body} y = {value}; p = true or y > 0;", "x: int; g: bool; r: real"
    )

    assert expected == lengths(f"const ten = 2 * 5;\n{text}")


def test_the_message_tells_when_a_divisor_is_zero() -> None:
    found = accepted_in("lustre", main("y: int;", "y = x div x; p = true; assert g or x > 0;"))
    (fault,) = traps(found, report(found)).values()

    assert (
        "a divisor is zero at step 0 with x = 0, g = true, and the result is arbitrary"
    ) == fault.message


def test_an_execution_shows_what_the_operand_depends_on_and_nothing_else() -> None:
    body = "c = 0 -> pre c + 1; y = x div (c - 1); a = [x, c]; p = g or a[c] > y;"
    found = accepted_in("lustre", main("a: int[2]; c, y: int;", body, "x: int; g: bool"))
    by_fault = {one.fault: one for one in traps(found, report(found)).values()}

    divisor, index = by_fault[ModelFault.ZERO_DIVISOR], by_fault[ModelFault.OUT_OF_BOUNDS]
    assert divisor.message == "a divisor is zero at step 1, and the result is arbitrary"
    assert [{"c": 0}, {"c": 1}] == list(divisor.trace.steps)
    assert index.message.endswith("at step 2 it is 2 with g = false, and the last element is read")
    assert {"c", "g"} == {name for step in index.trace.steps for name in step}


def test_traps_are_found_again_where_a_text_moved_and_gone_where_it_changed() -> None:
    declared, body = COUNTER
    text = main(declared, f"{body} y = a[c]; p = true;")
    memory = Memory()
    report(accepted_in("lustre", text), memory)
    for edited, expected in (
        (f"\n\n{text}", ["out-of-bounds c"]),
        (text.replace("y = a[c]", "y = if c < 3 then a[c] else 1"), []),
        (text.replace("pre c + 1", "pre c + 2"), ["out-of-bounds c"]),
    ):
        found = accepted_in("lustre", edited)
        shown = traps(found, report(found, memory, mutate=True))
        assert expected == list(shown)
        assert {3 for _ in expected if "+ 2" in edited} <= {
            fault.trace.length for fault in shown.values() if fault.trace is not None
        }


INDICES = ("c", "c - 1", "x", "pre c", "if g then c else 0", "0 -> pre c", "c mod 3", "k", "k - c")
CONDITIONS = ("c < 3", "g", "c < 2 -> x < 3", "k <= 1", "x >= 0 and x < 3", "pre c < 1", "false")


@st.composite
def accesses(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a condition and an index."""
    condition = draw(st.sampled_from(CONDITIONS))
    index = draw(st.sampled_from(INDICES))
    return condition, index


@given(accesses(), st.sampled_from(["c <= 3", "true", "k >= 0", "not g -> g"]))
@profile(60)
def test_traps_are_what_a_property_of_the_index_says(drawn: tuple[str, str], assumed: str) -> None:
    condition, index = drawn
    declared, body = "a: int[3]; c, k, y: int;", COUNTER[1] + " k = if c = 2 then 2 else c;"
    access = f"y = if {condition} then a[{index}] else 0;"
    inside = f"p = ({condition}) => (({index}) >= 0 and ({index}) < 3);"
    asked = accepted_in("lustre", main(declared, f"{body} {access} p = true; assert {assumed};"))
    stated = accepted_in("lustre", main(declared, f"{body} y = 0; {inside} assert {assumed};"))
    (expected,) = report(stated).properties
    found = [f for f in traps(asked, report(asked)).values() if f.fault is OUT]

    if expected.verdict is PropertyVerdict.PROVED:
        assert [] == found
    else:
        (fault,) = found
        assert fault.trace is not None
        assert expected.k == fault.trace.length


@given(accesses(), st.sampled_from(["c <= 3", "true", "k >= 0", "not g -> g"]))
@profile(60)
def test_zero_divisors_are_what_a_property_of_the_divisor_says(
    drawn: tuple[str, str], assumed: str
) -> None:
    condition, divisor = drawn
    declared, body = "a: int[3]; c, k, y: int;", COUNTER[1] + " k = if c = 2 then 2 else c;"
    division = f"y = if {condition} then x div ({divisor}) else 0;"
    other = f"p = ({condition}) => (({divisor}) <> 0);"
    asked = accepted_in("lustre", main(declared, f"{body} {division} p = true; assert {assumed};"))
    stated = accepted_in("lustre", main(declared, f"{body} y = 0; {other} assert {assumed};"))
    (expected,) = report(stated).properties
    found = [f for f in traps(asked, report(asked)).values() if f.fault is ZERO]

    if expected.verdict is PropertyVerdict.PROVED:
        assert [] == found
    else:
        assert all(f.trace is not None and expected.k == f.trace.length for f in found[:1])
        assert found


# --- first values ----------------------------------------------------------------------------


F = "node f(x: int) returns (z: int); let z = pre x; tel;\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("pre x > 3", {"arbitrary-first-value pre x": 1}),
        ("true -> pre (pre x) > 3", {"arbitrary-first-value pre x": 2}),
        ("true -> pre x > 3", {}),
        ("pre x > 3 or pre x <= 3", {}),
        ("pre x > 3 and x <> x", {}),
        ("f(x) > 3", {"arbitrary-first-value pre x": 1}),
        ("true -> f(pre x) > 3", {"arbitrary-first-value pre x": 2}),
        ("condact(g, f(x), 9) > 3", {"arbitrary-first-value pre x": 1}),
        ("pre (x + (0 -> pre x)) > 3", {"arbitrary-first-value pre (x + (0 -> pre x))": 1}),
        ("(pre a)[0] > 3 and x > 0", {"arbitrary-first-value pre a": 1}),
        (
            "pre f(x) > 3",
            {"arbitrary-first-value pre f(x)": 1, "arbitrary-first-value pre x": 2},
        ),
        ("pre 3 > 3", {}),
        ("x > 3 and pre g", {"arbitrary-first-value pre g": 1}),
    ],
)
def test_first_values_that_decide_are_shown_by_a_shortest_execution(
    value: str, expected: dict[str, int]
) -> None:
    text = F + main("a: int[2];", f"a = [x, x]; p = {value};")

    assert expected == lengths(text)


def test_the_message_tells_values_before_the_first_step_and_properties() -> None:
    found = accepted_in(
        "lustre",
        "node main(x: bool) returns (p, q, r, s: bool);\nlet\n"
        "p = pre x; q = true -> pre p; r = true -> x; s = p or not p;\n"
        "--%PROPERTY p; --%PROPERTY q; --%PROPERTY r; --%PROPERTY s;\ntel;",
    )
    (fault,) = traps(found, report(found)).values()

    assert (
        "`p` depends on the arbitrary first value of this `pre`: after the same inputs it fails"
        " at step 0 if `x` was false before, not true; that value also affects `q`"
    ) == fault.message


def test_only_a_pre_that_a_property_rests_on_decides_about_it() -> None:
    text = main("y: bool;", "y = pre g; p = pre (g or false) or x > 0;")

    assert {"arbitrary-first-value pre (g or false)": 1} == lengths(text)


def test_assertions_may_determine_a_first_value() -> None:
    text = main("y: bool;", "y = pre g; assert true or y; assert y -> true; p = pre g;")

    assert {} == lengths(text)


@pytest.mark.parametrize(
    ("equations", "asked"),
    [
        ("y = pre g; p = true -> pre g and y;", 0),
        ("y = pre g; p = (y or true) -> y;", 1),
        ("y = pre g; p = true -> pre y;", 1),
    ],
)
def test_only_first_values_that_may_reach_a_property_are_asked_about(
    equations: str, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Solver] = []

    def counted() -> Solver:
        made.append(new_solver())
        return made[-1]

    monkeypatch.setattr(first_values, "new_solver", counted)
    lengths(main("y: bool;", equations))

    assert asked == len(made)


EXPRESSIONS = st.recursive(
    st.sampled_from(["x", "g", "pre x", "pre y", "pre g", "true"]),
    lambda part: (
        st.builds("({} {} {})".format, part, st.sampled_from(["and", "or", "->"]), part)
        | st.builds("(not {})".format, part)
        | st.builds("(pre {})".format, part)
    ),
    max_leaves=4,
)
LONGEST = 3


@given(EXPRESSIONS, EXPRESSIONS)
@profile(60)
def test_first_values_decide_where_two_executions_show_it(one: str, other: str) -> None:
    text = main("y: bool;", f"y = {one}; p = {other};", "x, g: bool")
    found = accepted_in("lustre", text)
    told = report(found)
    (verdict,) = told.properties
    decided = [f for f in traps(found, told).values() if f.fault is FIRST]
    if verdict.verdict is PropertyVerdict.PROVED:
        assert [] == decided
        return
    evaluator = Evaluator(found.program)
    memories = [
        name
        for name, declared in lower(found.program).variables.items()
        if declared.kind is SystemVariableKind.STATE and not name.endswith("%first")
    ]
    differing = []
    for length in range(1, LONGEST + 1):
        for inputs in product(product((False, True), repeat=2), repeat=length):
            steps = tuple({"x": x, "g": g} for x, g in inputs)
            ends = {
                evaluator.run(Choices(steps, dict(zip(memories, row, strict=True)))).violated.get(
                    "p", length
                )
                for row in product((False, True), repeat=len(memories))
            }
            if len(ends) > 1 and length - 1 in ends:
                differing.append(length)
    shown = [fault.trace.length for fault in decided if fault.trace is not None]

    assert all(length >= min(differing, default=99) for length in shown)
    if differing:  # then one value after the other leads to two that differ in one only
        assert min(differing) == min(shown)
