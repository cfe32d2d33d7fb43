"""The text of every mutant means that mutant, and keeps the words that the model's text has."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.mutation.rejection import CIRCULAR, REASONS, Rejection
from mutproof.base.diagnostics import Severity
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.language import Language
from mutproof.model.passes.definedness import Hazard
from mutproof.model.program import Bodies, Program
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from support import lustre_mutants, nusmv_mutants
from support.profiles import profile
from support.reading import spliced

LUSTRE = """const MinSpeed = 30;
const Limit: int = 30;
const Low = -5;
const Rate = 0.5;
const On = true;
const Table: int[2] = [1, 2];
type mode = enum {Idle, Busy};

node main(speed: int; share: real; m: mode) returns (fast, ok: bool; level: int; other: real);
let
  fast = speed >= MinSpeed and (speed + 30 < Limit or not On) and m = Busy;
  level = if speed - Low > (MinSpeed + speed) then Limit else -Low * Table[speed] + 30;
  other = (Rate + share) * 2.0 - Rate;
  ok = (On -> pre fast)or speed = MinSpeed;
  --%PROPERTY ok;
tel;
"""
CONSTANTS = """type pair = struct {a: int; f: real};
const Table: int[3] = [1, 0, 2];
const Pair: pair = pair {a = 3; f = 0.0};
const N = 2;
node main(x: int; s: real; v: int[3]; b: bool; k: subrange [0, 4] of int)
returns (y: int; t: real; ok: bool; w: int[3]; c: int[3]; u: int; d: subrange [0, 6] of int);
let
  y = x div Table[0] + x mod Table[N] + v[Table[1]] + x div Pair.a;
  t = s / real(Table[0]) + s / real(floor(1.5)) + s / (Pair.f + 1.0)
    + s / (if true then 1.0 else Pair.f);
  u = (0 -> x div (pre (N - 1))) + x div (if b then 1 else 2) + x mod (if N > 1 then 1 else 0);
  w = v[N - 2 := x];
  c = [Table[0], x, v[2 - Table[2]]];
  d = k -> if k > 1 then pre d else 3;
  ok = x div (Pair {a := 2}).a > 0 or [1, 2][Table[0]] > 1 and [Table[0], 2][1] > x;
  assert x div (N - 1) > 0;
  --%PROPERTY ok;
tel;
"""
NUSMV = """MODULE counter(limit, low)
VAR c : 0..10;
ASSIGN
  init(c) := 0;
  next(c) := c + 3 < limit & !(c in {low, limit, 3}) ? c + 3 : max(c, low)mod limit;

MODULE main
DEFINE LO := 3; HI := LO + 4; W := 4; I := 1; REST := idle;
VAR x : 0..10; w : unsigned word[4]; b : boolean; a : array 0..1 of 0..3; m : {idle, busy};
  k : counter(3, 1); l : counter(x + 1, 1);
ASSIGN
  next(x) := case x >= LO & m = REST : HI; b : {LO, a[I]}; x > HI : {1, 3}; TRUE : 1..2; esac;
  next(w) := b & w[2:W - 3] = 0ub2_10 ? extend(w[1:0], I + 1) : uwconst(LO, W) + 0uh4_c;
INVARSPEC x <= HI
"""
PLAIN = {"lustre": lustre_mutants.normal, "nusmv": nusmv_mutants.normal}


def said(language: Language, program: Program, bodies: Bodies) -> list[tuple[object, ...]]:
    """Return what the elements of a program say, where some have other bodies."""
    found = []
    for element in program.elements():
        body = bodies.get(element, element.body)
        assert body is not None
        shown = element.kind, element.instance, element.targets
        found.append((*shown, PLAIN[language.name](body)))
    return found


def read_back(name: str, text: str) -> tuple[set[str], Counter[str]]:
    """Return what is said of all mutants and their texts, and why how many are no models.

    Each text means exactly its mutant, or is refused where the mutant is.
    """
    queries, source, options = Queries(), SourceText("model", text), Options(level="all")
    language, elaborated = LANGUAGES[name], queries.elaborated(name, source)
    assert elaborated.program is not None, elaborated.diagnostics
    mutants = {one.id: one for one in queries.mutants(elaborated, options)}
    rejection = Rejection(elaborated.program)
    found, refused = set(), Counter[str]()
    for listed in queries.listing(name, elaborated, options).mutants:
        if listed.replacement is None:
            continue
        bodies = mutated_bodies(elaborated.program, mutants[listed.mutant])
        place = elaborated.provenance.elements[listed.element].place(listed.path)
        assert place is not None
        whole = place.whole
        written = spliced(text, whole, listed.replacement)
        again = language.elaborate(language.parse(SourceText("model", written)))
        reason = rejection.reason(bodies)
        is_error = any(one.severity is Severity.ERROR for one in again.diagnostics)
        assert reason == CIRCULAR or bool(reason) == is_error, written
        refused[reason] += 1
        found.add(listed.summary)
        found.add(f"{text[whole.start : whole.end]} / {listed.replacement}")
        if is_error:
            continue
        assert again.program is not None, written
        expected = said(language, elaborated.program, bodies)
        assert expected == said(language, again.program, {}), written
    return found, refused


def test_every_lustre_mutant_reads_back_and_keeps_names() -> None:
    found, refused = read_back("lustre", LUSTRE)
    assert len(found) > 100
    assert set(refused) == {""}
    assert "speed >= MinSpeed / speed < MinSpeed" in found
    assert "speed + 30 < Limit / speed + 30 <= Limit" in found
    assert "MinSpeed + speed / MinSpeed - speed" in found
    assert "MinSpeed / 31" in found
    assert "`MinSpeed` → `31`" in found
    assert "(Rate + share) * 2.0 - Rate / (Rate + share) * (2.0 - Rate)" in found
    assert "(Rate + share) * 2.0 / Rate + share * 2.0" in found


def test_what_has_a_value_of_its_own_before_the_first_step_is_not_written_twice() -> None:
    text = (
        "node main(i: int) returns (n: int; ok: bool);\n"
        "let n = i -> pre (n -> pre 1) + i;\nok = n > i;\n--%PROPERTY ok;\ntel;\n"
    )
    found, _ = read_back("lustre", text)
    assert "i / (if i < 0 then -i else i)" in found
    assert not any(change.startswith("pre (n -> pre 1) / (if") for change in found)


def test_what_no_constant_may_be_is_refused_in_lustre() -> None:
    """Divisors and indexes count as constants also where they take some evaluation."""
    _, refused = read_back("lustre", CONSTANTS)
    hazards = Hazard.DIVISION, Hazard.INDEX, Hazard.RANGE
    assert set(refused) == {"", CIRCULAR, *(REASONS[hazard] for hazard in hazards)}
    assert min(refused[REASONS[hazard]] for hazard in hazards) > 10


def test_what_a_record_an_array_or_a_call_may_not_hold_is_refused() -> None:
    """What is built, changed or held must be in the ranges that its type declares."""
    text = """type lamp = struct {level: subrange [0, 3] of int; on: bool};
type other = struct {level: subrange [0, 3] of int; lamp: lamp};
function far(level: subrange [0, 3] of int) returns (how: int);
node held(on: bool) returns (level: subrange [0, 3] of int; all: lamp);
let
  level = if on then 1 else 2;
  all = lamp {level = level; on = on};
tel;
node main(on: bool; k: subrange [0, 2] of int; o: other)
returns (x, y: lamp; z: bool; w: int; ok: bool);
var a: subrange [0, 3] of int[2]; level: subrange [0, 3] of int;
let
  x = lamp {level = 2; on = on} -> (pre x) {level := if on then 1 else 3};
  z = (lamp {level = 1; on = on} <> x) or (a[0 := 2] = a)
    or [lamp {level = 1; on = on}][0 := lamp {level = 2; on = z}] = [x]
    or other {level = 1; lamp = lamp {level = 1; on = on}} {lamp := lamp {level = 3; on = z}}
      <> other {level = 2; lamp = x} or [0, 1][k := 1] = [1, 0];
  a = [1, 2];
  level, y = condact(on, held(z), 3, lamp {level = 1; on = true});
  w = far(2) + far(k);
  ok = x.level >= 0;
  --%PROPERTY ok;
tel;
"""
    _, refused = read_back("lustre", text)

    assert refused[REASONS[Hazard.RANGE]] > 10


positions = st.sampled_from(["0", "2", "N", "N - 2", "Table[1]", "(if b then 1 else 2)", "x"])
parts = st.tuples(
    st.sampled_from(
        ["v[{}]", "(if false then v[{}] else 0)", "7 div (1 + {})", "Table[{}]", "(v[{} := 5])[0]"]
    ),
    positions,
).map(lambda pair: pair[0].format(pair[1]))


@profile(5)
@given(parts, parts, parts)
def test_operands_that_no_constant_may_be_are_refused_also_where_nothing_uses_them(
    first: str, second: str, third: str
) -> None:
    """Every property holds whatever the equations of `unused` and `other` say."""
    text = (
        "const Table: int[3] = [1, 0, 2];\nconst N = 2;\n"
        "node main(x: int; v: int[3]; b: bool) returns (ok: bool);\nvar unused, other: int;\n"
        f"let\n  unused = {first} + {second};\n  other = if true or b then 1 else {third};\n"
        "  ok = b or not b;\n  --%PROPERTY ok;\ntel;\n"
    )
    _, refused = read_back("lustre", text)

    assert refused[""] > 10


def test_every_nusmv_mutant_reads_back_and_keeps_the_words_of_its_text() -> None:
    found, refused = read_back("nusmv", NUSMV)
    assert len(found) > 150
    assert refused[""] > 50
    assert "c + 3 < limit / c + 3 <= limit" in found
    assert "c + 3 / c - 3" in found
    assert "3 / 4" in found  # though a parameter is 3 too
    assert "!(c in {low, limit, 3}) / c in {low, limit, 3}" in found
    assert "max(c, low)mod limit / max(c, low) + limit" in found
    assert "max(c, low) / -max(c, low)" in found
    assert "`0uh4_c` → `0ud4_0`" in found
    assert "x >= LO & m = REST / x >= LO | m = REST" in found
    assert "w[2:W - 3] = 0ub2_10 / w[2 : W - 3] != 0ub2_10" in found
    assert "uwconst(LO, W) + 0uh4_c / uwconst(LO, W) - 0uh4_c" in found
    assert any("? uwconst(LO, W) + 0uh4_c : extend(w[1 : 0], I + 1)" in one for one in found)
    assert any("x > HI : {1, 3}; esac" in change for change in found)
    assert any("x > HI : 1..2; TRUE : {1, 3}; esac" in change for change in found)


def test_a_set_that_is_only_written_in_another_way_is_no_mutant() -> None:
    text = (
        "MODULE main\nVAR x : 0..2; b : boolean;\n"
        "ASSIGN next(x) := b ? {1, 2} : 1..2;\nINVARSPEC x >= 0\n"
    )
    found, _ = read_back("nusmv", text)
    assert found
    assert not any(change.startswith("b ? {1, 2} : 1..2 /") for change in found)


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("lustre", LUSTRE, "speed >= MinSpeed", "speed >= Limit"),
        ("nusmv", NUSMV, "c + 3 < limit", "c + 3 < (3)"),
    ],
)
def test_a_name_that_is_edited_is_the_one_shown(name: str, text: str, old: str, new: str) -> None:
    """What is remembered of a mutant is not shown of a text with another name."""
    queries, options = Queries(), Options(level="all")
    for written in (text, text.replace(old, new)):
        elaborated = queries.elaborated(name, SourceText("model", written))
        listed = queries.listing(name, elaborated, options).mutants
        shown = (new if written != text else old).replace("(3)", "3")
        negated = shown.replace(">=", "<").replace(" < l", " > l").replace(" < 3", " > 3")
        assert negated in {one.replacement for one in listed}
