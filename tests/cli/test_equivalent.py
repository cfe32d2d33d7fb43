"""`mutproof equivalent`: survivors of a model, and two models side by side."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from process import EXAMPLES, mutproof

PAIRS = EXAMPLES / "equivalence"
FEW = ("--operators", "and2left,and2or")
MODEL = """\
node main(a: int; b: bool) returns (y: int; OK: bool);
var n: int;
let
  n = 0 -> if b then pre n + 1 else pre n;
  y = if b and true then n else 0;
  OK = y >= 0;
  --%PROPERTY OK;
tel;
"""

BOUNDED = """\
node main(a: int) returns (y: int; kept, least: bool);
let
  assert a >= 0;
  y = a;
  kept = y = a;
  least = y >= 0;
  --%PROPERTY kept;
  --%PROPERTY least;
tel;
"""
COPIED = """\
node main(x: int) returns (a, b, y: int; kept: bool);
let
  a = x + 1;
  b = a;
  y = b;
  kept = (b = a);
  --%PROPERTY kept;
tel;
"""
TWO_SIDES = """\
node main(x: int) returns (low, high, apart: bool);
let
  low = x < 0;
  high = x > 0;
  apart = not (low and high);
  --%PROPERTY apart;
tel;
"""


CALLED = """\
function f(a: int) returns (b: int);
node main(x: int) returns (y: bool);
let
  y = f(x) > 0;
tel;
"""
OPEN = """\
node main(x: int) returns (y: int);
var z: int;
let
  z = x; y = pre x;
tel;
"""


def compared(one: Path, other: Path, *arguments: str) -> tuple[int, dict[str, object]]:
    ended = mutproof("equivalent", one, other, "--format", "json", "--no-timings", *arguments)
    return ended.code, json.loads(ended.out)


@pytest.mark.parametrize(
    ("figure", "needed"),
    [
        pytest.param("5a", [], id="5a, no memory, by plain induction"),
        pytest.param("5b", ["intervals"], id="5b, a memory fed back, with intervals"),
        pytest.param("5c", [], id="5c, a memory that is not fed back, by plain induction"),
        pytest.param("5d", [], id="5d, the output itself, by plain induction"),
        pytest.param(
            "6a", ["intervals", "signal equalities"], id="6a, with intervals and equalities"
        ),
        pytest.param("6b", [], id="6b, an output that shows the memory, by plain induction"),
    ],
)
def test_the_patterns_of_the_third_paper_need_what_it_says(figure: str, needed: list[str]) -> None:
    code, found = compared(PAIRS / f"figure{figure}.lus", PAIRS / f"figure{figure}_mutant.lus")

    assert 0 == code
    assert "equivalent" == found["status"]
    assert "k-induction" == found["how"]
    assert needed == found["strengthening"]


def test_two_models_that_differ_are_shown_side_by_side(tmp_path: Path) -> None:
    one, other = tmp_path / "one.lus", tmp_path / "other.lus"
    one.write_text(MODEL)
    other.write_text(MODEL.replace("pre n + 1", "pre n + 2"))

    code, found = compared(one, other)

    assert 2 == code
    assert (1, True) == (found["step"], found["shortest"])
    assert {"y": [0, 1]} == found["model"]
    assert {"y": [0, 2]} == found["mutant"]
    text = mutproof("equivalent", one, other)
    assert 2 == text.code
    assert "gap, y differs first at step 1" in text.out


@pytest.mark.parametrize(
    ("narrower", "alone"), [(False, "one.lus"), (True, "other.lus")], ids=["the first", "the other"]
)
def test_the_model_that_allows_more_is_named(tmp_path: Path, narrower: bool, alone: str) -> None:
    texts = [BOUNDED, BOUNDED.replace("a >= 0", "a >= 1")]
    for name, text in zip(
        ("one.lus", "other.lus"), texts[::-1] if narrower else texts, strict=True
    ):
        (tmp_path / name).write_text(text)

    ended = mutproof("equivalent", tmp_path / "one.lus", tmp_path / "other.lus")

    assert f": gap, only {tmp_path / alone} allows step 0" in ended.out
    assert "mutant" not in ended.out


def test_json_has_a_file_with_errors_too(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text("node main\n")
    ended = mutproof("equivalent", model, "--format", "json")
    assert 1 == ended.code
    assert (str(model), []) == tuple(json.loads(ended.out)[key] for key in ("file", "survivors"))


def test_models_with_other_inputs_are_not_compared(tmp_path: Path) -> None:
    one, other = tmp_path / "one.lus", tmp_path / "other.lus"
    one.write_text(MODEL)
    other.write_text(MODEL.replace("a: int", "c: int"))

    ended = mutproof("equivalent", one, other)

    assert 1 == ended.code
    assert "error[not-comparable]" in ended.err
    assert "input `a`" in ended.err


def test_functions_of_other_types_are_not_compared(tmp_path: Path) -> None:
    one, other = tmp_path / "one.lus", tmp_path / "other.lus"
    one.write_text(CALLED)
    other.write_text(CALLED.replace("f(a: int)", "f(a, c: int)").replace("f(x)", "f(x, x)"))

    ended = mutproof("equivalent", one, other)

    assert 1 == ended.code
    assert "cannot be compared: the function `f` has different types" in ended.err


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param("z = x + 0; y = pre z;", "undetermined", id="another memory"),
        pytest.param("z = pre x; y = z;", "equivalent", id="the same memory"),
        pytest.param("z = x + 1; y = pre z;", "gap", id="other values later"),
        pytest.param("z = 0; y = z -> pre x;", "gap", id="a first value"),
    ],
)
def test_values_before_the_first_step_make_no_difference(
    tmp_path: Path, body: str, status: str
) -> None:
    one, other = tmp_path / "one.lus", tmp_path / "other.lus"
    one.write_text(OPEN)
    other.write_text(OPEN.replace("z = x; y = pre x;", body))

    code, found = compared(one, other)

    assert status == found["status"]
    assert {"undetermined": 3, "equivalent": 0, "gap": 2}[status] == code


def test_variables_of_one_model_alone_are_not_said_to_be_compared(tmp_path: Path) -> None:
    one, other = tmp_path / "one.lus", tmp_path / "other.lus"
    one.write_text(OPEN)
    other.write_text(OPEN.replace("z", "w"))

    observe = "--observe", "all"
    assert "all variables" == compared(one, one, *observe)[1]["observation"]
    both = "all variables that both models have"
    assert both == compared(one, other, *observe)[1]["observation"]
    assert "outputs" == compared(one, other)[1]["observation"]


def test_gaps_that_only_exclude_executions_are_told_apart(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(BOUNDED.replace("assert a >= 0", "assert a >= 0 and (a < 9 or a > 20)"))
    told = mutproof("equivalent", model, "--all-mutants")
    found = json.loads(mutproof("equivalent", model, "--format", "json").out)
    restricting = {one["summary"]: one.get("restriction", False) for one in found["survivors"]}

    assert 2 == told.code
    assert {
        "`>=` → `>`": True,
        "`0` → `1`": True,
        "`and` → its left operand": False,
        "`<` → `<=`": False,
        "`<` → `>`": False,
        "`9` → `1`": True,
        "`20` → `1`": False,
        "`>` → `>=`": False,
    }.items() <= restricting.items()
    number = list(restricting.values()).count(True)
    assert f"{number} gaps are restrictions: they only exclude executions" in told.out
    assert "(a restriction: only the model allows step 0)" in told.out
    page = mutproof("mutate", "--equivalence", model, "--format", "html").out
    assert "gaps are restrictions: they only exclude executions" in page


def test_an_execution_that_one_side_alone_allows_shows_what_explains_that(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text("""\
node main(a, b, c: bool) returns (ok, other: bool);
var u: bool;
let
  assert a or u;
  u = b;
  other = c;
  ok = u => b;
  --%PROPERTY ok;
tel;
""")
    words = ("--operators", "or2left", "--no-timings", model)
    told = mutproof("equivalent", *words).out.splitlines()
    assert "(a restriction: only the model allows step 0)" in told[1]
    assert ["step", "a", "b", "u"] == [line.split()[0] for line in told if line.startswith("  ")]
    page = mutproof("mutate", "--equivalence", *words, "--format", "html").out
    assert '<th scope="row"><code>b<' in page
    assert '<th scope="row"><code>c<' not in page
    exact = json.loads(mutproof("equivalent", *words, "--format", "json").out)
    assert {"a", "b", "c", "u", "ok", "other"} == exact["survivors"][0]["execution"].keys()


def test_elements_whose_gaps_others_stand_for_are_named(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(COPIED)
    found = mutproof("mutate", model, "--equivalence").out

    assert "a at 3:3, 0 of 3 killed, 3 gaps that others stand for" in found.splitlines()
    assert "b at 4:3, 1 of 1 killed" in found.splitlines()
    everything = mutproof("mutate", model, "--equivalence", "--all-mutants").out
    assert "a at 3:3, 0 of 3 killed" in everything.splitlines()
    page = mutproof("mutate", model, "--equivalence", "--format", "html").out
    assert "<code>a</code> has 3 gaps that others stand for." in page


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOUNDED, "the 2 gaps are 1 behaviour: 1 gap shown, --all-mutants shows all"),
        (
            TWO_SIDES,
            (
                "the 4 gaps are 3 behaviours, 1 of which follows from another: 2 gaps shown, "
                "--all-mutants shows all"
            ),
        ),
        (
            TWO_SIDES.replace("not (low", "true or (low"),
            (
                "the 8 gaps are 7 behaviours, 5 of which follow from others: 2 gaps shown, "
                "--all-mutants shows all"
            ),
        ),
    ],
)
def test_behaviours_are_counted_as_the_document_has_them(
    tmp_path: Path, text: str, said: str
) -> None:
    model = tmp_path / "model.lus"
    model.write_text(text)
    mutate = ("mutate", model, "--equivalence", "--no-progress")
    found = json.loads(mutproof(*mutate, "--format", "json").out)
    (file,) = found["files"].values()
    gaps = [
        one["mutproof"]["behaviour"] for one in file["mutants"] if "behaviour" in one["mutproof"]
    ]
    behaviours = {one["id"]: one["impliedBy"] is not None for one in gaps}

    assert said in mutproof(*mutate).out.splitlines()
    numbers = re.findall(r"\b\d+\b", said)
    if not any(behaviours.values()):
        numbers.insert(2, "0")
    shown = sum(one["shown"] for one in gaps)
    assert [len(gaps), len(behaviours), sum(behaviours.values()), shown] == [*map(int, numbers)]


def test_survivors_are_equivalent_or_gaps(tmp_path: Path) -> None:
    path = tmp_path / "model.lus"
    path.write_text(MODEL)

    ended = mutproof("equivalent", path, "--no-timings", *FEW)

    assert 2 == ended.code
    assert "EQUIVALENT at 5:12 and2left" in ended.out
    assert "(on outputs: " in ended.out
    assert "GAP at 5:12 and2or" in ended.out
    assert "0 undetermined" in ended.out
    lines = ended.out.splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("GAP at 5:12 and2or"))
    table = [line.split() for line in lines[first + 1 : first + 6]]
    assert ["step", "a", "b", "y", "y"] == [row[0] for row in table]
    assert ("model", "mutant") == (table[3][1], table[4][1])
    assert table[3][-1] != table[4][-1]


def test_one_survivor_can_be_asked_for_and_programs_can_read_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "model.lus"
    path.write_text(MODEL)
    everything = json.loads(mutproof("equivalent", path, "--format", "json", *FEW).out)
    gap = next(s for s in everything["survivors"] if s["status"] == "gap")

    ended = mutproof(
        "equivalent", path, "--mutant", gap["id"], "--format", "json", "--no-timings", *FEW
    )

    (found,) = json.loads(ended.out)["survivors"]
    gap.pop("seconds")
    assert gap == found
    assert gap["step"] + 1 == len(found["inputs"]["b"]) == len(found["model"]["y"])


def test_survivors_that_nobody_asked_for_are_not_undetermined(tmp_path: Path) -> None:
    path = tmp_path / "model.lus"
    path.write_text(TWO_SIDES.replace("not (low", "true or (low"))
    everything = json.loads(mutproof("equivalent", path, "--format", "json").out)
    hidden = [one["id"] for one in everything["survivors"] if not one["behaviour"]["shown"]][:2]
    asked = [word for name in hidden for word in ("--mutant", name)]

    assert {"equivalent": 0, "gap": 8, "undetermined": 0} == everything["counts"]
    found = json.loads(mutproof("equivalent", path, *asked, "--format", "json").out)
    assert {"equivalent": 0, "gap": 2, "undetermined": 0} == found["counts"]
    told = mutproof("equivalent", path, *asked).out
    assert "2 of 8 survivors: 0 equivalent, 2 gaps, 0 undetermined" in told.splitlines()
    assert all(f"[{name}]\n" in told for name in hidden)


def test_a_mutant_that_is_asked_for_is_one_of_the_file(tmp_path: Path) -> None:
    path, none = tmp_path / "model.lus", tmp_path / "other.lus"
    path.write_text(TWO_SIDES)
    none.write_text(TWO_SIDES.replace("x < 0", "x <= 0 - 1"))
    report = json.loads(mutproof("mutate", path, "--format", "json", "--no-timings").out)
    mutants = next(iter(report["files"].values()))["mutants"]
    name = next(one["id"] for one in mutants if one["status"] == "Survived")
    killed = next(one["id"] for one in mutants if one["status"] == "Killed")

    mistyped = mutproof("equivalent", path, "--mutant", name[:-1] + "x")
    assert (1, "") == (mistyped.code, mistyped.out)
    assert f"no mutant is called {name[:-1] + 'x'!r}" in mistyped.err
    assert f"did you mean `{name}`" in mistyped.err
    nobody = mutproof("equivalent", tmp_path, "--mutant", "nobody", "--mutant", name)
    assert (1, "") == (nobody.code, nobody.out)
    assert "error[unknown-mutant]" in nobody.err
    told = mutproof("equivalent", path, "--mutant", killed)
    line = f"no survivor that was asked for: {killed} is killed"
    assert (0, line) == (told.code, told.out.splitlines()[2])
    assert mutproof("equivalent", tmp_path, "--mutant", name).code == 2


def test_an_error_in_what_is_asked_for_is_told_before_that_it_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "model.lus"
    path.write_text(TWO_SIDES.replace("not (low", "not (lwo"))

    told = mutproof("prove", path, "--property", "apartt")
    assert told.code == 1
    assert "lwo" in told.err
    assert "unknown-property" not in told.err


def test_equivalent_survivors_are_left_out_of_the_score(tmp_path: Path) -> None:
    path = tmp_path / "model.lus"
    path.write_text(MODEL)

    decided = mutproof("mutate", "--equivalence", path, *FEW)
    written = mutproof("mutate", path, "--observe", "all", "--format", "json", *FEW)
    report = json.loads(written.out)

    assert "killed/(killed+gaps+undetermined+unknown)" in decided.out
    assert "equivalent on outputs" in decided.out
    mutants = next(iter(report["files"].values()))["mutants"]
    known = [m["mutproof"]["equivalence"]["status"] for m in mutants if m["status"] == "Survived"]
    assert {"equivalent", "gap"} == set(known)


def test_a_clock_that_shows_pm_at_eleven_is_a_gap_and_one_that_asks_later_is_not() -> None:
    """Models 2 and 3 of the fourth paper."""
    ended = mutproof("equivalent", EXAMPLES / "clock.smv", "--operators", "SB,ROR", "--no-timings")

    assert "GAP at 20:5 SB branches 1 and 2 of `case` exchanged (only the" in ended.out
    lines = ended.out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("GAP at 20:5 SB"))
    assert ["hour", *map(str, range(12))] == lines[start + 2].split()
    assert "EQUIVALENT at 22:12 ROR `>=` → `>` (on all variables" in ended.out


def test_a_tester_kills_surely_or_by_luck() -> None:
    """The first of the mutants of Example 2 of the second paper; its others are in properties."""
    ended = mutproof(
        "equivalent",
        EXAMPLES / "beverage.smv",
        "--operators",
        "NR",
        "--inputs",
        "button",
        "--outputs",
        "drink",
        "--format",
        "json",
    )

    found = {(s["line"], s["summary"]): s for s in json.loads(ended.out)["survivors"]}
    kill = found[20, "`1` → `0`"]
    assert ("gap", "definitely killable") == (kill["status"], kill["how"])
    assert ["button"] == list(kill["test"])


@pytest.mark.parametrize(
    "arguments",
    [("--inputs", "a"), ("other.lus", "--outputs", "y"), ("other.lus", "--mutant", "1")],
)
def test_what_cannot_be_asked_is_refused(arguments: tuple[str, ...]) -> None:
    ended = mutproof("equivalent", "model.lus", *arguments)

    assert 1 == ended.code
    assert "error[usage]" in ended.err


@pytest.mark.parametrize(
    "asked", [("equivalent", *FEW), ("tests", *FEW), ("equivalent", "--inputs", "b")]
)
def test_a_variable_that_no_file_has_is_refused_once(
    asked: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "model.lus"
    path.write_text(MODEL)

    ended = mutproof(asked[0], path, *asked[1:], "--outputs", "b,nay")

    assert (1, "") == (ended.code, ended.out)
    assert 1 == ended.err.count("nay")
    assert "error[unknown-variable]: no variable is called 'nay'" in ended.err
