"""`mutproof tests run`: suites on models, programs and tables, with what explains failures."""

from __future__ import annotations

import csv
import json
import os
import shlex
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import psutil
import pytest
from process import mutproof

from mutproof.runtime.tested_command import spoken

MODEL = """\
node counter (up, down : bool; most : int; by : real) returns (n : int; full : bool; sum : real);
var ok : bool;
let
  assert most >= 1;
  n = 0 -> if up and pre n < most then pre n + 1
           else if down and pre n > 0 then pre n - 1
           else pre n;
  full = n >= most;
  sum = by -> pre sum + by / 2.0;
  ok = n >= 0;
  --%PROPERTY ok;
tel;
"""
PROGRAM = """\
import json, sys
from fractions import Fraction
n, total, first = 0, 0, True
for line in sys.stdin:
    given = json.loads(line)
    by = Fraction(given["by"])
    if first:
        total = by
    else:
        total += by / 2
        if given["up"] and n {compared} given["most"]:
            n += 1
        elif given["down"] and n > 0:
            n -= 1
    first = False
    print(json.dumps({{"n": n, "full": n >= given["most"], "sum": str(total)}}), flush=True)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model, its suite, and programs that do what it does, and do not."""
    made = tmp_path_factory.mktemp("suite")
    (made / "counter.lus").write_text(MODEL)
    (made / "right.py").write_text(PROGRAM.format(compared="<"))
    (made / "wrong.py").write_text(PROGRAM.format(compared="<="))
    ended = mutproof("tests", "counter.lus", "-o", ".", "--no-timings", cwd=made)
    assert ended.code in {0, 3}, ended.err
    return made


def run(folder: Path, against: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    words = ("tests", "run", "counter.suite.json", "--against", against, "--format", "json")
    ended = mutproof(*words, *arguments, cwd=folder)
    return ended.code, json.loads(ended.out)


def program(name: str) -> str:
    return f"{sys.executable} {name}"


def test_the_model_passes_its_own_tests(folder: Path) -> None:
    code, found = run(folder, "counter.lus")

    assert 0 == code
    assert {"passed"} == {one["outcome"] for one in found["tests"]}
    assert [] == found["explaining"]


def test_a_program_that_does_the_same_passes(folder: Path) -> None:
    assert 0 == run(folder, program("right.py"))[0]


def test_a_wrong_program_fails_and_the_mutant_that_it_is_is_named(folder: Path) -> None:
    code, found = run(folder, program("wrong.py"))

    assert 2 == code
    failed = [one for one in found["tests"] if one["outcome"] == "failed"]
    assert all(one["expected"] != one["seen"] for one in failed)
    assert ("l2le", 5) in {(one["operator"], one["line"]) for one in found["explaining"]}


def test_missing_outputs_are_explained_by_no_mutant(folder: Path) -> None:
    (folder / "silent.py").write_text(
        "import sys\nfor line in sys.stdin: print('{}', flush=True)\n"
    )
    code, found = run(folder, program("silent.py"))

    assert 2 == code
    assert [] == found["explaining"]
    assert "outputs are missing, and no mutant leaves outputs out" == found["undiagnosed"]


def test_the_first_difference_is_told_in_words(folder: Path) -> None:
    ended = mutproof(
        "tests", "run", "counter.suite.json", "--against", program("wrong.py"), cwd=folder
    )

    line = next(one for one in ended.out.splitlines() if one.startswith("FAIL"))
    assert "at step " in line
    assert ", expected " in line
    assert "inputs up = " in line


def test_every_mutant_fails_and_is_among_what_explains_it(folder: Path) -> None:
    mutants = json.loads(
        mutproof("mutate", "counter.lus", "--format", "json", "--no-timings", cwd=folder).out
    )["files"]["counter.lus"]["mutants"]
    suite = json.loads((folder / "counter.suite.json").read_text())
    killed = [one["id"] for one in suite["mutants"] if one["fate"] == "killed"]
    lines = MODEL.splitlines(keepends=True)
    for mutant in [one for one in mutants if one["id"] in killed][:6]:
        edit = mutant["mutproof"]["edit"]
        start, end = (
            sum(map(len, lines[: edit[side]["line"] - 1])) + edit[side]["column"] - 1
            for side in ("start", "end")
        )
        (folder / "mutant.lus").write_text(MODEL[:start] + edit["text"] + MODEL[end:])

        code, found = run(folder, "mutant.lus")

        assert 2 == code
        assert mutant["id"] in {one["id"] for one in found["explaining"]}


def table(folder: Path, changes: dict[str, str], *, inputs: bool = True) -> Path:
    """Write what the model shows as a table, with other cells in the last row of each test."""
    suite = json.loads((folder / "counter.suite.json").read_text())
    path = folder / "recorded.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        names = [one["name"] for kind in ("inputs", "outputs") for one in suite[kind]]
        if not inputs:
            names = [one["name"] for one in suite["outputs"]]
        writer.writerow(["test", "step", *names])
        for test in suite["tests"]:
            for number, step in enumerate(test["steps"]):
                cells = {**step["inputs"], **step["outputs"]}
                if number == len(test["steps"]) - 1:
                    cells |= changes
                writer.writerow([test["name"], number, *(cells.get(n, "") for n in names)])
    return path


def test_recorded_outputs_are_compared(folder: Path) -> None:
    assert 0 == run(folder, str(table(folder, {})))[0]
    assert 0 == run(folder, str(table(folder, {}, inputs=False)))[0]

    code, found = run(folder, str(table(folder, {"n": "77"})))

    assert 2 == code
    assert {77} == {one["seen"].get("n") for one in found["tests"]}


def test_reals_may_be_off_by_the_tolerance(folder: Path) -> None:
    suite = json.loads((folder / "counter.suite.json").read_text())
    path = table(folder, {})
    with path.open() as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        above, _, below = row["sum"].partition("/")
        row["sum"] = repr(float(above) / float(below or 1) + 1e-7)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)

    assert suite["tests"]
    assert 2 == run(folder, str(path))[0]
    assert 0 == run(folder, str(path), "--tolerance", "1e-6")[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"n": "seven"}, "is not of type int", id="no number"),
        pytest.param({"most": "999"}, "another input", id="other inputs"),
    ],
)
def test_a_table_of_something_else_is_refused(
    folder: Path, change: dict[str, str], reason: str
) -> None:
    path = table(folder, change)

    ended = mutproof("tests", "run", "counter.suite.json", "--against", path, cwd=folder)

    assert 1 == ended.code
    assert reason in ended.err


def test_a_table_that_ends_early_is_inconclusive(folder: Path) -> None:
    path = table(folder, {})
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))

    code, found = run(folder, str(path))

    assert 3 == code
    assert "inconclusive" == found["tests"][-1]["outcome"]


def test_what_gives_no_answer_in_time_is_inconclusive(folder: Path) -> None:
    sleeps = f'{sys.executable} -c "import sys; sys.stdin.read()"'

    code, found = run(folder, sleeps, "--answer-timeout", "0.3")

    assert 3 == code
    assert {"inconclusive"} == {one["outcome"] for one in found["tests"]}


def test_what_a_command_has_started_ends_with_it(folder: Path) -> None:
    """A process that inherits the pipe of a command keeps nobody waiting."""
    number = folder / "number"
    leaves = (
        "import subprocess, sys;"
        " found = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        f" open({str(number)!r}, 'w').write(str(found.pid)); sys.stdin.read()"
    )

    code, _ = run(folder, shlex.join([sys.executable, "-c", leaves]), "--answer-timeout", "2")

    assert 3 == code
    started = int(number.read_text())
    gone = not psutil.pid_exists(started)
    assert gone or psutil.Process(started).status() == psutil.STATUS_ZOMBIE


def test_no_answer_breaks_a_report_in_xml(folder: Path) -> None:
    answers = (
        "import json, sys\n"
        "for _ in sys.stdin: print(json.dumps({'n': chr(0xfffe) + chr(7)}), flush=True)"
    )

    against = shlex.join([sys.executable, "-c", answers])
    options = ("tests", "run", "counter.suite.json", "--against", against, "--format", "junit")
    ended = mutproof(*options, cwd=folder)

    assert 2 == ended.code
    assert ET.fromstring(ended.out).find(".//failure") is not None


def test_what_ends_or_speaks_nonsense_fails(folder: Path) -> None:
    code, found = run(folder, f'{sys.executable} -c "print(1)"')

    assert 2 == code
    assert {"failed"} == {one["outcome"] for one in found["tests"]}


@pytest.mark.skipif(sys.platform == "win32", reason="waits for a process as POSIX does")
@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "the command ended"), ("print(1)", "an answer that is not a JSON object")],
)
def test_what_ends_before_it_is_asked_fails(text: str, problem: str) -> None:
    def has_ended(process: int) -> None:
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)

    found = spoken([sys.executable, "-c", text], [{"n": 1}, {"n": 2}], 60, begun=has_ended)
    assert (problem, ()) == (found.problem, found.answers)


def test_junit_has_a_case_for_each_test(folder: Path) -> None:
    against = program("wrong.py")
    words = ("tests", "run", "counter.suite.json", "--against", against, "--format", "junit")

    root = ET.fromstring(mutproof(*words, cwd=folder).out)

    suite = json.loads((folder / "counter.suite.json").read_text())
    cases = list(root.iter("testcase"))
    assert [one["name"] for one in suite["tests"]] == [case.get("name") for case in cases]
    failed = sum(case.find("failure") is not None for case in cases)
    assert str(failed) == root.get("failures")
    assert failed > 0


def test_without_the_text_of_the_model_there_is_no_diagnosis(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "counter.lus").write_text(MODEL + "-- changed\n")
    (tmp_path / "counter.suite.json").write_bytes((folder / "counter.suite.json").read_bytes())
    (tmp_path / "wrong.py").write_bytes((folder / "wrong.py").read_bytes())

    code, found = run(tmp_path, program("wrong.py"))
    assert (2, []) == (code, found["explaining"])
    assert "not the text that the suite was made from" in found["undiagnosed"]

    _, found = run(tmp_path, program("wrong.py"), "--model", str(folder / "counter.lus"))
    assert found["explaining"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"suite": 99}', '{"suite": 1}', '{"suite": 1, "model": 3}', "[" * 5000],
)
def test_what_is_no_suite_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "no.suite.json").write_text(text)

    ended = mutproof("tests", "run", "no.suite.json", "--against", "true", cwd=tmp_path)

    assert 1 == ended.code
    assert "error[not-a-suite]" in ended.err
