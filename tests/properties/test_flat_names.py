"""No name that a user can type is one that lowering or solving adds."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.model import flat_names, sorts, terms
from mutproof.model.evaluate import evaluate
from mutproof.model.flat_names import NameClashError
from mutproof.model.lower import lower
from mutproof.model.simulate import Simulator
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
)
from support.lustre_models import Model, accepted, choices_of, models, odd_text, sources
from support.lustre_mutants import options, program_of, report
from support.profiles import profile
from support.reading import accepted_in

FIRST = """\
node main(~first: bool) returns (ok: bool);
let ok = true -> ~first; --%PROPERTY ok; tel
"""
MEMORY = """\
node main(x, x~pre: int) returns (ok: bool);
let ok = true -> x~pre = pre x; --%PROPERTY ok; tel
"""
RECORD = """\
type r = struct { y: int };
node sub(u: int) returns (y: int); let y = u + 1; tel
node main(sub~t: r; v: int) returns (t: int; ok: bool);
let t = sub(v); ok = sub~t.y = v + 1; --%PROPERTY ok; tel
"""
SECOND_CALL = """\
node n(u: int) returns (y: int); let y = u + 1; tel
node main(a, b, c: int) returns (x: int; x~1: int; ok: bool);
let x = n(a) + n(b); x~1 = n(c); ok = x~1 = b + 1; --%PROPERTY ok; tel
"""
NODES = """\
node a(u: int) returns (y: int); let y = u + 1; tel
node a~b(u: int) returns (y: int); let y = u + 2; tel
node main(p, q: int) returns (c: int; b~c: int; ok: bool);
let c = a~b(p); b~c = a(q); ok = c - p = b~c - q; --%PROPERTY ok; tel
"""
HELD = """\
node n(u: int) returns (o: int; o~held: int); let o = u; o~held = 7; tel
node main(c: bool; p: int) returns (t: int; s: int; ok: bool);
let t, s = condact(c, n(p), 0, 0); ok = t = 7 or t = 0; --%PROPERTY ok; tel
"""
CLOCK = """\
node n(u: int; ~clock: bool) returns (o: bool); let o = ~clock; tel
node main(c, d: bool; p: int) returns (t: bool; ok: bool);
let t = condact(c, n(p, d), false); ok = t or not c; --%PROPERTY ok; tel
"""
FALSIFIED = {
    "a flag of the first step": FIRST,
    "a memory": MEMORY,
    "an instance": RECORD,
    "the instance of a second call": SECOND_CALL,
    "instances of two nodes": NODES,
    "a held output": HELD,
    "a clock": CLOCK,
}
"""Models that are false by a name of the user that looks like one of ours."""


@pytest.mark.parametrize("text", FALSIFIED.values(), ids=FALSIFIED)
def test_a_name_of_the_user_stands_for_nothing_else(text: str) -> None:
    found = report(accepted(text), options(mutate=False))

    assert [PropertyVerdict.FALSIFIED] == [p.verdict for p in found.properties]


def test_bits_of_a_number_are_no_bits_of_a_formula() -> None:
    """Properties of time that diagrams decide have bits of their own."""
    text = """\
MODULE main
VAR ltl0 : 0..3; ltl1 : 0..3; b : boolean;
ASSIGN init(ltl0) := 0; next(ltl0) := (ltl0 + 1) mod 4;
LTLSPEC G F ltl0 = 3
LTLSPEC G F b
LTLSPEC F (ltl0 = 2 & b)
"""
    found = report(accepted_in("nusmv", text), options())

    expected = [PropertyVerdict.PROVED, PropertyVerdict.FALSIFIED, PropertyVerdict.FALSIFIED]
    assert expected == [p.verdict for p in found.properties]


def test_a_symbol_is_no_number() -> None:
    text = """\
MODULE main
VAR x : {a, 1073741824, 1073741825, b, c};
INVARSPEC x != 1073741824 | x = 1073741824
INVARSPEC x = a -> x != 1073741824 & x != 1073741825
INVARSPEC !(x = 1073741824)
INVARSPEC x in {a, b, c}
"""
    found = report(accepted_in("nusmv", text), options(mutate=False))

    expected = [PropertyVerdict.PROVED] * 2 + [PropertyVerdict.FALSIFIED] * 2
    assert expected == [p.verdict for p in found.properties]


@profile(100)
@given(models(), sources())
def test_odd_names_change_nothing(model: Model, source: random.Random) -> None:
    """Variables and nodes called like what lowering adds make no other system."""
    plain = lower(program_of(accepted(model.text)))
    program = program_of(accepted(odd_text(source, model)))
    odd = lower(program)

    assert len(plain.variables) == len(odd.variables)
    assert len(plain.constraints) == len(odd.constraints)
    choices = choices_of(source, odd)
    execution = evaluate(program, choices)
    simulator = Simulator(odd)
    for shown, row in zip(execution.trace.steps, simulator.run(choices), strict=True):
        named = simulator.named(row)
        assert shown == {name: named[name] for name in shown}


@profile(12)
@given(models(size=3), sources())
def test_odd_names_change_no_verdict(model: Model, source: random.Random) -> None:
    plain = report(accepted(model.text), options("all"))
    odd = report(accepted(odd_text(source, model)), options("all"))

    assert [p.verdict for p in plain.properties] == [p.verdict for p in odd.properties]
    assert [m.status for m in plain.mutants] == [m.status for m in odd.mutants]


def test_a_system_with_two_variables_of_one_name_is_refused() -> None:
    one = SystemVariable("x", sorts.INT, SystemVariableKind.INPUT)
    other = SystemVariable("x", sorts.INT, SystemVariableKind.STATE, shown=False)

    with pytest.raises(NameClashError):
        flat_names.declared_once((one, one))
    with pytest.raises(NameClashError):
        flat_names.declare({"x": one}, (other,))
    flat_names.declare({"x": other}, (other,))


def test_a_system_with_two_definitions_of_one_variable_is_refused() -> None:
    x = terms.var("x", sorts.INT)
    one, two = (
        Constraint(ConstraintKind.INVAR, terms.eq(x, terms.int_(n)), defines="x") for n in (1, 2)
    )
    first = Constraint(ConstraintKind.INIT, terms.eq(x, terms.int_(1)), defines="x")

    flat_names.check_defined_once((one, first))
    with pytest.raises(NameClashError):
        flat_names.check_defined_once((one, two))
