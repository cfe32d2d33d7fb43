"""Loops of a step are found through calls, and for a changed equation without starting over."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.mutation.ranges import Ranges
from mutproof.analyses.mutation.rejection import CIRCULAR, REASONS, Rejection
from mutproof.base.text import SourceText
from mutproof.languages.lustre import declarations as globals_
from mutproof.languages.lustre import nodes, parse
from mutproof.languages.lustre.syntax import NodeTree
from mutproof.languages.lustre.traits import TRAITS
from mutproof.model import causality, loops, sorts, terms
from mutproof.model.narrow import Narrowing
from mutproof.model.operators import Op
from mutproof.model.program import Program
from mutproof.model.terms import Site
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, models
from support.lustre_mutants import options
from support.profiles import profile
from support.reading import accepted_in

PROFILE = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
ATOMS = ("u", "v", "x", "y", "w", "1")


def program_of(text: str) -> Program:
    """Return the program of a text, loops or not."""
    tree = parse.parse(SourceText("test", text)).tree
    found = globals_.globals_of(tree, lambda _: None)
    meanings = [
        nodes.elaborate(part, found) for part in tree.declarations if isinstance(part, NodeTree)
    ]
    components = tuple(m.component for m in meanings if m.component is not None)
    assert len(components) == len(meanings), [m.diagnostics for m in meanings]
    return Program(TRAITS, components, meanings[-1].name)


@st.composite
def bodies(draw: st.DrawFn, callees: tuple[str, ...]) -> str:
    one, other = draw(st.sampled_from(ATOMS)), draw(st.sampled_from(ATOMS))
    forms = [f"{one} + {other}", f"0 -> pre {one}", one, f"pre {one} + {other}"]
    forms += [f"{callee}({one}, {other}).p" for callee in callees]
    forms += [f"condact(true, {callee}({one}, {other}), k).q" for callee in callees]
    return draw(st.sampled_from(forms))


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str, str]:
    """Draw a program, the name of an equation, and another body for it."""
    lines = ["type pair = struct {p: int; q: int};", "const k = pair {p = 0; q = 0};"]
    names: tuple[str, ...] = ()
    for name in ("a", "b", "c"):
        equations = "".join(f"  {t} = {draw(bodies(names))};\n" for t in ("x", "y", "w"))
        lines.append(
            f"node {name}(u, v: int) returns (r: pair);\nvar x, y, w: int;\nlet\n{equations}"
            f"  r = pair {{p = x; q = y}};\ntel;"
        )
        names = (*names, name)
    component = draw(st.sampled_from(names))
    target = draw(st.sampled_from(("x", "y", "w")))
    text = "\n".join(lines)
    head = f"  {target} = "
    start = text.index(head, text.index(f"node {component}(")) + len(head)
    end = text.index(";", start)
    callees = names[: names.index(component)]
    return text, f"{component}.{target}", text[:start] + draw(bodies(callees)) + text[end:]


@PROFILE
@given(texts())
def test_a_changed_equation_is_judged_as_a_changed_program(drawn: tuple[str, str, str]) -> None:
    text, name, changed_text = drawn
    program, changed = program_of(text), program_of(changed_text)
    element = next(e for e in program.elements() if str(e.id) == name)
    body = next(e.body for e in changed.elements() if str(e.id) == name)

    causal = loops.is_ordered(changed)
    assert causal or causality.check(changed) is not None
    assert causal == causality.is_causal_with(program, element, body)
    assert causal or causality.Reads(program, element).grow(body)


@profile(60)
@given(models())
def test_what_reads_nothing_new_stays_causal_and_in_range(model: Model) -> None:
    found = accepted(model.text)
    assert found.program is not None
    program, rejection = found.program, Rejection(found.program)
    for mutant in enumerate_mutants(found, options("all")):
        ((element, body),) = mutated_bodies(program, mutant).items()
        if body is None:
            continue
        cyclic = not loops.is_ordered(program.with_bodies({element: body}))
        hazard = Ranges(program, Narrowing(program), element).hazard(body)
        expected = CIRCULAR if cyclic else "" if hazard is None else REASONS[hazard]
        assert expected == rejection.reason({element: body}), mutant


def test_a_loop_is_told_by_its_variables() -> None:
    text = "node n() returns (x, y: int); let x = y; y = x; tel"

    assert causality.check(program_of(text)) == causality.Cycle("n", ("x", "y", "x"))


@pytest.mark.parametrize("condition", ["false -> r.f", "not r.f", "r.n = 1 and g"])
def test_a_condition_is_needed_where_both_branches_have_the_same_part(condition: str) -> None:
    def program(condition: str) -> Program:
        one, two = "rec{f = true; n = 1}", "rec{f = true; n = 2}"
        equation = f"r = if {condition} then {one} else {two};"
        head = "type rec = struct { f: bool; n: int };\nnode n(g: bool) returns (r: rec);\n"
        return program_of(f"{head}let {equation} tel")

    (element,), (changed,) = program("g").elements(), program(condition).elements()
    assert not causality.is_causal_with(program("g"), element, changed.body)
    assert causality.is_causal_with(program("g"), element, element.body)


def test_an_argument_that_is_only_remembered_makes_no_loop() -> None:
    text = (
        "node d(u: int) returns (v: int); let v = 0 -> pre u; tel "
        "node n() returns (x: int); let x = d(x); tel"
    )
    found = accepted_in("lustre", text)

    assert causality.summaries(found.program)["d"] == (frozenset(),)


def test_a_body_that_calls_its_own_component_is_not_causal() -> None:
    program = program_of(
        "node d(u: int) returns (v: int); let v = 0 -> pre u; tel "
        "node n(u: int) returns (x: int); let x = d(u); tel"
    )
    element = program.component("d").elements[0]
    own = terms.make(Op.CALL, sorts.INT, (terms.int_(1),), Site("d", 0, ("v",)))
    caller = terms.make(Op.CALL, sorts.INT, (terms.int_(1),), Site("n", 0, ("x",)))

    assert not causality.is_causal_with(program, element, own)
    assert not causality.is_causal_with(program, element, terms.make(Op.PRE, sorts.INT, (caller,)))
