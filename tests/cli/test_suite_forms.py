"""Projections of suites: each is read back by a small reader, those that can be run are run."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from process import mutproof
from vcd.reader import TokenKind, tokenize

MODEL = """\
type mode = enum { idle, busy, done };
node machine (go, stop : bool; load : int; rate : real)
returns (m : mode; count : int; used : real; full : bool);
var ok : bool;
let
  assert load >= 0 and load <= 9;
  m = idle -> if stop then idle
              else if pre m = idle and go then busy
              else if pre m = busy and pre count >= 3 then done
              else pre m;
  count = 0 -> if m = busy and not stop then pre count + 1 else 0;
  used = rate -> if m = busy then pre used + rate / 2.0 else pre used;
  full = load > 6 or (count + load >= 10 and m <> idle);
  ok = count >= 0;
  --%PROPERTY ok;
tel;
"""
PYTHON = """\
from fractions import Fraction

class Machine:
    def __init__(self):
        self.m, self.count, self.used, self.first = "idle", 0, Fraction(0), True

    def step(self, i):
        if self.first:
            self.m, self.count, self.used, self.first = "idle", 0, i["rate"], False
        else:
            if i["stop"]: m = "idle"
            elif self.m == "idle" and i["go"]: m = "busy"
            elif self.m == "busy" and self.count >= 3: m = "done"
            else: m = self.m
            self.m = m
            self.count = self.count + 1 if m == "busy" and not i["stop"] else 0
            self.used += i["rate"] / 2 if m == "busy" else 0
        full = i["load"] > 6 or (self.count + i["load"] >= 10 and self.m != "idle")
        return {"m": self.m, "count": self.count, "used": self.used, "full": full}
"""
C = """\
#include "machine_tests.h"
static int first; static enum machine_symbol m; static long long count; static double used;
void machine_reset(void) { first = 1; }
void machine_step(const struct machine_inputs *in, struct machine_outputs *out) {
  if (first) { m = machine_idle; count = 0; used = in->rate; first = 0; }
  else {
    if (in->stop) m = machine_idle;
    else if (m == machine_idle && in->go) m = machine_busy;
    else if (m == machine_busy && count >= 3) m = machine_done;
    if (m == machine_busy && !in->stop) count = count + 1; else count = 0;
    if (m == machine_busy) used = used + in->rate / 2.0;
  }
  out->m = m; out->count = count; out->used = used;
  out->full = in->load > 6 || (count + in->load >= 10 && m != machine_idle);
}
"""
DRIVER = """\
#include <stdio.h>
int main(void) {
  int go, stop; long long load; double rate; char reset;
  struct machine_outputs out;
  while (scanf(" %c %d %d %lld %lf", &reset, &go, &stop, &load, &rate) == 5) {
    struct machine_inputs in = { go, stop, load, rate };
    if (reset == 'r') machine_reset();
    machine_step(&in, &out);
    printf("%d %lld %.6f %d\\n", (int)out.m, out.count, out.used, out.full);
  }
  return 0;
}
"""
EDITS = (
    (r">=", ("> ", "< ", "==")),
    (r"(?<=[a-z] )> ", (">= ", "< ")),
    (r"&&", ("||",)),
    (r"\|\|", ("&&",)),
    (r"==", ("!=",)),
    (r"!=", ("==",)),
    (r"(?<= )\+ ", ("- ",)),
    (r"/ 2\.0", ("/ 3.0", "* 2.0")),
    (r"!in", ("in",)),
    (r"\b(3|6|10)\b", ("4", "7", "11", "2", "5")),
    (r"machine_(idle|busy|done)\b", ("machine_idle", "machine_busy", "machine_done")),
)
MOST = 1e-9


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a suite in all forms."""
    made = tmp_path_factory.mktemp("forms")
    (made / "machine.lus").write_text(MODEL)
    forms = "csv,pytest,c,kind2,jkind,fret,rif,vcd,xml"
    ended = mutproof("tests", "machine.lus", "-o", ".", "--as", forms, "--no-timings", cwd=made)
    assert ended.code == 0, ended.out + ended.err
    return made


def suite(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "machine.suite.json").read_text())
    return found


def columns(found: dict[str, Any]) -> list[str]:
    return [one["name"] for kind in ("inputs", "outputs") for one in found[kind]]


def rows(test: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**step["inputs"], **step["outputs"]} for step in test["steps"]]


def plain(value: Any) -> Any:
    """Return a value in a form in which those of all readers can be compared."""
    text = str(value).lower()
    if text in {"true", "t"}:
        return True
    if text in {"false", "f"}:
        return False
    if re.fullmatch(r"-?[\d.]+(e-?\d+)?(/[\d.]+)?", text):
        above, _, below = text.partition("/")
        return float(Fraction(above) / Fraction(below or 1))
    return str(value)


def test_the_table_is_the_suite_and_the_model_passes_it(folder: Path) -> None:
    text = (folder / "machine.csv").read_text()
    read: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        read.setdefault(row["test"], []).append(row)
    for test in suite(folder)["tests"]:
        shown = [{n: plain(row[n]) for n in columns(suite(folder))} for row in read[test["name"]]]
        assert [{n: plain(v) for n, v in row.items()} for row in rows(test)] == shown
    words = ("tests", "run", "machine.suite.json", "--against", "machine.csv")
    assert 0 == mutproof(*words, cwd=folder).code


def test_kind2_reads_strings_of_numbers(folder: Path) -> None:
    for test in suite(folder)["tests"]:
        for kind in ("in", "io"):
            read = json.loads((folder / f"machine.{test['name']}.{kind}.json").read_text())
            wanted = [step["inputs"] for step in test["steps"]] if kind == "in" else rows(test)
            assert [{n: plain(v) for n, v in row.items()} for row in wanted] == [
                {n: plain(v) for n, v in row.items()} for row in read
            ]
            assert all(isinstance(row["load"], str) and "." in row["rate"] for row in read)


def test_jkind_has_a_counterexample_for_each_test(folder: Path) -> None:
    root = ET.parse(folder / "machine.jkind.xml").getroot()
    for test in suite(folder)["tests"]:
        found = root.find(f"Property[@name='{test['name']}']/Counterexample")
        assert found is not None
        for signal in found.iter("Signal"):
            values = {int(str(v.get("time"))): v.text for v in signal.iter("Value")}
            name = str(signal.get("name"))
            for number, row in enumerate(rows(test)):
                wanted = row[name]
                wanted = str(int(wanted)) if isinstance(wanted, bool) else wanted
                assert plain(wanted) == plain(values[number])


def test_fret_has_a_row_of_values_for_each_step(folder: Path) -> None:
    read = {one["testID"]: one["testTrace"] for one in json.loads(
        (folder / "machine.fret.json").read_text())}  # fmt: skip
    for test in suite(folder)["tests"]:
        trace = read[test["name"]]
        assert len(test["steps"]) == trace["traceLength"] == len(trace["values"])
        for row, values in zip(rows(test), trace["values"], strict=True):
            assert {n: plain(v) for n, v in row.items()} == {
                name: plain(bool(v) if isinstance(row[name], bool) else v)
                for name, v in zip(trace["keys"], values, strict=True)
            }


def test_rif_names_the_variables_and_gives_their_values(folder: Path) -> None:
    for test in suite(folder)["tests"]:
        lines = (folder / f"machine.{test['name']}.rif").read_text().splitlines()
        named = [re.findall(r'"(\w+)":', lines[number]) for number in (0, 1)]
        steps = [
            dict(zip(named[0] + named[1], [*given.split(), *shown.split()[1:]], strict=True))
            for given, shown in zip(lines[3::3], lines[4::3], strict=False)
        ]
        assert "q" == lines[-1]
        assert [{n: plain(v) for n, v in row.items()} for row in rows(test)] == [
            {n: plain(v) for n, v in row.items()} for row in steps
        ]


def test_waveforms_show_every_step(folder: Path) -> None:
    for test in suite(folder)["tests"]:
        text = (folder / f"machine.{test['name']}.vcd").read_bytes()
        names: dict[str, str] = {}
        counts: list[Any] = []
        time, last = 0, None
        for token in tokenize(io.BytesIO(text)):
            if token.kind is TokenKind.VAR:
                names[token.var.id_code] = token.var.reference
            elif token.kind is TokenKind.CHANGE_TIME:
                counts += [last] * (token.time_change - time)
                time = token.time_change
            elif (
                token.kind is TokenKind.CHANGE_VECTOR
                and names[token.vector_change.id_code] == "count"
            ):
                last = token.vector_change.value
        assert [row["count"] for row in rows(test)] == counts


def test_nusmv_traces_have_a_state_for_each_step(folder: Path) -> None:
    for test in suite(folder)["tests"]:
        root = ET.parse(folder / f"machine.{test['name']}.xml").getroot()
        states = [
            {str(v.get("variable")): str(v.text) for v in state.iter("value")}
            for state in root.iter("state")
        ]
        assert [{n: plain(v) for n, v in row.items()} for row in rows(test)] == [
            {n: plain(v) for n, v in row.items()} for row in states
        ]


def run_pytest(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "implementation.py").write_text(text)
    environment = {
        **os.environ, "MUTPROOF_SUBJECT": "implementation:Machine", "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_machine.py"]
    return subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_module_for_pytest_passes_and_fails_as_it_should(folder: Path) -> None:
    right = run_pytest(folder, PYTHON)
    wrong = run_pytest(folder, PYTHON.replace("self.count >= 3", "self.count >= 4"))

    assert 0 == right.returncode, right.stdout
    assert 1 == wrong.returncode, wrong.stdout
    assert re.search(r"step \d+: \w+ is .*, expected ", wrong.stdout)


def compiled(folder: Path, name: str, *sources: str) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None
    program = folder / name
    words = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", ".", "-o", program]
    done = subprocess.run(
        [*words, *sources], cwd=folder, capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    return program


def c_mutants() -> list[str]:
    """Return C texts in each of which one edit was made."""
    start = C.index("  if (first)")
    found = []
    for pattern, texts in EDITS:
        for match in re.finditer(pattern, C[start:]):
            for text in texts:
                if text.strip() != match.group().strip():
                    place = start + match.start()
                    found.append(C[:place] + text + C[start + match.end() :])
    return found


def test_the_c_program_passes_the_translation_and_kills_its_mutants(folder: Path) -> None:
    """Count what can be killed by long random executions, with the kills of the suite."""
    source = random.Random(1)
    given = "".join(
        f"{'r' if number % 40 == 0 else '-'} {source.randint(0, 1)} {source.random() < 0.1:d}"
        f" {source.randint(0, 9)} {source.randint(-8, 8) / 4}\n"
        for number in range(4000)
    )
    (folder / "right.c").write_text(C)
    (folder / "right_driver.c").write_text(C + DRIVER)
    passed = subprocess.run([compiled(folder, "right", "right.c", "machine_tests.c")], check=False)
    assert 0 == passed.returncode

    def shown(program: Path) -> str:
        return subprocess.run([program], input=given, capture_output=True, text=True).stdout  # noqa: PLW1510

    expected = shown(compiled(folder, "driver", "right_driver.c"))
    killed, possible = 0, 0
    for text in source.sample(c_mutants(), 40):
        (folder / "mutant.c").write_text(text)
        (folder / "mutant_driver.c").write_text(text + DRIVER)
        done = subprocess.run(
            [compiled(folder, "mutant", "mutant.c", "machine_tests.c")],
            capture_output=True,
            check=False,
        )
        is_other = shown(compiled(folder, "mutant_driver", "mutant_driver.c")) != expected
        possible += is_other or done.returncode == 1
        killed += done.returncode == 1

    assert possible >= 25
    assert killed >= 0.9 * possible, f"{killed} of {possible}"


def test_a_recorded_suite_is_exported_later(folder: Path, tmp_path: Path) -> None:
    words = ("tests", "export", "machine.suite.json", "--as", "csv,c", "-o", tmp_path)

    ended = mutproof(*words, cwd=folder)

    assert 0 == ended.code, ended.err
    for name in ("machine.csv", "machine_tests.c", "machine_tests.h"):
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes()


def test_what_c_cannot_hold_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(
        "node main (a : int) returns (x : int; ok : bool);\n"
        "let x = if a > 99999999999999999999 then a - 1 else a; ok = true; --%PROPERTY ok;\ntel;\n"
    )

    ended = mutproof("tests", "model.lus", "-o", ".", "--as", "c", cwd=tmp_path)

    assert 1 == ended.code
    assert "error[not-projectable]" in ended.err


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    ended = mutproof("tests", "model.lus", "-o", ".", "--as", "cvs", cwd=tmp_path)

    assert 1 == ended.code
    assert "did you mean `csv`?" in ended.err


def test_the_help_names_every_way_to_use_suites(tmp_path: Path) -> None:
    told = " ".join(mutproof("tests", "--help").out.split())
    assert "`run SUITE`, with --against" in told
    assert "`export SUITE…`, with --as and -o" in told
    for words, missing in (
        (("run", "s.suite.json"), "--against has to say what is tested"),
        (("export", "s.suite.json", "-o", "."), "--as has to name forms"),
        (("export", "--as", "csv", "-o", "."), "no suite is named"),
    ):
        ended = mutproof("tests", *words, cwd=tmp_path)
        assert 1 == ended.code
        assert f"error[usage]: {missing}" in ended.err
        assert "help: mutproof tests " in ended.err
