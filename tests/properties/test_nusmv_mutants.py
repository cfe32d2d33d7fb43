"""Mutants of NuSMV models: how many there are and where, and that their texts mean them."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from mutproof.analyses.mutation.enumerate import chosen_mutators, mutated_bodies
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.languages import LANGUAGES
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model.language import Elaborated
from mutproof.model.program import Role
from mutproof.model.roles import roles
from support.nusmv_mutants import (
    accepted,
    elaborated,
    meaning,
    mutants_of,
    mutated_text,
    program_of,
)
from support.places import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.smv"))

CELLS = """\
MODULE cell(input, limit)
VAR
  v : boolean;
  n : 0..3;
DEFINE
  out := v & input;
  full := n = limit;
ASSIGN
  init(v) := FALSE;
  next(v) := case input xor v : !v; full : {TRUE, FALSE}; TRUE : v; esac;
  next(n) := full | n = 3 ? 0 : n + 1;
FAIRNESS v

MODULE main
VAR
  go : boolean;
  one : cell(TRUE, 3);
  two : cell(one.out, one.n);
  three : cell(go & two.out, 2);
INVARSPEC two.out -> one.out
"""
PARTS = """\
MODULE main
IVAR
  up : boolean;
FROZENVAR
  k : {low, high};
VAR
  a : array 0..2 of 0..3;
  m : {none, 1, 2};
  s : {1, 4, 9};
  u : unsigned word[4];
  w : signed word[4];
  b : boolean;
DEFINE
  next_a := {0, 1} union {2};
  same := a[0] = a[1] & a[1] = a[2];
  moves := next(b) != b;
ASSIGN
  init(a[0]) := 0;
  next(a[0]) := next_a;
  a[1] := a[0] mod 3;
  next(a[2]) := min(a[2] + 1, 3);
  init(m) := none;
  next(m) := case m = none : 1; m = 1 & up : {2, none}; TRUE : m; esac;
  next(s) := s = 9 ? 1 : {4, 9};
  next(u) := (u + 0ud4_3) * 0ud4_2 & u;
  next(w) := w > 0sd4_0 ? -w : w xor 0sd4_1;
INIT (!same | b) & k = low
TRANS moves -> (next(b) <-> up) | toint(b) - 1 < 0
INVAR a[0] in {0, 1, 2} & count(b, same) <= 2
INVARSPEC same -> b
LTLSPEC G (a[2] >= 0)
"""
PROCESSES = """\
MODULE runner(token, other)
VAR
  at : {home, out};
ASSIGN
  init(at) := home;
  next(at) := case running & token : out; other = out : home; TRUE : {home, out}; esac;
  next(token) := !token;
FAIRNESS running

MODULE main
VAR
  token : boolean;
  left : process runner(token, right.at);
  right : process runner(token, left.at);
ASSIGN
  init(token) := TRUE;
CTLSPEC AG (left.at = out -> EF left.at = home)
"""
CLOCK_TEXT = """\
MODULE main
VAR
  hour : 0..23;
  hour12 : 1..12;
  am_pm : {AM, PM};
ASSIGN
  init(hour) := 0;
  next(hour) := (hour + 1) mod 24;
  hour12 :=
    case
      hour in {0, 12} : 12;
      !(hour in {0, 12}) : hour mod 12;
    esac;
  am_pm :=
    case
      hour < 12 : AM;
      hour >= 11 : PM;
    esac;
CTLSPEC AG (hour > 11 -> am_pm = PM)
"""
MODELS = {"cells": CELLS, "parts": PARTS, "processes": PROCESSES}


def places(found: Elaborated, level: str) -> Counter[str]:
    """Return `line:column operators` of the mutants of a text, 1-based."""
    return Counter(f"{place(found, m)} {m.operator}" for m in mutants_of(found, level))


def place(found: Elaborated, mutant: Mutant) -> str:
    start = found.provenance.head(mutant.element).start
    if mutant.place is not None:
        spot = found.provenance.elements[mutant.element].place(mutant.place)
        assert spot is not None
        start = spot.token.start
    position = found.parsed.source.position(start)
    return f"{position.line}:{position.column}"


def replacements(text: str, operator: str) -> list[str]:
    """Return what an operator writes into a text."""
    found = accepted(text)
    return [
        LANGUAGE.replacement(
            found.provenance.elements[m.element].terms, m.source, m.path, m.replacement
        )
        for m in mutants_of(found, operators=(operator,))
        if m.replacement is not None
    ]


# The clock of the NuSMV study, counted by hand; a number with d digits has 9 d digit mutants,
# two of which are n + 1 and n - 1 already unless a digit is carried.
CLOCK = {
    # init(hour) := 0: the assignment; 1, -1; eight other digits
    "7:3 MD": 1,
    "7:17 NR": 2,
    "7:17 DR": 8,
    # next(hour) := (hour + 1) mod 24
    "8:3 MD": 1,
    "8:28 MOR": 4,
    "8:28 AS": 1,
    "8:23 MOR": 4,
    "8:25 NR": 2,
    "8:25 DR": 7,
    "8:32 NR": 2,
    "8:32 DR": 16,
    # hour12: a case with two branches
    "9:3 MD": 1,
    "10:5 MB": 2,
    "10:5 SB": 1,
    # hour in {0, 12} : 12
    "11:12 EN": 1,
    "11:12 SA0": 1,
    "11:12 SA1": 1,
    "11:16 NR": 2,
    "11:16 DR": 8,
    "11:19 NR": 2,
    "11:19 DR": 16,
    "11:25 NR": 2,
    "11:25 DR": 16,
    # !(hour in {0, 12}) : hour mod 12; what is below `!` is changed with it
    "12:7 EN": 1,
    "12:7 SA0": 1,
    "12:7 SA1": 1,
    "12:18 NR": 2,
    "12:18 DR": 8,
    "12:21 NR": 2,
    "12:21 DR": 16,
    "12:33 MOR": 4,
    "12:37 NR": 2,
    "12:37 DR": 16,
    # am_pm: a case with two branches
    "14:3 MD": 1,
    "15:5 MB": 2,
    "15:5 SB": 1,
    # hour < 12 : AM
    "16:12 EN": 1,
    "16:12 ROR": 5,
    "16:12 SA0": 1,
    "16:12 SA1": 1,
    "16:14 NR": 2,
    "16:14 DR": 16,
    "16:19 ER": 1,
    # hour >= 11 : PM
    "17:12 EN": 1,
    "17:12 ROR": 5,
    "17:12 SA0": 1,
    "17:12 SA1": 1,
    "17:15 NR": 2,
    "17:15 DR": 16,
    "17:20 ER": 1,
}
DEFAULT_ONLY = {
    # Of Table 2: constants become 1, and the values of two branches change places. All else
    # that it does here the other study does too.
    "8:32 constant": 1,
    "10:5 ifelsethen": 1,
    "11:19 constant": 1,
    "11:25 constant": 1,
    "12:21 constant": 1,
    "12:37 constant": 1,
    "15:5 ifelsethen": 1,
    "16:14 constant": 1,
    "17:15 constant": 1,
    "8:25 constant": 1,
}


def test_the_clock_has_the_mutants_counted_by_hand() -> None:
    clock = accepted(CLOCK_TEXT)

    assert CLOCK == places(clock, "paper")
    without_digits = {key: n for key, n in CLOCK.items() if not key.endswith("DR")}
    assert without_digits | DEFAULT_ONLY == places(clock, "default")


@pytest.mark.parametrize("text", [*MODELS.values(), *(p.read_text() for p in EXAMPLES)])
def test_the_text_of_a_mutant_means_its_bodies(text: str) -> None:
    found = accepted(text)
    program = program_of(found)
    compared = 0
    for mutant in mutants_of(found)[::3]:
        again = elaborated(mutated_text(found, mutant))
        if again.program is None:
            continue
        compared += 1
        changed = program.with_bodies(mutated_bodies(program, mutant))
        assert meaning(list(changed.elements())) == meaning(list(again.program.elements()))
        assert program.component("main").variables == again.program.component("main").variables
    assert compared > 10


def test_a_constant_is_not_written_as_a_parameter_that_is_bound_to_it_in_one_instance() -> None:
    found = accepted(
        "MODULE part(on, most, none)\nVAR b: boolean; n: 0..9; k: 0..1;\n"
        "ASSIGN init(b) := on; next(b) := (b & on) | n < 3;\n"
        "next(n) := n + 1 > most + 1 ? most : n + most; next(k) := k = none ? 1 : none;\n"
        "MODULE main\nVAR one: part(TRUE, 2, 0); two: part(FALSE, 3, 1);\n"
    )
    program, written = program_of(found), []
    for mutant in mutants_of(found):
        again = elaborated(mutated_text(found, mutant))
        changed = program.with_bodies(mutated_bodies(program, mutant))
        if again.program is not None:
            written.append(mutant.operator)
            assert meaning(list(changed.elements())) == meaning(list(again.program.elements()))
    assert {"SA0", "SA1", "EN", "NR", "MOR", "ABS"} <= set(written)


@pytest.mark.parametrize("text", MODELS.values())
def test_mutants_have_names_of_their_own_and_are_made_in_source_order(text: str) -> None:
    found = accepted(text)
    everything = mutants_of(found)
    heads = [found.provenance.head(m.element).start for m in everything]

    assert len({m.id for m in everything}) == len(everything)
    assert len({(m.element, m.path, m.replacement) for m in everything}) == len(everything)
    assert sorted(heads) == heads


@pytest.mark.parametrize(
    ("body", "operator", "expected"),
    [
        pytest.param("d := (a | b) & c;", "AS", ["a | b & c"], id="parentheses shift"),
        pytest.param("d := a & b & c;", "AS", [], id="but not where they change nothing"),
        pytest.param("d := x - (y - x) = 0;", "AS", ["x - y - x"], id="numbers too"),
        pytest.param("d := x + (y - x) = 0;", "AS", [], id="sums are sums"),
        pytest.param("d := e = red;", "ER", ["green"], id="symbols for symbols only"),
        pytest.param("d := n = 3;", "ER", ["5"], id="numbers of a list for numbers of it"),
        pytest.param("d := !a;", "EN", ["a"], id="the negation of a negation is the operand"),
        pytest.param("d := e = red;", "ROR", ["e != red"], id="symbols have no order"),
        pytest.param("d := a <-> b;", "ROR", [], id="equivalence is a logical operator"),
        pytest.param("d := u > 0ud2_3;", "NR", ["0ud2_2"], id="a word stays within its width"),
        pytest.param("d := x in 1..3;", "NR", [], id="the bounds of a range stay"),
        pytest.param(
            "d := case a : {0, 2}; TRUE : x; esac;",
            "MB",
            ["case TRUE : x; esac", "case a : {0, 2}; esac"],
            id="a case may lose its only set",
        ),
        pytest.param(
            "d := case a : 1; TRUE : e; esac = e;",
            "MB",
            ["case TRUE : e; esac"],
            id="a case of a mixed type may lose a number if it stays mixed",
        ),
        pytest.param(
            "d := case a : 2; TRUE : red; esac = 2;",
            "MB",
            [],
            id="but it may not become a number or a symbol where it is compared",
        ),
        pytest.param("d := b ? x : y;\n  c2 := d = 1;", "ifelsethen", ["b ? y : x"], id="? :"),
        pytest.param(
            "d := case a : x; b : y; TRUE : 0; esac = 1;",
            "SB",
            [
                "case b : y; a : x; TRUE : 0; esac",
                "case TRUE : 0; b : y; a : x; esac",
                "case a : x; TRUE : 0; b : y; esac",
            ],
            id="branches change places two by two",
        ),
    ],
)
def test_an_operator_writes(body: str, operator: str, expected: list[str]) -> None:
    text = (
        "MODULE main\nVAR\n  a : boolean; b : boolean; c : boolean; x : 0..3; y : 0..3;\n"
        "  e : {red, green, 2}; n : {3, 5}; u : word[2];\n"
        f"DEFINE\n  {body}\n"
    )
    assert expected == replacements(text, operator)


def test_what_stands_behind_a_name_is_not_taken_apart() -> None:
    found = accepted(CELLS)
    inside = [
        LANGUAGE.replacement(
            found.provenance.elements[m.element].terms, m.source, m.path, m.replacement
        )
        for m in mutants_of(found)
        if m.element.name == "out" and m.replacement is not None
    ]

    assert all("one." not in text and "go" not in text for text in inside)
    assert {"v | input", "!input", "FALSE", "TRUE", "v & !input"} & set(inside)


def test_a_constant_is_the_same_in_all_instances_and_a_parameter_is_not() -> None:
    found = accepted(CELLS)
    program = program_of(found)
    outs = [e for e in program.elements() if e.id.name == "out"]
    stuck = next(m for m in mutants_of(found, operators=("SA1",)) if m.source in outs)
    negated = [m for m in mutants_of(found, operators=("EN",)) if m.source in outs]

    assert ["True"] * 3 == [repr(b) for b in mutated_bodies(program, stuck).values()]
    assert 3 == len({mutated_bodies(program, negated[-1])[out] for out in outs})


def test_what_one_instance_cannot_tell_apart_is_written_in_the_words_of_another() -> None:
    text = (
        "MODULE part(p, q)\nVAR\n  v : boolean;\n"
        "ASSIGN\n  next(v) := case p : q; !q : p; TRUE : v; esac;\n"
        "MODULE main\nVAR\n  a : boolean;\n  b : boolean;\n"
        "  one : part(a, a);\n  two : part(TRUE, a);\n  three : part(a, b);\n"
    )
    found = accepted(text)
    program = program_of(found)
    made = mutants_of(found)

    assert {"three"} == {m.source.instance for m in made}
    assert 4 == sum(m.operator in {"MB", "MD"} for m in made)
    for mutant in made:
        again = elaborated(mutated_text(found, mutant))
        if again.program is not None:
            changed = program.with_bodies(mutated_bodies(program, mutant))
            assert meaning(list(changed.elements())) == meaning(list(again.program.elements()))


def test_which_mutants_there_are_does_not_depend_on_the_order_of_instances() -> None:
    parts = ["i : part(TRUE, a);", "j : part(b, FALSE);", "k : part(FALSE, TRUE);"]
    texts = [
        "MODULE part(p, q)\nVAR v : boolean;\nASSIGN next(v) := p & v | q;\n"
        f"MODULE main\nVAR a : boolean; b : boolean; {' '.join(order)}\n"
        for order in permutations(parts)
    ]
    found = [
        {m.id: (m.path, m.operator, m.summary) for m in mutants_of(accepted(text))}
        for text in texts
    ]

    assert all(found[0] == other for other in found[1:])
    stuck = {path for path, _, summary in found[0].values() if summary == "stuck at `TRUE`"}
    assert {(0, 0), (1,)} <= stuck


def test_an_operand_that_is_an_expression_elsewhere_is_moved_as_a_whole() -> None:
    found = accepted(
        "MODULE gate(p, q)\nVAR\n  v : boolean;\nASSIGN\n  next(v) := (p & q) | v;\n"
        "MODULE main\nVAR\n  a : boolean;\n  b : boolean;\n"
        "  one : gate(a, !b);\n  two : gate(one.v, a);\n"
    )
    program = program_of(found)
    for mutant in mutants_of(found):
        again = program_of(elaborated(mutated_text(found, mutant)))
        changed = program.with_bodies(mutated_bodies(program, mutant))
        assert meaning(list(changed.elements())) == meaning(list(again.elements()))


def test_a_macro_that_types_are_made_of_is_left_alone() -> None:
    found = accepted(
        "MODULE main\nDEFINE\n  top := low + 2;\n  low := 1;\n  free := 5;\n"
        "VAR\n  x : low..top;\nASSIGN\n  next(x) := free > x ? low : top;\n"
    )

    assert {"free", "x"} == {m.element.name for m in mutants_of(found)}


def test_only_macros_that_nothing_but_properties_reads_are_specification() -> None:
    found = accepted(
        "MODULE part(p)\nVAR\n  v : boolean;\nDEFINE\n  seen := v & p;\n  used := v | p;\n"
        "MODULE main\nVAR\n  a : boolean;\n  one : part(a);\n  two : part(one.used);\n"
        "DEFINE\n  helper := one.seen & deeper;\n  deeper := a;\n  fair := !a;\n"
        "  unread := a;\n"
        "ASSIGN\n  next(a) := two.used;\nFAIRNESS fair\nINVARSPEC helper -> two.used\n"
    )
    found_roles = roles(program_of(found))

    stated = {e.name for e, role in found_roles.items() if role is Role.SPECIFICATION}
    assert {"seen", "helper", "deeper"} == stated
    mutated = {m.element.name for m in mutants_of(found)}
    assert {"used", "fair", "unread", "a"} == mutated


def test_levels_choose_among_the_operators_of_a_language() -> None:
    names = {
        (language.name, level): [
            m.name for m in chosen_mutators(level, (), language.traits.semantics)
        ]
        for language in LANGUAGES
        for level in ("default", "paper", "all")
    }
    study = [
        "MB",
        "SB",
        "MD",
        "MTC",
        "MIC",
        "MINC",
        "EN",
        "LOR",
        "MOR",
        "ROR",
        "SA0",
        "SA1",
        "AS",
        "ER",
        "NR",
        "DR",
    ]

    assert study == names["nusmv", "paper"]
    assert study[:-1] == names["nusmv", "default"][: len(study) - 1]
    assert {"or2left", "constant", "ifelsethen"} <= set(names["nusmv", "default"])
    assert "DR" not in names["nusmv", "default"]
    assert set(study).isdisjoint(names["lustre", "paper"])
    assert {"EN", "LOR", "delay"} <= set(names["lustre", "all"])
    assert set(MUTATORS.names()) == {*names["lustre", "all"], *names["nusmv", "all"]}
