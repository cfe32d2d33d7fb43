"""The transition system of a program has the executions that the oracle says it has."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import given

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.model import walk
from mutproof.model.additions import MOST_LISTED
from mutproof.model.evaluate import evaluate
from mutproof.model.flat_names import is_common
from mutproof.model.instances import calls
from mutproof.model.lower import Lowering, lower
from mutproof.model.lower_element import ElementLowerer, Lowered, LoweringContext
from mutproof.model.program import Element, Program
from mutproof.model.simulate import Simulator
from mutproof.model.system import ConstraintKind
from mutproof.model.terms import Term
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, choices_of, models, moved_text, sources
from support.lustre_mutants import bodies, mutated_system, options, program_of
from support.profiles import profile


@profile(150)
@given(models(), sources())
def test_the_system_runs_as_the_program_does(model: Model, source: random.Random) -> None:
    program = program_of(accepted(model.text))
    system = lower(program)
    simulator = Simulator(system)
    choices = choices_of(source, system)
    execution = evaluate(program, choices)
    rows = simulator.run(choices)

    for shown, row in zip(execution.trace.steps, rows, strict=True):
        named = simulator.named(row)
        assert shown == {name: named[name] for name in shown}
    assert execution.assumed == all(simulator.assumed(row, choices.functions) for row in rows)
    violated: dict[str, int] = {}
    for step, row in enumerate(rows):
        for name, holds in simulator.properties.items():
            if not holds(row, row, choices.functions):
                violated.setdefault(name, step)
    assert execution.violated == violated


@profile(40)
@given(models(), sources())
def test_text_that_only_moves_gives_the_same_system(model: Model, source: random.Random) -> None:
    before = lower(program_of(accepted(model.text)))
    after = lower(program_of(accepted(moved_text(source, model.text))))

    assert before.digest == after.digest


@profile(40)
@given(models(), sources())
def test_lowering_one_element_is_lowering_the_changed_program(
    model: Model, source: random.Random
) -> None:
    """A mutant is lowered alone; the whole mutated program gives the same constraints."""
    elaborated = accepted(model.text)
    program = program_of(elaborated)
    mutants = enumerate_mutants(elaborated, options("all"))
    check_alone(program, source.sample(mutants, min(4, len(mutants))))


def check_alone(program: Program, mutants: Sequence[Mutant]) -> None:
    """Compare what mutants state, lowered alone, with the changed programs.

    What equal calls have in common stays, also where it is gone there; nothing reads it.
    """
    lowering = Lowering(program)
    for mutant in mutants:
        element = program.by_id[mutant.element][0]
        if any(calls(element.body)):
            continue  # the instances of calls that are gone stay, and nothing reads them
        whole = lower(program.with_bodies(bodies(program, mutant)))
        alone = mutated_system(lowering, mutant)

        stated = {
            c.digest
            for c in alone.constraints
            if c.owner is not None
            and not any(is_common(n) for n in walk.variables(c.term) - whole.variables.keys())
        }
        assert {c.digest for c in whole.constraints if c.owner is not None} == stated
        assert {c.digest for c in whole.constraints} <= {c.digest for c in alone.constraints}


EQUAL_CALLS = """\
node counter(by: int) returns (n: int; last: int);
let
  n = by -> pre (pre n + by);
  last = 0 -> pre (0 -> pre n);
tel;
node top(by: int) returns (x: int; same: bool);
var y: int;
let
  x, y = counter(by);
  same = true -> (x, y) = counter(by);
  --%PROPERTY same;
tel;
"""


def test_mutants_of_a_node_that_is_called_twice_alike_are_lowered_alone() -> None:
    elaborated = accepted(EQUAL_CALLS)
    check_alone(program_of(elaborated), enumerate_mutants(elaborated, options("all")))


@profile(40)
@given(models())
def test_everything_is_defined_once_and_read_where_it_is_declared(model: Model) -> None:
    system = lower(program_of(accepted(model.text)))
    defined = [(c.kind is ConstraintKind.INIT, c.defines) for c in system.constraints if c.defines]
    assert len(defined) == len(set(defined))
    Simulator(system)


CLOCKED = """\
type pair = struct {low: int; high: int};
node delayed(up: bool; by: int) returns (n: int);
let
  n = 0 -> if up then pre n else pre by;
tel;
node counter(up: bool; by: int) returns (n, last: int);
let
  n = 0 -> if up then pre n + by else pre (n - by) div 2;
  last = pre (0 -> pre n);
tel;
node top(a, b: bool; p: int) returns (x, y, z: int; seen: bool);
var held: pair; unused: bool;
let
  x, y = condact(a and pre b, counter(b -> pre a, if a then p else -p), 0, p);
  z = (if a then x else y) + pre (delayed(not b, pre x) -> p);
  held = if pre a then pre held else pre (held {high := pre p});
  unused = pre (pre a = pre b) or (b and pre (a -> pre a));
  seen = true -> pre seen or z >= held.low;
  --%PROPERTY seen;
tel;
"""


def long_row(count: int) -> str:
    """Return a node with one equation that has more memories than are listed anywhere."""
    names = [f"a{number}" for number in range(count)]
    body = " or ".join(f"(pre {name} and {name})" for name in names)
    return (
        f"node top({', '.join(names)}: bool) returns (x: bool);\n"
        f"let\n  x = true -> {body};\n  --%PROPERTY x;\ntel;\n"
    )


def lowered_anew(lowering: Lowering, element: Element, body: Term | None) -> Lowered:
    """Return what an element contributes, lowered by what has lowered nothing before."""
    if body is None:
        return Lowered((), ())
    context = LoweringContext(lowering.program)
    found = [
        ElementLowerer(context, instance, element).run(body)
        for instance in lowering.instances_of(element.id.component)
    ]
    variables = {variable.name: variable for one in found for variable in one.variables}
    constraints = [constraint for one in found for constraint in one.constraints]
    return Lowered(tuple(constraints), tuple(variables.values()))


def check_incremental(text: str, level: str = "all") -> None:
    elaborated = accepted(text)
    program = program_of(elaborated)
    lowering = Lowering(program)
    for mutant in enumerate_mutants(elaborated, options(level)):
        for element, body in bodies(program, mutant).items():
            expected = lowered_anew(lowering, element, body)
            assert expected == lowering.element(element, body), mutant


def test_mutants_share_what_was_lowered_of_the_model() -> None:
    check_incremental(CLOCKED)


def test_mutants_of_a_long_equation_share_what_was_lowered_of_it() -> None:
    check_incremental(long_row(MOST_LISTED + 6), "paper")


@profile(40)
@given(models())
def test_mutants_are_lowered_alone_as_after_others(model: Model) -> None:
    check_incremental(model.text)
