"""Equal calls begin alike, and what mutants do to that is what their texts say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants
from mutproof.model.lower import lower
from mutproof.model.system import ConstraintKind
from support.lustre_models import accepted
from support.lustre_mutants import mutated_text, options, program_of, report
from support.reading import spliced

DELAY = "node d(x: int) returns (y: int); var z: int; let z = x; y = pre z; tel;\n"

FIRST = "node first(x: int) returns (y: int); let y = pre x -> 0; tel;\n"

MODELS = {
    "two equations": DELAY
    + """node main(x: int) returns (p, q: bool; a, b: int);
let
  a = d(x + 1);
  b = d(x + 1);
  p = a = b;
  q = true -> a = b;
  --%PROPERTY p;
  --%PROPERTY q;
tel;""",
    "one equation": DELAY
    + """node main(x: int) returns (p: bool; a: int);
let
  a = d(x) - d(x);
  p = a = 0;
  --%PROPERTY p;
tel;""",
    "calls in callees": DELAY
    + """node w(x: int) returns (y, k: int);
let y = d(x); k = d(7); tel;
node main(x, u: int) returns (p: bool; a, b, c, e: int);
let
  a, b = w(x);
  c, e = w(u);
  p = b = e and b = d(7);
  --%PROPERTY p;
tel;""",
    "condacts": DELAY
    + """node main(c: bool; x: int) returns (p: bool; a, b: int);
let
  a = condact(c, d(x), 0);
  b = condact(c, d(x), 0);
  p = a = b;
  --%PROPERTY p;
tel;""",
    "equal calls in equal calls": FIRST
    + """node w(x: int) returns (y: int);
let y = first(x + 1) - first(x + 1); tel;
node main(x: int) returns (p: bool; a, b: int);
let
  a = w(x);
  b = w(x);
  p = a = 0 and a = b;
  --%PROPERTY p;
tel;""",
    "constant calls in callees under clocks": FIRST
    + """node k(x: int) returns (y: int);
let y = first(7) + x; tel;
node main(x: int; c: bool) returns (p: bool; a, b: int);
let
  a = condact(true, k(x), 0);
  b = k(x + 1);
  p = b = a + 1 and a = first(7) + x;
  --%PROPERTY p;
tel;""",
    "loops": """node free(x: int) returns (y: int);
let y = if x > 0 then y else x; tel;
node w(x: int) returns (y: int);
let y = free(x + 1) - free(x + 1); tel;
node main(x: int; c: bool) returns (p: bool; a, b, u, v: int);
let
  a = w(x);
  b = free(x);
  u = condact(c, free(x), 0);
  v = condact(c, free(x), 0);
  p = a = 0 and b = free(x) and u = v;
  --%PROPERTY p;
tel;""",
    "calls that an assertion makes too": DELAY
    + """node main(x: int) returns (p: bool; a: int);
let
  assert d(x) > 0;
  a = d(x) + 1;
  p = a > 1;
  --%PROPERTY p;
tel;""",
}


@pytest.mark.parametrize("name", MODELS)
def test_a_mutant_has_the_verdicts_of_its_text(name: str) -> None:
    elaborated = accepted(MODELS[name])
    found = report(elaborated, options("all"))
    made = mutants(program_of(elaborated), elaborated.provenance, chosen_mutators("all"))
    known = {one.id: one for one in made}
    wanted, decided = {}, {}
    for finding in found.mutants:
        text = mutated_text(elaborated, known[finding.mutant])
        if text is None or finding.status is MutantStatus.STILLBORN:
            continue
        outcome = report(accepted(text), options(mutate=False)).properties
        false = {p.name for p in outcome if p.verdict is PropertyVerdict.FALSIFIED}
        assert all(p.verdict is not PropertyVerdict.UNKNOWN for p in outcome)
        wanted[text] = MutantStatus.KILLED if false else MutantStatus.SURVIVED
        decided[text] = finding.status

    assert wanted == decided
    assert MutantStatus.KILLED in wanted.values()


@pytest.mark.parametrize("name", MODELS)
def test_a_removed_equation_leaves_what_a_variable_equal_to_itself_leaves(name: str) -> None:
    elaborated = accepted(MODELS[name])
    chosen = replace(options("all"), operators=("equation_remove",), core_search="all", cores=True)
    found = report(elaborated, chosen)
    made = mutants(program_of(elaborated), elaborated.provenance, chosen_mutators("all"))
    known = {one.id: one for one in made}
    decided = {known[one.mutant].element: one.status for one in found.mutants}
    wanted, failing = {}, {}
    for element in decided:
        if "," in element.name:
            continue  # nothing can be written for several variables
        text = spliced(MODELS[name], elaborated.provenance.body(element), element.name)
        outcome = report(accepted(text), options(mutate=False)).properties
        assert all(p.verdict is not PropertyVerdict.UNKNOWN for p in outcome)
        failing[element] = {p.name for p in outcome if p.verdict is PropertyVerdict.FALSIFIED}
        wanted[element] = MutantStatus.KILLED if failing[element] else MutantStatus.SURVIVED

    assert wanted == {element: decided[element] for element in wanted}
    for stated in found.properties:
        assert stated.cores is not None
        assert stated.cores.complete
        assert {e for e in failing if stated.name in failing[e]} == {*stated.cores.must} & {
            *failing
        }


def test_what_a_removal_leaves_open_is_no_solution_of_a_loop() -> None:
    text = DELAY + (
        "node main(x: int) returns (p: bool; a, b: int);\n"
        "let a = d(x); b = d(x); p = a = b; --%PROPERTY p;\ntel;"
    )
    chosen = replace(options("all"), operators=("equation_remove",), equivalence="outputs")
    removed = next(m for m in report(accepted(text), chosen).mutants if m.mutant.startswith("d"))

    assert removed.status is MutantStatus.SURVIVED
    assert removed.equivalence is not None
    assert removed.equivalence.status is EquivalenceStatus.GAP


def test_calls_that_differ_have_nothing_in_common() -> None:
    text = DELAY + (
        "node main(x: int) returns (p: bool);\nlet p = d(x) = d(x + 0); --%PROPERTY p;\ntel;"
    )
    system = lower(program_of(accepted(text)))
    initial = [c for c in system.constraints if c.kind is ConstraintKind.INIT]

    assert [] == [c for c in initial if c.owner is not None]
