"""A change concerns every mutant that is new or fares differently, and leaves other parts alone."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_nusmv_incremental import CHOICES, SEPARATE
from test_nusmv_incremental import text as rings

from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.model.language import Elaborated
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.findings import Report
from mutproof.workspace.options import EarlierText, Options
from mutproof.workspace.queries import Queries
from support.changed_models import HALVES
from support.lustre_models import Model, models, operator_edit, sources, structure_edit
from support.profiles import profile
from support.reading import analysed, elaborated_in

OPTIONS = Options(cores=False)

SHARED = """\
node limit (v, most : int) returns (w : int);
let
  w = if v > most then most else v;
tel;

node main (v : int; go : bool) returns (low, high, last : int; small, order, kept : bool);
var held : bool;
let
  low = limit(v, 3);
  high = limit(v, 7);
  held = go -> pre held and go;
  last = 0 -> if held then pre low else pre high;
  small = low <= 3;
  order = low <= high;
  kept = last <= 7;
  --%PROPERTY small;
  --%PROPERTY order;
  --%PROPERTY kept;
tel;
"""

ONE_CALL = """\
node last (v : int) returns (w : int);
let
  w = pre v;
tel;

node main (v : int; go, on : bool) returns (a, b, c : int; same, other, far : bool);
var held : int;
let
  a = last(v);
  b = last(v);
  c = if go then last(v + 1) else b;
  held = condact(on, last(v), 0) + last(c);
  same = a = b;
  other = go or c = a;
  far = held = held or on;
  --%PROPERTY same;
  --%PROPERTY other;
  --%PROPERTY far;
tel;
"""

ASSUMED = """\
node main (a, b, c : int) returns (d, e : int; ok, fine : bool);
var top : int;
let
  assert a > 0 and a < top;
  top = if b > 9 then 9 else 12;
  d = a + 1;
  e = if c > 5 then c else 6;
  ok = d > 1;
  fine = e > 5;
  --%PROPERTY ok;
  --%PROPERTY fine;
tel;
"""

LIFT = """\
MODULE door(call)
VAR
  is : {open, closed};
ASSIGN
  init(is) := open;
  next(is) := case call : closed; TRUE : {open, closed}; esac;
DEFINE
  safe := is = closed;

MODULE main
VAR
  floor : 0..3;
  moves : boolean;
  front : door(moves);
  lamp : boolean;
ASSIGN
  init(floor) := 0;
  next(floor) := case front.safe & floor < 3 : floor + 1; TRUE : floor; esac;
  init(moves) := FALSE;
  next(moves) := front.safe;
  init(lamp) := FALSE;
  next(lamp) := !lamp;
DEFINE
  high := floor > 1;
INVARSPEC NAME low := floor <= 3;
CTLSPEC NAME starts := floor = 0 -> !high
LTLSPEC NAME blinks := G (lamp -> X !lamp)
"""

# Of each model, what is edited: texts that are replaced, and by what.
EDITS: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "halves": (
        HALVES,
        (
            ("x >= 0", "x > 0"),
            ("if a then", "if not a then"),
            ("n > 3", "n > 2"),
            ("  --%PROPERTY fine;\n", ""),
            ("fine = y > 2", "fine = y > 2 or x > 5"),
            ("let\n", "let\n  -- mutproof disable next-line all: seen elsewhere\n"),
            ("bool);\nlet\n", "bool);\nvar z : int;\nlet\n  z = 5 -> pre y + x;\n"),
        ),
    ),
    "shared": (
        SHARED,
        (
            ("v > most", "v >= most"),
            ("limit(v, 7)", "limit(v + 1, 7)"),
            ("limit(v, 7)", "limit(v, 3)"),
            ("pre held and go", "pre held or go"),
            ("  --%PROPERTY order;\n", ""),
            ("limit", "least"),
            ("held", "kept_on"),
        ),
    ),
    "one call": (
        ONE_CALL,
        (
            ("b = last(v);", "b = last(v + 1);"),
            ("then last(v + 1)", "then last(v)"),
            ("w = pre v", "w = pre v + 1"),
            ("  --%PROPERTY same;\n", ""),
            ("go or c = a", "not go => c = b"),
            ("condact(on", "condact(go"),
            ("last(c)", "last(a)"),
        ),
    ),
    "assumed": (
        ASSUMED,
        (
            ("a < top", "a <= top"),
            ("then 9", "then 0"),
            ("c > 5", "c > 4"),
            ("d = a + 1", "d = a + 2"),
            ("assert a > 0 and a < top", "assert a > 0"),
        ),
    ),
    "lift": (
        LIFT,
        (
            ("call : closed", "!call : closed"),
            ("{open, closed}; esac", "is; esac"),
            ("floor + 1", "floor"),
            ("high := floor > 1", "high := floor >= 1"),
            ("next(lamp) := !lamp", "next(lamp) := TRUE"),
            ("CTLSPEC NAME starts := floor = 0 -> !high\n", ""),
            ("LTLSPEC", "CTLSPEC NAME again := AG EF lamp\nLTLSPEC"),
            ("INVARSPEC", "INVAR lamp -> floor < 3\nINVARSPEC"),
            ("INVARSPEC", "FAIRNESS lamp\nINVARSPEC"),
            ("lamp", "light"),
            ("floor > 1", "floor mod 3 > 1"),
        ),
    ),
}
CASES = [(name, *edit) for name, (_, edits) in EDITS.items() for edit in edits]


def read(text: str) -> Elaborated:
    return elaborated_in("nusmv" if "MODULE" in text else "lustre", text)


def chosen(earlier: str, today: str, options: Options = OPTIONS) -> set[str]:
    """Return the mutants of today that the change since an earlier text concerns."""
    since = replace(options, since=EarlierText(earlier, "the change"))
    return {mutant.id for mutant in enumerate_mutants(read(today), since)}


def everything(text: str) -> set[str]:
    return {mutant.id for mutant in enumerate_mutants(read(text), OPTIONS)}


def verdicts(found: Report) -> dict[str, tuple[object, ...]]:
    return {
        one.mutant: (one.status, one.killed_by, one.equivalence and one.equivalence.status)
        for one in found.mutants
    }


def check_concerned(earlier: str, today: str, options: Options = OPTIONS) -> None:
    """Check that what differs between whole runs on both texts is chosen, unless it is unknown."""
    before, after = (analysed(read(text), options) for text in (earlier, today))
    found = [{one.verdict for one in report.properties} for report in (before, after)]
    # Where nothing is proved, nothing is said of mutants.
    if any(PropertyVerdict.UNKNOWN in each or PropertyVerdict.PROVED not in each for each in found):
        return
    known, selected = verdicts(before), chosen(earlier, today, options)
    for mutant, verdict in verdicts(after).items():
        if mutant in known and MutantStatus.UNKNOWN in {verdict[0], known[mutant][0]}:
            continue
        assert mutant in selected or verdict == known.get(mutant)


@pytest.mark.parametrize(("name", "old", "new"), CASES)
def test_edits_concern_what_fares_differently(name: str, old: str, new: str) -> None:
    text, _ = EDITS[name]
    assert old in text
    edited = text.replace(old, new)
    for one, other in ((text, edited), (edited, text)):
        check_concerned(one, other)


@pytest.mark.parametrize(("old", "new"), [("v > most", "v >= most"), ("v, 7", "v, 3")])
def test_edits_concern_what_is_a_gap_now_or_is_none_any_more(old: str, new: str) -> None:
    options = replace(OPTIONS, equivalence="outputs")
    edited = SHARED.replace(old, new)
    check_concerned(SHARED, edited, options)
    check_concerned(edited, SHARED, options)


@profile(8)
@given(models(size=3), sources())
def test_random_edits_concern_what_fares_differently(model: Model, source: random.Random) -> None:
    edited = source.choice((operator_edit, structure_edit))(source, model).text
    check_concerned(model.text, edited)
    check_concerned(edited, model.text)


@profile(6)
@given(st.sampled_from([*CHOICES]), sources())
def test_random_edits_of_states_concern_what_fares_differently(
    slot: str, source: random.Random
) -> None:
    before = {one: source.choice(CHOICES[one]) for one in ("next_at", "next_set", "keeps", "home")}
    after = before | {slot: source.choice(CHOICES[slot])}
    check_concerned(rings(before), rings(after))


def of_elements(text: str, mutants: set[str]) -> set[str]:
    """Return the elements that some mutants are of."""
    found = enumerate_mutants(read(text), OPTIONS)
    return {str(mutant.element) for mutant in found if mutant.id in mutants}


@pytest.mark.parametrize("text", [HALVES, SHARED, ASSUMED, LIFT])
def test_comments_layout_and_names_that_mean_nothing_concern_no_mutant(text: str) -> None:
    moved = "-- a comment\n\n" + text.replace(";\n", ";  -- another\n\n")
    assert set() == chosen(text, moved)
    assert set() == chosen(text, text)


def test_a_constant_that_gets_another_name_concerns_no_mutant() -> None:
    text = "const Least = 2;\n" + HALVES.replace("y > 2", "y > Least")
    assert set() == chosen(text, text.replace("Least", "Smallest"))


def test_an_edit_in_one_half_leaves_the_other_half_alone() -> None:
    edited = HALVES.replace("n > 3", "n > 2")
    assert {"main.y"} == of_elements(edited, chosen(HALVES, edited))
    edited = SEPARATE.format("(n + 1) mod 3")
    found = of_elements(edited, chosen(SEPARATE.format("n = 2 ? 0 : (n + 1) mod 4"), edited))
    assert {"counter.n"} == found
    edited = LIFT.replace("next(lamp) := !lamp", "next(lamp) := TRUE")
    assert {"main.lamp"} == of_elements(edited, chosen(LIFT, edited))


def test_a_property_that_says_something_else_concerns_what_it_sees() -> None:
    edited = HALVES.replace("fine = y > 2", "fine = y > 2 or x > 5")
    assert {"main.x", "main.y"} == of_elements(edited, chosen(HALVES, edited))
    edited = HALVES.replace("fine = y > 2", "fine = y > 1")
    assert {"main.y"} == of_elements(edited, chosen(HALVES, edited))


def test_what_a_mutant_alone_reads_concerns_it() -> None:
    text = HALVES.replace("x >= 0", "x >= 0 or x = y")
    edited = text.replace("n > 3", "n > 2")
    assert everything(edited) == chosen(text, edited)


def test_a_comment_that_suppresses_mutants_concerns_these() -> None:
    edited = HALVES.replace("  y =", "  -- mutproof disable next-line all: seen\n  y =")
    of_y = {m.id for m in enumerate_mutants(read(edited), OPTIONS) if "y" in m.element.name}
    assert of_y == chosen(HALVES, edited)
    assert of_y == chosen(edited, HALVES)


@pytest.mark.parametrize("earlier", ["", "node main(", HALVES.replace("x >= 0", "x >= nothing")])
def test_a_change_of_what_was_no_model_concerns_every_mutant(earlier: str) -> None:
    assert everything(HALVES) == chosen(earlier, HALVES)


def test_what_restricts_executions_concerns_every_mutant() -> None:
    edited = ASSUMED.replace("then 9", "then 10")
    assert everything(edited) == chosen(ASSUMED, edited)


def test_a_listing_counts_what_is_left_alone() -> None:
    edited = HALVES.replace("n > 3", "n > 2")
    options = replace(OPTIONS, since=EarlierText(HALVES, "the change"), most_mutants=2)
    listing = Queries().listing("lustre", read(edited), options)
    concerned, every = len(chosen(HALVES, edited)), len(everything(edited))

    assert (2, concerned - 2) == (len(listing.mutants), listing.left_out)
    assert (every - concerned, "the change") == (listing.unconcerned, listing.change)
