"""Mutants of NuSMV models as changes of constraints: the same system as the mutant lowered anew."""

from __future__ import annotations

import pytest

from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.mutants import mutated_body
from mutproof.model.interpretation import interpretation
from mutproof.model.obligations import Obligations
from mutproof.model.program import ElementKind, Program, Property
from mutproof.model.relational import Relational
from mutproof.model.system import SystemProperty
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.reading import accepted_in

SHARED = """
MODULE worker(turn, mine)
ASSIGN
  next(turn) := case turn = mine & free : mine mod 3; TRUE : turn; esac;
DEFINE free := turn > 0;
MODULE main
VAR
  turn : 0..2;
  busy : boolean;
  first : process worker(turn, 1);
  second : process worker(turn, 2);
ASSIGN
  init(turn) := 1;
  next(busy) := turn = 2;
INVARSPEC turn <= 2;
"""

COPIED = """
MODULE main
VAR
  x : 0..3;
  y : 0..3;
  on : boolean;
DEFINE
  near := {y, 1};
  soon := next(x) > 1 & on;
  plain := x + 1;
ASSIGN
  init(x) := near union 2;
  next(y) := soon ? near : y;
TRANS soon -> next(on);
INVARSPEC x <= 3;
"""

STATED = COPIED.replace("INVARSPEC x <= 3", "INVARSPEC soon -> on")

SEVERAL = f"""{STATED.replace("soon :=", "later := soon | next(y) = 0; soon :=")}
INVARSPEC later -> on;
INVARSPEC next(x) <= 3;
INVARSPEC plain <= 4;
LTLSPEC G (y = 1 -> F on);
SPEC AG (x = 0 -> AX x <= 3);
FAIRNESS on;
"""

MIXED = """
MODULE main
VAR
  x : {idle, 0, 1};
  y : {idle, 0, 1};
DEFINE chosen := case x = idle : y; x = 0 : 1; TRUE : idle; esac;
ASSIGN
  init(x) := idle;
  next(x) := chosen;
  next(y) := case y = 0 : {1, idle}; TRUE : 0; esac;
INVARSPEC x = idle | x = 0 | x = 1;
"""

LISTED = """
MODULE main
VAR
  x : {none, 0, 1, 2};
  y : 0..2;
  on : boolean;
DEFINE
  level := on ? y : 1;
  either := case y > 1 : level; on : 0; TRUE : y; esac;
  many := y * 2000;
ASSIGN
  init(x) := none;
  next(on) := many < 1000;
  next(x) := case x = level : either; x = none : level; on : 2; TRUE : none; esac;
INVARSPEC x = either -> x != none;
"""

CELLS = """
MODULE main
VAR
  x : 0..2;
  y : {red, 0, 1};
  a : array 0..1 of 0..1;
DEFINE
  cells := [x, 1];
  same := cells;
  chosen := a;
ASSIGN
  init(x) := 0;
  next(x) := (x + 1) mod 2;
  next(y) := y in {red, same[1]} ? 1 : red;
INVARSPEC y in {red, cells[1], 0};
INVARSPEC y in {red, chosen[x mod 2], 0, 1};
"""


LAYERS = """
MODULE cell(before)
VAR
  on : boolean;
IVAR
  push : boolean;
DEFINE
  rises := !on & next(on);
  either := rises | before;
  pair := [rises, on];
TRANS next(on) -> on | push | before;
TRANS either -> push | pair[0];
MODULE main
VAR
  one : cell(FALSE);
  two : cell(one.either);
  level : 0..3;
DEFINE
  both := one.rises & two.rises;
  plain := one.on & two.on;
  later := plain | level > 1;
  chosen := case both : {0, 1}; TRUE : {level}; esac;
ASSIGN
  init(level) := 0;
TRANS next(level) = (both ? 0 : (level + 1) mod 4) | next(later);
TRANS next(level) in chosen union {1, 2};
CTLSPEC AG (plain -> EF !plain);
LTLSPEC G (later -> F !one.on);
"""

INPUTS = """
MODULE main
VAR
  x : 0..2;
  on : boolean;
IVAR
  push : boolean;
DEFINE
  pushed := push & on;
  low := on | x < 2;
  either := low | x = 2;
ASSIGN
  init(x) := 0;
TRANS next(x) = (push ? 0 : x);
INVARSPEC pushed -> x = 0;
INVARSPEC either;
"""

AHEAD = """
MODULE main
VAR
  p : boolean;
  q : boolean;
  x : boolean;
  y : boolean;
DEFINE
  soon := p & next(y);
ASSIGN
  x := p | q;
  y := q;
  next(p) := next(x) & q;
  next(q) := next(y) -> p;
TRANS soon -> next(p);
INVARSPEC x | !p;
"""


CASES = """
MODULE main
VAR
  x : {idle, 0, 1};
  y : 0..2;
  on : boolean;
ASSIGN
  init(x) := idle;
  next(x) := case on : 1; x = 0 : idle; y = 1 : 0; next(on) : y mod 2; TRUE : x; esac;
  next(y) := case x = 0 : y; y = 1 : {0, 2}; next(on) : 1; TRUE : y; esac;
INVARSPEC x = idle | y < 3;
"""


CHECKED = """
MODULE main
VAR
  x : 0..3;
  y : 0..3;
  on : boolean;
  a : array 0..2 of 0..3;
DEFINE
  place := on ? x mod 3 : 1;
  read := a[place];
  part := 6 / (y + 1);
  either := case on : read; x < 2 & !on : part; x >= 2 & !on : y; esac;
ASSIGN
  init(x) := 0;
  next(x) := (either + part) mod 4;
  next(y) := case x = read : 1; x != read : place; esac;
INVARSPEC read / (part + 1) < 9;
"""


@pytest.mark.parametrize(
    ("text", "local"),
    [
        (SHARED, 0.9),
        (COPIED, 0.9),
        (STATED, 0.3),
        (SEVERAL, 0.3),
        (MIXED, 0.9),
        (LISTED, 0.9),
        (CELLS, 0.5),
        (LAYERS, 0.9),
        (INPUTS, 0.3),
        (AHEAD, 0.3),
        (CASES, 0.9),
    ],
    ids=[
        "shared by processes",
        "copied to uses",
        "copied to a property",
        "copied to some properties",
        "numbers and symbols",
        "macros that are numbers among symbols",
        "cells that are numbers",
        "copied by other copies",
        "inputs in invariants",
        "next values that need themselves",
        "cases that end alike",
    ],
)
def test_a_changed_element_is_the_program_lowered_anew(text: str, local: float) -> None:
    found = accepted_in("nusmv", text)
    meaning = interpretation(found.program)
    system = meaning.system()
    mutants = enumerate_mutants(found, Options(level="all"))
    kept = made = 0
    for mutant in mutants:
        bodies = {e: mutated_body(e, mutant) for e in found.program.by_id[mutant.element]}
        changed = meaning.rewritten(bodies)
        if changed.refused:
            continue
        made += 1
        whole = Relational(found.program.with_bodies(bodies)).system()
        variant = Variant(mutant.id, changed.removed, changed.constraints, changed.system)
        here = applied(system, variant)
        assert set(whole.constraints) == set(here.constraints), mutant
        assert whole.variables == here.variables, mutant
        assert whole.properties == here.properties, mutant
        kept += changed.system is None
    assert made > 20
    assert local * made <= kept < made + (local < 1)


@pytest.mark.parametrize(
    ("text", "share"),
    [(STATED, 0.1), (AHEAD, 0.4), (LISTED, 0.5)],
    ids=["copied to a property", "next values that need themselves", "the same values listed"],
)
def test_few_other_bodies_of_macros_lower_the_program_anew(
    text: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = accepted_in("nusmv", text)
    meaning = interpretation(found.program)
    meaning.system()
    anew = 0

    def counted(program: Program, bodies: object) -> Program:
        nonlocal anew
        anew += 1
        return original(program, bodies)  # type: ignore[arg-type]

    original = Program.with_bodies
    monkeypatch.setattr(Program, "with_bodies", counted)
    made = 0
    for mutant in enumerate_mutants(found, Options(level="all")):
        elements = found.program.by_id[mutant.element]
        bodies = {element: mutated_body(element, mutant) for element in elements}
        if elements[0].kind is ElementKind.DEFINE and None not in bodies.values():
            meaning.rewritten(bodies)
            made += 1
    assert made > 2
    assert anew <= share * made  # those that copy other macros


def test_only_properties_that_read_a_changed_macro_are_lowered_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = accepted_in("nusmv", SEVERAL)
    meaning = interpretation(found.program)
    meaning.system()

    def counted(relational: Relational, stated: Property) -> SystemProperty:
        lowered[-1].append(stated.name)
        return original(relational, stated)

    lowered: list[list[str]] = []
    original = Relational.property
    monkeypatch.setattr(Relational, "property", counted)
    for mutant in enumerate_mutants(found, Options(level="default")):
        elements = found.program.by_id[mutant.element]
        bodies = {element: mutated_body(element, mutant) for element in elements}
        is_macro = elements[0].kind is ElementKind.DEFINE and None not in bodies.values()
        if is_macro and elements[0].targets[0] in {"soon", "later"}:
            lowered.append([])
            meaning.rewritten(bodies)
    assert 6 + 2 == len(lowered[0])  # each property of the model too, kept from then on
    again = [names for names in lowered[1:] if names == ["soon -> on", "later -> on"]]
    assert len(again) > 0.6 * len(lowered)  # the others copy other macros


def test_conditions_of_a_changed_macro_are_those_of_the_program_read_anew() -> None:
    found = accepted_in("nusmv", CHECKED)
    shared, made = _conditions(found.program, None), 0
    assert any(shared)
    kept = Obligations(found.program.component(found.program.main))
    assert shared == _conditions(found.program, kept)
    for mutant in enumerate_mutants(found, Options(level="all")):
        bodies = {e: mutated_body(e, mutant) for e in found.program.by_id[mutant.element]}
        macros = {
            element.targets[0]: body
            for element, body in bodies.items()
            if element.kind is ElementKind.DEFINE and body is not None
        }
        if len(macros) < len(bodies):
            continue
        made += 1
        whole = _conditions(found.program.with_bodies(bodies), None)
        assert whole == _conditions(found.program, kept.with_macros(macros)), mutant
    assert made > 20


def _conditions(program: Program, finder: Obligations | None) -> list[object]:
    component = program.component(program.main)
    finder = finder or Obligations(component)
    found = [tuple(finder.of_element(element, element.body)) for element in component.elements]
    return [*found, *(tuple(finder.of_property(stated)) for stated in component.properties)]


def test_truth_values_of_an_earlier_text_are_no_numbers_of_this_one() -> None:
    text = "MODULE main\nVAR x : {idle, 0, 1};\nDEFINE y := x;\nINVARSPEC y != 1;\n"
    found = accepted_in("nusmv", text)
    meaning = interpretation(found.program)
    assert meaning.run(Choices(({"x": True},))) is None
    execution = meaning.run(Choices(({"x": 1},)))
    assert execution is not None
    assert execution.violated == {next(iter(meaning.declared())): 0}
    assert type(execution.trace.steps[0]["y"]) is int
