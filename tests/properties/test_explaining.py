"""Which variables of an execution explain what it shows."""

from __future__ import annotations

from reading import accepted_in

from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.model.instances import unfold
from mutproof.model.program import Program
from mutproof.model.trace import Choices, Trace
from mutproof.reporters import traces
from mutproof.workspace import explaining

NODES = """
node gate (x: int) returns (y: int);
var n: int;
let
  n = x + 1;
  assert n < 5;
  y = n;
tel;
node main (a: int) returns (n: int; ok: bool);
let
  n = a * 2;
  ok = gate(a) < 9;
  --%PROPERTY ok;
tel;
"""
MODULE = """
MODULE main
VAR x : boolean; y : boolean;
DEFINE p := x;
INVARSPEC NAME p := y
INVARSPEC NAME q := p
"""


def read(language: str, text: str) -> Program:
    program = accepted_in(language, text).program
    assert program is not None
    return program


def of(*names: str) -> Trace:
    step = dict.fromkeys(names, 0)
    return Trace(Choices((step,)), (step,))


def found(name: str) -> PropertyFinding:
    return PropertyFinding(name, "main", name, PropertyVerdict.FALSIFIED)


def test_an_element_of_a_called_node_is_explained_by_its_own_variables() -> None:
    program = read("lustre", NODES)
    (stated,) = [e.id for e in program.component("gate").elements if not e.targets]
    prefix = unfold(program)[1].path
    trace = of("a", "n", "ok", f"{prefix}.n", f"{prefix}.x", f"{prefix}.y")
    assert ("a", f"{prefix}.n") == explaining.of_element(trace, program, stated)
    assert () == explaining.of_element(of("a", "n", "ok"), program, stated)


def test_a_property_is_not_explained_by_a_macro_that_has_its_name_by_chance() -> None:
    program = read("nusmv", MODULE)
    trace = of("x", "y", "p")
    assert ("y",) == explaining.of_property(trace, program, found("p"))
    assert ("p", "x") == explaining.of_property(trace, program, found("q"))
    assert ("y",) == explaining.read_by(trace, program, found("p"))


CHOSEN = """
MODULE main
VAR x : boolean;
IVAR i : boolean;
DEFINE both := x & i; d := both | x;
ASSIGN next(x) := i;
INVARSPEC NAME state := x
INVARSPEC NAME choice := !d
"""


def test_inputs_that_lead_nowhere_are_not_shown() -> None:
    program = read("nusmv", CHOSEN)
    step = dict.fromkeys(("x", "i", "both", "d"), True)
    trace = Trace(Choices((step, step)), (step, step))

    ended = explaining.ending(trace, program, found("state"))
    assert (step, {"x": True}) == ended.steps
    assert trace == explaining.ending(trace, program, found("choice"))
    lasso = Trace(Choices((step, step), loop=0), (step, step), loop=0)
    assert lasso == explaining.ending(lasso, program, found("state"))


def test_inputs_of_functions_of_their_inputs_are_shown_at_every_step() -> None:
    program = read("lustre", NODES)
    trace = of("a", "n", "ok")
    assert trace == explaining.ending(trace, program, found("ok"))


def test_a_value_that_is_not_there_is_not_marked_as_changed() -> None:
    row = ["TRUE", "FALSE", "-"]
    assert [False, True, False] == [traces.is_changed(row, step) for step in range(3)]
