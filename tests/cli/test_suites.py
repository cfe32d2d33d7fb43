"""`mutproof tests`: what suites claim, recomputed from their files and the texts of mutants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from process import EXAMPLES, mutproof

from mutproof.analyses.suites.collecting import FREED, NOT_SURE
from mutproof.base.text import SourceText
from mutproof.languages import lustre, nusmv
from mutproof.model.interpretation import interpretation
from mutproof.model.trace import Choices

COUNTER = """\
node counter (up, down : bool; most : int) returns (n : int; full : bool; ok : bool);
let
  assert most >= 1;
  n = 0 -> if up and not down and pre n < most then pre n + 1
           else if down and pre n > 0 then pre n - 1
           else pre n;
  full = n >= most;
  ok = n >= 0;
  --%PROPERTY ok;
tel;
"""
HALF_RIGHT = """\
node main(x : int) returns (y : int; right, wrong : bool);
let
  y = if x > 0 then x else 0;
  right = y >= 0 and y >= x;
  wrong = y > x;
  --%PROPERTY right;
  --%PROPERTY wrong;
tel;
"""
UNSEEN = """\
node main (a : bool) returns (x : bool);
var hidden : int; ok : bool;
let
  hidden = 0 -> if a then pre hidden + 1 else pre hidden;
  x = a -> a and pre a;
  ok = hidden >= 0;
  --%PROPERTY ok;
tel;
"""
CELL = """\
MODULE cell (enabled, start)
VAR level : 0..3;
ASSIGN
  init(level) := start;
  next(level) := case
    enabled & level < 3 : level + 1;
    enabled : 0;
    TRUE : level;
  esac;
DEFINE full := level = 3;

MODULE main
IVAR go : boolean;
FROZENVAR start : 0..1;
VAR
  stop : boolean;
  mode : {idle, busy, done};
  one : cell(mode = busy, start);
  two : cell(one.full, 0);
  seen : array 0..1 of boolean;
INVAR !(stop & mode = done)
ASSIGN
  init(mode) := idle;
  next(mode) := case
    stop : idle;
    mode = idle & go : busy;
    mode = busy & two.full : done;
    TRUE : mode;
  esac;
  init(seen[0]) := FALSE;
  next(seen[0]) := seen[0] | stop in {TRUE};
  seen[1] := mode = done;
INVARSPEC two.level <= 3
"""
LUCK = """\
node main (a : bool) returns (x : bool; ok : bool);
let
  x = false -> pre a;
  ok = true;
  --%PROPERTY ok;
tel;
"""
OPEN_FIRST = """\
node main (a : int) returns (x, y : int; ok : bool);
let
  x = pre a + 1;
  y = a + 1;
  ok = y > a;
  --%PROPERTY ok;
tel;
"""


def suite(path: Path, *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    """Return the exit code and the suite of a model."""
    ended = mutproof("tests", path, "--format", "json", "--no-timings", *arguments)
    return ended.code, json.loads(ended.out)


def edits(path: Path, level: str = "default") -> dict[str, str]:
    """Return the texts of all mutants by their ids, made from the edits of a report."""
    ended = mutproof("mutate", path, "--level", level, "--format", "json", "--no-timings")
    lines = path.read_text().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text = "".join(lines)
    found = {}
    for file in json.loads(ended.out)["files"].values():
        for mutant in file["mutants"]:
            edit = mutant["mutproof"]["edit"]
            start, end = (
                starts[edit[side]["line"] - 1] + edit[side]["column"] - 1
                for side in ("start", "end")
            )
            found[mutant["id"]] = text[:start] + edit["text"] + text[end:]
    return found


def outputs(text: str, test: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all values at each step of a test, by plain evaluation of a text."""
    language = nusmv.LANGUAGE if "MODULE" in text else lustre.LANGUAGE
    elaborated = language.elaborate(language.parse(SourceText("model", text)))
    assert elaborated.program is not None, elaborated.diagnostics
    steps = tuple(step["inputs"] for step in test["steps"])
    execution = interpretation(elaborated.program).run(Choices(steps))
    assert execution is not None
    assert execution.assumed
    return [dict(row) for row in execution.trace.steps]


def check(path: Path, found: dict[str, Any]) -> set[str]:
    """Check what a suite says of a model; return the mutants that are killed."""
    texts = edits(path)
    killed = set()
    for test in found["tests"]:
        expected = [step["outputs"] for step in test["steps"]]
        shown = outputs(path.read_text(), test)
        assert expected == [
            {name: row[name] for name in wanted}
            for wanted, row in zip(expected, shown, strict=True)
        ]
        for kill in test["kills"]:
            row = outputs(texts[kill["mutant"]], test)[kill["step"]]
            for name in kill["outputs"]:
                assert expected[kill["step"]][name] != row[name]
            killed.add(kill["mutant"])
    return killed


@pytest.mark.parametrize("text", [COUNTER, UNSEEN, OPEN_FIRST, CELL])
def test_a_suite_read_back_passes_and_kills_what_it_claims(text: str, tmp_path: Path) -> None:
    model = tmp_path / ("model.smv" if "MODULE" in text else "model.lus")
    model.write_text(text)
    ended = mutproof("tests", model, "-o", tmp_path / "suites", "--no-timings")
    found = json.loads((tmp_path / "suites" / "model.suite.json").read_text())

    killed = check(model, found)

    assert 0 == ended.code, ended.out
    assert {m["id"] for m in found["mutants"] if m["fate"] == "killed"} == killed
    assert len(found["tests"]) == found["minimum"]["tests"] >= found["minimum"]["at_least"] >= 1


def test_demo2_needs_one_test() -> None:
    code, found = suite(EXAMPLES / "demo2.lus")

    assert 0 == code
    assert 1 == len(found["tests"]) == found["minimum"]["at_least"]
    assert {"killed": 12, "chance": 2} == {
        fate: sum(1 for m in found["mutants"] if m["fate"] == fate) for fate in ("killed", "chance")
    }
    said = {m["reason"] for m in found["mutants"] if m["fate"] == "chance"}
    assert said == {FREED}
    check(EXAMPLES / "demo2.lus", found)


def test_a_kill_by_luck_alone_leaves_a_mutant_undecided(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(LUCK)

    code, found = suite(model, "--level", "all")
    fates = {(m["fate"], m.get("reason", "")) for m in found["mutants"]}

    assert {("unknown", NOT_SURE)} <= fates
    assert 3 == code


def test_what_no_output_shows_is_proved_equivalent(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(UNSEEN)

    _, found = suite(model)

    inside = {m["fate"] for m in found["mutants"] if m["line"] == 4}
    assert {"equivalent"} == inside


def test_an_output_that_no_input_determines_is_not_expected(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(OPEN_FIRST)

    _, found = suite(model)

    for test in found["tests"]:
        first, *later = test["steps"]
        assert {"y", "ok"} == set(first["outputs"])
        assert all({"x", "y", "ok"} == set(step["outputs"]) for step in later)


def test_few_tests_are_enough_for_many_mutants(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(COUNTER)

    _, found = suite(model, "--level", "all")
    killed = {m["id"] for m in found["mutants"] if m["fate"] == "killed"}
    texts = {name: text for name, text in edits(model, "all").items() if name in killed}
    left = set(sorted(killed)[::5])  # the texts of mutants take long to read

    assert len(killed) > 28 * len(found["tests"])
    assert len(found["tests"]) <= 1.05 * found["minimum"]["at_least"]
    for test in found["tests"]:
        for kill in test["kills"]:
            if kill["mutant"] in left:
                left.discard(kill["mutant"])
                row = outputs(texts[kill["mutant"]], test)[kill["step"]]
                wanted = test["steps"][kill["step"]]["outputs"]
                assert all(wanted[name] != row[name] for name in kill["outputs"])
    assert not left


def test_inputs_fulfil_the_assumptions(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(COUNTER)

    _, found = suite(model)

    assert all(step["inputs"]["most"] >= 1 for test in found["tests"] for step in test["steps"])


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(COUNTER)
    for folder in ("one", "other"):
        mutproof("tests", model, "-o", tmp_path / folder, "--no-timings")

    one, other = (tmp_path / f / "model.suite.json" for f in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()


def test_only_named_outputs_are_seen(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(COUNTER)

    code, found = suite(model, "--outputs", "full")

    assert ["full"] == [one["name"] for one in found["outputs"]]
    assert {"full"} == {name for t in found["tests"] for k in t["kills"] for name in k["outputs"]}
    assert code in {0, 3}


@pytest.mark.parametrize(
    ("text", "output", "reason"),
    [
        (UNSEEN, "hidden", "hidden is no output; a test sees only what leaves the model: x"),
        (UNSEEN, "a", "a is an input, which a test sets; a test sees only"),
        (CELL, "stop", "stop is an input, which a test sets; a test sees only"),
    ],
)
def test_what_no_test_sees_is_said_so(text: str, output: str, reason: str, tmp_path: Path) -> None:
    model = tmp_path / ("model.smv" if "MODULE" in text else "model.lus")
    model.write_text(text)

    code, found = suite(model, "--outputs", output)

    assert 3 == code
    assert reason in found["refused"]


def test_the_summary_counts() -> None:
    ended = mutproof("tests", EXAMPLES / "demo2.lus", "--no-timings")

    assert "14 mutants, 12 killed, 2 left to chance, 1 test, optimal" in ended.out


def test_the_documentation_shows_what_is_found() -> None:
    shown = mutproof("tests", "examples/demo2.lus", "--no-timings").out

    assert shown in (EXAMPLES.parent / "docs" / "using.md").read_text(encoding="utf-8")


def test_a_model_of_which_nothing_is_proved_has_tests_too(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(COUNTER.replace("ok = n >= 0", "ok = n < 0"))

    code, found = suite(model)

    assert 4 == code
    assert found["tests"]
    check(model, found)


def test_killed_mutants_violate_only_properties_that_the_model_has(tmp_path: Path) -> None:
    path = tmp_path / "model.lus"
    path.write_text(HALF_RIGHT)
    found = mutproof("tests", path)

    assert "; some violate right" in found.out
    assert "wrong" not in found.out
    assert "not proved on the unmutated model, so taking no part: wrong" in found.err


@pytest.mark.parametrize("bound", [3, 2])
def test_what_is_no_model_has_no_tests_whether_or_not_anything_is_proved(
    bound: int, tmp_path: Path
) -> None:
    model = tmp_path / "model.smv"
    model.write_text(
        "MODULE main\nIVAR i : boolean;\nVAR x : unsigned word[2]; y : boolean;\nASSIGN\n"
        "  init(x) := 0ud2_1;\n  next(x) := i ? x + x : x;\n"
        "  init(y) := FALSE;\n  -- mutproof disable next-line all: as it was\n"
        "  next(y) := x > 0ud2_1;\n"
        f"INVARSPEC x < 0ud2_{bound} | x = 0ud2_3;\n"
    )

    _, found = suite(model, "--operators", "MOR,ROR")

    summaries = {one["summary"] for one in found["mutants"]}
    assert {"`+` → `-`", "`+` → `*`"} == summaries  # a divisor would be zero


@pytest.mark.parametrize(
    ("assignments", "reason"),
    [
        ("init(x) := 0; next(x) := {0, 1};", "the value of next(x) is chosen from a set"),
        ("init(x) := 0;", "no assignment gives the next value of x"),
        ("next(x) := 1 - x;", "no assignment gives the first value of x"),
        ("init(x) := 0; next(x) := b ? d : 0; DEFINE d := {0, 1};", "is chosen from a set"),
    ],
)
def test_what_is_not_determined_has_no_tests(assignments: str, reason: str, tmp_path: Path) -> None:
    model = tmp_path / "model.smv"
    text = f"MODULE main\nVAR x : 0..1; b : boolean;\nASSIGN {assignments}\nINVARSPEC x >= 0\n"
    model.write_text(text)

    code, found = suite(model)

    assert 3 == code
    assert reason in found["refused"]
    assert "mutproof control" in found["refused"]
    assert [] == found["tests"]


def test_what_the_text_rules_out_is_said_before_anything_is_proved(tmp_path: Path) -> None:
    model = tmp_path / "model.smv"
    model.write_text(
        "MODULE main\nVAR x : 0..3;\nASSIGN next(x) := x;\n"
        "INVARSPEC NAME low := x < 3;\nINVARSPEC NAME high := x >= 0;\n"
    )

    done = mutproof("tests", model, "--no-timings")

    assert 3 == done.code
    assert "NO TESTS" in done.out
    assert "low" not in done.out + done.err  # falsified, had it been looked at


def test_a_model_that_is_none_is_reported_though_it_has_no_tests(tmp_path: Path) -> None:
    model = tmp_path / "model.smv"
    model.write_text(
        "MODULE main\nVAR x : 0..3;\nASSIGN next(x) := case x < 2 : x; esac;\nINVARSPEC x < 3;\n"
    )

    done = mutproof("tests", model, "--no-timings")

    assert "not exhaustive" in done.out + done.err


def test_a_macro_that_is_a_set_chooses_nothing_where_members_are_asked_for(tmp_path: Path) -> None:
    model = tmp_path / "model.smv"
    model.write_text(
        "MODULE main\nIVAR i : boolean;\nVAR x : 0..2;\nDEFINE d := {0, 2};\n"
        "ASSIGN init(x) := 0; next(x) := i & x in d ? 1 : 2;\n"
    )

    _, found = suite(model, "--operators", "NR")
    _, named = suite(model, "--operators", "NR", "--outputs", "d")

    assert {"killed"} == {one["fate"] for one in found["mutants"] if one["line"] == 4}
    assert "d is no output" in named["refused"]


def test_tests_of_nusmv_models_respect_their_constraints(tmp_path: Path) -> None:
    model = tmp_path / "model.smv"
    model.write_text(CELL)

    _, found = suite(model)

    assert {"go", "start", "stop"} == {one["name"] for one in found["inputs"]}
    for test in found["tests"]:
        for number, step in enumerate(test["steps"]):
            assert ("start" in step["inputs"]) == (number == 0)
            assert not (step["inputs"]["stop"] and step["outputs"]["mode"] == "done")


def test_a_suite_stays_as_it_was_where_the_model_does(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(COUNTER)
    mutproof("tests", model, "-o", tmp_path, "--no-timings")
    before = json.loads((tmp_path / "model.suite.json").read_text())
    (tmp_path / "old.json").write_bytes((tmp_path / "model.suite.json").read_bytes())

    _, same = suite(model, "--from", tmp_path / "old.json")
    changed = COUNTER.replace("full = n >= most", "full = n = most and not down")
    model.write_text(changed)
    _, after = suite(model, "--from", tmp_path / "old.json")

    names = [{one["name"] for one in each["tests"]} for each in (before, same, after)]
    assert names[0] == names[1]
    assert names[0] & names[2]
    check(model, after)
    _, fresh = suite(model)
    dead = [{m["id"] for m in e["mutants"] if m["fate"] == "killed"} for e in (after, fresh)]
    assert dead[0] == dead[1]


def test_tests_of_another_model_are_not_kept(tmp_path: Path) -> None:
    (tmp_path / "one.lus").write_text(COUNTER)
    (tmp_path / "other.lus").write_text(OPEN_FIRST)
    mutproof("tests", tmp_path / "one.lus", "-o", tmp_path, "--no-timings")

    _, found = suite(tmp_path / "other.lus", "--from", tmp_path / "one.suite.json")

    assert "earlier" not in {one["origin"] for one in found["tests"]}
    check(tmp_path / "other.lus", found)


def test_a_model_without_properties_has_tests(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(COUNTER.replace("  --%PROPERTY ok;\n", ""))

    code, found = suite(model)

    assert 0 == code
    assert found["tests"]
    for test in found["tests"]:
        expected = [step["outputs"] for step in test["steps"]]
        assert expected == [
            {name: row[name] for name in wanted}
            for wanted, row in zip(expected, outputs(model.read_text(), test), strict=True)
        ]


def test_a_macro_is_seen_where_it_is_named(tmp_path: Path) -> None:
    model = tmp_path / "model.smv"
    model.write_text(CELL)

    _, found = suite(model, "--outputs", "two.full", "--operators", "ge2g,constant,ifthen")

    assert ["two.full"] == [one["name"] for one in found["outputs"]]
    for test in found["tests"]:
        rows = outputs(CELL, test)
        assert [{"two.full": row["two.full"]} for row in rows] == [
            step["outputs"] for step in test["steps"]
        ]


def test_what_is_open_of_a_mutant_is_said_without_words_of_engines(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(
        "node main(c : bool) returns (y : bool);\nvar n, m : int;\nlet\n"
        "  n = 0 -> if c then pre n + 3 else pre n + 5;\n"
        "  m = 1 -> if c then pre m * 2 else pre m + pre n;\n"
        "  y = n * n = 7 * m * m + 3;\ntel;\n"
    )

    out = mutproof("tests", model, "--operators", "constant", "--rlimit", "5000").out

    (reason,) = [line.partition(": ")[2] for line in out.splitlines() if "UNKNOWN" in line]
    assert reason == (
        "no test of it was found, and no proof that there is none: out of solver units;"
        " `--rlimit` gives more"
    )
