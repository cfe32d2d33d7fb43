"""Projections of suites whose inputs are parts of states, records or arrays, and of odd names."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from process import mutproof

VALVE = """\
MODULE main
IVAR go : boolean;
FROZENVAR most : 1..3;
VAR
  EOF : boolean;
  phase : {reset, step, done};
  level : 0..3;
ASSIGN
  init(phase) := reset;
  next(phase) := case
    EOF : done;
    phase = reset & go : step;
    level >= most : reset;
    TRUE : phase;
  esac;
  init(level) := 0;
  next(level) := case
    phase = step & level < most : level + 1;
    phase = done : 0;
    TRUE : level;
  esac;
INVARSPEC level <= 3
"""
C = """\
#include "valve_tests.h"
static struct valve_outputs now;
static struct valve_inputs before;
static int first;
void valve_reset(void) { first = 1; }
void valve_step(const struct valve_inputs *in, struct valve_outputs *out) {
  struct valve_outputs then = now;
  if (first) { now.phase = valve_reset_2; now.level = 0; first = 0; }
  else {
    if (before.EOF_2) now.phase = valve_done;
    else if (then.phase == valve_reset_2 && before.go) now.phase = valve_step_2;
    else if (then.level >= in->most) now.phase = valve_reset_2;
    if (then.phase == valve_step_2 && then.level < in->most) now.level = then.level + 1;
    else if (then.phase == valve_done) now.level = 0;
  }
  before = *in;
  *out = now;
}
"""
POINTS = """\
type point = struct { x : int; ok : bool };
node main (p : point; a : bool[2]) returns (q : point; b : int[2]; fine : bool);
let
  q = p { x := if a[0] then p.x + 1 else p.x };
  b = [if a[1] then 1 else 2, p.x];
  fine = true;
  --%PROPERTY fine;
tel;
"""
ODD = """\
node main (test, asm, typeof : bool; step, SEEK_SET : int) returns (nullptr : bool; name : int);
let
  nullptr = test and asm or typeof;
  name = step - SEEK_SET;
tel;
"""


@pytest.fixture(scope="module")
def valve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the suite of a valve in several forms."""
    made = tmp_path_factory.mktemp("valve")
    (made / "valve.smv").write_text(VALVE)
    words = ("tests", "valve.smv", "-o", ".", "--as", "c,xml,csv,pytest", "--no-timings")
    ended = mutproof(*words, cwd=made)
    assert 0 == ended.code, ended.out + ended.err
    return made


def suite(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"{name}.suite.json").read_text())
    return found


def test_inputs_say_what_they_are(valve: Path) -> None:
    found = {one["name"]: one.get("storage", "") for one in suite(valve, "valve")["inputs"]}
    assert {"go": "", "most": "frozen", "EOF": "state"} == found


def test_parts_of_states_are_in_the_states_of_traces(valve: Path) -> None:
    for test in suite(valve, "valve")["tests"]:
        root = ET.parse(valve / f"valve.{test['name']}.xml").getroot()
        states, inputs = (
            [{str(v.get("variable")): v.text for v in one.iter("value")} for one in root.iter(tag)]
            for tag in ("state", "input")
        )
        first = test["steps"][0]["inputs"]
        assert [{"EOF", "most", "phase", "level"}] * len(test["steps"]) == [{*s} for s in states]
        assert {str(first["most"])} == {state["most"] for state in states}
        assert [str(step["inputs"]["EOF"]).upper() for step in test["steps"]] == [
            state["EOF"] for state in states
        ]
        assert [{"go"}] * (len(states) - 1) == [{*one} for one in inputs]


def test_words_are_constants_in_traces_of_nusmv(tmp_path: Path) -> None:
    text = """\
MODULE main
IVAR add : signed word[3];
VAR sum : signed word[3];
ASSIGN
  init(sum) := -0sd3_1;
  next(sum) := sum + add;
"""
    (tmp_path / "sum.smv").write_text(text)
    words = ("--operators", "NR", "-o", ".", "--as", "xml", "--no-timings")
    ended = mutproof("tests", "sum.smv", *words, cwd=tmp_path)
    assert 0 == ended.code, ended.out + ended.err
    (test,) = suite(tmp_path, "sum")["tests"]
    root = ET.parse(tmp_path / f"sum.{test['name']}.xml").getroot()
    assert "-0sd3_1" == root.findtext("node/state/value")
    assert len(list(root.iter("value"))) == len(
        re.findall("-?0sd3_[0-4]<", ET.tostring(root, "unicode"))
    )


def ran(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    """Compile a program with the tests of the valve, and run it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None
    (folder / "program.c").write_text(source)
    words = [compiler, "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-o", "program", "program.c"]
    done = subprocess.run([*words, "valve_tests.c"], cwd=folder, capture_output=True, text=True)  # noqa: PLW1510
    assert 0 == done.returncode, done.stderr
    return subprocess.run([folder / "program"], capture_output=True, text=True)  # noqa: PLW1510


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("then.level < in->most", "then.level <= in->most"),
        ("then.level >= in->most", "then.level > in->most"),
        ("before.EOF_2", "in->EOF_2"),
        ("now.level = then.level + 1", "now.level = then.level + 2"),
    ],
)
def test_a_program_with_a_fault_fails_and_one_without_passes(
    old: str, new: str, valve: Path
) -> None:
    right, wrong = ran(valve, C), ran(valve, C.replace(old, new))

    assert 0 == right.returncode, right.stdout
    assert 1 == wrong.returncode
    assert "FAIL" in wrong.stdout


def test_the_table_says_what_is_frozen_at_every_step(valve: Path) -> None:
    ended = mutproof("tests", "run", "valve.suite.json", "--against", "valve.csv", cwd=valve)

    assert 0 == ended.code, ended.out + ended.err
    header, *rows = (valve / "valve.csv").read_text().splitlines()
    position = header.split(",").index("most")
    assert all(row.split(",")[position] in {"1", "2", "3"} for row in rows)


def test_variables_may_be_called_as_words_of_the_forms_are(tmp_path: Path) -> None:
    (tmp_path / "odd.lus").write_text(ODD)
    words = ("tests", "odd.lus", "-o", ".", "--as", "c,csv", "--no-timings")
    assert 0 == mutproof(*words, cwd=tmp_path).code
    ended = mutproof("tests", "run", "odd.suite.json", "--against", "odd.csv", cwd=tmp_path)
    assert 0 == ended.code, ended.err
    assert (tmp_path / "odd.csv").read_text().startswith("(test),(step),test,")
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None
    done = subprocess.run(
        [compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "odd_tests.c"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr


def test_kind2_reads_records_as_objects_and_arrays_as_lists(tmp_path: Path) -> None:
    (tmp_path / "points.lus").write_text(POINTS)
    words = ("tests", "points.lus", "-o", ".", "--as", "kind2", "--no-timings")
    assert 0 == mutproof(*words, cwd=tmp_path).code
    for test in suite(tmp_path, "points")["tests"]:
        read = json.loads((tmp_path / f"points.{test['name']}.io.json").read_text())
        for step, row in zip(test["steps"], read, strict=True):
            given, shown = step["inputs"], step["outputs"]
            assert {
                "p": {"x": str(given["p.x"]), "ok": given["p.ok"]},
                "a": [given["a[0]"], given["a[1]"]],
                "q": {"x": str(shown["q.x"]), "ok": shown["q.ok"]},
                "b": [str(shown["b[0]"]), str(shown["b[1]"])],
                "fine": shown["fine"],
            } == row
