"""What is compared of survivors is every output but the properties that hold on both sides."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.claims.observation import Scope, observation
from mutproof.model import sorts, terms
from mutproof.model.language import Elaborated
from mutproof.model.lower import Lowering
from mutproof.workspace.analysis import Memory
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.explicit_product import apart
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import bodies, options, program_of, report
from support.profiles import profile

COMPARED = replace(options("default"), equivalence=Scope.OUTPUTS.value)

RECORD = """\
type R = struct { x: int; ok: bool };
node main(n: int) returns (r: R; s: int);
let
  s = n;
  r = R {x = n + 1; ok = n >= 0 or n < 0};
  --%PROPERTY r.ok;
tel
"""
ARRAY = """\
node main(a, b: bool) returns (r: bool[2]; s: bool);
let
  s = a;
  r = [a or not a, a and b];
  --%PROPERTY r[0];
tel
"""
NESTED = """\
type R = struct { x: int; ok: bool[2] };
node main(n: int) returns (r: R[2]; s: int);
let
  s = n;
  r = [R {x = 1; ok = [n = n, n > 3]}, R {x = 2; ok = [n = n, true]}];
  --%PROPERTY r[0].ok[0];
  --%PROPERTY r[1].ok[0];
tel
"""
TWO = """\
node main(a, b: bool) returns (p, q: bool; s: bool);
var v, w: bool;
let
  s = a or (w and a and v);
  v = a or not a;
  p = v;
  w = WHAT;
  q = w;
  --%PROPERTY p;
  --%PROPERTY q;
tel
"""
FALSIFIED = TWO.replace("WHAT", "a and b")
PROVED = TWO.replace("WHAT", "b or not b or a")


def compared(
    found: Elaborated, chosen: Options, memory: Memory | None = None
) -> dict[str, Equivalence]:
    """Return what is found of each survivor, by its change."""
    named = {mutant.id: mutant for mutant in enumerate_mutants(found, chosen)}
    return {
        f"{named[m.mutant].element.name}: {named[m.mutant].summary}": m.equivalence
        for m in report(found, chosen, memory).mutants
        if m.equivalence is not None
    }


def gaps(text: str, chosen: Options = COMPARED, memory: Memory | None = None) -> list[str]:
    """Return the changes of an output or of what it reads that show."""
    found = compared(accepted(text), chosen, memory)
    assert {known.observation for known in found.values()} == {Scope.OUTPUTS.value}
    gap = EquivalenceStatus.GAP
    return [name for name, known in found.items() if known.status is gap and name[0] in "rw"]


@pytest.mark.parametrize(
    ("text", "shows"),
    [
        (RECORD, ["r: `+` → `-`", "r: `1` → `-1`"]),
        (ARRAY, ["r: `and` → `or`", "r: `and` → its left operand", "r: `and` → its right operand"]),
    ],
)
def test_the_other_parts_of_what_holds_a_property_are_compared(text: str, shows: list[str]) -> None:
    assert shows == gaps(text)


def test_each_part_of_nested_outputs_is_compared() -> None:
    shows = ["`1` → `-1`", "`>` → `>=`", "`>` → `<`", "`3` → `1`", "`2` → `1`", "`true` → `false`"]

    assert [f"r: {change}" for change in shows] == gaps(NESTED)


def test_an_output_whose_property_fails_is_compared() -> None:
    found = report(accepted(FALSIFIED), COMPARED)
    verdicts = {p.name: p.verdict for p in found.properties}

    assert {"p": PropertyVerdict.PROVED, "q": PropertyVerdict.FALSIFIED} == verdicts
    assert "w: `and` → `or`" in gaps(FALSIFIED)


def test_an_output_whose_property_takes_no_part_is_compared() -> None:
    alone = replace(COMPARED, properties=("p",))

    assert [] == gaps(PROVED)
    assert "w: `not` removed" in gaps(PROVED, alone)


def test_where_all_outputs_are_properties_that_hold_all_variables_are_compared() -> None:
    text = (
        "node top(a: bool) returns (p: bool);\n"
        "var x: bool; let x = a and true; p = x or not x; --%PROPERTY p;\ntel;"
    )
    lowering = Lowering(program_of(accepted(text)))
    holds = observation(lowering, Scope.OUTPUTS, (), (terms.var("p", sorts.BOOL),))
    fails = observation(lowering, Scope.OUTPUTS)

    assert (Scope.ALL, ["p", "x"]) == (holds.scope, [found.name for found in holds.variables])
    assert (Scope.OUTPUTS, ["p"]) == (fails.scope, [found.name for found in fails.variables])


def test_what_is_kept_depends_on_what_was_compared() -> None:
    """Evidence of a run with all properties serves none with fewer, and the other way round."""
    alone, memory = replace(COMPARED, properties=("p",)), Memory()
    for chosen in (COMPARED, alone, COMPARED, alone):
        assert gaps(PROVED, chosen) == gaps(PROVED, chosen, memory)


def stating(model: Model) -> Model:
    """Return the model with the properties of its main node among the outputs."""
    main = model.nodes[-1]
    stated = [(name, kind) for name, kind in main.variables if name in main.properties]
    rest = [(name, kind) for name, kind in main.variables if name not in main.properties]
    shown = replace(main, outputs=(*main.outputs, *stated), variables=tuple(rest))
    return Model((*model.nodes[:-1], shown))


@profile(15)
@given(models(finite=True, size=3), sources())
def test_equivalent_survivors_never_differ_in_an_output(
    model: Model, source: random.Random
) -> None:
    elaborated = accepted(stating(model).text)
    program = program_of(elaborated)
    names = [stated.name for stated in program.component(program.main).properties]
    chosen = replace(COMPARED, properties=tuple(source.sample(names, 1)))
    found = {m.mutant: m.equivalence for m in report(elaborated, chosen).mutants}
    for mutant in enumerate_mutants(elaborated, chosen):
        known = found.get(mutant.id)
        if known is not None and known.status is EquivalenceStatus.EQUIVALENT:
            everything = known.observation == Scope.ALL.value
            seen = apart(program, bodies(program, mutant), everything=everything)
            assert seen.step is None, (mutant.summary, known)
